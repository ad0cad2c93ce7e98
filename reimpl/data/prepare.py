"""From a corpus on disk to a `Dataset`, with a count of everything that a rule did; cached as a folder of
.npy files named by a digest of source, preprocessing and options. Arrays are read from there as needed. N
documents, L labels, W words met in all texts, V words of the vocabulary."""

from __future__ import annotations

import hashlib
import json
import math
import string
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from reimpl.data import files
from reimpl.data import preprocessing as rules
from reimpl.data.dataset import BoolArray, Dataset, FloatArray, IntArray, Split, csr, offsets_of
from reimpl.data.files import Progress, counted, steps
from reimpl.data.formats import open_corpus
from reimpl.data.numbering import Numbers, SplitNumbers, Task, TextSource, identities, processes
from reimpl.data.preprocessing import Preprocessing, Vocabulary, find_preprocessing
from reimpl.data.text import ATTENTIONXML, SEPARATOR, TOKENISED
from reimpl.data.vectors import (
    HALF_WIDTH,
    Lookup,
    RandomVectors,
    VectorFile,
    VectorSource,
    initial_vectors,
    parse_source,
)
from reimpl.errors import ConfigError, DataError

#: Counts up when the same corpus and preprocessing give other numbers than before.
PREPARATION_VERSION = 1
#: Counts up when the folder of an entry looks otherwise than before.
CACHE_VERSION = 5
#: Tokens, or weighed words, that are worked on at once.
_BLOCK = 4_000_000


def prepare(
    source: TextSource | Path,
    *,
    preprocessing: str | Preprocessing,
    length: int,
    vectors: VectorSource | str,
    rng: np.random.Generator,
    workers: int | None = None,
    progress: Progress | None = None,
    folder: Path | None = None,
) -> Dataset:
    """Read, tokenise, count, cut to `length` words and look up word vectors: a source, `glove`, `random:E` or
    a file; `rng` draws those of words without one. The number of `workers` changes no number. Arrays go into
    .npy files of `folder`, or into memory. Raises `DataError` and `ConfigError`."""
    source, vectors = _source(source), parse_source(vectors) if isinstance(vectors, str) else vectors
    choices = find_preprocessing(preprocessing).of(source)
    if length < 1:
        raise ConfigError(f"length is {length!r}; give at least 1 word per document")
    paths = {file.path for file in getattr(source, "files", ())}
    packed = sum(path.stat().st_size for path in paths if path.is_file())
    with closing(Numbers(folder)) as numbers:
        with processes(workers, packed) as pool, counted(packed, progress):
            for split in source.splits:
                task = Task(
                    choices.tokeniser,
                    length=length if choices.tokens else 0,
                    # study rule: training documents without labels are dropped, others stay
                    # (data_utils.py 92-93)
                    drop_unlabelled=split == "train" and choices.unlabelled == "drop",
                    counts=choices.tfidf or (split == "train" and choices.vocabulary not in ("liu", "all")),
                )
                numbers.read(source, split, task, pool, features=choices.tfidf)
        return _dataset(source, choices, length, vectors, numbers, rng)


def load_or_prepare(
    source: TextSource | Path,
    *,
    preprocessing: str | Preprocessing,
    length: int,
    vectors: VectorSource | str,
    cache: Path,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Dataset:
    """The prepared corpus from `cache`, else prepared and stored there: the same arrays either way. Errors as
    in `prepare`; `DataError` if it cannot be stored."""
    source, vectors = _source(source), parse_source(vectors) if isinstance(vectors, str) else vectors
    if isinstance(vectors, VectorFile):
        vectors = replace(vectors, cache=cache / "vectors")
    choices, name = find_preprocessing(preprocessing).of(source), source.name
    # what is not looked up is no part of the key
    looked_up = vectors.identity if choices.tokens else None
    versions = [CACHE_VERSION, PREPARATION_VERSION]
    key = [versions, source.digest(), choices.name, choices.identity, length, looked_up]
    entry = cache / files.digest_of(key)[:32]

    def make(work: Path) -> None:
        rng = np.random.default_rng(0)
        given: dict[str, Any] = {"preprocessing": choices, "length": length, "vectors": vectors, "rng": rng}
        _write(prepare(source, **given, workers=workers, progress=progress, folder=work), work)

    return files.cached_entry(entry, f"the prepared {name}", partial(load, name=name), make)


def _source(source: TextSource | Path) -> TextSource:
    if not isinstance(source, Path):
        return source
    corpus = open_corpus(source)
    if isinstance(corpus, Dataset):
        raise DataError(f"{source}: features without text, which only models of features take; give texts")
    return corpus


def _dataset(
    source: TextSource,
    choices: Preprocessing,
    length: int,
    vectors: VectorSource,
    numbers: Numbers,
    rng: np.random.Generator,
) -> Dataset:
    name, parts, words = source.name, numbers.splits, numbers.words.names
    if not numbers.labels:
        raise DataError(f"{name}: no document has a label; each line starts with its labels and a tab")
    n_train = len(parts["train"].joined("kept"))
    if not n_train:
        raise DataError(f"{name}: no training document has a label; add labels or keep such documents")
    vocabulary = _vocabulary(choices, words, numbers, vectors, rng)
    if not vocabulary.words:
        raise DataError(f"{name}: no training text has a word; give texts")
    labels = tuple(sorted(numbers.labels))
    label_ids = np.empty(len(labels), dtype=np.int32)
    label_ids[[numbers.labels[label] for label in labels]] = np.arange(len(labels))
    # as scikit-learn's TfidfTransformer weighs words: smooth
    idf = np.log((1 + n_train) / (1 + numbers.documents_with)) + 1
    counts: dict[str, float] = {}
    splits: dict[str, Split] = {}
    times: dict[str, IntArray] = {}
    for split, part in parts.items():
        splits[split], times[split] = _split(part, choices, vocabulary, label_ids, idf)
        lengths = part.joined("lengths")
        dropped = split == "train" and choices.unlabelled == "drop"
        of_split = {
            f"unlabelled_{'dropped' if dropped else 'kept'}": part.unlabelled,
            "documents": len(lengths),
            "mean_words": float(lengths.mean()) if len(lengths) else 0.0,
            "truncated": int((lengths > length).sum()) if choices.tokens else 0,
            "empty_texts": int((lengths == 0).sum()),
            "duplicate_labels": len(part.joined("labels")) - len(splits[split].label_ids),
        }
        counts |= {f"{split}.{count}": value for count, value in of_split.items()}
    if choices.tokens:
        # AttentionXML's mark between title and body borrows the vector of the full stop (data_utils.py 34-35)
        mark = SEPARATOR if choices.vocabulary == "attentionxml" else None
        wanted = ["." if word == mark else word for word in vocabulary.words]
        rule = choices.out_of_vocabulary
        lookup = initial_vectors(vectors, wanted, special=vocabulary.special, rule=rule, rng=rng)
    else:  # no word is ever looked up; the rows are there because every word has one
        n = len(vocabulary.words)
        lookup = Lookup(np.zeros((n, 1), dtype=np.float32), np.zeros(n, dtype=np.bool_))
    # the label set is that of all splits together
    seen = {it: np.bincount(splits[it].label_ids, minlength=len(labels)) > 0 for it in ("train", "test")}
    counts |= {"labels": len(labels), "labels.test_not_in_train": int((seen["test"] & ~seen["train"]).sum())}
    # coverage of the (cut) training text without padding and unknown word
    special = [number for number in vocabulary.special if number >= 0]
    found, text = np.delete(lookup.found, special), np.delete(times["train"], special)
    share = int(text[found].sum()) / max(int(text.sum()), 1)
    counts |= {**lookup.counts, "vocabulary": len(lookup.found), "vectors.text_found_share": share}
    identity = identities({split: part.content for split, part in parts.items()})
    # everything that decides the arrays; the vectors by their values, so that their file may move
    decide = [PREPARATION_VERSION, identity["content"], choices.identity, length, lookup.rows.shape]
    digest = hashlib.sha256(json.dumps(decide, sort_keys=True).encode())
    digest.update(np.ascontiguousarray(lookup.rows).data)
    return Dataset(
        name=name,
        preprocessing=choices.name,
        fingerprint=digest.hexdigest(),
        **identity,
        train=splits["train"],
        test=splits["test"],
        dev=splits.get("dev"),
        labels=labels,
        vocabulary=vocabulary.words,
        vectors=lookup.rows,
        padding_id=max(vocabulary.padding_id, 0),
        padding_trainable=choices.padding_trainable,
        counts=counts,
        notes=(
            *getattr(source, "notes", ()),
            *lookup.notes,
            *_notes(counts, choices, length),
            *_losses(source, choices),
        ),
    )


def _vocabulary(
    choices: Preprocessing,
    words: Sequence[str],
    numbers: Numbers,
    vectors: VectorSource,
    rng: np.random.Generator,
) -> Vocabulary:
    def has_vector(candidates: Sequence[str]) -> BoolArray:
        if isinstance(vectors, RandomVectors) or not candidates:
            return np.ones(len(candidates), dtype=np.bool_)
        return vectors.look_up(candidates, rng).found

    frequency = numbers.documents_with
    if choices.vocabulary == "all":
        return rules.listed(rules.STUDY_SPECIAL, words, np.arange(len(words)))
    if choices.vocabulary == "bow":
        # in alphabetical order, as scikit-learn's vectorisers number them; no word pads and none is unknown
        return rules.listed((), words, rules.by_frequency(words, np.minimum(frequency, 1)))
    if choices.vocabulary == "study":
        return rules.study_vocabulary(words, frequency, min_frequency=choices.min_frequency)
    if choices.vocabulary == "attentionxml":
        return rules.attentionxml_vocabulary(words, frequency, has_vector, size=choices.vocabulary_size)
    # train and test only, as the public code, which has no dev split
    parts = [numbers.splits[split] for split in ("train", "test")]
    times, first = kept_words(parts, len(words))
    lengths = [part.joined("kept") for part in parts]
    return rules.liu_vocabulary(words, times, first, lengths, size=choices.vocabulary_size)


def kept_words(parts: Sequence[SplitNumbers], n_words: int) -> tuple[IntArray, IntArray]:
    """int64 (W,) each: how often each word occurs in the kept text, and at which place first."""
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


def _split(
    part: SplitNumbers, choices: Preprocessing, vocabulary: Vocabulary, label_ids: IntArray, idf: FloatArray
) -> tuple[Split, IntArray]:
    """The split, and how often each word of the vocabulary occurs in it (V,)."""
    fill = choices.empty == "unknown"
    tokens = part.array("tokens", np.int32)
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
    if fill:
        times[vocabulary.unknown_id] += int((kept == 0).sum())
    rows, ids = offsets_of(part.joined("label_lengths")), label_ids[part.joined("labels")]
    labels = sparse.csr_matrix((np.ones(len(ids), dtype=np.int8), ids, rows), (len(rows) - 1, len(label_ids)))
    labels.sum_duplicates()
    made = Split(
        tokens=tokens.done(),
        offsets=part.array("offsets", np.int64).filled(offsets_of(np.maximum(kept, 1) if fill else kept)),
        label_ids=part.array("label_ids", np.int32).filled(labels.indices),
        label_offsets=part.array("label_offsets", np.int64).filled(labels.indptr),
        features=_tfidf(part, vocabulary, idf) if choices.tfidf else None,
    )
    return made, times


def _tfidf(part: SplitNumbers, vocabulary: Vocabulary, idf: FloatArray) -> sparse.csr_matrix:
    """float32 (N, V) weights of the words of whole documents, times(d, w) idf(w), each document divided by
    its length, as scikit-learn's `TfidfVectorizer`; words without a column do not count."""
    columns = np.where(vocabulary.ids == vocabulary.unknown_id, -1, vocabulary.ids)
    data, indices = part.array("features.data", np.float32), part.array("features.indices", np.int32)
    all_words, all_times = part.distinct.done(), part.times.done()
    distinct, lengths = part.joined("distinct"), [np.empty(0, dtype=np.int64)]
    ends = offsets_of(distinct)
    for first, last in steps(distinct, _BLOCK):
        n, here = last - first, slice(ends[first], ends[last])
        rows, words, times = np.repeat(np.arange(n), distinct[first:last]), all_words[here], all_times[here]
        at = columns[words]
        kept = at >= 0
        rows, at, times = rows[kept], at[kept], times[kept]
        values = times * idf[words[kept]]
        norms = np.sqrt(np.bincount(rows, weights=values**2, minlength=n))
        order = np.argsort(rows * len(vocabulary.words) + at)
        data.append((values / norms[rows])[order])
        indices.append(at[order])
        lengths.append(np.bincount(rows, minlength=n))
    offsets = part.array("features.indptr", np.int64).filled(offsets_of(np.concatenate(lengths)))
    return csr(data.done(), indices.done(), offsets, len(vocabulary.words))


#: Count of a split -> what is said where it is not 0.
_SENTENCES = {
    "unlabelled_dropped": "{n} documents without labels dropped.",
    "unlabelled_kept": "{n} documents without labels kept.",
    "empty_texts": "{n} texts without words became {empty}.",
    "duplicate_labels": "{n} repeated labels counted once.",
    "truncated": "{n} of {documents} documents cut to {length} words.",
}


def _notes(counts: Mapping[str, float], choices: Preprocessing, length: int) -> tuple[str, ...]:
    unseen = int(counts["labels.test_not_in_train"])
    notes = [f"{unseen} labels of test occur in no training document."] * (unseen > 0)
    values: dict[str, object] = {"length": length}
    values["empty"] = "one unknown word" if choices.empty == "unknown" else "no token"
    for split in ("train", "test", "dev"):
        values["documents"] = int(counts.get(f"{split}.documents", 0))
        for name, sentence in _SENTENCES.items():
            if n := int(counts.get(f"{split}.{name}", 0)):
                notes.append(f"{split}: {sentence.format(n=n, **values)}")
    if choices.tokeniser is ATTENTIONXML:
        without = "a full stop inside a text stays with its word."
        notes.append(f"Words by NLTK 3.4's rules without its sentence splitter: {without}")
    if choices.tokeniser is TOKENISED:
        notes.append("The texts were tokenised already and are split at blanks.")
    if choices.tfidf:
        notes.append("Features: tf-idf of whole documents, as scikit-learn's TfidfVectorizer weighs words.")
    if choices.tokens:
        # rounded down: 100.0 % would say that no word was missed
        covered = f"{math.floor(1000 * counts['vectors.text_found_share']) / 10} % of the training text"
        rest, width = "zero", HALF_WIDTH.get(choices.out_of_vocabulary)
        if width:
            rest = f"drawn uniformly from -{width:g} to {width:g}"
        rest += "; that of the padding is zero" * (choices.out_of_vocabulary == "wide_uniform")
        notes.append(f"Words with a vector: {covered}; the other rows are {rest}.")
    return tuple(notes)


#: Documents by which it is told what a preprocessing does to words beyond ASCII, and the least share told.
_LOOKED_AT, _TELL = 500, 0.01


def _losses(source: TextSource, choices: Preprocessing) -> Iterator[str]:
    """A note if words with characters beyond ASCII are changed: rules made for English split or drop them."""
    total = broken = 0
    for document in islice(source.documents("train"), _LOOKED_AT):
        words = document.text.split()
        total += len(words)
        for word in (word.strip(string.punctuation) for word in words if not word.isascii()):
            pieces = choices.tokeniser(word)
            broken += bool(word) and [len(piece) for piece in pieces] != [len(word)]
    if broken >= _TELL * max(total, 1):
        share = f"{broken / total:.0%} of the words of the first {_LOOKED_AT} training texts"
        yield f"The preprocessing {choices.name} splits, shortens or drops {share} (not ASCII)."


_ARRAYS = ("tokens", "offsets", "label_ids", "label_offsets")
_FEATURES = ("data", "indices", "indptr")
_NAMES = ("labels", "vocabulary")
_PLAIN = ("name", "fingerprint", "content", "partition", "corpus", "padding_id", "padding_trainable")


def load(entry: Path, *, name: str | None = None) -> Dataset:
    """Open an entry, maybe under another `name`; raises `DataError` if it was changed or is damaged."""
    meta = files.read_meta(entry)
    try:
        parts: dict[str, Any] = {key: meta[key] for key in _PLAIN} | ({} if name is None else {"name": name})
        parts |= {key: tuple(json.loads((entry / f"{key}.json").read_text("utf-8"))) for key in _NAMES}
        for split, columns in meta["splits"].items():
            arrays = {array: files.read_array(entry / f"{split}.{array}.npy") for array in _ARRAYS}
            features = None
            if columns is not None:
                paths = (entry / f"{split}.features.{array}.npy" for array in _FEATURES)
                data, indices, offsets = map(files.read_array, paths)
                features = csr(data, indices, offsets, columns)
            parts[split] = Split(**arrays, features=features)
        more = {"counts": meta["counts"], "notes": tuple(meta["notes"]), "preprocessing": meta["recipe"]}
        return Dataset(**parts, **more, vectors=files.read_array(entry / "vectors.npy"))
    except (OSError, ValueError, KeyError, TypeError) as err:
        raise DataError(f"{entry}: the prepared corpus is damaged ({err})") from err


def _write(dataset: Dataset, folder: Path) -> None:
    arrays: dict[str, Any] = {"vectors.npy": dataset.vectors}
    splits: dict[str, int | None] = {}
    for split, part in dataset.splits.items():
        arrays |= {f"{split}.{name}.npy": getattr(part, name) for name in _ARRAYS}
        splits[split] = None
        if part.features is not None:
            arrays |= {f"{split}.features.{name}.npy": getattr(part.features, name) for name in _FEATURES}
            splits[split] = part.features.shape[1]
    for name, array in arrays.items():
        if not (folder / name).exists():
            np.save(folder / name, array, allow_pickle=False)
    for name in _NAMES:
        text = json.dumps(getattr(dataset, name), ensure_ascii=False)
        (folder / f"{name}.json").write_text(text, "utf-8")
    meta = {name: getattr(dataset, name) for name in _PLAIN} | {"recipe": dataset.preprocessing}
    meta |= {"splits": splits, "counts": dict(dataset.counts), "notes": dataset.notes}
    files.write_meta(folder, meta, [*arrays, *(f"{name}.json" for name in _NAMES)])
