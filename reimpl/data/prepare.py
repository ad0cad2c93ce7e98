"""From a corpus on disk to a `Dataset`, by a recipe, with a count of everything a rule did.

Legend: N documents, L labels, W words met in all texts, V words of the vocabulary.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
from scipy import sparse

from reimpl.data.dataset import BoolArray, Dataset, FloatArray, IntArray, Split, csr, offsets_of
from reimpl.data.files import Progress, counted
from reimpl.data.formats import open_corpus
from reimpl.data.numbering import Numbers, SplitNumbers, Task, processes
from reimpl.data.recipe import Recipe, find_recipe
from reimpl.data.source import TextSource, identities
from reimpl.data.storage import GrowingArray, steps
from reimpl.data.text import ATTENTIONXML, SEPARATOR, TOKENISED
from reimpl.data.vectors import Lookup, VectorSource, described, initial_vectors, parse_source
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
#: Tokens, or weighed words, that are worked on at once.
_BLOCK = 4_000_000


def prepare(
    source: TextSource | Path,
    *,
    recipe: str | Recipe,
    length: int,
    vectors: VectorSource | str,
    rng: np.random.Generator,
    workers: int | None = None,
    progress: Progress | None = None,
    folder: Path | None = None,
) -> Dataset:
    """Reads, tokenises, counts, cuts to `length` words and looks up word vectors.

    `source` is a corpus or a path with texts in any format; `vectors` a source or `glove`, `random:E` or
    a file name (a recipe of features alone takes none). `rng` draws the vectors of words that have none,
    where the recipe asks for it. `workers` processes read the texts, one a core unless told; how many makes
    no difference to the numbers. `progress` is told the bytes read of those on disk. The arrays go into .npy
    files of `folder`, which are read as they are needed, or without one into memory.
    Raises `DataError` for data that cannot be used and `ConfigError` for an unknown recipe or length.
    """
    source, vectors = as_source(source), as_vectors(vectors)
    recipe = find_recipe(recipe).of(source)
    if length < 1:
        raise ConfigError(f"length is {length!r}; give at least 1 word a document")
    paths = {file.path for file in getattr(source, "files", ())}
    packed = sum(path.stat().st_size for path in paths if path.is_file())
    with closing(Numbers(folder)) as numbers:
        with processes(workers, packed) as pool, counted(packed, progress):
            for split in source.splits:
                task = Task(
                    recipe.tokeniser,
                    length=length if recipe.tokens else 0,
                    # study rule: training documents without labels are dropped, others stay
                    # (data_utils.py 92-93)
                    drop_unlabelled=split == "train" and recipe.unlabelled == "drop",
                    counts=recipe.tfidf or (split == "train" and recipe.counts_documents),
                )
                numbers.read(source, split, task, pool, features=recipe.tfidf)
        return _finished(source, recipe, length, vectors, numbers, rng, folder)


def as_source(source: TextSource | Path) -> TextSource:
    """Texts at a path, in any format; raises `DataError` where there are features without text."""
    if not isinstance(source, Path):
        return source
    corpus = open_corpus(source)
    if isinstance(corpus, Dataset):
        raise DataError(f"{source}: features without text, which only models of features take; give texts")
    return corpus


def as_vectors(vectors: VectorSource | str) -> VectorSource:
    """A string is `glove`, `random:E` or a file name."""
    return parse_source(vectors) if isinstance(vectors, str) else vectors


def _finished(
    source: TextSource,
    recipe: Recipe,
    length: int,
    vectors: VectorSource,
    numbers: Numbers,
    rng: np.random.Generator,
    folder: Path | None,
) -> Dataset:
    name, parts, words = source.name, numbers.splits, tuple(numbers.words)
    if not numbers.labels:
        raise DataError(f"{name}: no document has a label; each line starts with its labels and a tab")
    if not len(parts["train"].joined("kept")):
        raise DataError(f"{name}: no training document has a label; add labels or keep such documents")
    vocabulary = _vocabulary(recipe, words, numbers, vectors, rng)
    if not vocabulary.words:
        raise DataError(f"{name}: no training text has a word; give texts")
    labels = tuple(sorted(numbers.labels))
    label_ids = np.empty(len(labels), dtype=np.int32)
    label_ids[[numbers.labels[label] for label in labels]] = np.arange(len(labels))
    # as scikit-learn's TfidfTransformer weighs words: smooth
    idf = np.log((1 + len(parts["train"].joined("kept"))) / (1 + numbers.documents_with)) + 1
    counts: dict[str, float] = {}
    splits: dict[str, Split] = {}
    times: dict[str, IntArray] = {}
    for split, part in parts.items():
        dropped = split == "train" and recipe.unlabelled == "drop"
        counts[f"{split}.unlabelled_{'dropped' if dropped else 'kept'}"] = part.unlabelled
        splits[split], times[split], unknown = _split(split, part, recipe, vocabulary, label_ids, idf, folder)
        cut = length if recipe.tokens else None
        counts |= _counts_of_split(split, part, splits[split], cut, unknown)
    lookup = _looked_up(vectors, vocabulary, recipe, rng)
    counts |= _counts_of_labels(splits, len(labels))
    counts |= _counts_of_vectors(lookup, times["train"], vocabulary)
    counts["vocabulary.words_met"] = len(words)
    identity = identities({split: part.content for split, part in parts.items()})
    # everything that decides the arrays; the vectors by their values, so that their file may move
    choices = [PREPARATION_VERSION, identity["content"], recipe.identity, length, lookup.rows.shape]
    digest = hashlib.sha256(json.dumps(choices, sort_keys=True).encode())
    digest.update(np.ascontiguousarray(lookup.rows).data)
    return Dataset(
        name=name,
        recipe=recipe.name,
        fingerprint=digest.hexdigest(),
        **identity,
        train=splits["train"],
        test=splits["test"],
        dev=splits.get("dev"),
        labels=labels,
        vocabulary=vocabulary.words,
        vectors=lookup.rows,
        padding_id=max(vocabulary.padding_id, 0),
        padding_trainable=recipe.padding_trainable,
        counts=counts,
        notes=(*getattr(source, "notes", ()), *lookup.notes, *_notes(counts, recipe, length)),
    )


# --------------------------------------------------------------------------- words


def _vocabulary(
    recipe: Recipe, words: tuple[str, ...], numbers: Numbers, vectors: VectorSource, rng: np.random.Generator
) -> Vocabulary:
    frequency = numbers.documents_with
    if recipe.vocabulary == "liu":
        # train and test only, as the public code, which has no dev split
        parts = [numbers.splits[split] for split in ("train", "test")]
        times, first = _kept_words(parts, len(words))
        lengths = [part.joined("kept") for part in parts]
        return liu_vocabulary(words, times, first, lengths, size=recipe.vocabulary_size)
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


def _kept_words(parts: Sequence[SplitNumbers], n_words: int) -> tuple[IntArray, IntArray]:
    """int64 (W,) each: how often each word stands in what is kept, and at which place of it first."""
    times, never, before = np.zeros(n_words, dtype=np.int64), np.iinfo(np.int64).max, 0
    first = np.full(n_words, never)
    for part in parts:
        for start in range(0, part.tokens.size, _BLOCK):
            tokens = part.tokens.done()[start : start + _BLOCK]
            times += np.bincount(tokens, minlength=n_words)
            # written back to front, so that the earliest place of a word is the one that stays
            new = np.flatnonzero(first[tokens] == never)[::-1]
            first[tokens[new]] = before + new
            before += len(tokens)
    return times, first


def _looked_up(
    vectors: VectorSource, vocabulary: Vocabulary, recipe: Recipe, rng: np.random.Generator
) -> Lookup:
    words = vocabulary.words
    if not recipe.tokens:  # no word is ever looked up; the rows are there because every word has one
        return Lookup(np.zeros((len(words), 1), dtype=np.float32), np.zeros(len(words), dtype=np.bool_))
    if recipe.vocabulary == "attentionxml":
        # the mark between title and body borrows the vector of the full stop (data_utils.py 34-35)
        words = tuple("." if word == SEPARATOR else word for word in words)
    rule = recipe.out_of_vocabulary
    return initial_vectors(vectors, words, special=vocabulary.special, rule=rule, rng=rng)


# --------------------------------------------------------------------------- the arrays of a split


def _split(
    split: str,
    part: SplitNumbers,
    recipe: Recipe,
    vocabulary: Vocabulary,
    label_ids: IntArray,
    idf: FloatArray,
    folder: Path | None,
) -> tuple[Split, IntArray, int]:
    """The split; how often each word of the vocabulary stands in it (V,); and its words without a row."""
    fill = recipe.empty == "unknown"
    tokens = GrowingArray(folder, f"{split}.tokens", np.int32)
    times = np.zeros(len(vocabulary.words), dtype=np.int64)
    numbers, kept = part.tokens.done(), part.joined("kept")
    ends = offsets_of(kept)
    for first, last in steps(kept, _BLOCK):
        lengths = kept[first:last]
        ids = vocabulary.ids[numbers[ends[first] : ends[last]]]
        times += np.bincount(ids, minlength=len(times))
        bare = lengths == 0
        if fill and bare.any():
            ids = np.insert(ids, (offsets_of(lengths)[:-1])[bare], vocabulary.unknown_id)
        tokens.append(ids)
    unknown = int(times[vocabulary.unknown_id]) if recipe.tokens else 0
    features = None
    if recipe.tfidf:
        features, known = _tfidf(part, vocabulary, idf, folder, f"{split}.features")
        if not recipe.tokens:
            unknown = int(part.joined("lengths").sum(dtype=np.int64)) - known
    if fill:
        times[vocabulary.unknown_id] += int((kept == 0).sum())
    rows = offsets_of(part.joined("label_lengths"))
    ids = label_ids[part.joined("labels")]
    labels = sparse.csr_matrix((np.ones(len(ids), dtype=np.int8), ids, rows), (len(rows) - 1, len(label_ids)))
    labels.sum_duplicates()
    flat = {
        "label_ids": labels.indices.astype(np.int32),
        "label_offsets": labels.indptr.astype(np.int64),
        "offsets": offsets_of(np.maximum(kept, 1) if fill else kept),
    }
    arrays = {}
    for name, values in flat.items():
        array = GrowingArray(folder, f"{split}.{name}", values.dtype.type)
        array.append(values)
        arrays[name] = array.done()
    return Split(tokens=tokens.done(), features=features, **arrays), times, unknown


def _tfidf(
    part: SplitNumbers, vocabulary: Vocabulary, idf: FloatArray, folder: Path | None, name: str
) -> tuple[sparse.csr_matrix, int]:
    """float32 (N, V) weights of the words of whole documents, and how many of these have a column.

    times(d, w) * idf(w), then each document divided by its length (L2), as scikit-learn's `TfidfVectorizer`
    has it; words without a column do not count, also not for the length.
    """
    columns = np.where(vocabulary.ids == vocabulary.unknown_id, -1, vocabulary.ids)
    data, indices = (
        GrowingArray(folder, f"{name}.{array}", kind)
        for array, kind in (("data", np.float32), ("indices", np.int32))
    )
    all_words, all_times = part.distinct.done(), part.times.done()
    distinct, lengths, known = part.joined("distinct"), [np.zeros(1, dtype=np.int64)], 0
    ends = offsets_of(distinct)
    for first, last in steps(distinct, _BLOCK):
        n, here = last - first, slice(ends[first], ends[last])
        rows, words, times = np.repeat(np.arange(n), distinct[first:last]), all_words[here], all_times[here]
        at = columns[words]
        kept = at >= 0
        rows, at, times = rows[kept], at[kept], times[kept]
        known += int(times.sum(dtype=np.int64))
        values = times * idf[words[kept]]
        norms = np.sqrt(np.bincount(rows, weights=values**2, minlength=n))
        order = np.argsort(rows * len(vocabulary.words) + at)
        data.append((values / norms[rows])[order])
        indices.append(at[order])
        lengths.append(np.bincount(rows, minlength=n))
    offsets = GrowingArray(folder, f"{name}.indptr", np.int64)
    offsets.append(np.cumsum(np.concatenate(lengths)))
    return csr(data.done(), indices.done(), offsets.done(), len(vocabulary.words)), known


# --------------------------------------------------------------------------- counts, and their sentences


def _counts_of_split(
    split: str, part: SplitNumbers, made: Split, length: int | None, unknown: int
) -> dict[str, float]:
    """`unknown` of its kept words have no row; None as `length` keeps all."""
    words = part.joined("lengths")
    n = len(words)
    truncated = 0 if length is None else int((words > length).sum())
    read = (words if length is None else part.joined("kept")).sum(dtype=np.int64)
    return {
        f"{split}.documents": n,
        f"{split}.mean_words": float(words.mean()) if n else 0.0,
        f"{split}.truncated": truncated,
        f"{split}.truncated_share": truncated / n if n else 0.0,
        f"{split}.unknown_word_share": unknown / max(int(read), 1),
        f"{split}.empty_texts": int((words == 0).sum()),
        f"{split}.duplicate_labels": len(part.joined("labels")) - len(made.label_ids),
    }


def _counts_of_labels(splits: Mapping[str, Split], n_labels: int) -> dict[str, float]:
    """The label set is that of all splits together; labels without a training document are counted.

    The share of unknown labels is that of the labels that a split's documents have, repetitions not counted.
    """
    seen = {split: np.bincount(part.label_ids, minlength=n_labels) > 0 for split, part in splits.items()}
    counts: dict[str, float] = {"labels": n_labels, "labels.not_in_train": int((~seen["train"]).sum())}
    counts |= {f"labels.in_{split}": int(mask.sum()) for split, mask in seen.items()}
    for split, part in splits.items():
        if split != "train":
            unknown = int((~seen["train"])[part.label_ids].sum())
            counts[f"{split}.unknown_label_share"] = unknown / max(len(part.label_ids), 1)
    return counts | {"labels.test_not_in_train": int((seen["test"] & ~seen["train"]).sum())}


def _counts_of_vectors(lookup: Lookup, times: IntArray, vocabulary: Vocabulary) -> dict[str, float]:
    """Coverage: of the words of the vocabulary, and of the training text (cut) without the special words."""
    found = lookup.found
    ordinary = np.ones(len(found), dtype=np.bool_)
    ordinary[[number for number in vocabulary.special if number >= 0]] = False
    text = int(times[ordinary].sum())
    return {
        **lookup.counts,
        "vocabulary": len(found),
        "vectors.words_found_share": float(found[ordinary].mean()) if ordinary.any() else 0.0,
        "vectors.text_found_share": int(times[ordinary & found].sum()) / text if text else 0.0,
    }


#: Count of a split -> what is said where it is not 0.
_SENTENCES = {
    "unlabelled_dropped": "{n} documents without labels dropped.",
    "unlabelled_kept": "{n} documents without labels kept.",
    "empty_texts": "{n} texts without words became {empty}.",
    "duplicate_labels": "{n} repeated labels counted once.",
    "truncated": "{n} of {documents} documents cut to {length} words.",
}


def _notes(counts: Mapping[str, float], recipe: Recipe, length: int) -> tuple[str, ...]:
    """One sentence for each rule that acted."""
    unseen = int(counts["labels.test_not_in_train"])
    notes = [f"{unseen} labels occur in test and in no training document."] * (unseen > 0)
    values: dict[str, object] = {"length": length}
    values["empty"] = "one unknown word" if recipe.empty == "unknown" else "no token"
    for split in ("train", "test", "dev"):
        values["documents"] = int(counts.get(f"{split}.documents", 0))
        for name, sentence in _SENTENCES.items():
            if n := int(counts.get(f"{split}.{name}", 0)):
                notes.append(f"{split}: {sentence.format(n=n, **values)}")
    if recipe.tokeniser is ATTENTIONXML:
        without = "a full stop inside a text stays at its word."
        notes.append(f"Words by NLTK 3.4's rules without its sentence splitter: {without}")
    if recipe.tokeniser is TOKENISED:
        notes.append("The texts were tokenised already and are parted at blanks.")
    if recipe.tfidf:
        notes.append("Features: tf-idf of whole documents, as scikit-learn's TfidfVectorizer weighs words.")
    if recipe.tokens:
        # rounded down: 100.0 % would say that no word was missed
        covered = f"{math.floor(1000 * counts['vectors.text_found_share']) / 10} % of the training text"
        rest = described(recipe.out_of_vocabulary)
        notes.append(f"Words with a vector: {covered}; the other rows are {rest}.")
    return tuple(notes)
