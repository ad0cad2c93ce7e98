"""The metrics of imported lists: from truth alone, from training truth (PSP), from a threshold (F1)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audit.claim import Paper
from audit.claim_names import counted
from audit.errors import AuditError
from reimpl.f1 import count_labels
from reimpl.metric_names import parse
from reimpl.metrics import evaluate
from reimpl.propensity import propensity_constants
from reimpl.truth import Truth

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
            raise AuditError("--propensity goes with --train-truth FILE; add it, or leave both out")
        if self.threshold is not None and not math.isfinite(self.threshold):
            raise AuditError(f"--threshold {self.threshold!r} is no score; give a finite number")


#: Nothing beside lists and truth.
PLAIN = Scoring()


def propensity_of(text: str) -> tuple[float, float]:
    """A and B of `0.55,1.5`. Raises `AuditError` for anything but two numbers above 0."""
    try:
        a, b = (float(part) for part in text.split(","))
    except ValueError:
        a = b = math.nan
    if not (a > 0 and b > 0 and math.isfinite(a + b)):
        raise AuditError(f"--propensity {text!r}: give A and B, numbers above 0, as in 0.55,1.5")
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
    wanted = {name: parse(name) for name in metrics_used(paper)}
    notes, ks, decisions = [], set(), []
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
