"""Top-k predictions and truth of single documents, scored by `reimpl.metrics`.

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
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from audit.claim import Paper
from audit.errors import AuditError, ImportFileError
from audit.importing.declared import Declared, Source
from audit.importing.naming import UnclearNameError, dataset_of, experiment_of
from audit.importing.problems import Problems
from audit.importing.result import Result
from audit.importing.table import TableFile, explained, text
from reimpl.metric_names import parse
from reimpl.metrics import evaluate
from reimpl.truth import Truth

#: What lists of labels alone give.
_FROM_LISTS = ("P", "R", "RP", "nDCG")
_DEFAULT = ("P@1", "P@3", "P@5")


@dataclass(frozen=True)
class _Document:
    place: str
    name: str
    labels: tuple[str, ...]
    scores: tuple[float, ...] | None


@dataclass(frozen=True)
class _Truth:
    documents: Mapping[str, int]
    """Name -> row, in the order of the file."""
    labels: dict[str, int]
    """Name -> id; labels that are only predicted are added at the end."""
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
) -> tuple[Result, ...]:
    """One run for each file of predictions, `seeds` in their order, with the metrics that the claims use.

    Raises `ImportFileError` with everything that is unclear in the files, `AuditError` for the options.
    """
    if len(seeds) != len(paths) or len(set(seeds)) < len(seeds):
        raise AuditError(
            f"{len(paths)} files of predictions and --seed {list(seeds)}; add another --seed for each file"
        )
    try:
        id = experiment_of(paper, experiment or "", declared.dataset or "")
        dataset = dataset_of(paper, id, declared.dataset or "")
    except UnclearNameError as err:
        raise AuditError(f"--experiment: {err}") from err
    known = _read_truth(truth)
    results = []
    for path, seed in zip(paths, seeds, strict=True):
        ids, scores, source = _read_predictions(path, known)
        metrics, left_out = _scored(paper, ids, known.truth)
        results.append(
            Result(
                experiment=id,
                seed=seed,
                dataset=dataset,
                fingerprint=declared.fingerprint,
                metrics=metrics,
                sources=(source, known.source),
                notes=(f"scored from predictions of {known.truth.size} documents", *left_out),
                n_test=known.truth.size,
                predictions=_arrays(ids, scores, known),
            )
        )
    return tuple(results)


def metrics_used(paper: Paper) -> tuple[str, ...]:
    """The metrics that the paper's claims are about, in the order of the file."""
    names: dict[str, None] = {}
    for claim in paper.claim_records():
        lines = claim.details.get("lines", ())
        names |= dict.fromkeys(it for it in (claim.metric, *(line["metric"] for line in lines)) if "@" in it)
    return tuple(names) or _DEFAULT


def _scored(paper: Paper, ids: NDArray[Any], truth: Truth) -> tuple[dict[str, float], list[str]]:
    """The metrics, and one sentence for each that lists of this length do not give."""
    wanted = {name: parse(name) for name in metrics_used(paper)}
    left_out, ks = [], set()
    for name, metric in wanted.items():
        if metric.family not in _FROM_LISTS:
            left_out.append(f"{name} not scored: it needs more than lists and truth; import its value")
        elif metric.k is not None and metric.k > ids.shape[1]:
            left_out.append(f"{name} not scored: the longest list has {ids.shape[1]} labels")
        elif metric.k is not None:
            ks.add(metric.k)
    if not ks:
        raise AuditError(f"nothing can be scored: {'; '.join(left_out)}")
    values = evaluate(ids, truth, sorted(ks))
    return {name: values[name] for name in wanted if name in values}, left_out


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
    file = _File(path, scored=False)
    for document in file.documents(problems):
        if document.name in documents:
            problems.add(document.place, f"document {document.name!r} stands there twice; remove one")
            continue
        documents[document.name] = len(rows)
        rows.append([labels.setdefault(name, len(labels)) for name in document.labels])
    problems.settle()
    return _Truth(documents, labels, Truth.from_lists(rows), file.source)


def _read_predictions(path: Path, known: _Truth) -> tuple[NDArray[Any], NDArray[np.float64], Source]:
    problems = Problems()
    lists: dict[int, _Document] = {}
    file = _File(path, scored=True)
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
            f"no prediction for {len(missing)} of {len(known.documents)} documents, {missing[0]!r} first; "
            "give one for each, an empty list where there is none",
        )
    problems.settle()
    length = max(len(it.labels) for it in lists.values())
    if not length:
        _refuse(path, "no document has a predicted label; give the labels best first")
    ids = np.full((len(lists), length), -1, dtype=np.int64)
    scores = np.full((len(lists), length), -np.inf)
    for row, it in lists.items():
        ids[row, : len(it.labels)] = [known.labels.setdefault(name, len(known.labels)) for name in it.labels]
        scores[row, : len(it.labels)] = it.scores
    return ids, scores, file.source


# --------------------------------------------------------------------------- files


class _File:
    """A file of documents. `source` is known once `documents` has come to its end."""

    def __init__(self, path: Path, *, scored: bool) -> None:
        self.path, self.scored = path, scored
        self.source = Source(path.name, "")

    def documents(self, problems: Problems) -> Iterator[_Document]:
        """All that are sound; what is wrong with the others goes to `problems`."""
        for place, item in self._npz() if self.path.suffix == ".npz" else self._objects():
            try:
                yield self._document(place, item)
            except ValueError as err:
                problems.add(place, str(err))

    def _document(self, place: str, item: Any) -> _Document:
        wanted = ("document", "labels", "scores") if self.scored else ("document", "labels")
        if not isinstance(item, dict) or any(name not in item for name in wanted):
            raise ValueError(
                f"{text(item)[:60]} has not all of {', '.join(wanted)}; write one object a document"
            )
        name, labels = text(item["document"]), item["labels"]
        if not isinstance(labels, list) or not all(isinstance(it, str) for it in labels):
            raise ValueError(f"labels {text(labels)[:60]!r} are no list of names or numbers")
        twice = next((it for i, it in enumerate(labels) if it in labels[:i]), None)
        if twice is not None:
            raise ValueError(f"document {name!r} has the label {twice!r} twice; remove one")
        return _Document(place, name, tuple(labels), _scores(name, labels, item) if self.scored else None)

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
                _refuse(
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
                _refuse(
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
        raise ValueError(
            f"document {name!r} has {len(labels)} labels and scores {text(given)[:60]}; give one each"
        )
    try:
        scores = tuple(float(it) for it in given)
    except (TypeError, ValueError) as err:
        raise ValueError(f"document {name!r}: {err}; give numbers") from err
    if not all(map(math.isfinite, scores)):
        raise ValueError(f"document {name!r} has a score that is no finite number; leave such labels out")
    if any(a < b for a, b in pairwise(scores)):
        raise ValueError(f"document {name!r}: the scores rise; list its labels best first")
    return scores


def _load(path: Path, content: bytes, names: Sequence[str]) -> dict[str, NDArray[Any]]:
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as stored:
            found = {name: stored[name] for name in stored.files if name in names}
    except Exception as err:  # a damaged archive raises any of ten types
        _refuse(
            path,
            f"no .npz archive of numbers and text ({' '.join(str(err).split())[:100]}); write it anew",
            err,
        )
    lacking = [name for name in names if name not in found]
    if lacking or found["document"].ndim != 1:
        _refuse(
            path, f"it needs the arrays {', '.join(names)}, document as a row; here lacks {lacking or 'that'}"
        )
    if not len(found["document"]):
        _refuse(path, "it holds no documents; give one or more")
    return found


def _until_end(labels: Sequence[Any]) -> list[str]:
    """The labels before the first -1 or empty text."""
    end = next((i for i, it in enumerate(labels) if it in (-1, "")), len(labels))
    return [str(it) for it in labels[:end]]


def _refuse(path: Path, what: str, cause: Exception | None = None) -> NoReturn:
    raise ImportFileError([f"{path}: {what}"]) from cause
