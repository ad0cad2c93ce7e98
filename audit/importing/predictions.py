"""Top-k predictions and truth of single documents, read from files and scored: a run for each file.

JSON lines, or a list in a JSON file:

    {"document": "d1", "labels": ["a", "b"], "scores": [0.9, 0.4]}      the labels best first
    {"document": "d1", "labels": ["b"]}                                 the truth

or .npz: `document` (N,), `labels` (N, K) and `scores` (N, K); of the truth `document` (N,), `labels` (M,)
and `offsets` (N + 1,). A list that ends early is filled up with -1, or with empty text. Labels are names or
numbers, as long as both files use the same. No array is documents x labels.
"""

from __future__ import annotations

import hashlib
import io
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audit.claims.load import Paper
from audit.errors import AuditError, option
from audit.importing.result import Declared, Problems, Result, Source
from audit.importing.results import UnclearNameError, dataset_of, experiment_of
from audit.importing.table import TableFile, explained, refuse, sound_seed, text
from audit.names import counted
from reimpl.metric_names import parse
from reimpl.metrics import count_labels, evaluate, propensity_constants
from reimpl.truth import Truth

_MOST_NAME = 500

#: How one document is written, without scores (truth) and with them (predictions).
_FORMS = (
    '{"document": "d1", "labels": ["b"]}',
    '{"document": "d1", "labels": ["a", "b"], "scores": [0.9, 0.4]}',
)


@dataclass(frozen=True)
class Document:
    """One document of a file: its true labels, or the predicted ones best first."""

    place: str
    name: str
    labels: tuple[str, ...]
    scores: tuple[float, ...] | None


class DocumentFile:
    """A file of documents. `source` is known once `documents` has come to its end."""

    def __init__(self, path: Path, *, scored: bool) -> None:
        self.path, self.scored = path, scored
        self.source = Source(path.name, "")

    def documents(self, problems: Problems) -> Iterator[Document]:
        """All that are sound; what is wrong with the others goes to `problems`."""
        for place, item in self._npz() if self.path.suffix == ".npz" else self._objects():
            try:
                yield self._document(place, item)
            except ValueError as err:
                problems.add(place, str(err))

    def _document(self, place: str, item: Any) -> Document:
        wanted = ("document", "labels", "scores") if self.scored else ("document", "labels")
        form = _FORMS[self.scored]
        if not isinstance(item, dict):
            raise ValueError(f"{text(item)[:60]} is no document; write each as {form}")
        if lacking := [name for name in wanted if name not in item]:
            there = ", ".join(repr(name[:40]) for name in list(item)[:8]) or "nothing"
            raise ValueError(f"it has {there} and lacks {', '.join(map(repr, lacking))}; write it as {form}")
        name, labels = text(item["document"]), item["labels"]
        if not 0 < len(name) <= _MOST_NAME:
            raise ValueError(f"document {name[:60]!r}: give it a name of 1 to {_MOST_NAME} characters")
        if not isinstance(labels, list) or not all(isinstance(it, str) for it in labels):
            raise ValueError(f"labels {text(labels)[:60]!r} are no list of names or numbers")
        if len(set(labels)) < len(labels):
            twice = next(it for it in labels if labels.count(it) > 1)
            raise ValueError(f"document {name!r} has the label {twice[:60]!r} twice; remove one")
        return Document(place, name, tuple(labels), _scores(name, labels, item) if self.scored else None)

    def _objects(self) -> Iterator[tuple[str, Any]]:
        file = TableFile(self.path)
        for number, item in file.objects():
            yield f"{self.path}:{number}", item
        self.source = file.source

    def _npz(self) -> Iterator[tuple[str, Any]]:
        with explained(self.path):
            content = self.path.read_bytes()
        self.source = Source(self.path.name, hashlib.sha256(content).hexdigest())
        names = ("document", "labels", "scores") if self.scored else ("document", "offsets", "labels")
        held = _load(self.path, content, names)
        count = len(held["document"])
        if self.scored:
            if held["labels"].ndim != 2 or {held["scores"].shape, (count, held["labels"].shape[1])} != {
                held["labels"].shape
            }:
                refuse(
                    self.path,
                    f"labels {held['labels'].shape} and scores {held['scores'].shape} are not ({count}, K)",
                )
            lists = (_until_end(row) for row in held["labels"].tolist())
        else:
            offsets = held["offsets"]
            rising = (
                offsets.shape == (count + 1,) and offsets.dtype.kind in "iu" and (np.diff(offsets) >= 0).all()
            )
            if not rising or offsets[0] != 0 or offsets[-1] != len(held["labels"]):
                refuse(
                    self.path, f"offsets do not rise from 0 to the {len(held['labels'])} labels; correct them"
                )
            lists = ([str(it) for it in part] for part in np.split(held["labels"], offsets[1:-1]))
        for i, (name, labels) in enumerate(zip(held["document"].tolist(), lists, strict=True)):
            item = {"document": str(name), "labels": labels}
            if self.scored:
                item["scores"] = held["scores"][i, : len(labels)].tolist()
            yield f"{self.path}: document {i}", item


def _scores(name: str, labels: Sequence[str], item: Mapping[str, Any]) -> tuple[float, ...]:
    given = item["scores"]
    if not isinstance(given, list) or len(given) != len(labels):
        number = counted(len(labels), "label")
        raise ValueError(f"document {name!r} has {number} and scores {text(given)[:60]}; give one each")
    try:
        scores = tuple(map(_number, given))
    except ValueError as err:
        raise ValueError(f"document {name!r} has the score {err}, which is no number; give numbers") from err
    if not all(map(math.isfinite, scores)):
        raise ValueError(f"document {name!r} has a score that is no finite number; leave such labels out")
    if any(a < b for a, b in pairwise(scores)):
        raise ValueError(f"document {name!r}: the scores rise; list its labels best first")
    return scores


def _number(score: Any) -> float:
    """Raises `ValueError` with what stands there instead."""
    try:
        return float(score)
    except (TypeError, ValueError) as err:
        raise ValueError(text(score)[:60] or "null") from err


def _load(path: Path, content: bytes, names: Sequence[str]) -> dict[str, NDArray[Any]]:
    found: dict[str, NDArray[Any]] = {}
    reading, there = "", []
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as stored:
            there = list(stored.files)
            for reading in (name for name in names if name in there):
                found[reading] = stored[reading]
    except Exception as err:  # a damaged archive raises any of ten types
        what = "no .npz archive that can be read"
        if reading and reading not in found:
            what = f"its array {reading!r} is no array of numbers or text, or is damaged"
        refuse(path, f"{what}; write it anew with numpy.savez", err)
    wanted = f"write the arrays {', '.join(names)}"
    if lacking := [name for name in names if name not in found]:
        held = ", ".join(map(repr, there[:8])) or "nothing"
        refuse(path, f"it has {held} and lacks {', '.join(map(repr, lacking))}; {wanted}")
    if found["document"].ndim != 1:
        refuse(path, f"document has the shape {found['document'].shape}; give one name for each document")
    if found["labels"].size and found["labels"].dtype.kind not in "iuU":  # 3.0 would be another label than 3
        refuse(path, f"labels of type {found['labels'].dtype}; give names or whole numbers")
    if not len(found["document"]):
        refuse(path, "it holds no documents; give one or more")
    return found


def _until_end(labels: Sequence[Any]) -> list[str]:
    """The labels before the first -1 or empty text."""
    end = next((i for i, it in enumerate(labels) if it in (-1, "")), len(labels))
    return [str(it) for it in labels[:end]]


#: What lists of labels alone give, and what needs the training documents' labels beside them.
_FROM_LISTS = ("P", "R", "RP", "nDCG")
_BY_PROPENSITY = ("PSP", "PSnDCG")
_DEFAULT = ("P@1", "P@3", "P@5")


@dataclass(frozen=True)
class Scoring:
    """The options of `audit import` that only some metrics need. Raises `AuditError`."""

    train_truth: Path | None = None
    """True labels of the training documents: how rare each label is, and which there are."""
    propensity: tuple[float, float] | None = None
    """A and B; those of the data set's name when left out."""
    threshold: float | None = None
    """A label is decided for where its score is above it."""

    def __post_init__(self) -> None:
        if self.propensity is not None and self.train_truth is None:
            raise AuditError(
                f"{option('propensity')} goes with {option('train_truth', 'FILE')}; add it, or leave both out"
            )
        if self.threshold is not None and not math.isfinite(self.threshold):
            raise AuditError(f"{option('threshold')} {self.threshold!r} is no score; give a finite number")


#: Nothing beside lists and truth.
PLAIN = Scoring()


def propensity_of(text: str) -> tuple[float, float]:
    """A and B of `0.55,1.5`. Raises `AuditError` for anything but two numbers above 0."""
    try:
        a, b = (float(part) for part in text.split(","))
    except ValueError:
        a = b = math.nan
    if not (a > 0 and b > 0 and math.isfinite(a + b)):
        raise AuditError(f"{option('propensity')} {text!r}: give A and B, numbers above 0, as in 0.55,1.5")
    return a, b


@dataclass(frozen=True)
class Frequencies:
    """How many of the training documents carry each label, by label id; ids beyond are of no document."""

    counts: NDArray[np.int64]
    documents: int
    a: float
    b: float

    @classmethod
    def of(
        cls, rows: Sequence[Sequence[int]], dataset: str, wanted: tuple[float, float] | None
    ) -> Frequencies:
        """From each training document's label ids."""
        ids = np.array([label for row in rows for label in row], dtype=np.int64)
        a, b = wanted or propensity_constants(dataset)
        return cls(np.bincount(ids, minlength=1), len(rows), a, b)

    def padded(self, n_labels: int) -> NDArray[np.int64]:
        found = np.zeros(max(n_labels, len(self.counts)), dtype=np.int64)
        found[: len(self.counts)] = self.counts
        return found


def metrics_used(paper: Paper) -> tuple[str, ...]:
    """The metrics that the paper's claims are about, or the most usual ones where they are about none."""
    return metrics_claimed(paper) or _DEFAULT


def metrics_claimed(paper: Paper) -> tuple[str, ...]:
    """The metrics that the paper's claims are about, in the order of the file."""
    names: dict[str, None] = {}
    for claim in paper.claim_records():
        lines = claim.details.get("lines", ())
        names |= dict.fromkeys(it for it in (claim.metric, *(line["metric"] for line in lines)) if it)
    return tuple(names)


def scored(
    paper: Paper,
    ids: NDArray[Any],
    scores: NDArray[np.float64],
    truth: Truth,
    *,
    n_labels: int,
    frequencies: Frequencies | None,
    threshold: float | None,
) -> tuple[dict[str, float], list[str]]:
    """The metrics, and one sentence for each that these lists do not give, or that goes by more than they.

    `n_labels` counts all labels that are known: of test and training documents, and predicted ones.
    """
    names = metrics_used(paper)
    wanted = {name: parse(name) for name in names if "[" not in name}
    notes, ks, decisions = [], set(), []
    notes += [f"{name} not scored: lists of all labels rank no group alone" for name in names if "[" in name]
    for name, metric in wanted.items():
        if metric.k is None:
            decisions.append(name)
        elif metric.family in _BY_PROPENSITY and frequencies is None:
            notes.append(f"{name} not scored: it goes by how rare labels are in training; add --train-truth")
        elif metric.k > ids.shape[1]:
            notes.append(f"{name} not scored: the longest list has {counted(ids.shape[1], 'label')}")
        else:
            ks.add(metric.k)
    values: dict[str, float] = {}
    if ks and frequencies is not None:
        values = evaluate(
            ids,
            truth,
            sorted(ks),
            train_frequency=frequencies.padded(n_labels),
            n_train=frequencies.documents,
            A=frequencies.a,
            B=frequencies.b,
        )
        if any(it.family in _BY_PROPENSITY for it in wanted.values()):
            notes.append(
                f"propensities by A = {frequencies.a:g}, B = {frequencies.b:g} and "
                f"{frequencies.documents:,} training documents"
            )
    elif ks:
        values = evaluate(ids, truth, sorted(ks))
    reasons = {
        name: _undecided(ids, scores, threshold, known=frequencies is not None or name == "Micro-F1")
        for name in decisions
    }
    notes += [f"{name} not scored: {why}" for name, why in reasons.items() if why]
    given = [name for name, why in reasons.items() if why is None]
    if given and threshold is not None:
        rows = [row[line > threshold].tolist() for row, line in zip(ids, scores, strict=True)]
        f1 = count_labels(Truth.from_lists(rows), truth, n_labels).f1()
        values |= {name: f1[name] for name in given}
        notes.append(f"F1 over {n_labels:,} labels, those with a score above {threshold:g} decided for")
    found = {name: values[name] for name in wanted if name in values}
    if not found:
        raise AuditError(f"nothing can be scored: {'; '.join(notes)}")
    return found, notes


def _undecided(
    ids: NDArray[Any], scores: NDArray[np.float64], threshold: float | None, *, known: bool
) -> str | None:
    """Why these lists decide nothing, or None: all labels above the threshold have to be in them."""
    if threshold is None:
        return "it needs decisions; add --threshold SCORE"
    if not known:
        return "it is a mean over all labels, also those that no test document has; add --train-truth"
    cut = int(((ids[:, -1] >= 0) & (scores[:, -1] > threshold)).sum())
    if cut:
        return f"{counted(cut, 'list')} full to the last label above the threshold; give longer ones"
    return None


@dataclass(frozen=True)
class _Truth:
    documents: Mapping[str, int]
    """Name -> row, in the order of the file."""
    labels: dict[str, int]
    """Name -> id; labels that are only predicted are added at the end."""
    true_labels: frozenset[str]
    truth: Truth
    source: Source


def from_predictions(
    paper: Paper,
    paths: Sequence[Path],
    *,
    truth: Path,
    experiment: str | None,
    seeds: Sequence[int],
    declared: Declared,
    scoring: Scoring = PLAIN,
) -> tuple[Result, ...]:
    """One run for each file of predictions, `seeds` in their order, with the metrics that the claims use.

    Raises `ImportFileError` with everything that is unclear in the files, `AuditError` for the options.
    """
    _check_seeds(paths, seeds)
    id, dataset = _named(paper, experiment, declared)
    known = _read_truth(truth)
    sources: tuple[Source, ...] = (known.source,)
    frequencies = None
    if scoring.train_truth is not None:
        rows, trained = _read_training(scoring.train_truth, known)
        held = paper.datasets[paper.single_experiments[id].on]
        frequencies = Frequencies.of(rows, held.catalogue or held.name, scoring.propensity)
        sources = (known.source, trained)
    results = []
    lists = [_read_predictions(path, known) for path in paths]  # first all: labels are numbered as they come
    for (ids, scores, source), seed in zip(lists, seeds, strict=True):
        metrics, left_out = scored(
            paper,
            ids,
            scores,
            known.truth,
            n_labels=len(known.labels),
            frequencies=frequencies,
            threshold=scoring.threshold,
        )
        results.append(
            Result(
                experiment=id,
                seed=seed,
                dataset=dataset,
                fingerprint=declared.fingerprint,
                metrics=metrics,
                sources=(source, *sources),
                notes=(f"scored from predictions of {known.truth.size} documents", *left_out),
                n_test=known.truth.size,
                predictions=_arrays(ids, scores, known),
            )
        )
    return tuple(results)


def _check_seeds(paths: Sequence[Path], seeds: Sequence[int]) -> None:
    if twice := [seed for seed in dict.fromkeys(seeds) if list(seeds).count(seed) > 1]:
        raise AuditError(
            f"{option('seed')} {twice[0]} is there twice; give each file of predictions its own seed"
        )
    if len(seeds) != len(paths):
        files, given = counted(len(paths), "file"), " ".join(f"{option('seed')} {seed}" for seed in seeds)
        given = given or f"no {option('seed')}"
        raise AuditError(
            f"{files} of predictions and {given}; give {option('seed')} once for each, in their order"
        )
    for seed in seeds:
        try:
            sound_seed(seed)
        except ValueError as err:
            raise AuditError(f"{option('seed')}: {err}") from err


def _named(paper: Paper, experiment: str | None, declared: Declared) -> tuple[str, str]:
    """Experiment and data set that the options name."""
    if not experiment:
        raise AuditError(
            f"{option('experiment')} is missing; predictions do not tell whose they are, so add it"
        )
    try:
        id = experiment_of(paper, experiment, declared.dataset or "")
    except UnclearNameError as err:
        raise AuditError(f"{option('experiment')}: {err}") from err
    try:
        return id, dataset_of(paper, id, declared.dataset or "", other=declared.other_dataset, column=False)
    except UnclearNameError as err:
        raise AuditError(f"{option('dataset')}: {err}") from err


def _arrays(ids: NDArray[Any], scores: NDArray[Any], known: _Truth) -> dict[str, NDArray[Any]]:
    """What is kept beside the record: lists, truth, and the names behind their ids."""
    return {
        "ids": ids.astype(np.int32),
        "scores": scores,
        "truth_offsets": known.truth.offsets,
        "truth_labels": known.truth.labels,
        "documents": np.array(list(known.documents), dtype=np.str_),
        "label_names": np.array(list(known.labels), dtype=np.str_),
    }


# --------------------------------------------------------------------------- documents into arrays


def _read_truth(path: Path) -> _Truth:
    problems = Problems()
    rows: list[list[int]] = []
    documents: dict[str, int] = {}
    labels: dict[str, int] = {}
    file = DocumentFile(path, scored=False)
    for document in file.documents(problems):
        if document.name in documents:
            problems.add(document.place, f"document {document.name!r} stands there twice; remove one")
            continue
        documents[document.name] = len(rows)
        rows.append([labels.setdefault(name, len(labels)) for name in document.labels])
    problems.settle()
    return _Truth(documents, labels, frozenset(labels), Truth.from_lists(rows), file.source)


def _read_training(path: Path, known: _Truth) -> tuple[list[list[int]], Source]:
    """Label ids of each training document; labels of no test document are added to the known ones."""
    problems = Problems()
    rows: list[list[int]] = []
    seen: set[str] = set()
    file = DocumentFile(path, scored=False)
    for document in file.documents(problems):
        if document.name in seen:
            problems.add(document.place, f"document {document.name!r} stands there twice; remove one")
        seen.add(document.name)
        rows.append([known.labels.setdefault(name, len(known.labels)) for name in document.labels])
    problems.settle()
    if not {known.labels[name] for name in known.true_labels} & set().union(*rows):
        refuse(path, f"none of its labels is in {known.source.file}; name the labels alike in both files")
    return rows, file.source


def _read_predictions(path: Path, known: _Truth) -> tuple[NDArray[Any], NDArray[np.float64], Source]:
    problems = Problems()
    lists: dict[int, Document] = {}
    file = DocumentFile(path, scored=True)
    for document in file.documents(problems):
        row = known.documents.get(document.name)
        if row is None:
            problems.add(
                document.place, f"document {document.name!r} is not in {known.source.file}; which is it?"
            )
        elif row in lists:
            problems.add(document.place, f"document {document.name!r} stands there twice; remove one")
        else:
            lists[row] = document
    missing = [name for name, row in known.documents.items() if row not in lists]
    if missing and not problems:
        problems.add(
            str(path),
            f"no prediction for {len(missing)} of {counted(len(known.documents), 'document')}, "
            f"{missing[0]!r} first; give one for each, an empty list where there is none",
        )
    problems.settle()
    length = max(len(it.labels) for it in lists.values())
    if not length:
        refuse(path, "no document has a predicted label; give the labels best first")
    if not any(name in known.true_labels for it in lists.values() for name in it.labels):
        refuse(path, f"none of its labels is in {known.source.file}; name the labels alike in both files")
    ids = np.full((len(lists), length), -1, dtype=np.int64)
    scores = np.full((len(lists), length), -np.inf)
    for row, it in lists.items():
        ids[row, : len(it.labels)] = [known.labels.setdefault(name, len(known.labels)) for name in it.labels]
        scores[row, : len(it.labels)] = it.scores
    return ids, scores, file.source
