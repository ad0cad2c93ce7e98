"""The margin of each judged number, fixed before the first run (Lakens, Scheel and Isager 2018).

    digits           half a unit of the printed number; of a comparison, of its numbers together
    half_gap         half of the smallest improvement among the paper's own claims about the table (for a
                     significance claim: among what it calls significant)
    field            0.5 points, 0.2 on 100,000 printed test documents or more
    lenient          1 point
    paper_yardstick  what the paper treats as similar, as the file states it
    none named       the smaller of half_gap and field, at least one unit of the last printed digit

A value that stands there must be that of its rule, but for rounding, or for a single printed number what
`for_printed` makes of it; it may be left out where the rule gives one."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from audit.claims.schema import Margin
from audit.claims.source import KeyPath, Problem
from audit.kinds.base import Claim, JudgedByMargin
from audit.kinds.pair import OrderClaim, SignificantClaim
from audit.kinds.value import GapClaim
from audit.record import Cell
from audit.record import Margin as Resolved
from audit.stats.printed import gap, printed, printed_count

if TYPE_CHECKING:
    from audit.claims.load import Paper


class MarginError(ValueError):
    """What is wrong with the value of a margin, and what to do."""


@dataclass(frozen=True)
class Ground:
    """What the rules use, for one judged number."""

    printed: tuple[str, ...] = ()  # The claim's numbers.
    documents: int | None = None  # Test documents as printed.
    improvements: tuple[tuple[str, str], ...] = ()
    """Printed numbers, better and worse, of the paper's own claims of improvement in the table."""


_LACKS = {
    "half_gap": "no order, gap or significance claim about the table prints an improvement",
    "digits": "the claim names no printed number",
    "paper_yardstick": "you must read what the paper treats as similar",
}


def resolve(margin: Margin, ground: Ground) -> Resolved:
    """The margin with its value. Raises `MarginError` if its rule gives none, or another."""
    rule, computed = _by_rule(margin, ground)
    if margin.value is None:
        if computed is None:
            text = f"this key is missing: rule {rule} gives no value here, as {_LACKS[rule]}; add value"
            raise MarginError(text)
        return Resolved(float(computed), rule, margin.why)
    if computed is not None and not _agrees(margin.value, computed, rule, ground):
        why = f" (of {ground.documents:,} test documents)" if rule == "field" and ground.documents else ""
        raise MarginError(
            f"{margin.value:g} is not what rule {rule} gives here, {float(computed):g}{why}; "
            "write that, leave the value out, or name the rule it follows"
        )
    return Resolved(margin.value, rule, margin.why)


def _by_rule(margin: Margin, ground: Ground) -> tuple[str, Fraction | None]:
    """The rule, and the value that it gives; None if it gives none."""
    # 0.5 points are 0.7 standard errors of P@1 over the 3,865 test documents of EUR-Lex
    field = Fraction(1, 5) if (ground.documents or 0) >= 100_000 else Fraction(1, 2)
    gaps = [size for pair in ground.improvements if (size := gap(*map(printed, pair))) > 0]
    half_gap = min(gaps) / 2 if gaps else None  # a smaller difference cannot turn a headline round
    match margin.rule:
        case None:
            name, value = "field", field
            if half_gap is not None and half_gap < field:
                name, value = "half_gap", half_gap
            return name, max([value, *(2 * printed(text).half_unit for text in ground.printed[:1])])
        case "digits":
            half_units = sum((printed(text).half_unit for text in ground.printed), Fraction(0))
            return "digits", half_units or None
        case "half_gap":
            return "half_gap", half_gap
        case "field":
            return "field", field if ground.documents is not None or margin.value is None else None
        case "lenient":
            return "lenient", Fraction(1)
    return margin.rule, None


def _agrees(value: float, computed: Fraction, rule: str, ground: Ground) -> bool:
    """Equal; for what was halved and rounded, to a unit of its last digit (a hundredth at most); or the
    rule's value within what a single printed number allows, as `audit add` writes it."""
    exact = Fraction(repr(value))
    unit = min(Fraction(1, 10 ** len(repr(value).partition(".")[2])), Fraction(1, 100))
    if exact == computed or (rule == "half_gap" and abs(exact - computed) < unit):
        return True
    plain = Resolved(float(computed), rule, "")
    scaled = for_printed(plain, ground.printed[0]) if len(ground.printed) == 1 else plain
    return scaled != plain and math.isclose(value, scaled.value, abs_tol=5e-4)


def for_printed(margin: Resolved, text: str) -> Resolved:
    """`margin` for the percentage printed as `text`, as `audit add` writes it into the file. Near 100 and
    near 0 a margin of points would hold most of the errors or hits there are, so `field` and `half_gap` are
    capped at 5 % of what is left, 0.05 * (100 - v), and of what is there, 0.05 * v; then they are raised to
    one unit of the last printed digit (2h), below which rounding alone decides."""
    number, wanted = printed(text), Fraction(str(margin.value))
    cap = max(min(100 - number.value, number.value) * Fraction(5, 100), Fraction(0))
    unit = 2 * number.half_unit
    value = max(min(wanted, cap), unit)
    if value == wanted or margin.rule not in ("half_gap", "field"):
        return margin
    cut = f"5 % of what is left or there at {text}"
    reason = "one unit of the last printed digit" if value == unit else cut
    return replace(margin, value=float(value), why=f"{reason}, where the margin would be {margin.value:g}")


class Margins:
    """Finds the margin of the file that applies to a claim, and what its rule uses from the rest of it."""

    def __init__(self, paper: Paper) -> None:
        self.paper = paper

    def of(self, claim: Claim, metric: str = "") -> Resolved | None:
        """The margin as the file states it, or by its rule if it states no value; None for a claim judged
        without one. Raises `MarginError` for one that `problems` reports."""
        path, margin = self._that_counts(claim, metric)
        return resolve(margin, self._ground(path, claim, metric)) if margin else None

    def _that_counts(self, claim: Claim, metric: str) -> tuple[KeyPath, Margin | None]:
        """The applicable margin with its place: by metric, claim, its name, its table, or the default."""
        margins, of_metric = self.paper.margins, f"{claim.id}:{metric}"
        details = claim.settings().get("details", {})
        if not isinstance(claim, JudgedByMargin) or not claim.needs_margin(details):
            return (), None
        if claim.margin is not None and of_metric not in margins:
            return ("claims", self.paper.claims.index(claim), "margin"), claim.margin
        tables = [_table_of(cell) for cell in self.paper.subject(claim, metric)[1][:1]]
        names = (of_metric, claim.id, *tables)
        name = next((name for name in names if name in margins), "default")
        return ("margins", name), margins.get(name)

    def problems(self) -> Iterator[Problem]:
        """In a sound file, margins without a value whose rule gives none, or with another than it gives."""
        for claim in self.paper.claims:
            for metric in self.paper.metrics_of(claim) if isinstance(claim, JudgedByMargin) else ():
                try:
                    self.of(claim, metric)
                except MarginError as err:
                    yield Problem((*self._that_counts(claim, metric)[0], "value"), str(err))

    def _ground(self, path: KeyPath, claim: Claim, metric: str) -> Ground:
        """A table's margin considers all of the table, another one the claim's data set in it; claims about
        significance use what the paper calls significant."""
        _, cells, dataset = self.paper.subject(claim, metric)
        size = self.paper.datasets[dataset].printed.get("test") if dataset else None
        table = _table_of(cells[0]) if cells else None
        return Ground(
            printed=tuple(cell.printed for cell in cells if cell.printed is not None),
            documents=int(printed_count(size).value) if size else None,
            improvements=tuple(
                (better.printed or "", worse.printed or "")
                for better, worse, significant in self._improvements
                if table in (_table_of(better), _table_of(worse))
                and (path == ("margins", table) or better.dataset == dataset)
                and (significant or not isinstance(claim, SignificantClaim))
            ),
        )

    @cached_property
    def _improvements(self) -> tuple[tuple[Cell, Cell, bool], ...]:
        improvements = []
        for claim in self.paper.claims:
            if isinstance(claim, OrderClaim | GapClaim | SignificantClaim):
                for metric in self.paper.metrics_of(claim):
                    cells = [it for it in self.paper.subject(claim, metric)[1] if it.printed is not None]
                    if len(cells) == 2:
                        improvements.append((cells[0], cells[1], isinstance(claim, SignificantClaim)))
        return tuple(improvements)


def _table_of(cell: Cell) -> str:
    return cell.address.split(".")[0]
