"""From a corpus on disk to a `Dataset`, by a recipe, with a count of everything a rule did."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np

from reimpl.data.dataset import BoolArray, Dataset, IntArray, Split
from reimpl.data.encode import Numbers
from reimpl.data.finished import finished_split
from reimpl.data.formats import BowDataset
from reimpl.data.meter import Progress, counted
from reimpl.data.numbering import Task
from reimpl.data.opening import open_corpus
from reimpl.data.parallel import numberer
from reimpl.data.prepare_notes import notes, of_split, of_universe, of_vectors
from reimpl.data.recipe import Recipe, find_recipe
from reimpl.data.source import Source, content_of, corpus_of, partition_of
from reimpl.data.spool import Arrays, InMemory
from reimpl.data.tfidf import idf
from reimpl.data.tokenise import SEPARATOR
from reimpl.data.vectors import Lookup, VectorSource, initial_vectors, parse_source
from reimpl.data.vocabulary import (
    Vocabulary,
    attentionxml_vocabulary,
    bow_vocabulary,
    full_vocabulary,
    liu_vocabulary,
    study_vocabulary,
)
from reimpl.errors import ConfigError, DataError

#: Counts up when the same corpus and recipe give other numbers than before.
PREPARATION_VERSION = 1


def prepare(
    source: Source | Path,
    *,
    recipe: str | Recipe,
    length: int,
    vectors: VectorSource | str,
    rng: np.random.Generator,
    workers: int | None = None,
    progress: Progress | None = None,
    arrays: Arrays | None = None,
) -> Dataset:
    """Reads, tokenises, counts, cuts to `length` words and looks up word vectors.

    `source` is a corpus or a folder in the LibMultiLabel format; `vectors` a source or `glove`, `random:E` or
    a file name (a recipe of features alone takes none). `rng` draws the vectors of words that have none,
    where the recipe asks for it. `workers` processes read the texts, one a core unless told; how many makes
    no difference to the numbers. `progress` is told the bytes read of those on disk. `arrays` says where the
    arrays go: in memory, or in files that are read as they are needed.
    Raises `DataError` for data that cannot be used and `ConfigError` for an unknown recipe or length.
    """
    source, vectors = as_source(source), as_vectors(vectors)
    recipe = find_recipe(recipe).of(source)
    if length < 1:
        raise ConfigError(f"length is {length!r}; give at least 1 word a document")
    arrays = arrays or InMemory()
    with closing(Numbers(arrays.folder)) as numbers:
        _read(source, recipe, length, numbers, workers, progress)
        return _finished(source, recipe, length, vectors, numbers, rng, arrays)


def as_source(source: Source | Path) -> Source:
    """Texts at a path, in any format; raises `DataError` where there are features without text."""
    if not isinstance(source, Path):
        return source
    corpus = open_corpus(source)
    if isinstance(corpus, BowDataset):
        raise DataError(f"{source}: features without text, which only models of features take; give texts")
    return corpus


def as_vectors(vectors: VectorSource | str) -> VectorSource:
    """A string is `glove`, `random:E` or a file name."""
    return parse_source(vectors) if isinstance(vectors, str) else vectors


def _read(
    source: Source,
    recipe: Recipe,
    length: int,
    numbers: Numbers,
    workers: int | None,
    progress: Progress | None,
) -> None:
    packed = packed_bytes(source)
    with (
        closing(numberer(recipe.tokeniser, workers=workers, packed=packed)) as numbering,
        counted(packed, progress),
    ):
        for split in source.splits:
            task = Task(
                length=length if recipe.tokens else 0,
                # study rule: training documents without labels are dropped, others stay (data_utils.py 92-93)
                drop_unlabelled=split == "train" and recipe.unlabelled == "drop",
                counts=recipe.tfidf or (split == "train" and recipe.counts_documents),
            )
            kept = recipe.vocabulary == "liu"
            numbers.read(source, split, task, numbering, features=recipe.tfidf, kept=kept)


def packed_bytes(source: Source) -> int:
    """Size of the files of a source on disk; 0 where it does not say."""
    files = getattr(source, "files", ())
    paths = files.values() if isinstance(files, Mapping) else (file.path for file in files)
    return sum(path.stat().st_size for path in {Path(path) for path in paths} if path.is_file())


def _finished(
    source: Source,
    recipe: Recipe,
    length: int,
    vectors: VectorSource,
    numbers: Numbers,
    rng: np.random.Generator,
    arrays: Arrays,
) -> Dataset:
    name, parts = source.name, numbers.splits
    _check_usable(name, numbers)
    words = tuple(numbers.words)
    vocabulary = _vocabulary(recipe, words, numbers, vectors, rng)
    if not vocabulary.words:
        raise DataError(f"{name}: no training text has a word; give texts")
    universe = tuple(sorted(numbers.labels))
    order = _ranks(numbers.labels, universe)
    frequency = numbers.documents_with.upto(len(words))[: len(words)]
    counts: dict[str, float] = {}
    splits: dict[str, Split] = {}
    trained_on: IntArray = np.zeros(len(vocabulary.words), dtype=np.int64)
    for split, part in parts.items():
        dropped = split == "train" and recipe.unlabelled == "drop"
        counts[f"{split}.unlabelled_{'dropped' if dropped else 'kept'}"] = part.unlabelled
        splits[split], times, unknown = finished_split(
            split, part, recipe, vocabulary, order, idf(frequency, parts["train"].size), arrays
        )
        counts |= of_split(split, part, splits[split], length=length, unknown=unknown, cut=recipe.tokens)
        if split == "train":
            trained_on = times
    lookup = _looked_up(vectors, vocabulary, recipe, rng)
    counts |= of_universe(splits, len(universe))
    counts |= of_vectors(lookup, trained_on, vocabulary, known=len(words))
    content = content_of({split: part.content for split, part in parts.items()})
    return Dataset(
        name=name,
        recipe=recipe.name,
        fingerprint=_fingerprint(content, recipe, length, lookup),
        content=content,
        corpus=corpus_of(part.content for part in parts.values()),
        partition=partition_of({split: part.content for split, part in parts.items()}),
        train=splits["train"],
        test=splits["test"],
        dev=splits.get("dev"),
        labels=universe,
        vocabulary=vocabulary.words,
        vectors=lookup.rows,
        padding_id=max(vocabulary.padding_id, 0),
        padding_trainable=recipe.padding_trainable,
        counts=counts,
        notes=(*getattr(source, "notes", ()), *lookup.notes, *notes(counts, recipe, length)),
    )


def _check_usable(name: str, numbers: Numbers) -> None:
    if not numbers.labels:
        raise DataError(f"{name}: no document has a label; each line starts with its labels and a tab")
    if not numbers.splits["train"].size:
        raise DataError(f"{name}: no training document has a label; add labels or keep such documents")


def _vocabulary(
    recipe: Recipe,
    words: tuple[str, ...],
    numbers: Numbers,
    vectors: VectorSource,
    rng: np.random.Generator,
) -> Vocabulary:
    size = len(words)
    if recipe.vocabulary == "liu":
        times, first = (it.upto(size)[:size] for it in (numbers.kept_times, numbers.kept_first))
        # train and test only, as the public code, which has no dev split
        lengths = [numbers.splits[split].kept for split in ("train", "test")]
        return liu_vocabulary(words, times, first, lengths, size=recipe.vocabulary_size)
    frequency = numbers.documents_with.upto(size)[:size]
    if recipe.vocabulary == "all":
        return full_vocabulary(words)
    if recipe.vocabulary == "bow":
        return bow_vocabulary(words, frequency)
    if recipe.vocabulary == "study":
        return study_vocabulary(words, frequency, min_frequency=recipe.min_frequency)

    def has_vector(candidates: Sequence[str]) -> BoolArray:
        if vectors.random or not candidates:
            return np.ones(len(candidates), dtype=np.bool_)
        return vectors.look_up(candidates, rng).found

    return attentionxml_vocabulary(words, frequency, has_vector, size=recipe.vocabulary_size)


def _ranks(names: Mapping[str, int], ordered: tuple[str, ...]) -> IntArray:
    """int64 (L,): label id (place in `ordered`) of each numbered label."""
    ranks = np.empty(len(names), dtype=np.int64)
    ranks[[names[name] for name in ordered]] = np.arange(len(ordered))
    return ranks


def _looked_up(
    vectors: VectorSource, vocabulary: Vocabulary, recipe: Recipe, rng: np.random.Generator
) -> Lookup:
    if not recipe.tokens:
        # no word is ever looked up; the rows are there because every word has one
        rows = np.zeros((len(vocabulary.words), 1), dtype=np.float32)
        return Lookup(rows, np.zeros(len(rows), dtype=np.bool_))
    words = vocabulary.words
    if recipe.vocabulary == "attentionxml":
        # the mark between title and body borrows the vector of the full stop (data_utils.py 34-35)
        words = tuple("." if word == SEPARATOR else word for word in words)
    rule = recipe.out_of_vocabulary
    return initial_vectors(vectors, words, special=vocabulary.special, rule=rule, rng=rng)


def _fingerprint(content: str, recipe: Recipe, length: int, lookup: Lookup) -> str:
    """Everything that decides the arrays; the vectors by their values, so that their file may move."""
    choices = [PREPARATION_VERSION, content, recipe.identity, length, lookup.rows.shape]
    digest = hashlib.sha256(json.dumps(choices, sort_keys=True).encode())
    digest.update(np.ascontiguousarray(lookup.rows).data)
    return digest.hexdigest()
