"""From a corpus on disk to a `Dataset`, by a recipe, with a count of everything a rule did."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
from scipy import sparse

from reimpl.data.dataset import BoolArray, Dataset, FloatArray, IntArray, Split, offsets_of
from reimpl.data.encode import Numbers, Ragged, SplitNumbers
from reimpl.data.formats import BowDataset
from reimpl.data.meter import Progress, counted
from reimpl.data.numbering import Task
from reimpl.data.opening import open_corpus
from reimpl.data.parallel import numberer
from reimpl.data.prepare_notes import notes, of_split, of_universe, of_vectors
from reimpl.data.recipe import Recipe, find_recipe
from reimpl.data.source import Source, content_of, corpus_of
from reimpl.data.spool import Arrays, InMemory, steps
from reimpl.data.tfidf import idf, weigh
from reimpl.data.tokenise import SEPARATOR
from reimpl.data.vectors import Lookup, VectorSource, initial_vectors, parse_source
from reimpl.data.vocabulary import (
    Vocabulary,
    attentionxml_vocabulary,
    bow_vocabulary,
    liu_vocabulary,
    study_vocabulary,
)
from reimpl.errors import ConfigError, DataError

#: Counts up when the same corpus and recipe give other numbers than before.
PREPARATION_VERSION = 1

#: Tokens that are turned into ids at once.
_BLOCK = 4_000_000


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
        splits[split], times, unknown = _split(
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


def _split(
    split: str,
    part: SplitNumbers,
    recipe: Recipe,
    vocabulary: Vocabulary,
    order: IntArray,
    weights: FloatArray,
    arrays: Arrays,
) -> tuple[Split, IntArray, int]:
    """The split; how often each word of the vocabulary stands in it (V,); and its words without a row.

    What is known of the ids is told to the split, so that gigabytes of them are not read again.
    """
    tokens, offsets, times = _tokens(split, part, recipe, vocabulary, arrays)
    unknown = int(times[vocabulary.unknown_id]) if recipe.tokens else 0
    features = None
    if recipe.tfidf:
        columns = np.where(vocabulary.ids == vocabulary.unknown_id, -1, vocabulary.ids)
        n_columns = len(vocabulary.words)
        features, known = weigh(part, columns, weights, n_columns, arrays, f"{split}.features")
        if not recipe.tokens:
            unknown = int(part.words.sum(dtype=np.int64)) - known
    if recipe.empty == "unknown":
        times[vocabulary.unknown_id] += int((part.kept == 0).sum())
    labels = _sorted_labels(part.labels, order)
    flat = {"label_ids": labels.values, "label_offsets": labels.offsets, "offsets": offsets}
    stored = {}
    for name, values in flat.items():
        growing = arrays.new(f"{split}.{name}", values.dtype.type)
        growing.append(values)
        stored[name] = growing.done()
    split_made = Split(tokens=tokens, features=features, **stored)
    met = np.flatnonzero(times)
    token_range = (int(met[0]), int(met[-1])) if len(met) else (0, -1)
    return split_made.with_ranges(token_range, split_made.label_range), times, unknown


def _tokens(
    split: str, part: SplitNumbers, recipe: Recipe, vocabulary: Vocabulary, arrays: Arrays
) -> tuple[IntArray, IntArray, IntArray]:
    """Token ids, their offsets, and how often each id stands there (V,) before empty texts are filled."""
    ids = arrays.new(f"{split}.tokens", np.int32)
    times = np.zeros(len(vocabulary.words), dtype=np.int64)
    read, kept = part.tokens.reader(), part.kept
    for first, last in steps(kept, _BLOCK):
        lengths = kept[first:last]
        values = vocabulary.ids[read(int(lengths.sum(dtype=np.int64)))]
        times += np.bincount(values, minlength=len(times))
        if recipe.empty == "unknown":
            values = Ragged(values, offsets_of(lengths)).filled(vocabulary.unknown_id).values
        ids.append(values)
    lengths = np.maximum(kept, 1) if recipe.empty == "unknown" else kept
    return ids.done(), offsets_of(lengths), times


def _sorted_labels(labels: Ragged, order: IntArray) -> Ragged:
    """Label ids, rising within a document; a label written twice counts once."""
    ids = order[labels.values].astype(np.int32)
    ones = np.ones(len(ids), dtype=np.int8)
    matrix = sparse.csr_matrix((ones, ids, labels.offsets), shape=(len(labels.offsets) - 1, len(order)))
    matrix.sum_duplicates()
    return Ragged(matrix.indices.astype(np.int32), matrix.indptr.astype(np.int64))


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
