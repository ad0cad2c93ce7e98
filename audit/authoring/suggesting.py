"""Claims that a paper's tables would bear, for a person to accept one by one.

The best of a table on one data set, and pairs that differ in one thing. They come from the tables alone. What
the paper says of them nobody here knows: each sentence is marked as ours, and names the table as its place,
until the paper's own stands there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

from audit.authoring.entries import reported
from audit.checks.tables import Number, Sheet
from audit.claims.links import UnresolvedError, cell_of
from audit.claims.load import Paper
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
    """What one row, or column, stands for on one data set."""

    label: str
    name: str
    """Its id."""
    numbers: Mapping[str, Number]
    """By metric."""
    experiment: str | None


class Draft(NamedTuple):
    """A candidate before it has its id and its place."""

    name: str
    """What its id is made of."""
    keys: Mapping[str, Plain]
    shows: str
    why: str
    competitors: Sequence[Competitor]
    metrics: Sequence[str]


Named = Callable[[Competitor, Sequence[str]], str | None]
"""The reference that leads to the competitor's own cells in these metrics; None where none does."""


def suggestions(paper: Paper) -> tuple[Suggestion, ...]:
    """All candidates that the file does not have yet, in the order of its tables; ids stay the same."""
    sheet, order = sheet_of(paper), list(paper.tables)
    there = _signatures(paper, paper.claims)
    ids = {claim.id for claim in paper.claims}
    made: list[Suggestion] = []
    for table, dataset, competitors in sorted(_fields(sheet), key=lambda field: order.index(field[0].id)):

        def named(one: Competitor, metrics: Sequence[str], table: TableRecord = table) -> str | None:
            """`table.row` or `table.experiment`."""
            for line in filter(None, (one.name, one.experiment)):
                name = f"{table.id}.{line}"
                with suppress(UnresolvedError):
                    cells = [cell_of(name, metric, sheet.by_name).address for metric in metrics]
                    if cells == [one.numbers[metric].address for metric in metrics]:
                        return name
            return None

        on = f"on {sheet.datasets[dataset].name if dataset in sheet.datasets else dataset}"
        where = paper.tables[table.id].where.model_dump(exclude_none=True) or {"label": table.id}
        for draft in (*best_ones(competitors, named), *better_ones(competitors, named)):
            shows = f"{draft.shows} {on}"
            says = f"suggested from {table.label}; replace by the paper's sentence: {shows}"
            content = {"id": "new", **draft.keys, "metric": [*draft.metrics], "says": says, "where": where}
            kind = content["kind"]
            new = _signatures(paper, [KINDS[kind].model_validate(content)]) - there
            if not new:
                continue
            there |= new
            name = re.sub(r"[^A-Za-z0-9_-]+", "-", f"{table.id}-{draft.name}-{dataset}").strip("-")
            id = next(i for k in range(len(ids) + 1) if (i := f"{name}-{k + 1}" if k else name) not in ids)
            ids.add(id)
            # of some metrics there may be a claim already
            metrics = [metric for metric in draft.metrics if any(metric == one[1] for one in new)]
            content |= {"id": id, "metric": metrics}
            cells = [one.numbers[metric].cell for one in draft.competitors for metric in draft.metrics]
            needs = dict.fromkeys(reported(table, cell) for cell in cells if cell.experiment is None)
            addresses = tuple(cell.address for cell in cells)
            texts = shows, draft.why, table.label
            made.append(Suggestion(id, kind, *texts, addresses, content, tuple(needs)))
    return tuple(made)


def _signatures(paper: Paper, claims: Iterable[Claim]) -> set[tuple[object, ...]]:
    """What the claims state, one for each metric: kind, metric and experiments (or cells that have none)."""
    signatures: set[tuple[object, ...]] = set()
    for claim in paper.model_copy(update={"claims": tuple(claims)}).statements:
        arms: tuple[str, ...] = (
            claim.experiments if len(claim.experiments) >= len(claim.cells) else claim.cells
        )
        best = (arms[0], frozenset(arms)) if claim.kind == "optimum" else (arms,)
        signatures.add((claim.kind, claim.metric, *best))
    return signatures


def _fields(sheet: Sheet) -> Iterator[tuple[TableRecord, str, list[Competitor]]]:
    """Every table and data set on which two or more rows, or else columns, compete, and who does."""
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
            yield (
                tables[table],
                dataset,
                [
                    Competitor(labels[table, of][id], id, mine, next(iter(mine.values())).cell.experiment)
                    for id, mine in own.items()
                ],
            )


def _metrics(competitors: Sequence[Competitor]) -> list[str]:
    return list(dict.fromkeys(metric for one in competitors for metric in one.numbers))


def best_ones(competitors: Sequence[Competitor], named: Named) -> Iterator[Draft]:
    """The best of three or more, whose number no other prints, nor reaches within the printed spreads."""

    def ends(number: Number) -> tuple[Fraction, Fraction]:
        spread = printed(number.cell.sd).value if number.cell.sd else Fraction(0)
        return number.value.value - spread, number.value.value + spread

    groups: dict[tuple[int, tuple[int, ...]], list[str]] = {}
    """Who is the best of whom -> the metrics."""
    for metric in _metrics(competitors):
        numbers = {k: one.numbers[metric] for k, one in enumerate(competitors) if metric in one.numbers}
        best = max(numbers, key=lambda k: numbers[k].value.value)
        others = [ends(number)[1] for k, number in numbers.items() if k != best]
        if len(numbers) >= FEWEST and max(others) < ends(numbers[best])[0]:
            groups.setdefault((best, tuple(numbers)), []).append(metric)
    for (at, competing), metrics in groups.items():
        first, among = competitors[at], [competitors[k] for k in competing]
        experiments = Counter(one.experiment for one in among if one.experiment)
        names = [named(one, metrics) for one in (first, *among)]
        if max(experiments.values(), default=1) > 1 or not all(names):
            continue  # one experiment in two rows competes with itself
        bold = all("bold" in (first.numbers[metric].cell.mark or "").split() for metric in metrics)
        yield Draft(
            f"best-{first.name}",
            {"kind": "optimum", "best": names[0], "among": names[1:]},
            f"{first.label} is the best of {len(among)} in {_listed(metrics)}",
            f"prints the highest {_listed(metrics)} of {len(among)}{' and has it in bold' if bold else ''}",
            among,
            metrics,
        )


# --------------------------------------------------------------------------- one thing changed

_BETWEEN = re.compile(r"\s*[,;/+|&()\[\]]\s*|\s+(?:with|and|w/)\s+")
_WITHOUT = re.compile(
    r"(?P<base>.*?)[\s,:(]*(?:(?<!\w)w/o|(?<!\w)w\.o\.|\bwithout|\bminus|\bexcluding|\bno)(?!\w)\.?[\s-]*(?P<what>[^)]+)\)?",
    re.IGNORECASE,
)


def better_ones(competitors: Sequence[Competitor], named: Named) -> Iterator[Draft]:
    """Two that differ in one thing: a part left out, or another one in its place; or the only two."""
    labels = [one.label for one in competitors]
    for a, b in combinations(competitors, 2):
        why = why_paired(a.label, b.label, labels)
        if why is None or (a.experiment and a.experiment == b.experiment):
            continue
        for better, worse in ((a, b), (b, a)):
            both = {
                metric: (better.numbers[metric], worse.numbers[metric])
                for metric in _metrics(competitors)
                if metric in better.numbers and metric in worse.numbers
            }
            metrics = [metric for metric, (one, two) in both.items() if one.value.value > two.value.value]
            names = [named(one, metrics) for one in (better, worse)]
            if metrics and all(names):
                pairs = [f"{one.text} against {two.text}" for one, two in map(both.__getitem__, metrics)]
                yield Draft(
                    f"{better.name}-over-{worse.name}",
                    {"kind": "order", "better": names[0], "worse": names[1]},
                    f"{better.label} is better than {worse.label} in {_listed(metrics)}",
                    f"{why}; {', '.join(pairs[:3])}{', ...' if len(metrics) > 3 else ''}",
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
