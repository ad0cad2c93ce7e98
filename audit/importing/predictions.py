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
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from audit.claims.load import Paper
from audit.errors import AuditError, option
from audit.importing.result import Declared, Problems, Result, Source
from audit.importing.results import UnclearNameError, dataset_of, experiment_of, sound_seed
from audit.importing.table import objects, read_bytes, read_text, refuse, text
from audit.names import counted
from reimpl.metric_names import parse
from reimpl.metrics import count_labels, evaluate, inverse_propensity, propensity_constants
from reimpl.truth import Truth

_MOST_NAME = 500

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


def _read(path: Path, problems: Problems, *, scored: bool) -> tuple[dict[str, Document], Source]:
    """All documents that are sound, by their names; what is wrong with the others goes to `problems`."""
    if path.suffix == ".npz":
        content, source = read_bytes(path)
        items = _arrays(path, content, scored=scored)
    else:
        characters, source = read_text(path)
        items = objects(path, characters)
    documents: dict[str, Document] = {}
    empty = True
    for place, item in items:
        empty = False
        try:
            name, document = _document(place, item, scored=scored)
            if name in documents:
                raise ValueError(f"document {name!r} stands there twice; remove one")
            documents[name] = document
        except ValueError as err:
            problems.add(place, str(err))
    if empty:
        refuse(path, "it holds no documents; give one or more")
    return documents, source


def _document(place: str, item: Any, *, scored: bool) -> tuple[str, Document]:
    wanted, form = ("document", "labels", "scores")[: 2 + scored], _FORMS[scored]
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
    if not scored:
        return name, Document(place, labels, ())
    given = item["scores"]
    if not isinstance(given, list) or len(given) != len(labels):
        number = counted(len(labels), "label")
        raise ValueError(f"document {name!r} has {number} and scores {text(given)[:60]}; give one each")
    try:
        scores = [float(it) for it in given]
    except (TypeError, ValueError) as err:
        raise ValueError(
            f"document {name!r} has the scores {text(given)[:60]}, not all numbers; give numbers"
        ) from err
    if not all(map(math.isfinite, scores)):
        raise ValueError(f"document {name!r} has a score that is no finite number; leave such labels out")
    if any(a < b for a, b in pairwise(scores)):
        raise ValueError(f"document {name!r}: the scores rise; list its labels best first")
    return name, Document(place, labels, scores)


def _arrays(path: Path, content: bytes, *, scored: bool) -> Iterator[tuple[str, Any]]:
    names = ("document", "labels", "scores") if scored else ("document", "offsets", "labels")
    held: dict[str, NDArray[Any]] = {}
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as stored:
            held = {name: stored[name] for name in names if name in stored.files}
    except Exception as err:  # a damaged archive raises any of ten types
        refuse(path, "no .npz archive of numbers and text that can be read; write it with numpy.savez", err)
    if lacking := [name for name in names if name not in held]:
        refuse(path, f"it lacks {', '.join(map(repr, lacking))}; write the arrays {', '.join(names)}")
    documents, labels = held["document"], held["labels"]
    if documents.ndim != 1:
        refuse(path, f"document has the shape {documents.shape}; give one name for each document")
    if labels.size and labels.dtype.kind not in "iuU":  # 3.0 would be another label than 3
        refuse(path, f"labels of type {labels.dtype}; give names or whole numbers")
    count = len(documents)
    if scored:
        scores = held["scores"]
        if labels.ndim != 2 or len(labels) != count or scores.shape != labels.shape:
            refuse(path, f"labels {labels.shape} and scores {scores.shape} are not ({count}, K)")
        for i, (name, row) in enumerate(zip(documents.tolist(), labels.tolist(), strict=True)):
            end = next((k for k, it in enumerate(row) if it in (-1, "")), len(row))
            item = {"document": str(name), "labels": [str(it) for it in row[:end]]}
            yield f"{path}: document {i}", {**item, "scores": scores[i, :end].tolist()}
        return
    offsets = held["offsets"]
    sound = offsets.shape == (count + 1,) and offsets.dtype.kind in "iu" and labels.ndim == 1
    if not sound or (np.diff(offsets) < 0).any() or offsets[0] != 0 or offsets[-1] != len(labels):
        refuse(path, f"offsets do not rise from 0 to the {len(labels)} labels; correct them")
    for i, (name, row) in enumerate(zip(documents.tolist(), np.split(labels, offsets[1:-1]), strict=False)):
        item = {"document": str(name), "labels": [str(it) for it in row]}
        yield f"{path}: document {i}", item


# --------------------------------------------------------------------------- scores

#: What lists of labels alone give, and what needs the training documents' labels beside them.
_BY_PROPENSITY = ("PSP", "PSnDCG")
_DEFAULT = ("P@1", "P@3", "P@5")


def metrics_claimed(paper: Paper) -> tuple[str, ...]:
    """The metrics that the paper's claims are about, in the order of the file."""
    names: dict[str, None] = {}
    for claim in paper.claim_records():
        lines = claim.details.get("lines", ())
        names |= dict.fromkeys(it for it in (claim.metric, *(line["metric"] for line in lines)) if it)
    return tuple(names)


def _scored(
    names: Sequence[str],
    ids: NDArray[Any],
    scores: NDArray[np.float64],
    truth: Truth,
    n_labels: int,
    trained: tuple[NDArray[np.int64], int, float, float] | None,
    threshold: float | None,
) -> tuple[dict[str, float], list[str]]:
    """The metrics, and one sentence for each that these lists do not give, or that goes by more than they.

    `n_labels` counts all labels that are known. `trained`: training documents with each of them, all training
    documents, and A and B of the propensities.
    """
    wanted = {name: parse(name) for name in names if "[" not in name}
    notes = [f"{name} not scored: lists of all labels rank no group alone" for name in names if "[" in name]
    ks, values = set(), dict[str, float]()
    by_rarity = any(it.family in _BY_PROPENSITY for it in wanted.values())
    for name, metric in wanted.items():
        if metric.k is not None and metric.family in _BY_PROPENSITY and trained is None:
            notes.append(f"{name} not scored: it goes by how rare labels are in training; add --train-truth")
        elif metric.k is not None and metric.k > ids.shape[1]:
            notes.append(f"{name} not scored: the longest list has {counted(ids.shape[1], 'label')}")
        elif metric.k is not None:
            ks.add(metric.k)
    if ks and trained is None:
        values = evaluate(ids, truth, sorted(ks))
    elif ks and trained is not None:
        counts, n_train, a, b = trained
        weights = inverse_propensity(counts, n_train, A=a, B=b)
        values = evaluate(ids, truth, sorted(ks), weights=weights)
        said = f"propensities by A = {a:g}, B = {b:g} and {n_train:,} training documents"
        notes += [said] if by_rarity else []
    for name in (name for name, metric in wanted.items() if metric.k is None):
        why = _undecided(ids, scores, threshold, known=trained is not None or name == "Micro-F1")
        if why is not None or threshold is None:
            notes.append(f"{name} not scored: {why}")
            continue
        rows = [row[line > threshold].tolist() for row, line in zip(ids, scores, strict=True)]
        values[name] = count_labels(Truth.from_lists(rows), truth, n_labels).f1()[name]
        notes.append(f"F1 over {n_labels:,} labels, those with a score above {threshold:g} decided for")
    found = {name: values[name] for name in wanted if name in values}
    if not found:
        raise AuditError(f"nothing can be scored: {'; '.join(notes)}")
    return found, list(dict.fromkeys(notes))


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
    _check_seeds(paths, seeds)
    id, dataset = _named(paper, experiment, declared)
    problems = Problems()
    documents, source = _read(truth, problems, scored=False)
    problems.settle()
    labels: dict[str, int] = {}
    """Name -> id; labels of training documents and predicted ones are added at the end."""
    rows = [[labels.setdefault(name, len(labels)) for name in it.labels] for it in documents.values()]
    true, true_labels, sources = Truth.from_lists(rows), frozenset(labels), [source]
    train: list[int] = []
    n_train = 0
    if declared.train_truth is not None:
        trained, of_training = _read(declared.train_truth, problems, scored=False)
        problems.settle()
        carried = [name for it in trained.values() for name in it.labels]
        _check_labels(declared.train_truth, carried, true_labels, source)
        train, n_train = [labels.setdefault(name, len(labels)) for name in carried], len(trained)
        sources.append(of_training)
    # first all of them: labels are numbered as they come
    lists = [_read_predictions(path, documents, labels, true_labels, source) for path in paths]
    held = paper.datasets[paper.single_experiments[id].on]
    constants = declared.constants or propensity_constants(held.catalogue or held.name)
    frequencies = np.bincount(np.array(train, dtype=np.int64), minlength=len(labels))
    results = []
    for (ids, scores, of_file), seed in zip(lists, seeds, strict=True):
        metrics, notes = _scored(
            metrics_claimed(paper) or _DEFAULT,
            ids,
            scores,
            true,
            len(labels),
            (frequencies, n_train, *constants) if n_train else None,
            declared.threshold,
        )
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


def _check_seeds(paths: Sequence[Path], seeds: Sequence[int]) -> None:
    if twice := [seed for seed in seeds if list(seeds).count(seed) > 1]:
        raise AuditError(
            f"{option('seed')} {twice[0]} is there twice; give each file of predictions its own seed"
        )
    if len(seeds) != len(paths):
        given = " ".join(f"{option('seed')} {seed}" for seed in seeds) or f"no {option('seed')}"
        files = counted(len(paths), "file")
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
    given, said = declared.dataset or "", option("experiment")
    try:
        id, said = experiment_of(paper, experiment, given), option("dataset")
        return id, dataset_of(paper, id, given, other=declared.other_dataset, column=False)
    except UnclearNameError as err:
        raise AuditError(f"{said}: {err}") from err


def _check_labels(path: Path, labels: Sequence[str], true: frozenset[str], source: Source) -> None:
    if true.isdisjoint(labels):
        refuse(path, f"none of its labels is in {source.file}; name the labels alike in both files")


def _read_predictions(
    path: Path,
    documents: dict[str, Document],
    labels: dict[str, int],
    true_labels: frozenset[str],
    truth: Source,
) -> tuple[NDArray[np.int64], NDArray[np.float64], Source]:
    """(N, K) label ids and scores in the order of the documents; -1 after the end of a list."""
    problems = Problems()
    lists, source = _read(path, problems, scored=True)
    for name in (name for name in lists if name not in documents):
        problems.add(lists[name].place, f"document {name!r} is not in {truth.file}; which is it?")
    missing = [name for name in documents if name not in lists]
    if missing and not problems.places:
        problems.add(
            str(path),
            f"no prediction for {len(missing)} of {counted(len(documents), 'document')}, "
            f"{missing[0]!r} first; give one for each, an empty list where there is none",
        )
    problems.settle()
    length = max(len(it.labels) for it in lists.values())
    if not length:
        refuse(path, "no document has a predicted label; give the labels best first")
    _check_labels(path, [name for it in lists.values() for name in it.labels], true_labels, truth)
    ids = np.full((len(documents), length), -1, dtype=np.int64)
    scores = np.full((len(documents), length), -np.inf)
    for row, it in enumerate(lists[name] for name in documents):
        ids[row, : len(it.labels)] = [labels.setdefault(name, len(labels)) for name in it.labels]
        scores[row, : len(it.labels)] = it.scores
    return ids, scores, source
