"""From a corpus on disk to a `Dataset`, by a recipe, with a count of everything a rule did."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from reimpl.data.dataset import Dataset, IntArray, Split
from reimpl.data.encode import Encoded, Interner, Ragged, encode
from reimpl.data.formats import BowDataset
from reimpl.data.opening import open_corpus
from reimpl.data.recipe import Recipe, find_recipe
from reimpl.data.source import Source, content_of, corpus_of
from reimpl.data.vectors import Lookup, VectorSource, described, initial_vectors, parse_source
from reimpl.data.vocabulary import Vocabulary, liu_vocabulary, study_vocabulary
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
) -> Dataset:
    """Reads, tokenises, counts, cuts to `length` words and looks up word vectors.

    `source` is a corpus or a folder in the LibMultiLabel format; `vectors` a source or `glove`, `random:E` or
    a file name. `rng` draws the vectors of words that have none, where the recipe asks for it.
    Raises `DataError` for data that cannot be used and `ConfigError` for an unknown recipe or length.
    """
    source, recipe, vectors = as_source(source), find_recipe(recipe), as_vectors(vectors)
    if length < 1:
        raise ConfigError(f"length is {length!r}; give at least 1 word a document")
    words, labels = Interner(recipe.tokeniser.normalise), Interner()
    cut = length if recipe.vocabulary == "liu" else None
    read = {
        split: encode(source.documents(split), recipe.tokeniser, words, labels, cut=cut)
        for split in source.splits
    }
    counts: dict[str, float] = {}
    kept = {split: _without_unlabelled(split, part, recipe, counts) for split, part in read.items()}
    _check_usable(source.name, kept, labels)
    vocabulary = _vocabulary(recipe, words.words, kept)
    universe = tuple(sorted(labels.words))
    order = _ranks(labels.words, universe)
    splits = {
        split: _split(split, part, vocabulary, order, recipe, length, counts) for split, part in kept.items()
    }
    special = (vocabulary.padding_id, vocabulary.unknown_id)
    rule = recipe.out_of_vocabulary
    lookup = initial_vectors(vectors, vocabulary.words, special=special, rule=rule, rng=rng)
    counts |= _universe_counts(splits, len(universe)) | _vector_counts(lookup, splits["train"], special)
    content = content_of({split: part.content for split, part in read.items()})
    return Dataset(
        name=source.name,
        recipe=recipe.name,
        fingerprint=_fingerprint(content, recipe, length, lookup),
        content=content,
        corpus=corpus_of(part.content for part in read.values()),
        train=splits["train"],
        test=splits["test"],
        dev=splits.get("dev"),
        labels=universe,
        vocabulary=vocabulary.words,
        vectors=lookup.rows,
        padding_id=vocabulary.padding_id,
        padding_trainable=recipe.padding_trainable,
        counts=counts,
        notes=(*lookup.notes, *_notes(counts, recipe, length)),
    )


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


def _without_unlabelled(split: str, part: Encoded, recipe: Recipe, counts: dict[str, float]) -> Encoded:
    """Study rule: training documents without labels are dropped, others stay (data_utils.py 92-93)."""
    bare = part.labels.lengths == 0
    drop = split == "train" and recipe.unlabelled == "drop"
    counts[f"{split}.unlabelled_dropped" if drop else f"{split}.unlabelled_kept"] = int(bare.sum())
    if not (drop and bare.any()):
        return part
    keep = ~bare
    return replace(
        part, tokens=part.tokens.select(keep), labels=part.labels.select(keep), words=part.words[keep]
    )


def _check_usable(name: str, parts: Mapping[str, Encoded], labels: Interner) -> None:
    if not labels.words:
        raise DataError(f"{name}: no document has a label; each line starts with its labels and a tab")
    if not len(parts["train"].words):
        raise DataError(f"{name}: no training document has a label; add labels or keep such documents")


def _vocabulary(recipe: Recipe, words: tuple[str, ...], parts: Mapping[str, Encoded]) -> Vocabulary:
    if recipe.vocabulary == "study":
        return study_vocabulary(words, parts["train"].tokens, min_frequency=recipe.min_frequency)
    # train and test only, as the public code, which has no dev split
    counted = [parts[split].tokens for split in ("train", "test")]
    return liu_vocabulary(words, counted, size=recipe.vocabulary_size)


def _ranks(names: tuple[str, ...], ordered: tuple[str, ...]) -> IntArray:
    """int64 (L,): label id (place in `ordered`) of each numbered label."""
    place = {name: rank for rank, name in enumerate(ordered)}
    return np.array([place[name] for name in names], dtype=np.int64)


def _split(
    split: str,
    part: Encoded,
    vocabulary: Vocabulary,
    order: IntArray,
    recipe: Recipe,
    length: int,
    counts: dict[str, float],
) -> Split:
    # the first `length` words stay, in both recipes (Liu's were already cut while reading)
    tokens = vocabulary.encode(part.tokens.first(length))
    n = len(part.words)
    counts[f"{split}.documents"] = n
    counts[f"{split}.mean_words"] = float(part.words.mean())
    counts[f"{split}.truncated"] = int((part.words > length).sum())
    counts[f"{split}.truncated_share"] = counts[f"{split}.truncated"] / n
    unknown = int((tokens.values == vocabulary.unknown_id).sum())
    counts[f"{split}.unknown_word_share"] = unknown / max(len(tokens.values), 1)
    counts[f"{split}.empty_texts"] = int((part.words == 0).sum())
    if recipe.empty == "unknown":
        tokens = tokens.filled(vocabulary.unknown_id)
    labels = _sorted_labels(part.labels, order)
    counts[f"{split}.duplicate_labels"] = len(part.labels.values) - len(labels.values)
    return Split(tokens.values, tokens.offsets, labels.values, labels.offsets)


def _sorted_labels(labels: Ragged, order: IntArray) -> Ragged:
    """Label ids, rising within a document; a label written twice counts once."""
    pairs = np.unique(labels.rows * len(order) + order[labels.values])
    rows, ids = np.divmod(pairs, len(order))
    ends = np.bincount(rows, minlength=len(labels.offsets) - 1).cumsum()
    return Ragged(ids.astype(np.int32), np.append(0, ends))


def _universe_counts(splits: Mapping[str, Split], n_labels: int) -> dict[str, float]:
    """The label set is that of all splits together; labels without a training document are counted."""
    seen = {split: np.bincount(part.label_ids, minlength=n_labels) > 0 for split, part in splits.items()}
    counts: dict[str, float] = {"labels": n_labels, "labels.not_in_train": int((~seen["train"]).sum())}
    counts |= {f"labels.in_{split}": int(mask.sum()) for split, mask in seen.items()}
    return counts | {"labels.test_not_in_train": int((seen["test"] & ~seen["train"]).sum())}


def _vector_counts(lookup: Lookup, train: Split, special: tuple[int, int]) -> dict[str, float]:
    """Coverage: of the words of the vocabulary, and of the training text (cut) without the special words."""
    found = lookup.found
    ordinary = np.ones(len(found), dtype=np.bool_)
    ordinary[list(special)] = False
    tokens = train.tokens[ordinary[train.tokens]]
    return {
        **lookup.counts,
        "vocabulary": len(found),
        "vectors.words_found_share": float(found[ordinary].mean()) if ordinary.any() else 0.0,
        "vectors.text_found_share": float(found[tokens].mean()) if len(tokens) else 0.0,
    }


def _fingerprint(content: str, recipe: Recipe, length: int, lookup: Lookup) -> str:
    """Everything that decides the arrays; the vectors by their values, so that their file may move."""
    choices = [PREPARATION_VERSION, content, recipe.identity, length, lookup.rows.shape]
    digest = hashlib.sha256(json.dumps(choices, sort_keys=True).encode())
    digest.update(np.ascontiguousarray(lookup.rows).tobytes())
    return digest.hexdigest()


def _notes(counts: Mapping[str, float], recipe: Recipe, length: int) -> tuple[str, ...]:
    """One sentence for each rule that acted."""
    splits = [split for split in ("train", "test", "dev") if f"{split}.documents" in counts]
    empty = "one unknown word" if recipe.empty == "unknown" else "no token"
    notes = [(counts["labels.test_not_in_train"], "{} labels occur in test and in no training document.")]
    for split in splits:
        notes += [
            (
                counts.get(f"{split}.unlabelled_dropped", 0),
                f"{split}: {{}} documents without labels dropped.",
            ),
            (counts.get(f"{split}.unlabelled_kept", 0), f"{split}: {{}} documents without labels kept."),
            (counts[f"{split}.empty_texts"], f"{split}: {{}} texts without words became {empty}."),
            (counts[f"{split}.duplicate_labels"], f"{split}: {{}} repeated labels counted once."),
        ]
        cut = f"{split}: {{}} of {counts[f'{split}.documents']:.0f} documents cut to {length} words."
        notes.append((counts[f"{split}.truncated"], cut))
    # rounded down: 100.0 % would say that no word was missed
    covered = f"{math.floor(1000 * counts['vectors.text_found_share']) / 10} % of the training text"
    rest = described(recipe.out_of_vocabulary)
    return (
        *(sentence.format(int(count)) for count, sentence in notes if count),
        f"Words with a vector: {covered}; the other rows are {rest}.",
    )
