"""Top-k predictions and truth of single documents, read from files and scored: a run for each file.

JSON lines, or a list in a JSON file; labels are names or numbers. No array is documents x labels.

    {"document": "d1", "labels": ["a", "b"], "scores": [0.9, 0.4]}      the labels best first
    {"document": "d1", "labels": ["b"]}                                 the truth

Or, with the documents of both files in one order, called by their numbers from 1: lines `label:score ...`
(LibMultiLabel, omikuji), `X-labels.npy` beside `X-scores.npy` (AttentionXML), a matrix (documents x labels)
of scores (`y_score` of `numpy.savez`); as truth `label label<TAB>text`, `label,label feature:value ...`, or a
matrix of 0 and 1 (`y_true`)."""

from __future__ import annotations

import hashlib
import io
import math
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from pickle import Unpickler, UnpicklingError
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from audit.claims.load import Paper
from audit.errors import AuditError, ImportFileError, option
from audit.importing.results import F1_BY, Declared, Problems, Result, dataset_of, experiment_of, sound_seed
from audit.importing.tables import Number, Source, objects, read_text, refuse, suffix_of, text, unpacked
from audit.names import counted
from audit.record import digest
from reimpl.metric_names import parse
from reimpl.metrics import Truth, evaluate, inverse_propensity, label_f1, propensity_constants

_MOST_NAME = 500
_KEPT = 100  # Labels of each row of a matrix of scores.
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


def _read(path: Path, *, scored: bool) -> tuple[dict[str, Document], Source]:
    """All documents by their names. Raises `ImportFileError` with all that is wrong in any of them."""
    items, source = _items(path, scored=scored)
    documents: dict[str, Document] = {}
    problems = Problems()
    for place, item in items:
        try:
            name, document = _document(place, item, scored=scored)
            if name in documents:
                raise ValueError(f"document {name!r} occurs twice; remove one")
            documents[name] = document
        except ValueError as err:
            problems.add(place, str(err))
    problems.settle()
    if not documents:
        refuse(path, "it has no documents; give at least one")
    return documents, source


def _items(path: Path, *, scored: bool) -> tuple[Iterable[tuple[str, Any]], Source]:
    """Place and content of each document, as the JSON forms have it. Raises `ImportFileError`."""
    suffix = suffix_of(path)
    if suffix in (".json", ".jsonl"):
        characters, source = read_text(path)
        return objects(path, characters), source
    try:
        content = unpacked(path)
        source = Source(path.name, hashlib.sha256(content).hexdigest())
        rows: Iterable[dict[str, Any]]
        if suffix == ".npz":
            rows = _of_matrix(_matrix(content, "y_score" if scored else "y_true"), scored)
        elif suffix == ".npy":
            rows = _of_arrays(path, content, scored)
        else:
            lines = content.decode("utf-8-sig").removesuffix("\n").split("\n")
            if not scored and len(lines[0].split()) == 3 and lines[0].replace(" ", "").strip().isdecimal():
                lines = lines[1:] if ":" in "".join(lines[1:2]) else lines  # the head `N D L`
            rows = [_of_line(f"{path}:{n}", line.rstrip("\r"), scored) for n, line in enumerate(lines, 1)]
    except ImportFileError:
        raise
    except Exception as err:  # a damaged archive or array raises any of ten types
        why = (str(err).splitlines() or [type(err).__name__])[0][:80]
        refuse(path, f"cannot be read ({why}); write it as {_FORMS[scored]}", err)
    return ((f"{path}:{n}", {"document": str(n), **row}) for n, row in enumerate(rows, start=1)), source


def _matrix(content: bytes, name: str) -> Any:  # Sparse, or the array of that name.
    held = np.load(io.BytesIO(content), allow_pickle=False)
    if "format" in held:
        return sparse.csr_matrix(sparse.load_npz(io.BytesIO(content)))
    if name not in held:
        raise ValueError(f"it holds {', '.join(held)[:40]} and no {name}")
    return held[name]


def _of_line(place: str, line: str, scored: bool) -> dict[str, Any]:
    if not scored:
        labels, tab, _ = line.partition("\t")
        first = line.split(" ", 1)[0]
        if not tab and ":" in line:  # features: the labels stand before them, parted by commas
            return {"labels": [] if ":" in first else list(filter(None, first.split(",")))}
        return {"labels": list(dict.fromkeys((labels if tab else line).split()))}
    pairs = [word.rpartition(":") for word in line.replace(",", " ").split()]
    if wrong := [score for label, _, score in pairs if not label]:
        refuse(place, f"{wrong[0][:40]!r} is not `label:score`; write each as a:0.9")
    pairs.sort(key=lambda pair: -float(pair[2]))
    return {"labels": [pair[0] for pair in pairs], "scores": [Number(pair[2]) for pair in pairs]}


def _of_matrix(matrix: Any, scored: bool) -> Iterator[dict[str, Any]]:
    """Rows of scores, the best of them, or of the truth, with labels by the numbers of their columns."""
    dense = isinstance(matrix, np.ndarray)
    if not scored and not np.isin(matrix if dense else matrix.data, (0, 1)).all():
        raise ValueError("a matrix of the truth holds 0 and 1")
    every = np.arange(matrix.shape[1])
    parts = [] if dense else pairwise(matrix.indptr.tolist())
    rows = ((matrix.indices[start:end], matrix.data[start:end]) for start, end in parts)
    found = ((every, row) for row in matrix) if dense else rows
    return (_best(columns, values, scored) for columns, values in found)


def _best(columns: NDArray[Any], values: NDArray[Any], scored: bool) -> dict[str, Any]:
    best = np.lexsort((columns, -values))[:_KEPT] if scored else np.flatnonzero(values)
    labels = [str(column) for column in columns[best].tolist()]
    return {"labels": labels, **({"scores": [Number(v) for v in values[best].tolist()]} if scored else {})}


_ARRAY_PARTS = {"numpy.ndarray", "numpy.dtype"}
_ARRAY_PARTS |= {f"numpy.{core}.multiarray._reconstruct" for core in ("core", "_core")}


class _Strings(Unpickler):
    """Reads arrays of strings that NumPy saved as objects, and nothing that could run code."""

    def find_class(self, module: str, name: str) -> Any:
        if f"{module}.{name}" in _ARRAY_PARTS:
            return super().find_class(module, name)
        raise UnpicklingError(f"it holds {module}.{name}, and only strings are read")


def _array(content: bytes) -> NDArray[Any]:
    stream, form = io.BytesIO(content), np.lib.format
    first = form.read_magic(stream) == (1, 0)
    _, _, kind = (form.read_array_header_1_0 if first else form.read_array_header_2_0)(stream)
    if kind.hasobject:
        return np.asarray(_Strings(stream).load())
    return np.asarray(np.load(io.BytesIO(content), allow_pickle=False))


def _of_arrays(path: Path, content: bytes, scored: bool) -> Iterator[dict[str, Any]]:
    labels = _array(content)
    numbers = labels.ndim == 2 and labels.dtype.kind in "biuf"
    if numbers and ("labels" not in path.name if scored else np.isin(labels, (0, 1)).all()):
        return _of_matrix(labels, scored)
    if not scored:  # a list of labels a document
        if numbers and (labels.dtype.kind == "f" or labels.min(initial=0) < 0):
            raise ValueError("neither a matrix of 0 and 1 nor numbers of labels from 0")
        return ({"labels": list(map(str, row))} for row in labels.tolist())
    beside = path.with_name(path.name.replace("labels", "scores"))
    scores = _array(beside.read_bytes())
    if beside == path or labels.shape != scores.shape or labels.ndim != 2:
        shapes = f"{labels.shape} labels and {scores.shape} scores"
        refuse(path, f"{shapes}; give NAME-labels.npy beside NAME-scores.npy")
    rows = zip(labels.tolist(), scores.tolist(), strict=True)
    return ({"labels": list(map(str, row)), "scores": list(map(Number, values))} for row, values in rows)


def _document(place: str, item: Any, *, scored: bool) -> tuple[str, Document]:
    wanted, form = ("document", "labels", "scores")[: 2 + scored], _FORMS[scored]
    if not isinstance(item, dict):
        raise ValueError(f"{text(item)[:60]} is not a document; write each as {form}")
    if lacking := [name for name in wanted if name not in item]:
        there = ", ".join(repr(name[:40]) for name in list(item)[:8]) or "nothing"
        raise ValueError(f"it has {there} and lacks {', '.join(map(repr, lacking))}; write it as {form}")
    name, labels = text(item["document"]), item["labels"]
    if isinstance(labels, list):  # as names of documents, without blanks around them
        labels = [label.strip() if isinstance(label, str) else label for label in labels]
    if not 0 < len(name) <= _MOST_NAME:
        raise ValueError(f"document {name[:60]!r}: give it a name of 1 to {_MOST_NAME} characters")
    if not isinstance(labels, list) or not all(isinstance(label, str) for label in labels):
        raise ValueError(f"labels {text(labels)[:60]!r} are not a list of names or numbers")
    if len(set(labels)) < len(labels):
        twice = next(label for label in labels if labels.count(label) > 1)
        raise ValueError(f"document {name!r} has the label {twice[:60]!r} twice; remove one")
    if not scored:
        return name, Document(place, labels, ())
    try:
        scores = [float(score) if isinstance(score, Number) else math.nan for score in item["scores"]]
    except (TypeError, ValueError):
        scores = [math.nan]
    if len(scores) != len(labels) or not all(map(math.isfinite, scores)):
        number = counted(len(labels), "label")
        what = f"document {name!r} has {number} and scores {text(item['scores'])[:60]}"
        raise ValueError(f"{what}; give a finite number for each")
    if scores != sorted(scores, reverse=True):
        raise ValueError(f"document {name!r}: the scores rise; list its labels best first")
    return name, Document(place, labels, scores)


def metrics_claimed(paper: Paper) -> tuple[str, ...]:
    """The metrics that the paper's claims are about, in the order of the file."""
    names: dict[str, None] = {}
    for claim in paper.claim_records():
        lines = claim.details.get("lines", ())
        names |= dict.fromkeys(filter(None, (claim.metric, *(line["metric"] for line in lines))))
    return tuple(names)


def _scored(
    names: Sequence[str],
    ids: NDArray[Any],
    scores: NDArray[np.float64],
    truth: Truth,
    n_labels: int,
    weights: NDArray[np.float64] | None,
    threshold: float | None,
) -> tuple[dict[str, float], list[str]]:
    """The metrics, and one sentence for each that these lists do not give, or that goes by more than they."""
    # for decisions all labels above the threshold have to be in the lists
    cut = 0 if threshold is None else int(((ids[:, -1] >= 0) & (scores[:, -1] > threshold)).sum())
    lacks, rankings, sums = dict[str, str](), dict[str, int](), list[str]()
    for name in names:
        if "[" in name:
            lacks[name] = "lists of all labels do not rank a single group"
        elif (k := parse(name).k) is None:
            if threshold is None:
                lacks[name] = "it needs predicted labels; add --threshold SCORE"
            elif weights is None and name != "Micro-F1":
                lacks[name] = "it averages over all labels, also those of training; add --train-truth"
            elif cut:
                lacks[name] = f"{counted(cut, 'list')} full to the last label above the threshold"
            else:
                sums.append(name)
        elif parse(name).family in _BY_PROPENSITY and weights is None:
            lacks[name] = "it depends on label frequency in training; add --train-truth"
        elif k > ids.shape[1]:
            lacks[name] = f"the longest list has {counted(ids.shape[1], 'label')}"
        else:
            rankings[name] = k
    if threshold is not None and all(parse(name).k for name in names if "[" not in name):
        lacks["F1"] = "no claim of the paper is about it, so a threshold changes nothing"
    by_reason: dict[str, list[str]] = {}
    for name, why in lacks.items():
        by_reason.setdefault(why, []).append(name)
    notes = [f"{', '.join(of)} not scored: {why}" for why, of in by_reason.items()]
    values: dict[str, float] = {}
    if rankings:
        values = {**evaluate(ids, truth, sorted({*rankings.values()}), weights=weights)}
    if sums and threshold is not None:
        rows = [row[line > threshold].tolist() for row, line in zip(ids, scores, strict=True)]
        values |= label_f1(Truth.from_lists(rows), truth, n_labels)
        notes.append(f"{F1_BY}{n_labels:,} labels, those with a score above {threshold:g} decided for")
    measured = {name: values[name] for name in names if name in rankings or name in sums}
    if not measured:
        raise AuditError(f"nothing can be scored: {'; '.join(notes)}")
    return measured, list(dict.fromkeys(notes))


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
    Raises `ImportFileError` with everything that is unclear in the files, `AuditError` for the options."""
    if len(seeds) != len(paths) or len(set(seeds)) < len(seeds):
        there = " ".join(f"{option('seed')} {seed}" for seed in seeds) or f"no {option('seed')}"
        each = f"give {option('seed')} once for each file, in their order, all different"
        raise AuditError(f"{counted(len(paths), 'file')} of predictions and {there}; {each}")
    if not experiment:
        raise AuditError(f"{option('experiment')} is missing; predictions do not name theirs, so add it")
    try:
        for seed in seeds:
            sound_seed(seed)
        id = experiment_of(paper, experiment, declared.dataset or "")
        dataset = dataset_of(paper, id, declared.dataset or "")
    except ValueError as err:
        raise AuditError(str(err)) from err
    documents, source = _read(truth, scored=False)
    labels: dict[str, int] = {}
    """Name -> id; labels of training documents and predicted ones are added at the end."""

    def numbered(of: Iterable[Document]) -> list[list[int]]:
        return [[labels.setdefault(name, len(labels)) for name in document.labels] for document in of]

    true = Truth.from_lists(numbered(documents.values()))
    true_labels, sources, train = frozenset(labels), [source], list[list[int]]()
    if declared.train_truth is not None:
        trained, of_training = _read(declared.train_truth, scored=False)
        _check_labels(declared.train_truth, trained, true_labels, source)
        sources.append(of_training)
        train = numbered(trained.values())
    lists = []  # first all of them: labels are numbered as they come
    lines = unpacked(declared.labels).decode("utf-8-sig").splitlines() if declared.labels else []
    called = {str(number): line.strip() for number, line in enumerate(lines)}
    for path in paths:
        found, of_file = _read(path, scored=True)
        for name, document in found.items() if called else ():
            if strange := next((label for label in document.labels if label not in called), None):
                what = f"{strange[:40]!r} is not the number of a line of {declared.labels}, counted from 0"
                refuse(document.place, f"{what}; give the names that belong to these predictions")
            found[name] = document._replace(labels=[called[label] for label in document.labels])
        problems = Problems()
        for name in found.keys() - documents.keys():
            problems.add(found[name].place, f"document {name!r} is not in {source.file}; which is it?")
        problems.settle()
        if absent := [name for name in documents if name not in found]:
            number = f"{len(absent)} of {counted(len(documents), 'document')}, {absent[0]!r} first"
            refuse(path, f"no prediction for {number}; give one for each, or an empty list")
        unknown = _check_labels(path, found, true_labels, source)
        predicted = [found[name] for name in documents]
        length = max(len(document.labels) for document in predicted)
        ids = np.full((len(documents), length), -1, dtype=np.int64)
        scores = np.full((len(documents), length), -np.inf)
        for row, (own, document) in enumerate(zip(numbered(predicted), predicted, strict=True)):
            ids[row, : len(own)], scores[row, : len(own)] = own, document.scores
        lists.append((ids, scores, of_file, unknown))
    weights, by = None, ""
    if train:
        data = paper.datasets[paper.single_experiments[id].on]
        a, b = propensity_constants(data.catalogue or data.name)
        every = np.array([label for row in train for label in row], dtype=np.int64)
        weights = inverse_propensity(np.bincount(every, minlength=len(labels)), len(train), A=a, B=b)
        by = f"propensities by A = {a:g}, B = {b:g} and {len(train):,} training documents"
    having: dict[str, list[str]] = {}  # label -> its documents, as programs call the same labels differently
    for label, name in ((label, name) for name, of in documents.items() for label in of.labels):
        having.setdefault(label, []).append(name)
    of_documents = digest([sorted(documents), sorted(map(sorted, having.values()))])
    names, results = metrics_claimed(paper) or ("P@1", "P@3", "P@5"), []
    for (ids, scores, of_file, unknown), seed in zip(lists, seeds, strict=True):
        metrics, notes = _scored(names, ids, scores, true, len(labels), weights, declared.threshold)
        notes += [by] if any(parse(name).family in _BY_PROPENSITY for name in metrics) else []
        results.append(
            Result(
                experiment=id,
                seed=seed,
                dataset=dataset,
                fingerprint=declared.fingerprint,
                metrics=metrics,
                sources=(of_file, *sources),
                notes=(f"scored from predictions of {true.size} documents", *unknown, *notes),
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


def _check_labels(
    path: Path, documents: dict[str, Document], true: frozenset[str], source: Source
) -> tuple[str, ...]:
    """A note on labels that no true list has. Raises `ImportFileError` where that are all."""
    named = {label for document in documents.values() for label in document.labels}
    if not true & named:
        refuse(path, f"none of its labels is in {source.file}; use the same names in both files")
    if not (unknown := named - true):
        return ()
    forms = {_form(label) for label in true}
    alike = sum(_form(label) in forms for label in unknown)
    by_form = f", {alike:,} of them but for case or Unicode form" if alike else ""
    return (f"{len(unknown):,} of {counted(len(named), 'label')} do not occur in {source.file}{by_form}",)


def _form(label: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", label).split()).casefold()
