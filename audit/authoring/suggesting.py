"""Claims that a paper's tables would bear, for a person to accept one by one.

The best of a table on one data set, and pairs that differ in one thing. They come from the tables alone. What
the paper says of them nobody here knows: each sentence is marked as ours, and names the table as its place,
until the paper's own stands there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

from audit.authoring.entries import reported
from audit.checks.tables import Number, Sheet
from audit.claims.load import Paper
from audit.claims.names import UnresolvedError, cell_of
from audit.claims.papers import sheet_of
from audit.claims.source import Plain
from audit.kinds import KINDS, Claim
from audit.record import TableRecord
from audit.stats.printed import printed

#: Of fewer none is called the best.
FEWEST = 3
#: Averages and differences do not compete.
_DERIVED = re.compile(
    r"[\N{GREEK CAPITAL LETTER DELTA}\N{INCREMENT}]|"
    r"\b(?:avg|average|mean|diff|difference|gain|improvement|improv)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Suggestion:
    """One candidate."""

    id: str
    kind: str
    says: str
    """What the table shows, in one sentence."""
    why: str
    """Why it is suggested."""
    place: str
    """The table as printed: Table 2."""
    cells: tuple[str, ...]
    """Addresses of the numbers that it is about."""
    content: Mapping[str, Plain]
    """The entry under `claims`, as it would be written."""
    needs: tuple[str, ...] = ()
    """Rows, columns or cells that have no experiment yet: until then it cannot be added."""

    def worded(self, says: str | None, where: Mapping[str, Plain]) -> dict[str, Plain]:
        """The entry with the paper's sentence, in own short words, and its place instead of the table's."""
        own = {"says": says or self.content["says"], "where": dict(where or self.content["where"])}
        return {**self.content, **own}


class Competitor(NamedTuple):
    """What one row, or column, stands for on one data set: its label, its id, its numbers by metric."""

    label: str
    name: str
    numbers: Mapping[str, Number]

    @property
    def experiment(self) -> str | None:
        return next(iter(self.numbers.values())).cell.experiment


class Draft(NamedTuple):
    """A candidate before it has its id and its place; `name` is what its id is made of."""

    kind: str
    name: str
    says: str
    why: str
    keys: Mapping[str, Plain]
    competitors: Sequence[Competitor]
    metrics: Sequence[str]


@dataclass(frozen=True)
class Field:
    """All competitors of one table on one data set."""

    sheet: Sheet
    table: TableRecord
    dataset: str
    competitors: tuple[Competitor, ...]

    @property
    def on(self) -> str:
        known = self.sheet.datasets.get(self.dataset)
        return f"on {known.name if known else self.dataset}"

    @property
    def metrics(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(metric for one in self.competitors for metric in one.numbers))

    def reference(self, to: Competitor, metrics: Sequence[str]) -> str | None:
        """`table.row` or `table.experiment`, if that and each metric lead to the competitor's own cells."""
        for line in filter(None, (to.name, to.experiment)):
            name = f"{self.table.id}.{line}"
            with suppress(UnresolvedError):
                cells = [cell_of(name, metric, self.sheet.by_name).address for metric in metrics]
                if cells == [to.numbers[metric].address for metric in metrics]:
                    return name
        return None


def suggestions(paper: Paper) -> tuple[Suggestion, ...]:
    """All candidates that the file does not have yet, in the order of its tables; ids stay the same."""
    order = list(paper.tables)
    there = _signatures(paper, paper.claims)
    taken = {claim.id for claim in paper.claims}
    made: list[Suggestion] = []
    fields = sorted(_fields(sheet_of(paper)), key=lambda field: order.index(field.table.id))
    for field, draft in [(f, d) for f in fields for rule in (best_ones, better_ones) for d in rule(f)]:
        table = field.table
        place = paper.tables[table.id].where.model_dump(exclude_none=True) or {"label": table.id}
        says = f"suggested from {table.label}; replace by the paper's sentence: {draft.says}"
        content = {"id": "new", "kind": draft.kind, **draft.keys, "metric": [*draft.metrics]}
        content |= {"says": says, "where": place}
        new = _signatures(paper, [KINDS[draft.kind].model_validate(content)]) - there
        if not new:
            continue
        there |= new
        name = re.sub(r"[^A-Za-z0-9_-]+", "-", f"{table.id}-{draft.name}-{field.dataset}").strip("-")
        id = next(i for k in range(len(taken) + 1) if (i := f"{name}-{k + 1}" if k else name) not in taken)
        taken.add(id)
        # of some metrics there may be a claim already
        metrics = [metric for metric in draft.metrics if any(metric == signature[1] for signature in new)]
        cells = [one.numbers[metric].cell for one in draft.competitors for metric in draft.metrics]
        needs = dict.fromkeys(reported(table, cell) for cell in cells if cell.experiment is None)
        addresses = tuple(cell.address for cell in cells)
        entry = {**content, "id": id, "metric": metrics}
        found = draft.kind, draft.says, draft.why, table.label, addresses, entry, tuple(needs)
        made.append(Suggestion(id, *found))
    return tuple(made)


def _signatures(paper: Paper, claims: Iterable[Claim]) -> set[tuple[object, ...]]:
    """What the claims state, one for each metric: kind, metric and experiments (or cells that have none)."""
    signatures: set[tuple[object, ...]] = set()
    for claim in paper.model_copy(update={"claims": tuple(claims)}).statements():
        arms: tuple[str, ...] = (
            claim.experiments if len(claim.experiments) >= len(claim.cells) else claim.cells
        )
        best = (arms[0], frozenset(arms)) if claim.kind == "optimum" else (arms,)
        signatures.add((claim.kind, claim.metric, *best))
    return signatures


def _fields(sheet: Sheet) -> Iterator[Field]:
    """Every table and data set on which two or more rows, or else columns, compete."""
    tables = {table.id: table for table in sheet.tables}
    labels = {
        (table.id, of): {line.id: line.label for line in lines}
        for table in sheet.tables
        for of, lines in (("row", table.rows), ("column", table.columns))
    }
    by_table: dict[tuple[str, str], list[list[Number]]] = {}
    for (table, dataset, _), numbers in sheet.lines.items():
        rows, columns = labels[table, "row"], labels[table, "column"]
        plain = [n for n in numbers if not _DERIVED.search(f"{rows[n.row]}\n{columns[n.column]}")]
        by_table.setdefault((table, dataset), []).append(plain)
    for (table, dataset), of_metrics in by_table.items():
        once = {
            of: all(len({getattr(number, of) for number in line}) == len(line) for line in of_metrics)
            for of in ("row", "column")
        }
        of = "row" if once["row"] and any(len(line) > 1 for line in of_metrics) else "column"
        own: dict[str, dict[str, Number]] = {}
        for line in of_metrics:
            for number in line:
                own.setdefault(getattr(number, of), {})[number.cell.metric or ""] = number
        if once[of] and len(own) > 1:
            competitors = (Competitor(labels[table, of][name], name, held) for name, held in own.items())
            yield Field(sheet, tables[table], dataset, tuple(competitors))


def best_ones(field: Field) -> Iterator[Draft]:
    """The best of three or more, whose number no other prints, nor reaches within the printed spreads."""

    def ends(number: Number) -> tuple[Fraction, Fraction]:
        spread = printed(number.cell.sd).value if number.cell.sd else Fraction(0)
        return number.value.value - spread, number.value.value + spread

    groups: dict[tuple[int, tuple[int, ...]], list[str]] = {}
    """Who is the best of whom -> the metrics."""
    for metric in field.metrics:
        numbers = {k: one.numbers[metric] for k, one in enumerate(field.competitors) if metric in one.numbers}
        best = max(numbers, key=lambda k: numbers[k].value.value)
        others = [ends(number)[1] for k, number in numbers.items() if k != best]
        if len(numbers) >= FEWEST and max(others) < ends(numbers[best])[0]:
            groups.setdefault((best, tuple(numbers)), []).append(metric)
    for (at, competing), metrics in groups.items():
        best_one, among = field.competitors[at], [field.competitors[k] for k in competing]
        experiments = Counter(one.experiment for one in among if one.experiment)
        names = [field.reference(one, metrics) for one in (best_one, *among)]
        if max(experiments.values(), default=1) > 1 or not all(names):
            continue  # one experiment in two rows competes with itself
        bold = all("bold" in (best_one.numbers[metric].cell.mark or "").split() for metric in metrics)
        yield Draft(
            "optimum",
            f"best-{best_one.name}",
            f"{best_one.label} is the best of {len(among)} in {_listed(metrics)} {field.on}",
            f"prints the highest {_listed(metrics)} of {len(among)}{' and has it in bold' if bold else ''}",
            {"best": names[0], "among": names[1:]},
            among,
            metrics,
        )


# --------------------------------------------------------------------------- one thing changed

_BETWEEN = re.compile(r"\s*[,;/+|&()\[\]]\s*|\s+(?:with|and|w/)\s+")
_WITHOUT = re.compile(
    r"(?P<base>.*?)[\s,:(]*(?:(?<!\w)w/o|(?<!\w)w\.o\.|\bwithout|\bminus|\bexcluding|\bno)(?!\w)\.?[\s-]*(?P<what>[^)]+)\)?",
    re.IGNORECASE,
)


def better_ones(field: Field) -> Iterator[Draft]:
    """Two that differ in one thing: a part left out, or another one in its place; or the only two."""
    labels = [one.label for one in field.competitors]
    for a, b in combinations(field.competitors, 2):
        why = why_paired(a.label, b.label, labels)
        if why is None or (a.experiment and a.experiment == b.experiment):
            continue
        for better, worse in ((a, b), (b, a)):
            numbers = {
                metric: (better.numbers[metric], worse.numbers[metric])
                for metric in field.metrics
                if metric in better.numbers and metric in worse.numbers
            }
            metrics = [metric for metric, (one, two) in numbers.items() if one.value.value > two.value.value]
            names = [field.reference(one, metrics) for one in (better, worse)]
            if metrics and all(names):
                shown = [numbers[metric] for metric in metrics[:3]]
                pairs = ", ".join(f"{one.text} against {two.text}" for one, two in shown)
                yield Draft(
                    "order",
                    f"{better.name}-over-{worse.name}",
                    f"{better.label} is better than {worse.label} in {_listed(metrics)} {field.on}",
                    f"{why}; {pairs}{', ...' if len(metrics) > 3 else ''}",
                    {"better": names[0], "worse": names[1]},
                    (better, worse),
                    metrics,
                )


def why_paired(a: str, b: str, labels: Sequence[str]) -> str | None:
    """Why these two are held against each other; None where nothing in the table sets them side by side."""
    for full, part in ((a, b), (b, a)):
        lacks = _WITHOUT.fullmatch(part.strip())
        if lacks and _full_model(_base(lacks), labels) == full:
            return f"{part!r} is {full!r} without {lacks['what'].strip()!r}"
    without = [_WITHOUT.fullmatch(label.strip()) for label in (a, b)]
    lesser = without[0] and without[1] and _base(without[0]) == _base(without[1])
    changed = None if lesser else _one_change(a, b)
    if changed:
        return f"the two differ in one thing, {changed[0] or 'nothing'!r} or {changed[1] or 'nothing'!r}"
    return "they are the only two of the table on this data set" if len(labels) == 2 else None


def _base(lacks: re.Match[str]) -> str:
    """The model of `XML-CNN w/o pooling`; empty for `no pooling`."""
    return lacks["base"].strip(" ,:(").casefold()


def _full_model(base: str, labels: Sequence[str]) -> str | None:
    """The one label of a model that lacks nothing, and has the name `base`; None where several may be it."""
    whole = [label for label in labels if not _WITHOUT.fullmatch(label.strip())]
    named = [label for label in whole if not base or label.casefold() == base]
    return named[0] if len(named) == 1 else None


def _one_change(first: str, second: str) -> tuple[str, str] | None:
    """The one thing in which two labels differ, as each has it, or "" where it lacks it.

    `XML-CNN, words` is made of xml-cnn and words. None where they differ in more, or in all that they say:
    two names alone are no change of one thing.
    """
    a, b = (
        Counter(filter(None, map(str.strip, _BETWEEN.split(label.casefold())))) for label in (first, second)
    )
    only_a, only_b = list((a - b).elements()), list((b - a).elements())
    if max(len(only_a), len(only_b)) != 1 or not a & b:
        return None
    return (only_a or [""])[0], (only_b or [""])[0]


def _listed(names: Sequence[str]) -> str:
    """`P@1, P@3 and P@5`."""
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
