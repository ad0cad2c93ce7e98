"""Frequent and rare labels on the page: what experiments get right of each."""

from __future__ import annotations

from dataclasses import dataclass

from audit.record import LabelStrata, StratumResult
from reports import digits
from reports.lookup import Lookup
from reports.wording import same_runs
from reports.wording.words import plural

NOTE = (
    "Labels by how often they occur in training: the head is the fewest labels that hold half of all "
    "positives, torso those up to 80%, tail the rest. Part of P@{k}: over the strata these add up to P@{k}. "
    "Recall: of the stratum’s labels in test documents, those among the first {k}. Macro-F1: the mean over "
    "its labels, each alone. Means over the runs; a description, no verdict."
)


@dataclass(frozen=True)
class StratumCells:
    part: str
    recall: str
    macro_f1: str


@dataclass(frozen=True)
class StrataRow:
    name: str
    also: str
    """Experiments with the same runs; empty where there are none."""
    runs: str
    cells: tuple[StratumCells, ...]


@dataclass(frozen=True)
class StrataBlock:
    """Experiments on the same labels, cut at the same rank."""

    note: str
    k: int
    heads: tuple[str, ...]
    """`head: 143 labels, 61.1% of the positives`"""
    rows: tuple[StrataRow, ...]


def strata_blocks(found: Lookup) -> tuple[StrataBlock, ...]:
    """One block for each set of strata, in the order of the experiments."""
    blocks: dict[tuple[object, ...], list[LabelStrata]] = {}
    for it in found.audit.strata:
        if it.experiment in found.same.experiments:
            continue  # told in the row of the experiment that has its runs
        sizes = tuple((part.name, part.labels, part.positives) for part in it.strata)
        blocks.setdefault((it.k, it.rule, sizes), []).append(it)
    return tuple(_block(held, found) for held in blocks.values())


def _block(held: list[LabelStrata], found: Lookup) -> StrataBlock:
    first = held[0]
    return StrataBlock(
        note=NOTE.format(k=first.k),
        k=first.k,
        heads=tuple(map(_head, first.strata)),
        rows=tuple(
            StrataRow(
                name=found.title(it.experiment),
                also=same_runs.also([found.title(name) for name in found.same.again(it.experiment)]),
                runs=plural(it.runs, "run"),
                cells=tuple(_cells(part) for part in it.strata),
            )
            for it in held
        ),
    )


def _head(it: StratumResult) -> str:
    share = digits.points(it.share, decimals=1)
    return f"{it.name}: {plural(it.labels, 'label')}, {share}% of test positives"


def _cells(it: StratumResult) -> StratumCells:
    return StratumCells(
        digits.points(it.share_of_precision), digits.points(it.recall), digits.points(it.macro_f1)
    )
