"""Claims that a paper's tables would bear, for a person to accept or drop one by one.

    for it in suggestions(paper):
        print(it.id, it.kind, it.why)
    file.append(("claims",), it.content)

The best of a table on one data set, pairs that differ in one thing, and who is best throughout. They come
from the tables alone. What the paper says of them nobody here knows: each sentence is marked as ours, and
names the table as its place, until the paper's own stands there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations

from audit.authoring.reporting import reported
from audit.checks.sheet import Number, Sheet
from audit.claims.load import Paper
from audit.claims.names import UnresolvedError, address
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
    """Rows, as table.row, that have no experiment yet: until then it cannot be added. Columns or cells, where
    a row holds several methods."""

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

    @property
    def method(self) -> str | None:
        return next(iter(self.numbers.values())).cell.method

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
    def dataset_name(self) -> str:
        own = self.sheet.datasets.get(self.dataset)
        return own.name if own else self.dataset

    @property
    def metrics(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(metric for it in self.competitors for metric in it.numbers))


@dataclass(frozen=True)
class Draft:
    """A candidate before it has its id, its place and its marks."""

    kind: str
    name: str
    """What its id is made of."""
    says: str
    why: str
    tables: tuple[TableRecord, ...]
    keys: Mapping[str, Plain]
    """Keys of the kind, and `metric`."""
    numbers: tuple[Number, ...]


def suggestions(paper: Paper) -> tuple[Suggestion, ...]:
    """All candidates that the file does not have yet, in the order of its tables; ids stay the same."""
    fields = list(_fields(sheet_of(paper)))
    drafts = [draft for field in fields for rule in (best_ones, better_ones) for draft in rule(field)]
    drafts += best_throughout(fields)
    order = list(paper.tables)
    drafts.sort(key=lambda it: order.index(it.tables[0].id))
    there = _signatures(paper, paper.claims)
    taken = {it.id for it in paper.claims}
    found: list[Suggestion] = []
    for draft in drafts:
        own = _signatures(paper, [_claim(_content(paper, draft, "new"))])
        new = own - there
        there |= new
        if not new:
            continue
        if new != own and draft.keys.get("metric"):  # some of its metrics are claimed already
            kept = [it for it in draft.keys["metric"] if any(it == signature[1] for signature in new)]
            draft = replace(draft, keys={**draft.keys, "metric": kept})
        found.append(_suggestion(paper, draft, taken))
        taken.add(found[-1].id)
    return tuple(found)


def _suggestion(paper: Paper, draft: Draft, taken: set[str]) -> Suggestion:
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", draft.name).strip("-")
    names = (name, *(f"{name}-{number}" for number in range(2, len(taken) + 3)))
    id = next(it for it in names if it not in taken)
    tables = {it.id: it for it in draft.tables}
    # a dominance names methods, which rows without an experiment do not have
    without = [it for it in draft.numbers if it.cell.experiment is None and draft.kind != "dominance"]
    needs = dict.fromkeys(reported(tables[it.table], it.cell) for it in without)
    return Suggestion(
        id,
        draft.kind,
        draft.says,
        draft.why,
        _place(draft),
        tuple(it.address for it in draft.numbers),
        _content(paper, draft, id),
        tuple(needs),
    )


def _content(paper: Paper, draft: Draft, id: str) -> dict[str, Plain]:
    name = draft.tables[0].id
    place = paper.tables[name].where.model_dump()
    where = {key: it for key, it in place.items() if it is not None} or {"label": name}
    says = f"suggested from {_place(draft)}; replace by the paper's sentence: {draft.says}"
    return {"id": id, "kind": draft.kind, **draft.keys, "says": says, "where": where}


def _place(draft: Draft) -> str:
    return ", ".join(dict.fromkeys(it.label for it in draft.tables))


def _claim(content: Mapping[str, Plain]) -> Claim:
    return CLAIM_MODELS[content["kind"]].model_validate(dict(content))


def _signatures(paper: Paper, claims: Iterable[Claim]) -> set[tuple[object, ...]]:
    """What the claims state, one for each metric: kind, metric and experiments (or cells that have none)."""
    found: set[tuple[object, ...]] = set()
    for it in paper.model_copy(update={"claims": tuple(claims)}).statements():
        of: tuple[str, ...] = it.experiments if len(it.experiments) >= len(it.cells) else it.cells
        if it.kind == "dominance":
            lines = it.details["lines"]
            found |= {
                (it.kind, of["metric"], of["dataset"], of["winner"], frozenset(of["rivals"])) for of in lines
            }
        elif it.kind == "optimum":
            found.add((it.kind, it.metric, of[0], frozenset(of)))
        else:
            found.add((it.kind, it.metric, of))
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
        competitors = tuple(_competitors(tables[name], of_metrics))
        if len(competitors) > 1:
            yield Field(sheet, tables[name], dataset, competitors)


def _labels(table: TableRecord) -> tuple[dict[str, str], dict[str, str]]:
    """Of the rows and the columns, by their ids."""
    return {it.id: it.label for it in table.rows}, {it.id: it.label for it in table.columns}


def _competitors(table: TableRecord, lines: Sequence[Sequence[Number]]) -> Iterator[Competitor]:
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
        if by_row:
            key, named = number.row, (rows[number.row], number.row)
        elif once_a_column:
            key, named = number.column, (columns[number.column], number.column)
        else:
            key = number.cell.experiment or f"{number.row}.{number.column}"
            label = f"{rows[number.row]}, {columns[number.column]}"
            named = label, f"{number.row}-{number.column}"
        found.setdefault(key, {})[number.cell.metric or ""] = number
        names.setdefault(key, named)
    for key, numbers in found.items():
        yield Competitor(*names[key], numbers)


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
                f"{best.label} is {place} of {len(among)} in {_listed(of)} on {field.dataset_name}",
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


def best_throughout(fields: Sequence[Field]) -> Iterator[Draft]:
    """Methods that are best in every metric on two data sets or more. Where they stand in more data sets than
    they win, those that they win are named. Tables go together that have half of their methods in common."""
    groups: list[tuple[set[str], list[Field]]] = []
    for field in fields:
        own = {it.method for it in field.competitors if it.method}
        like = (held for methods, held in groups if own and 2 * len(own & methods) >= len(own | methods))
        if (group := next(like, None)) is not None:
            group.append(field)
        else:
            groups.append((own, [field]))
    for _, group in groups:
        won: dict[str, list[Field]] = {}
        for field in group:
            if leader := _leader(field):
                won.setdefault(leader, []).append(field)
        for winner, held in won.items():
            yield from _dominance(winner, held, group)


def _leader(field: Field) -> str | None:
    """The method that is ahead of all others in each metric."""
    leaders = set()
    for metric in field.metrics:
        there = [it for it in field.competitors if it.method and metric in it.numbers]
        top = max((it.value(metric) for it in there), default=None)
        best = [it.method for it in there if it.value(metric) == top]
        leaders.add(best[0] if len(best) == 1 and len(there) > 1 else None)
    return leaders.pop() if len(leaders) == 1 else None


def _dominance(winner: str, won: Sequence[Field], fields: Sequence[Field]) -> Iterator[Draft]:
    tables = {it.table.id: it.table for it in won}
    datasets = {it.dataset: it.dataset_name for it in won}
    there = [
        it for it in fields if it.table.id in tables and any(of.method == winner for of in it.competitors)
    ]
    if len(datasets) < 2 or any(it.dataset in datasets and it not in won for it in there):
        return  # ahead in one table and not in another
    of_all = len({it.dataset for it in there})
    where = "both" if of_all == 2 else f"all {of_all}"
    if of_all > len(datasets):
        where = f"{len(datasets)} of {of_all}"
    label = next(it.label for it in won[0].competitors if it.method == winner)
    label = label.removeprefix(won[0].dataset_name).lstrip(" ,:/-") or label
    some = {"datasets": list(datasets)} if len(there) > len(won) else {}
    yield Draft(
        "dominance",
        f"{won[0].table.id}-{winner}-throughout",
        f"{label} is the best in every metric on {where} data sets",
        f"highest in every metric on {', '.join(datasets.values())}",
        tuple(tables.values()),
        {"winner": winner, "tables": list(tables), **some},
        tuple(number for it in won for of in it.competitors for number in of.numbers.values()),
    )


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
                    f"{better.label} is better than {worse.label} in {_listed(of)} on {field.dataset_name}",
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
                ".".join(address(name, metric, field.sheet.grids)) == of.numbers[metric].address
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
    return Draft(kind, whole, says, why, (field.table,), keys, numbers)


def _listed(names: Sequence[str]) -> str:
    """`P@1, P@3 and P@5`."""
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
