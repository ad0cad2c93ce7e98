"""Claims that a paper's tables would bear, for a person to accept or drop one by one.

    for it in suggestions(paper):
        print(it.id, it.kind, it.why)
    file.append(("claims",), it.content)

The best of a table on one data set, and pairs that differ in one thing. They come from the tables alone. What
the paper says of them nobody here knows: each sentence is marked as ours, and names the table as its place,
until the paper's own stands there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations

from audit.authoring.entries import reported
from audit.checks.sheet import Number, Sheet
from audit.claims.load import Paper
from audit.claims.names import UnresolvedError, cell_of
from audit.claims.source import Plain
from audit.judging.assemble import sheet_of
from audit.kinds import CLAIM_MODELS, Claim
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

    def worded(self, says: str | None, where: Mapping[str, Plain] | None = None) -> dict[str, Plain]:
        """The entry with the paper's sentence, in own short words, and its place instead of the table's."""
        own = {"says": says or self.content["says"], "where": dict(where or self.content["where"])}
        return {**self.content, **own}


@dataclass(frozen=True)
class Competitor:
    """What one row (or column, or cell of a matrix) stands for on one data set."""

    label: str
    name: str
    """Row, column, or row-column: what ids of suggestions are made of."""
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
        own = self.sheet.datasets.get(self.dataset)
        return f"on {own.name if own else self.dataset}"

    @property
    def metrics(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(metric for it in self.competitors for metric in it.numbers))


@dataclass(frozen=True)
class Draft:
    """A candidate before it has its id and its place."""

    kind: str
    name: str
    """What its id is made of."""
    says: str
    why: str
    table: TableRecord
    keys: Mapping[str, Plain]
    """Keys of the kind, and `metric`."""
    numbers: tuple[Number, ...]


def suggestions(paper: Paper) -> tuple[Suggestion, ...]:
    """All candidates that the file does not have yet, in the order of its tables; ids stay the same."""
    drafts = [
        draft
        for field in _fields(sheet_of(paper))
        for rule in (best_ones, better_ones)
        for draft in rule(field)
    ]
    order = list(paper.tables)
    there = _signatures(paper, paper.claims)
    taken = {it.id for it in paper.claims}
    found: list[Suggestion] = []
    for draft in sorted(drafts, key=lambda it: order.index(it.table.id)):
        own = _signatures(paper, [_claim(_content(paper, draft, "new"))])
        new = own - there
        there |= new
        if not new:
            continue
        if new != own and draft.keys.get("metric"):  # some of its metrics are claimed already
            kept = [it for it in draft.keys["metric"] if any(it == signature[1] for signature in new)]
            draft = replace(draft, keys={**draft.keys, "metric": kept})
        name = re.sub(r"[^A-Za-z0-9_-]+", "-", draft.name).strip("-")
        id = next(it for k in range(len(taken) + 1) if (it := f"{name}-{k + 1}" if k else name) not in taken)
        needs = (reported(draft.table, it.cell) for it in draft.numbers if it.cell.experiment is None)
        found.append(
            Suggestion(
                id,
                draft.kind,
                draft.says,
                draft.why,
                draft.table.label,
                tuple(it.address for it in draft.numbers),
                _content(paper, draft, id),
                tuple(dict.fromkeys(needs)),
            )
        )
        taken.add(id)
    return tuple(found)


def _content(paper: Paper, draft: Draft, id: str) -> dict[str, Plain]:
    place = paper.tables[draft.table.id].where.model_dump(exclude_none=True) or {"label": draft.table.id}
    says = f"suggested from {draft.table.label}; replace by the paper's sentence: {draft.says}"
    return {"id": id, "kind": draft.kind, **draft.keys, "says": says, "where": place}


def _claim(content: Mapping[str, Plain]) -> Claim:
    return CLAIM_MODELS[content["kind"]].model_validate(dict(content))


def _signatures(paper: Paper, claims: Iterable[Claim]) -> set[tuple[object, ...]]:
    """What the claims state, one for each metric: kind, metric and experiments (or cells that have none)."""
    found: set[tuple[object, ...]] = set()
    for it in paper.model_copy(update={"claims": tuple(claims)}).statements():
        of: tuple[str, ...] = it.experiments if len(it.experiments) >= len(it.cells) else it.cells
        best = (of[0], frozenset(of)) if it.kind == "optimum" else (of,)
        found.add((it.kind, it.metric, *best))
    return found


# --------------------------------------------------------------------------- who competes

#: Averages and differences do not compete.
_DERIVED = re.compile(
    r"[\N{GREEK CAPITAL LETTER DELTA}\N{INCREMENT}]|"
    r"\b(?:avg|average|mean|diff|difference|gain|improvement|improv)\b",
    re.IGNORECASE,
)


def _fields(sheet: Sheet) -> Iterator[Field]:
    """Every table and data set on which two or more compete."""
    tables = {table.id: table for table in sheet.tables}
    lines: dict[tuple[str, str], list[list[Number]]] = {}
    for (name, dataset, _), numbers in sheet.lines.items():
        rows, columns = _labels(tables[name])
        kept = [it for it in numbers if not _DERIVED.search(f"{rows[it.row]}\n{columns[it.column]}")]
        lines.setdefault((name, dataset), []).append(kept)
    for (name, dataset), of_metrics in lines.items():
        competitors = _competitors(tables[name], of_metrics)
        if len(competitors) > 1:
            yield Field(sheet, tables[name], dataset, competitors)


def _labels(table: TableRecord) -> tuple[dict[str, str], dict[str, str]]:
    """Of the rows and the columns, by their ids."""
    return {it.id: it.label for it in table.rows}, {it.id: it.label for it in table.columns}


def _competitors(table: TableRecord, lines: Sequence[Sequence[Number]]) -> tuple[Competitor, ...]:
    """By row where each metric has one number a row, else by column, else each cell for itself.

    `lines`: for each metric its numbers.
    """
    rows, columns = _labels(table)
    once_a_row, once_a_column = (
        all(len({getattr(it, of) for it in line}) == len(line) for line in lines) for of in ("row", "column")
    )
    by_row = once_a_row and any(len(line) > 1 for line in lines)
    found: dict[str, dict[str, Number]] = {}
    names: dict[str, tuple[str, str]] = {}
    for number in (it for line in lines for it in line):
        row, column = number.row, number.column
        if by_row:
            key, named = row, (rows[row], row)
        elif once_a_column:
            key, named = column, (columns[column], column)
        else:
            key = number.cell.experiment or f"{row}.{column}"
            named = f"{rows[row]}, {columns[column]}", f"{row}-{column}"
        found.setdefault(key, {})[number.cell.metric or ""] = number
        names.setdefault(key, named)
    return tuple(Competitor(*names[key], numbers) for key, numbers in found.items())


# --------------------------------------------------------------------------- the best


def best_ones(field: Field) -> Iterator[Draft]:
    """The best of three or more; where the highest number is printed twice, those that print it are among
    the best, and so is a best one whose spread reaches the next."""
    groups: dict[tuple[int, bool, tuple[int, ...]], list[str]] = {}
    """Who prints the highest number, whether nobody else may have it, and who competes -> the metrics."""
    for metric in field.metrics:
        places = [i for i, it in enumerate(field.competitors) if metric in it.numbers]
        values = {i: field.competitors[i].value(metric) for i in places}
        for i in places if len(places) >= FEWEST else ():
            if values[i] == max(values.values()):
                numbers = [field.competitors[k].numbers[metric] for k in places if k != i]
                alone = _is_alone(field.competitors[i].numbers[metric], numbers)
                groups.setdefault((i, alone, tuple(places)), []).append(metric)
    for (at, alone, competing), metrics in groups.items():
        best, among = field.competitors[at], [field.competitors[i] for i in competing]
        experiments = Counter(it.experiment for it in among if it.experiment)
        if max(experiments.values(), default=1) > 1:
            continue  # one experiment in two rows competes with itself
        for (name, *others), stated in _references(field, [best, *among], metrics):
            of = stated or [_metric_of(best, name)]
            marks = [(best.numbers[it].cell.mark or "").split() for it in of]
            styled = " and has it in bold" if all("bold" in it for it in marks) else ""
            more = "" if alone else "; another prints the same, or lies within the printed spread"
            place = "the best" if alone else "among the best"
            yield _draft(
                "optimum",
                f"{'best' if alone else 'among-best'}-{best.name}",
                f"{best.label} is {place} of {len(among)} in {_listed(of)} {field.on}",
                f"prints the highest {_listed(of)} of {len(among)}{styled}{more}",
                field,
                {"best": name, "among": others, **({} if alone else {"strength": "among_best"})},
                stated,
                among,
                of,
            )


def _is_alone(own: Number, others: Sequence[Number]) -> bool:
    """Whether no other prints the same number, nor one within the two spreads."""

    def spread(of: Number) -> Fraction:
        return printed(of.cell.sd).value if of.cell.sd else Fraction(0)

    if any(it.value.value == own.value.value for it in others):
        return False
    low = own.value.value - spread(own)
    return own.cell.sd is None or all(it.value.value + spread(it) < low for it in others)


# --------------------------------------------------------------------------- one thing changed

_BETWEEN = re.compile(r"\s*[,;/+|&()\[\]]\s*|\s+(?:with|and|w/)\s+")
_WITHOUT = re.compile(
    r"(?P<base>.*?)[\s,:(]*(?:(?<!\w)w/o|(?<!\w)w\.o\.|\bwithout|\bminus|\bexcluding|\bno)(?!\w)\.?[\s-]*(?P<what>[^)]+)\)?",
    re.IGNORECASE,
)
_MINUS = re.compile(r"(?:(?P<base>.*\S)\s+|)[-\N{MINUS SIGN}\N{EN DASH}]\s*(?P<what>[^\W\d].*)")
_MEMBER = re.compile(r"(?P<base>.*[^\W\d].*?)[\s_(-]+(?P<number>[1-9][0-9]?)\)?")
_WHOLE = re.compile(r"\b(?:full|complete|whole|ours|proposed)\b", re.IGNORECASE)


def better_ones(field: Field) -> Iterator[Draft]:
    """Two that differ in one thing: a part left out, a member and its ensemble, a factor; or the only two."""
    labels = [it.label for it in field.competitors]
    for a, b in combinations(field.competitors, 2):
        why = why_paired(a.label, b.label, labels)
        if why is None or (a.experiment and a.experiment == b.experiment):
            continue
        for better, worse in ((a, b), (b, a)):
            metrics = [
                it
                for it in field.metrics
                if it in a.numbers and it in b.numbers and better.value(it) > worse.value(it)
            ]
            for names, stated in _references(field, (better, worse), metrics) if metrics else ():
                of = stated or [_metric_of(better, names[0])]
                pairs = [f"{better.numbers[it].text} against {worse.numbers[it].text}" for it in of[:3]]
                pairs += ["..."] if len(of) > 3 else []
                yield _draft(
                    "order",
                    f"{better.name}-over-{worse.name}",
                    f"{better.label} is better than {worse.label} in {_listed(of)} {field.on}",
                    f"{why}; {', '.join(pairs)}",
                    field,
                    {"better": names[0], "worse": names[1]},
                    stated,
                    (better, worse),
                    of,
                )


def why_paired(a: str, b: str, labels: Sequence[str]) -> str | None:
    """Why these two are held against each other; None where nothing in the table sets them side by side."""
    for full, part in ((a, b), (b, a)):
        lacks = _left_out(part)
        if lacks and _full_model(lacks[0].casefold(), labels) == full:
            return f"{part!r} is {full!r} without {lacks[1]!r}"
        member = _MEMBER.fullmatch(part.strip())
        base = member["base"].strip().casefold() if member else ""
        if base and [it for it in labels if it.strip().casefold() == base] == [full]:
            return f"{part!r} is one numbered member of {full!r}"
    for full, part in ((a, b), (b, a)):
        if part.casefold() in full.casefold() and len(part) > 2:
            return f"{full!r} is {part!r} with something more, by its name"
    lack = [_left_out(label) for label in (a, b)]
    of_one = lack[0] and lack[1] and lack[0][0] == lack[1][0]  # two lesser forms of one model
    changed = None if of_one else _one_change(a, b)
    if changed:
        return f"the two differ in one thing, {changed[0] or 'nothing'!r} or {changed[1] or 'nothing'!r}"
    return "they are the only two of the table on this data set" if len(labels) == 2 else None


def _left_out(label: str) -> tuple[str, str] | None:
    """The model and what it lacks, of `XML-CNN w/o pooling`, `no pooling`, `- pooling`."""
    for pattern in (_WITHOUT, _MINUS):
        if match := pattern.fullmatch(label.strip()):
            return (match["base"] or "").strip(" ,:("), match["what"].strip()
    return None


def _full_model(base: str, labels: Sequence[str]) -> str | None:
    """The one label of a model that lacks nothing, and has the name `base`; None where several may be it."""
    whole = [it for it in labels if _left_out(it) is None]
    if base:
        named = [it for it in whole if it.casefold() == base]
        named = named or [it for it in whole if it.casefold().startswith(base) and _WHOLE.search(it)]
    else:
        named = [it for it in whole if _WHOLE.search(it)] or whole
    return named[0] if len(named) == 1 else None


def _one_change(first: str, second: str) -> tuple[str, str] | None:
    """The one thing in which two labels differ, as each has it, or "" where it lacks it.

    `XML-CNN, words` is made of xml-cnn and words. None where they differ in more, or in all that they say:
    two names alone are no change of one thing.
    """
    a, b = (
        [it for part in _BETWEEN.split(text.casefold()) if (it := part.strip())] for text in (first, second)
    )
    only_a, only_b = list((Counter(a) - Counter(b)).elements()), list((Counter(b) - Counter(a)).elements())
    if len(only_a) > 1 or len(only_b) > 1 or not (only_a or only_b):
        return None
    if len(only_a) == len(a) or len(only_b) == len(b):
        return None
    return (only_a or [""])[0], (only_b or [""])[0]


# --------------------------------------------------------------------------- how a claim names them


def _references(
    field: Field, competitors: Sequence[Competitor], metrics: Sequence[str]
) -> list[tuple[list[str], list[str] | None]]:
    """How a claim names these competitors: references, and the metrics where they name no columns.

    One entry for all metrics where rows or experiments lead to each cell, else one for each metric.
    """
    short = [_short(field, it, metrics) for it in competitors]
    if all(short):
        return [([str(it) for it in short], list(metrics))]
    return [([it.numbers[metric].address for it in competitors], None) for metric in metrics]


def _short(field: Field, of: Competitor, metrics: Sequence[str]) -> str | None:
    """`table.row` or `table.experiment`, if that and each metric lead to the competitor's own cells."""

    def leads(name: str) -> bool:
        try:
            return all(
                cell_of(name, metric, field.sheet.by_name).address == of.numbers[metric].address
                for metric in metrics
            )
        except UnresolvedError:
            return False

    rows = {of.numbers[metric].row for metric in metrics}
    names = (*(rows if len(rows) == 1 else ()), of.experiment)
    return next((it for name in names if name and leads(it := f"{field.table.id}.{name}")), None)


def _metric_of(of: Competitor, reference: str) -> str:
    """The metric of a reference that names its column."""
    return next(metric for metric, it in of.numbers.items() if it.address == reference)


def _draft(
    kind: str,
    name: str,
    says: str,
    why: str,
    field: Field,
    keys: Mapping[str, Plain],
    stated: list[str] | None,
    of: Sequence[Competitor],
    metrics: Sequence[str],
) -> Draft:
    """A candidate about these competitors in these metrics of one field."""
    # One row may be suggested for several data sets, and metric by metric where no name leads to all.
    whole = f"{field.table.id}-{name}-{field.dataset}" + ("" if stated else f"-{metrics[0]}")
    keys = {**keys, **({"metric": stated} if stated else {})}
    numbers = tuple(it.numbers[metric] for it in of for metric in metrics)
    return Draft(kind, whole, says, why, field.table, keys, numbers)


def _listed(names: Sequence[str]) -> str:
    """`P@1, P@3 and P@5`."""
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
