"""Which margin of a claim file counts for a claim, and what its rule goes by in the rest of the file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from audit.claim_kinds import Claim, GapClaim, JudgedByMargin, OrderClaim, SignificantClaim, ValueClaim
from audit.claim_margin import Given, Ground, MarginError, for_printed, resolve
from audit.claim_model import Margin
from audit.claim_reference import UnresolvedError
from audit.claim_source import KeyPath, Problem
from audit.record import Cell
from audit.record import Margin as Resolved
from audit.stats.printed import printed

if TYPE_CHECKING:
    from audit.claim import Paper


@dataclass(frozen=True)
class Improvement:
    """One that the paper claims, with both numbers as printed."""

    tables: tuple[str, ...]
    dataset: str | None
    better: str
    worse: str
    significant: bool
    """Whether the paper calls it so."""


class Margins:
    """The margins of one paper."""

    def __init__(self, paper: Paper) -> None:
        self.paper = paper

    def of(self, claim: Claim, cells: Sequence[Cell], dataset: str | None) -> Resolved | None:
        """By its rule, and within what a single printed number allows; None for a claim judged without.

        Raises `MarginError` or `UnresolvedError` for one that `problems` tells of.
        """
        found = self.that_counts(claim, cells)
        if found is None:
            return None
        path, margin = found
        resolved = resolve(self._given(path, margin), self._ground(path, claim, cells, dataset))
        number = cells[0].printed if isinstance(claim, ValueClaim) and cells else None
        return for_printed(resolved, number) if number else resolved

    def that_counts(self, claim: Claim, cells: Sequence[Cell]) -> tuple[KeyPath, Margin] | None:
        """The claim's own margin, or that of its name, its table, or the default; the place comes first."""
        if not isinstance(claim, JudgedByMargin) or not claim.uses_margin:
            return None
        if claim.margin is not None:
            return ("claims", self.paper.claims.index(claim), "margin"), claim.margin
        tables = [cell.address.split(".")[0] for cell in cells[:1]]
        name = next(key for key in (claim.id, *tables, "default") if key in self.paper.margins)
        return ("margins", name), self.paper.margins[name]

    def problems(self) -> Iterator[Problem]:
        """Margins without a value that their rule could give, or with one that it does not; in any order."""
        for claim in self.paper.claims:
            for metric in self.paper.metrics_of(claim) if isinstance(claim, JudgedByMargin) else ():
                targets = [self.paper.target(of, metric) for of in claim.cells()]
                cells = [it for it in targets if isinstance(it, Cell)]
                dataset = next((it for it in map(self.paper.dataset_of, targets) if it), None)
                try:
                    self.of(claim, cells, dataset)
                except (MarginError, UnresolvedError) as err:
                    found = self.that_counts(claim, cells)
                    key = err.key if isinstance(err, MarginError) else "similar"
                    if found is not None:
                        yield Problem((*found[0], key), str(err))

    def _given(self, path: KeyPath, margin: Margin) -> Given:
        pairs = tuple((self._number(first), self._number(second)) for first, second in margin.similar or ())
        return Given(margin.value, margin.rule, margin.why, pairs)

    def _number(self, reference: str) -> str:
        cell = self.paper.target(reference, None)
        if not isinstance(cell, Cell) or cell.printed is None:
            text = f"{reference!r} is no printed number; name cells as table.row.column"
            raise MarginError(text, key="similar")
        return cell.printed

    def _ground(self, path: KeyPath, claim: Claim, cells: Sequence[Cell], dataset: str | None) -> Ground:
        """A margin of a table looks at all of it, another one at the claim's data set in it.

        What is called significant is held against what the paper calls so, not against its smaller leads.
        """
        held = self.paper.datasets.get(dataset or "")
        size = held.printed.get("test") if held else None
        table = cells[0].address.split(".")[0] if cells else None
        whole = path == ("margins", table)
        return Ground(
            printed=tuple(cell.printed for cell in cells if cell.printed is not None),
            documents=int(printed(size).value) if size else None,
            improvements=tuple(
                (it.better, it.worse)
                for it in self._improvements
                if table in it.tables
                and (whole or it.dataset == dataset)
                and (it.significant or not isinstance(claim, SignificantClaim))
            ),
        )

    @cached_property
    def _improvements(self) -> tuple[Improvement, ...]:
        found = []
        for claim in self.paper.claims:
            if not isinstance(claim, OrderClaim | GapClaim | SignificantClaim):
                continue
            for metric in self.paper.metrics_of(claim):
                targets = [self.paper.target(of, metric) for of in claim.cells()]
                cells = [it for it in targets if isinstance(it, Cell) and it.printed is not None]
                if len(cells) == 2:
                    tables = tuple(it.address.split(".")[0] for it in cells)
                    better, worse = (it.printed or "" for it in cells)
                    significant = isinstance(claim, SignificantClaim)
                    found.append(Improvement(tables, cells[0].dataset, better, worse, significant))
        return tuple(found)
