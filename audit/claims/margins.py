"""The margin that one judged number gets: by the rule that the file names, within what the number allows.

A margin may leave its value out where its rule gives one (functions in `audit.stats.margin`):

    digits           half a unit of the printed number; of a comparison, of its numbers together
    half_gap         half of the smallest improvement among the paper's own claims about the table (for a
                     significance claim: among what it calls significant)
    field            0.5 points, 0.2 on 100,000 printed test documents or more
    lenient          1 point
    paper_yardstick  the largest difference of the pairs in `similar`
    none named       the smaller of half_gap and field, at least one unit of the last printed digit

A value that stands there must be that of its rule, but for rounding, or for a single printed number what
`for_printed` makes of it: it is then checked, never replaced. What stands there is what counts.

`Margins` says which margin of the file counts for a claim, and what its rule goes by in the rest of it.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from audit.claims.names import UnresolvedError
from audit.claims.problems import within
from audit.claims.schema import Margin
from audit.claims.source import KeyPath, Problem
from audit.kinds import Claim, JudgedByMargin
from audit.kinds.pair import OrderClaim, SignificantClaim
from audit.kinds.value import GapClaim
from audit.record import Cell
from audit.record import Margin as Resolved
from audit.stats import margin as rules
from audit.stats.printed import Printed, printed, printed_count

if TYPE_CHECKING:
    from audit.claims.load import Paper


_CAPPED_RULES = ("half_gap", "field")
_SHARE = Fraction(5, 100)
_HUNDREDTH = Fraction(1, 100)


class MarginError(ValueError):
    """What is wrong with a margin, and what to do; `key` is where it says so."""

    def __init__(self, text: str, *, key: str = "value") -> None:
        super().__init__(text)
        self.key = key


@dataclass(frozen=True)
class Given:
    """A margin as the file has it."""

    value: float | None
    rule: str | None
    why: str
    similar: tuple[tuple[str, str], ...] = ()
    """Pairs of printed numbers that the paper calls similar."""


@dataclass(frozen=True)
class Ground:
    """What the rules go by, for one judged number."""

    printed: tuple[str, ...] = ()
    """The claim's numbers."""
    documents: int | None = None
    """Test documents as printed."""
    improvements: tuple[tuple[str, str], ...] = ()
    """Printed numbers, better and worse, of the paper's own claims of improvement in the table."""


def resolve(given: Given, ground: Ground) -> Resolved:
    """The margin with its value. Raises `MarginError` for one that its rule does not give, or contradicts."""
    rule, computed = _by_rule(given, ground)
    if given.value is None:
        if computed is None:
            raise MarginError(_needs_a_value(rule))
        return Resolved(float(computed), rule, given.why)
    value = Fraction(repr(given.value))
    if computed is not None and not _agrees(given, value, computed, rule) and not _scaled(given, ground):
        documents = ground.documents if rule == "field" else None
        why = f" (of {documents:,} test documents)" if documents else ""
        raise MarginError(
            f"{given.value:g} is not what rule {rule} gives here, {float(computed):g}{why}; "
            "write that, leave the value out, or name the rule it follows"
        )
    return Resolved(given.value, rule, given.why)


def _by_rule(given: Given, ground: Ground) -> tuple[str, Fraction | None]:
    """The rule, and the value that it gives; None where it cannot tell."""
    numbers = [printed(text) for text in ground.printed]
    if given.rule is None:
        if given.value is not None:
            raise MarginError("this key is missing: a value follows a rule; add field or another", key="rule")
        rule, value = _default(ground)
        return rule, value
    if given.rule == "digits":
        return given.rule, sum((it.half_unit for it in numbers), Fraction(0)) or None
    if given.rule == "half_gap":
        gaps = _gaps(ground.improvements)
        return given.rule, rules.half_gap(gaps) if gaps else None
    if given.rule == "field":
        known = ground.documents is not None or given.value is None
        return given.rule, rules.field(ground.documents or 0) if known else None
    if given.rule == "lenient":
        return given.rule, rules.LENIENT
    pairs = [(printed(first), printed(second)) for first, second in given.similar]
    try:
        return given.rule, rules.paper_yardstick(pairs) if pairs else None
    except ValueError as err:
        raise MarginError(f"{err}; name other cells", key="similar") from err


@lru_cache(maxsize=64)
def _gaps(improvements: tuple[tuple[str, str], ...]) -> list[tuple[Printed, Printed]]:
    """Of a table; all its claims ask for them."""
    gaps = [(printed(better), printed(worse)) for better, worse in improvements]
    return [(better, worse) for better, worse in gaps if better.value > worse.value]


def _default(ground: Ground) -> tuple[str, Fraction]:
    documents, gaps = ground.documents or 0, _gaps(ground.improvements)
    if ground.printed:
        return rules.default(printed(ground.printed[0]), documents=documents, improvements=gaps)
    found: list[tuple[str, Fraction]] = [("field", rules.field(documents))]
    found += [("half_gap", rules.half_gap(gaps))] if gaps else []
    return min(found, key=lambda it: it[1])


def _agrees(given: Given, value: Fraction, computed: Fraction, rule: str) -> bool:
    """Equal, or for what was halved and rounded, to a unit of its last digit (a hundredth at most)."""
    if rule not in ("half_gap", "paper_yardstick"):
        return value == computed
    decimals = len(repr(given.value).partition(".")[2])
    return abs(value - computed) < min(Fraction(1, 10**decimals), _HUNDREDTH)


def _scaled(given: Given, ground: Ground) -> bool:
    """Whether it is the rule's value within what a single printed number allows, as `audit add` writes it."""
    rule, computed = _by_rule(given, ground)
    if ground.documents is None and rule == "field":
        computed = rules.field(0)
    if len(ground.printed) != 1 or computed is None or given.value is None:
        return False
    plain = Resolved(float(computed), rule, "")
    scaled = for_printed(plain, ground.printed[0])
    return scaled != plain and math.isclose(given.value, scaled.value, abs_tol=5e-4)


def _needs_a_value(rule: str) -> str:
    lacks = {
        "half_gap": "no order, gap or significance claim about the table prints an improvement",
        "digits": "the claim names no printed number",
        "paper_yardstick": "no pair is named in similar",
    }
    return f"this key is missing: rule {rule} gives no value here, as {lacks[rule]}; add value"


def for_printed(margin: Resolved, text: str) -> Resolved:
    """`margin` for the percentage printed as `text`, by the ceiling and the floor of the default rules.

    `audit add` writes it into the file, since nobody sees a margin that stands in none. Near 100 and near 0 a
    margin of points would hold most of the errors or hits there are, so `field` and `half_gap` are capped at
    5 % of what is left, 0.05 * (100 - v), and of what is there, 0.05 * v; then they are raised to one unit of
    the last printed digit (2h), below which rounding alone decides. The other rules give values that somebody
    argued for, and stay.

    >>> for_printed(Resolved(0.5, "field", "usual"), "96.10").value
    0.195
    """
    if margin.rule not in _CAPPED_RULES:
        return margin
    number = printed(text)
    wanted = Fraction(str(margin.value))
    cap = max(min(_SHARE * (100 - number.value), _SHARE * number.value), Fraction(0))
    unit = 2 * number.half_unit
    value = max(min(wanted, cap), unit)
    if value == wanted:
        return margin
    reason = (
        "one unit of the last printed digit" if value == unit else f"5 % of what is left or there at {text}"
    )
    return replace(margin, value=float(value), why=f"{reason}, where the margin would be {margin.value:g}")


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
