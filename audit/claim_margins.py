"""Which margin of a claim file counts for a claim, and what its rule goes by in the rest of the file."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from audit.claim_margin import Given, Ground, MarginError, resolve
from audit.claim_model import Margin
from audit.claim_reference import UnresolvedError
from audit.claim_sound import within
from audit.claim_source import KeyPath, Problem
from audit.kinds import Claim, JudgedByMargin
from audit.kinds.pair import OrderClaim, SignificantClaim
from audit.kinds.value import GapClaim
from audit.record import Cell
from audit.record import Margin as Resolved
from audit.stats.printed import printed_count

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
        self._selected: dict[object, tuple[tuple[str, str], ...]] = {}

    def of(
        self, claim: Claim, cells: Sequence[Cell], dataset: str | None, metric: str = ""
    ) -> Resolved | None:
        """As it stands in the file, or by its rule where no value does; None for a claim judged without.

        Raises `MarginError` or `UnresolvedError` for one that `problems` tells of.
        """
        found = self.that_counts(claim, cells, metric)
        if found is None:
            return None
        path, margin = found
        return resolve(self._given(path, margin), self._ground(path, claim, cells, dataset))

    def that_counts(self, claim: Claim, cells: Sequence[Cell], metric: str) -> tuple[KeyPath, Margin] | None:
        """That of the claim's one metric, the claim's own, or that of its name, its table, or the default.

        The place comes first.
        """
        if not isinstance(claim, JudgedByMargin) or not claim.uses_margin:
            return None
        of_metric = f"{claim.id}:{metric}"
        if of_metric in self.paper.margins:
            return ("margins", of_metric), self.paper.margins[of_metric]
        if claim.margin is not None:
            return ("claims", self.paper.claims.index(claim), "margin"), claim.margin
        tables = [cell.address.split(".")[0] for cell in cells[:1]]
        names = [key for key in (claim.id, *tables, "default") if key in self.paper.margins]
        return (("margins", names[0]), self.paper.margins[names[0]]) if names else None

    def problems(
        self, beside: Collection[KeyPath] = (), *, places: Sequence[int] | None = None
    ) -> Iterator[Problem]:
        """Margins without a value that their rule could give, or with one that it does not; in any order.

        `beside` is where else the file has problems: what hangs on such a place is not told of before that is
        mended. `places` are the claims' places in the file, where some were left out.
        """
        for index, claim in enumerate(self.paper.claims):
            place = index if places is None else places[index]
            if not isinstance(claim, JudgedByMargin) or within(("claims", place), beside):
                continue
            try:
                for metric in self.paper.metrics_of(claim):
                    for path, text in self._in_claim(claim, metric, beside):
                        yield Problem(("claims", place, *path[2:]) if path[0] == "claims" else path, text)
            except (UnresolvedError, KeyError):
                if not beside:
                    raise

    def _in_claim(
        self, claim: JudgedByMargin, metric: str, beside: Collection[KeyPath]
    ) -> Iterator[tuple[KeyPath, str]]:
        targets = [self.paper.target(of, metric) for of in claim.cells()]
        cells = [it for it in targets if isinstance(it, Cell)]
        dataset = next((it for it in map(self.paper.dataset_of, targets) if it), None)
        found = self.that_counts(claim, cells, metric)
        if found is None or self._hangs_on(claim, cells, dataset, found, beside):
            return
        try:
            self.of(claim, cells, dataset, metric)
        except (MarginError, UnresolvedError) as err:
            yield (*found[0], err.key if isinstance(err, MarginError) else "similar"), str(err)

    def _hangs_on(
        self,
        claim: JudgedByMargin,
        cells: Sequence[Cell],
        dataset: str | None,
        found: tuple[KeyPath, Margin],
        beside: Collection[KeyPath],
    ) -> bool:
        """Whether another problem of the file may be why the margin seems not to fit its rule."""
        tables = [cell.address.split(".")[0] for cell in cells]
        hangs: list[KeyPath] = [found[0], ("datasets", dataset or ""), *(("tables", it) for it in tables)]
        if claim.margin is None:
            hangs += [("margins", name) for name in (claim.id, *tables[:1], "default")]
        if found[1].rule in (None, "half_gap"):  # goes by what the other claims say of the table
            hangs += [("claims",), ("tables",)]
        return any(within(place, beside) for place in hangs)

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
            documents=int(printed_count(size).value) if size else None,
            improvements=self._improvements_in(
                table, None if whole else (dataset,), isinstance(claim, SignificantClaim)
            ),
        )

    def _improvements_in(
        self, table: str | None, dataset: tuple[str | None] | None, significant: bool
    ) -> tuple[tuple[str, str], ...]:
        """Of one table: on one data set, or on all (None)."""
        key = table, dataset, significant
        if key not in self._selected:
            self._selected[key] = tuple(
                (it.better, it.worse)
                for it in self._improvements
                if table in it.tables
                and dataset in (None, (it.dataset,))
                and (it.significant or not significant)
            )
        return self._selected[key]

    @cached_property
    def _improvements(self) -> tuple[Improvement, ...]:
        found = []
        for claim in self.paper.claims:
            if not isinstance(claim, OrderClaim | GapClaim | SignificantClaim):
                continue
            for metric in self.paper.metrics_of(claim):
                try:
                    targets = [self.paper.target(of, metric) for of in claim.cells()]
                except (UnresolvedError, KeyError):
                    continue  # told of elsewhere, and then no margin that goes by it is looked at
                cells = [it for it in targets if isinstance(it, Cell) and it.printed is not None]
                if len(cells) == 2:
                    tables = tuple(it.address.split(".")[0] for it in cells)
                    better, worse = (it.printed or "" for it in cells)
                    significant = isinstance(claim, SignificantClaim)
                    found.append(Improvement(tables, cells[0].dataset, better, worse, significant))
        return tuple(found)
