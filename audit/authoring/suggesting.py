"""Claims that a paper's tables would bear, for a person to accept one by one.

The best of a table on one data set, and pairs that differ in one thing. They come from the tables alone. What
the paper says of them nobody here knows: each sentence is marked as ours, and names the table as its place,
until the paper's own stands there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

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
        return {
            **self.content,
            "says": says or self.content["says"],
            "where": dict(where or self.content["where"]),
        }


@dataclass(frozen=True)
class Competitor:
    """What one row, or column, stands for on one data set."""

    label: str
    name: str
    """Id of the row or column."""
    numbers: Mapping[str, Number]
    """By metric."""

    @property
    def experiment(self) -> str | None:
        return next(iter(self.numbers.values())).cell.experiment

    def value(self, metric: str) -> Fraction:
        """The number as printed, exactly."""
        return self.numbers[metric].value.value


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

    def named(self, of: Competitor, metrics: Sequence[str]) -> str | None:
        """`table.row` or `table.experiment`, if that and each metric lead to the competitor's own cells."""
        for line in filter(None, (of.name, of.experiment)):
            try:
                name = f"{self.table.id}.{line}"
                cells = [cell_of(name, metric, self.sheet.by_name).address for metric in metrics]
            except UnresolvedError:
                continue
            if cells == [of.numbers[metric].address for metric in metrics]:
                return name
        return None


@dataclass(frozen=True)
class Draft:
    """A candidate before it has its id and its place."""

    kind: str
    name: str
    """What its id is made of."""
    says: str
    why: str
    keys: Mapping[str, Plain]
    numbers: tuple[Number, ...]
    metrics: Sequence[str]


def suggestions(paper: Paper) -> tuple[Suggestion, ...]:
    """All candidates that the file does not have yet, in the order of its tables; ids stay the same."""
    order = list(paper.tables)
    there = _signatures(paper, paper.claims)
    taken = {claim.id for claim in paper.claims}
    made: list[Suggestion] = []
    fields = sorted(_fields(sheet_of(paper)), key=lambda field: order.index(field.table.id))
    for field, draft in [(f, d) for f in fields for rule in (best_ones, better_ones) for d in rule(f)]:
        content = _content(paper, field, draft, draft.metrics)
        own = _signatures(paper, [KINDS[draft.kind].model_validate(content)])
        new = own - there
        there |= new
        if not new:
            continue
        metrics = [metric for metric in draft.metrics if any(metric == it[1] for it in new)]
        content = _content(paper, field, draft, metrics)  # of some metrics there may be a claim already
        name = re.sub(r"[^A-Za-z0-9_-]+", "-", f"{field.table.id}-{draft.name}-{field.dataset}").strip("-")
        id = next(i for k in range(len(taken) + 1) if (i := f"{name}-{k + 1}" if k else name) not in taken)
        taken.add(id)
        needs = (reported(field.table, it.cell) for it in draft.numbers if it.cell.experiment is None)
        cells = tuple(number.address for number in draft.numbers)
        content, needed = {**content, "id": id}, tuple(dict.fromkeys(needs))
        made.append(
            Suggestion(id, draft.kind, draft.says, draft.why, field.table.label, cells, content, needed)
        )
    return tuple(made)


def _content(paper: Paper, field: Field, draft: Draft, metrics: Sequence[str]) -> dict[str, Plain]:
    table = field.table
    place = paper.tables[table.id].where.model_dump(exclude_none=True) or {"label": table.id}
    says = f"suggested from {table.label}; replace by the paper's sentence: {draft.says}"
    metric = {"metric": list(metrics)}
    return {"id": "new", "kind": draft.kind, **draft.keys, **metric, "says": says, "where": place}


def _signatures(paper: Paper, claims: Iterable[Claim]) -> set[tuple[object, ...]]:
    """What the claims state, one for each metric: kind, metric and experiments (or cells that have none)."""
    signatures: set[tuple[object, ...]] = set()
    for it in paper.model_copy(update={"claims": tuple(claims)}).statements():
        of: tuple[str, ...] = it.experiments if len(it.experiments) >= len(it.cells) else it.cells
        best = (of[0], frozenset(of)) if it.kind == "optimum" else (of,)
        signatures.add((it.kind, it.metric, *best))
    return signatures


# --------------------------------------------------------------------------- who competes

#: Averages and differences do not compete.
_DERIVED = re.compile(
    r"[\N{GREEK CAPITAL LETTER DELTA}\N{INCREMENT}]|"
    r"\b(?:avg|average|mean|diff|difference|gain|improvement|improv)\b",
    re.IGNORECASE,
)


def _fields(sheet: Sheet) -> Iterator[Field]:
    """Every table and data set on which two or more rows, or else columns, compete."""
    tables = {table.id: table for table in sheet.tables}
    labels = {
        (table.id, of): {it.id: it.label for it in lines}
        for table in sheet.tables
        for of, lines in (("row", table.rows), ("column", table.columns))
    }
    lines: dict[tuple[str, str], list[list[Number]]] = {}
    for (table, dataset, _), numbers in sheet.lines.items():
        rows, columns = labels[table, "row"], labels[table, "column"]
        kept = [it for it in numbers if not _DERIVED.search(f"{rows[it.row]}\n{columns[it.column]}")]
        lines.setdefault((table, dataset), []).append(kept)
    for (table, dataset), of_metrics in lines.items():
        once = {
            of: all(len({getattr(it, of) for it in line}) == len(line) for line in of_metrics)
            for of in ("row", "column")
        }
        of = "row" if once["row"] and any(len(line) > 1 for line in of_metrics) else "column"
        own: dict[str, dict[str, Number]] = {}
        for number in (it for line in of_metrics for it in line):
            own.setdefault(getattr(number, of), {})[number.cell.metric or ""] = number
        if once[of] and len(own) > 1:
            competitors = (Competitor(labels[table, of][name], name, it) for name, it in own.items())
            yield Field(sheet, tables[table], dataset, tuple(competitors))


# --------------------------------------------------------------------------- the best


def best_ones(field: Field) -> Iterator[Draft]:
    """The best of three or more, whose number no other prints, nor reaches within the printed spreads."""
    groups: dict[tuple[int, tuple[int, ...]], list[str]] = {}
    """Who is the best of whom -> the metrics."""
    for metric in field.metrics:
        numbers = {k: one.numbers[metric] for k, one in enumerate(field.competitors) if metric in one.numbers}
        best = max(numbers, key=lambda k: numbers[k].value.value)
        low = numbers[best].value.value - _spread(numbers[best])
        others = [it.value.value + _spread(it) for k, it in numbers.items() if k != best]
        if len(numbers) >= FEWEST and all(it < low for it in others):
            groups.setdefault((best, tuple(numbers)), []).append(metric)
    for (at, competing), metrics in groups.items():
        best_one, among = field.competitors[at], [field.competitors[k] for k in competing]
        experiments = Counter(one.experiment for one in among if one.experiment)
        names = [field.named(one, metrics) for one in (best_one, *among)]
        if max(experiments.values(), default=1) > 1 or not all(names):
            continue  # one experiment in two rows competes with itself
        styled = all("bold" in (best_one.numbers[it].cell.mark or "").split() for it in metrics)
        yield Draft(
            "optimum",
            f"best-{best_one.name}",
            f"{best_one.label} is the best of {len(among)} in {_listed(metrics)} {field.on}",
            f"prints the highest {_listed(metrics)} of {len(among)}{' and has it in bold' if styled else ''}",
            {"best": names[0], "among": names[1:]},
            tuple(one.numbers[metric] for one in among for metric in metrics),
            metrics,
        )


def _spread(of: Number) -> Fraction:
    return printed(of.cell.sd).value if of.cell.sd else Fraction(0)


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
        both = [metric for metric in field.metrics if metric in a.numbers and metric in b.numbers]
        for better, worse in ((a, b), (b, a)):
            metrics = [metric for metric in both if better.value(metric) > worse.value(metric)]
            names = [field.named(one, metrics) for one in (better, worse)]
            if metrics and all(names):
                pairs = [f"{better.numbers[it].text} against {worse.numbers[it].text}" for it in metrics[:3]]
                yield Draft(
                    "order",
                    f"{better.name}-over-{worse.name}",
                    f"{better.label} is better than {worse.label} in {_listed(metrics)} {field.on}",
                    f"{why}; {', '.join(pairs)}{', ...' if len(metrics) > 3 else ''}",
                    {"better": names[0], "worse": names[1]},
                    tuple(one.numbers[metric] for one in (better, worse) for metric in metrics),
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
    a, b = (Counter(filter(None, map(str.strip, _BETWEEN.split(it.casefold())))) for it in (first, second))
    only_a, only_b = list((a - b).elements()), list((b - a).elements())
    if max(len(only_a), len(only_b)) != 1 or not a & b:
        return None
    return (only_a or [""])[0], (only_b or [""])[0]


def _listed(names: Sequence[str]) -> str:
    """`P@1, P@3 and P@5`."""
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
