"""Top-k predictions and truth of single documents, scored by `reimpl.metrics`: a run for each file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audit.claim import Paper
from audit.claim_names import counted
from audit.errors import AuditError
from audit.importing.cells import sound_seed
from audit.importing.declared import Declared, Source
from audit.importing.documents import Document, DocumentFile
from audit.importing.naming import UnclearNameError, dataset_of, experiment_of
from audit.importing.problems import Problems
from audit.importing.result import Result
from audit.importing.scoring import PLAIN, Frequencies, Scoring, scored
from audit.importing.table import refuse
from reimpl.truth import Truth


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
        raise AuditError(f"--seed {twice[0]} is there twice; give each file of predictions its own seed")
    if len(seeds) != len(paths):
        files, given = counted(len(paths), "file"), " ".join(f"--seed {seed}" for seed in seeds)
        raise AuditError(
            f"{files} of predictions and {given or 'no --seed'}; give --seed once for each, in their order"
        )
    for seed in seeds:
        try:
            sound_seed(seed)
        except ValueError as err:
            raise AuditError(f"--seed: {err}") from err


def _named(paper: Paper, experiment: str | None, declared: Declared) -> tuple[str, str]:
    """Experiment and data set that the options name."""
    if not experiment:
        raise AuditError("--experiment is missing; predictions do not tell whose they are, so add it")
    try:
        id = experiment_of(paper, experiment, declared.dataset or "")
    except UnclearNameError as err:
        raise AuditError(f"--experiment: {err}") from err
    try:
        return id, dataset_of(paper, id, declared.dataset or "", other=declared.other_dataset, column=False)
    except UnclearNameError as err:
        raise AuditError(f"--dataset: {err}") from err


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
