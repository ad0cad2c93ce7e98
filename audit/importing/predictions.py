"""Top-k predictions and truth of single documents, read from files and scored: a run for each file.

JSON lines, or a list in a JSON file:

    {"document": "d1", "labels": ["a", "b"], "scores": [0.9, 0.4]}      the labels best first
    {"document": "d1", "labels": ["b"]}                                 the truth

or .npz: `document` (N,), `labels` (N, K) and `scores` (N, K); of the truth `document` (N,), `labels` (M,)
and `offsets` (N + 1,). A list that ends early is filled up with -1, or with empty text. Labels are names or
numbers, as long as both files use the same. No array is documents x labels.
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from audit.claims.load import Paper
from audit.errors import AuditError, option
from audit.importing.result import Declared, Problems, Result, Source
from audit.importing.results import dataset_of, experiment_of, sound_seed
from audit.importing.table import objects, read_bytes, read_text, refuse, text
from audit.names import counted
from audit.record import digest
from reimpl.metric_names import parse
from reimpl.metrics import evaluate, inverse_propensity, label_f1, propensity_constants
from reimpl.truth import Truth

_MOST_NAME = 500
_DEFAULT = ("P@1", "P@3", "P@5")
#: What lists of labels alone do not give: it needs the training documents' labels beside them.
_BY_PROPENSITY = ("PSP", "PSnDCG")
#: How one document is written, without scores (truth) and with them (predictions).
_FORMS = (
    '{"document": "d1", "labels": ["b"]}',
    '{"document": "d1", "labels": ["a", "b"], "scores": [0.9, 0.4]}',
)


class Document(NamedTuple):
    """The true labels of one document, or the predicted ones best first with their scores."""

    place: str
    labels: Sequence[str]
    scores: Sequence[float]


# --------------------------------------------------------------------------- files of documents


def _read(path: Path, *, scored: bool) -> tuple[dict[str, Document], Source]:
    """All documents by their names. Raises `ImportFileError` with all that is wrong in any of them."""
    if path.suffix == ".npz":
        content, source = read_bytes(path)
        items = _arrays(path, content, scored=scored)
    else:
        characters, source = read_text(path)
        items = objects(path, characters)
    documents: dict[str, Document] = {}
    problems = Problems()
    for place, item in items:
        try:
            name, document = _document(place, item, scored=scored)
            if name in documents:
                raise ValueError(f"document {name!r} stands there twice; remove one")
            documents[name] = document
        except ValueError as err:
            problems.add(place, str(err))
    problems.settle()
    if not documents:
        refuse(path, "it holds no documents; give one or more")
    return documents, source


def _document(place: str, item: Any, *, scored: bool) -> tuple[str, Document]:
    wanted, form = ("document", "labels", "scores")[: 2 + scored], _FORMS[scored]
    if not isinstance(item, dict):
        raise ValueError(f"{text(item)[:60]} is no document; write each as {form}")
    if lacking := [name for name in wanted if name not in item]:
        there = ", ".join(repr(name[:40]) for name in list(item)[:8]) or "nothing"
        raise ValueError(f"it has {there} and lacks {', '.join(map(repr, lacking))}; write it as {form}")
    name, labels, given = text(item["document"]), item["labels"], item["scores"] if scored else []
    if not 0 < len(name) <= _MOST_NAME:
        raise ValueError(f"document {name[:60]!r}: give it a name of 1 to {_MOST_NAME} characters")
    if not isinstance(labels, list) or not all(isinstance(label, str) for label in labels):
        raise ValueError(f"labels {text(labels)[:60]!r} are no list of names or numbers")
    if len(set(labels)) < len(labels):
        twice = next(label for label in labels if labels.count(label) > 1)
        raise ValueError(f"document {name!r} has the label {twice[:60]!r} twice; remove one")
    if not scored:
        return name, Document(place, labels, ())
    try:
        scores = [float(score) for score in given]
    except (TypeError, ValueError):
        scores = [math.nan]
    if len(scores) != len(labels) or not all(map(math.isfinite, scores)):
        number = counted(len(labels), "label")
        what = f"document {name!r} has {number} and scores {text(given)[:60]}"
        raise ValueError(f"{what}; give a finite number for each")
    if scores != sorted(scores, reverse=True):
        raise ValueError(f"document {name!r}: the scores rise; list its labels best first")
    return name, Document(place, labels, scores)


def _arrays(path: Path, content: bytes, *, scored: bool) -> Iterator[tuple[str, Any]]:
    names = ("document", "labels", "scores") if scored else ("document", "offsets", "labels")
    arrays: dict[str, NDArray[Any]] = {}
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in names if name in stored.files}
    except Exception as err:  # a damaged archive raises any of ten types
        refuse(path, "no .npz archive of numbers and text that can be read; write it with numpy.savez", err)
    if lacking := [name for name in names if name not in arrays]:
        refuse(path, f"it lacks {', '.join(map(repr, lacking))}; write the arrays {', '.join(names)}")
    documents, labels = arrays["document"], arrays["labels"]
    if documents.ndim != 1:
        refuse(path, f"document has the shape {documents.shape}; give one name for each document")
    if labels.size and labels.dtype.kind not in "iuU":  # 3.0 would be another label than 3
        refuse(path, f"labels of type {labels.dtype}; give names or whole numbers")
    count = len(documents)
    if scored:
        scores = arrays["scores"]
        if labels.ndim != 2 or len(labels) != count or scores.shape != labels.shape:
            refuse(path, f"labels {labels.shape} and scores {scores.shape} are not ({count}, K)")
        rows, score_rows = labels.tolist(), scores.tolist()
    else:
        offsets = arrays["offsets"]
        sound = offsets.shape == (count + 1,) and offsets.dtype.kind in "iu" and labels.ndim == 1
        if not sound or (np.diff(offsets) < 0).any() or offsets[0] != 0 or offsets[-1] != len(labels):
            refuse(path, f"offsets do not rise from 0 to the {len(labels)} labels; correct them")
        rows = [part.tolist() for part in np.split(labels, offsets[1:-1])] if count else []
        score_rows = [[]] * count
    for i, (name, row, own) in enumerate(zip(documents.tolist(), rows, score_rows, strict=True)):
        end = next((k for k, label in enumerate(row) if label in (-1, "")), len(row)) if scored else len(row)
        item = {"document": str(name), "labels": [str(label) for label in row[:end]], "scores": own[:end]}
        yield f"{path}: document {i}", item


# --------------------------------------------------------------------------- scores


def metrics_claimed(paper: Paper) -> tuple[str, ...]:
    """The metrics that the paper's claims are about, in the order of the file."""
    names: dict[str, None] = {}
    for claim in paper.claim_records():
        lines = claim.details.get("lines", ())
        names |= dict.fromkeys(it for it in (claim.metric, *(line["metric"] for line in lines)) if it)
    return tuple(names)


@dataclass(frozen=True)
class _Training:
    """What is known of the training documents: how many have each label, how many there are, A and B."""

    counts: NDArray[np.int64]
    documents: int
    a: float
    b: float


def _scored(
    names: Sequence[str],
    ids: NDArray[Any],
    scores: NDArray[np.float64],
    truth: Truth,
    n_labels: int,
    training: _Training | None,
    threshold: float | None,
) -> tuple[dict[str, float], list[str]]:
    """The metrics, and one sentence for each that these lists do not give, or that goes by more than they.

    `n_labels` counts all labels that are known.
    """
    notes = [f"{name} not scored: lists of all labels rank no group alone" for name in names if "[" in name]
    ks: dict[str, int] = {}
    sums: list[str] = []
    for name, metric in {name: parse(name) for name in names if "[" not in name}.items():
        why = None
        if metric.k is None:
            why = _undecided(ids, scores, threshold, known=training is not None or name == "Micro-F1")
            sums += [] if why else [name]
        elif metric.family in _BY_PROPENSITY and training is None:
            why = "it goes by how rare labels are in training; add --train-truth"
        elif metric.k > ids.shape[1]:
            why = f"the longest list has {counted(ids.shape[1], 'label')}"
        else:
            ks[name] = metric.k
        notes += [f"{name} not scored: {why}"] if why else []
    values: dict[str, float] = {}
    if ks:
        weights = None
        if training is not None:
            weights = inverse_propensity(training.counts, training.documents, A=training.a, B=training.b)
        values = {**evaluate(ids, truth, sorted({*ks.values()}), weights=weights)}
        if training is not None and any(parse(name).family in _BY_PROPENSITY for name in ks):
            by = f"A = {training.a:g}, B = {training.b:g} and {training.documents:,} training documents"
            notes.append(f"propensities by {by}")
    if sums and threshold is not None:
        rows = [row[line > threshold].tolist() for row, line in zip(ids, scores, strict=True)]
        f1 = label_f1(Truth.from_lists(rows), truth, n_labels)
        values |= {name: f1[name] for name in sums}
        notes.append(f"F1 over {n_labels:,} labels, those with a score above {threshold:g} decided for")
    measured = {name: values[name] for name in names if name in ks or name in sums}
    if not measured:
        raise AuditError(f"nothing can be scored: {'; '.join(notes)}")
    return measured, list(dict.fromkeys(notes))


def _undecided(
    ids: NDArray[Any], scores: NDArray[np.float64], threshold: float | None, *, known: bool
) -> str | None:
    """Why these lists decide nothing, or None: all labels above the threshold have to be in them."""
    if threshold is None:
        return "it needs decisions; add --threshold SCORE"
    if not known:
        return "it is a mean over all labels, also those that no test document has; add --train-truth"
    cut = int(((ids[:, -1] >= 0) & (scores[:, -1] > threshold)).sum())
    full = f"{counted(cut, 'list')} full to the last label above the threshold; give longer ones"
    return full if cut else None


# --------------------------------------------------------------------------- runs


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
    id, dataset = _named(paper, experiment, declared, paths, seeds)
    documents, source = _read(truth, scored=False)
    labels: dict[str, int] = {}
    """Name -> id; labels of training documents and predicted ones are added at the end."""
    rows = [[labels.setdefault(name, len(labels)) for name in it.labels] for it in documents.values()]
    true, true_labels, sources = Truth.from_lists(rows), frozenset(labels), [source]
    trained: dict[str, Document] = {}
    if declared.train_truth is not None:
        trained, of_training = _read(declared.train_truth, scored=False)
        _check_labels(declared.train_truth, trained, true_labels, source)
        sources.append(of_training)
    train = [labels.setdefault(name, len(labels)) for it in trained.values() for name in it.labels]
    # first all of them: labels are numbered as they come
    lists = [_predicted(path, documents, labels, true_labels, source) for path in paths]
    training = None
    if trained:
        described = paper.datasets[paper.single_experiments[id].on]
        a, b = declared.constants or propensity_constants(described.catalogue or described.name)
        frequencies = np.bincount(np.array(train, dtype=np.int64), minlength=len(labels))
        training = _Training(frequencies, len(trained), a, b)
    of_documents = digest(sorted([name, sorted(it.labels)] for name, it in documents.items()))
    names, results = metrics_claimed(paper) or _DEFAULT, []
    for (ids, scores, of_file), seed in zip(lists, seeds, strict=True):
        metrics, notes = _scored(names, ids, scores, true, len(labels), training, declared.threshold)
        results.append(
            Result(
                experiment=id,
                seed=seed,
                dataset=dataset,
                fingerprint=declared.fingerprint,
                metrics=metrics,
                sources=(of_file, *sources),
                notes=(f"scored from predictions of {true.size} documents", *notes),
                n_test=true.size,
                documents=of_documents,
                predictions={  # kept beside the record
                    "ids": ids.astype(np.int32),
                    "scores": scores,
                    "truth_offsets": true.offsets,
                    "truth_labels": true.labels,
                    "documents": np.array(list(documents), dtype=np.str_),
                    "label_names": np.array(list(labels), dtype=np.str_),
                },
            )
        )
    return tuple(results)


def _named(
    paper: Paper, experiment: str | None, declared: Declared, paths: Sequence[Path], seeds: Sequence[int]
) -> tuple[str, str]:
    """Experiment and data set that the options name, once the seeds are sound too."""
    if len(seeds) != len(paths) or len(set(seeds)) < len(seeds):
        given = " ".join(f"{option('seed')} {seed}" for seed in seeds) or f"no {option('seed')}"
        each = f"give {option('seed')} once for each, in their order, and each its own"
        raise AuditError(f"{counted(len(paths), 'file')} of predictions and {given}; {each}")
    if not experiment:
        raise AuditError(
            f"{option('experiment')} is missing; predictions do not tell whose they are, so add it"
        )
    said = option("seed")
    try:
        for seed in seeds:
            sound_seed(seed)
        said = option("experiment")
        id = experiment_of(paper, experiment, declared.dataset or "")
        said = option("dataset")
        return id, dataset_of(paper, id, declared.dataset or "")
    except ValueError as err:
        raise AuditError(f"{said}: {err}") from err


def _check_labels(path: Path, documents: dict[str, Document], true: frozenset[str], source: Source) -> None:
    if not any(true & set(document.labels) for document in documents.values()):
        refuse(path, f"none of its labels is in {source.file}; name the labels alike in both files")


def _predicted(
    path: Path,
    documents: dict[str, Document],
    labels: dict[str, int],
    true_labels: frozenset[str],
    truth: Source,
) -> tuple[NDArray[np.int64], NDArray[np.float64], Source]:
    """(N, K) label ids and scores in the order of the documents; -1 after the end of a list."""
    lists, source = _read(path, scored=True)
    problems = Problems()
    for name in lists.keys() - documents.keys():
        problems.add(lists[name].place, f"document {name!r} is not in {truth.file}; which is it?")
    problems.settle()
    if missing := [name for name in documents if name not in lists]:
        number = f"{len(missing)} of {counted(len(documents), 'document')}, {missing[0]!r} first"
        refuse(path, f"no prediction for {number}; give one for each, an empty list where there is none")
    length = max(len(it.labels) for it in lists.values())
    if not length:
        refuse(path, "no document has a predicted label; give the labels best first")
    _check_labels(path, lists, true_labels, truth)
    ids = np.full((len(documents), length), -1, dtype=np.int64)
    scores = np.full((len(documents), length), -np.inf)
    for row, it in enumerate(lists[name] for name in documents):
        ids[row, : len(it.labels)] = [labels.setdefault(name, len(labels)) for name in it.labels]
        scores[row, : len(it.labels)] = it.scores
    return ids, scores, source
