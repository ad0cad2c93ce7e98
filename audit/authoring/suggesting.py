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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from audit.assemble import sheet_of
from audit.authoring.reporting import reported
from audit.checks.sheet import Number, Sheet
from audit.claim import Paper
from audit.claim_kinds import KINDS, Claim
from audit.claim_reference import UnresolvedError, address
from audit.claim_source import Plain
from audit.record import ClaimRecord, TableRecord
from audit.stats.printed import printed

_BETWEEN = re.compile(r"\s*[,;/+|&()\[\]]\s*|\s+(?:with|and|w/)\s+")
_WITHOUT = re.compile(
    r"(?P<base>.*?)[\s,:(]*(?:(?<!\w)w/o|(?<!\w)w\.o\.|\bwithout|\bminus|\bexcluding|\bno)(?!\w)\.?[\s-]*(?P<what>[^)]+)\)?",
    re.IGNORECASE,
)
_MINUS = re.compile(r"(?:(?P<base>.*\S)\s+|)[-\N{MINUS SIGN}\N{EN DASH}]\s*(?P<what>[^\W\d].*)")
_MEMBER = re.compile(r"(?P<base>.*[^\W\d].*?)[\s_(-]+(?P<number>[1-9][0-9]?)\)?")
_NUMBER = re.compile(r"(?<![\d.])[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?")
_WHOLE = re.compile(r"\b(?:full|complete|whole|ours|proposed)\b", re.IGNORECASE)
_MEAN = re.compile(r"\b(?:avg|average|mean)\b", re.IGNORECASE)
_DIFFERENCE = re.compile(
    r"[\N{GREEK CAPITAL LETTER DELTA}\N{INCREMENT}]|\b(?:diff|difference|gain|improvement|improv)\b",
    re.IGNORECASE,
)


def factors(label: str) -> tuple[str, ...]:
    """What a label is made of, in lower case: `XML-CNN, words` is xml-cnn and words."""
    return tuple(it for part in _BETWEEN.split(label.casefold()) if (it := part.strip()))


def one_change(first: str, second: str) -> tuple[str, str] | None:
    """The one thing in which two labels differ, as each has it, or "" where it lacks it.

    None where they differ in more, or in all that they say: two names alone are no change of one thing.
    """
    a, b = factors(first), factors(second)
    only_a, only_b = list((Counter(a) - Counter(b)).elements()), list((Counter(b) - Counter(a)).elements())
    if len(only_a) > 1 or len(only_b) > 1 or not (only_a or only_b):
        return None
    if len(only_a) == len(a) or len(only_b) == len(b):
        return None
    return (only_a or [""])[0], (only_b or [""])[0]


def left_out(label: str) -> tuple[str, str] | None:
    """The model and what it lacks, of `XML-CNN w/o pooling`, `no pooling`, `- pooling`."""
    for pattern in (_WITHOUT, _MINUS):
        if match := pattern.fullmatch(label.strip()):
            return (match["base"] or "").strip(" ,:("), match["what"].strip()
    return None


def full_model(label: str, labels: Sequence[str]) -> str | None:
    """The label of the model that `label` is a lesser form of; None for none, and where several may be."""
    lacks = left_out(label)
    if lacks is None:
        return None
    base = lacks[0].casefold()
    whole = [it for it in labels if left_out(it) is None]
    if base:
        named = [it for it in whole if it.casefold() == base]
        named = named or [it for it in whole if it.casefold().startswith(base) and _WHOLE.search(it)]
    else:
        named = [it for it in whole if _WHOLE.search(it)] or whole
    return named[0] if len(named) == 1 else None


def ensemble(label: str, labels: Sequence[str]) -> str | None:
    """Of `AttentionXML-1`, the label `AttentionXML`, if it is there: a numbered member, and the whole."""
    match = _MEMBER.fullmatch(label.strip())
    named = [it for it in labels if match and it.strip().casefold() == match["base"].strip().casefold()]
    return named[0] if len(named) == 1 else None


def is_mean(label: str) -> bool:
    """Whether it names an average."""
    return _MEAN.search(label) is not None


def is_difference(label: str) -> bool:
    """Whether it names a gain or difference."""
    return _DIFFERENCE.search(label) is not None


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


@dataclass(frozen=True)
class Field:
    """All competitors of one table on one data set."""

    table: TableRecord
    dataset: str
    dataset_name: str
    competitors: tuple[Competitor, ...]

    @property
    def metrics(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(metric for it in self.competitors for metric in it.numbers))

    @property
    def labels(self) -> list[str]:
        return [it.label for it in self.competitors]


def fields(sheet: Sheet) -> Iterator[Field]:
    """Every table and data set on which two or more compete; rows of averages and differences do not."""
    tables = {table.id: table for table in sheet.tables}
    lines: dict[tuple[str, str], dict[str, list[Number]]] = {}
    for (name, dataset, metric), numbers in sheet.lines.items():
        kept = [it for it in numbers if not _is_derived(tables[name], it)]
        lines.setdefault((name, dataset), {})[metric] = kept
    for (name, dataset), by_metric in lines.items():
        competitors = tuple(_competitors(tables[name], by_metric))
        if len(competitors) > 1:
            shown = sheet.datasets[dataset].name if dataset in sheet.datasets else dataset
            yield Field(tables[name], dataset, shown, competitors)


def _is_derived(table: TableRecord, number: Number) -> bool:
    labels = label_of(table, row=number.row), label_of(table, column=number.column)
    return any(is_mean(it) or is_difference(it) for it in labels)


def label_of(table: TableRecord, *, row: str | None = None, column: str | None = None) -> str:
    """As printed."""
    if row is not None:
        return next(it.label for it in table.rows if it.id == row)
    return next(it.label for it in table.columns if it.id == column)


def _competitors(table: TableRecord, by_metric: Mapping[str, Sequence[Number]]) -> Iterator[Competitor]:
    """By row where each metric has one number a row, else by column, else each cell for itself."""
    by = _subject(by_metric.values())
    found: dict[str, dict[str, Number]] = {}
    names: dict[str, tuple[str, str]] = {}
    for metric, numbers in by_metric.items():
        for it in numbers:
            row, column = label_of(table, row=it.row), label_of(table, column=it.column)
            if by == "row":
                key, named = it.row, (row, it.row)
            elif by == "column":
                key, named = it.column, (column, it.column)
            else:
                key = it.cell.experiment or f"{it.row}.{it.column}"
                named = f"{row}, {column}", f"{it.row}-{it.column}"
            found.setdefault(key, {})[metric] = it
            names.setdefault(key, named)
    for key, of_metrics in found.items():
        yield Competitor(*names[key], of_metrics)


def _subject(lines: Iterable[Sequence[Number]]) -> str:
    held = [line for line in lines if line]
    if all(len({it.row for it in line}) == len(line) for line in held) and any(len(it) > 1 for it in held):
        return "row"
    if all(len({it.column for it in line}) == len(line) for line in held):
        return "column"
    return "cell"


# --------------------------------------------------------------------------- references


def references(
    sheet: Sheet, table: str, competitors: Sequence[Competitor], metrics: Sequence[str]
) -> list[tuple[list[str], list[str] | None]]:
    """How a claim names these competitors: references, and the metrics where they name no columns.

    One entry for all metrics where rows or experiments lead to each cell, else one for each metric.
    """
    short = [_short(sheet, table, it, metrics) for it in competitors]
    if all(short):
        return [([str(it) for it in short], list(metrics))]
    return [([it.numbers[metric].address for it in competitors], None) for metric in metrics]


def _short(sheet: Sheet, table: str, of: Competitor, metrics: Sequence[str]) -> str | None:
    """`table.row` or `table.experiment`, if that and each metric lead to the competitor's own cells."""
    rows = {of.numbers[metric].row for metric in metrics}
    for name in (*(rows if len(rows) == 1 else ()), of.experiment):
        if name and all(
            _leads_to(sheet, f"{table}.{name}", of.numbers[metric], metric) for metric in metrics
        ):
            return f"{table}.{name}"
    return None


def _leads_to(sheet: Sheet, reference: str, number: Number, metric: str) -> bool:
    try:
        return ".".join(address(reference, metric, sheet.grids)) == number.address
    except UnresolvedError:
        return False


@dataclass(frozen=True)
class Draft:
    """A candidate before it has its id, its place and its marks."""

    kind: str
    name: str
    """What its id is made of."""
    says: str
    why: str
    tables: tuple[str, ...]
    keys: Mapping[str, Plain]
    """Keys of the kind, and `metric`."""
    bare: tuple[str, ...] = ()
    """Rows, as table.row, that have no experiment yet: the claim needs one. Columns, where they are the
    methods; cells of a matrix."""
    cells: tuple[str, ...] = ()
    option: str | None = None
    """That of `audit add experiment` for the first of `bare`."""


def draft_of(
    kind: str,
    name: str,
    says: str,
    why: str,
    field: Field,
    keys: Mapping[str, Plain],
    of: Sequence[Competitor],
    metrics: Sequence[str],
) -> Draft:
    """A candidate about these competitors in these metrics of one field."""
    numbers = [it.numbers[metric] for it in of for metric in metrics]
    without = [it for it in numbers if it.cell.experiment is None]
    lines = dict.fromkeys(reported(field.table, it.row, it.column) for it in without)
    bare, option = tuple(address for _, address in lines), next((it for it, _ in lines), None)
    kept = {key: it for key, it in keys.items() if it is not None}
    cells = tuple(it.address for it in numbers)
    # One row may be suggested for several data sets, and metric by metric where no name leads to all.
    whole = f"{name}-{field.dataset}" + ("" if kept.get("metric") else f"-{metrics[0]}")
    return Draft(kind, whole, says, why, (field.table.id,), kept, bare, cells, option)


def value(of: Competitor, metric: str) -> Fraction:
    """The number as printed, exactly."""
    return of.numbers[metric].value.value


def common(of: Sequence[Competitor], field: Field) -> list[str]:
    """The metrics in which all of them have a number."""
    return [metric for metric in field.metrics if all(metric in it.numbers for it in of)]


def metric_of(of: Sequence[Competitor], reference: str) -> str:
    """The metric of a reference that names its column."""
    return next(metric for metric, it in of[0].numbers.items() if it.address == reference)


def printed_pair(better: Competitor, worse: Competitor, metrics: Sequence[str]) -> str:
    """`75.10 against 74.10`, for the first three metrics."""
    pairs = [f"{better.numbers[it].text} against {worse.numbers[it].text}" for it in metrics[:3]]
    return ", ".join(pairs) + (", ..." if len(metrics) > 3 else "")


def listed(names: Sequence[str]) -> str:
    """`P@1, P@3 and P@5`."""
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]


def why_paired(a: Competitor, b: Competitor, labels: Sequence[str]) -> str | None:
    """Why these two are held against each other; None where nothing in the table sets them side by side."""
    for full, part in ((a, b), (b, a)):
        if full_model(part.label, labels) == full.label:
            return f"{part.label!r} is {full.label!r} without {(left_out(part.label) or ('', ''))[1]!r}"
        if ensemble(part.label, labels) == full.label:
            return f"{part.label!r} is one numbered member of {full.label!r}"
    for full, part in ((a, b), (b, a)):
        if part.label.casefold() in full.label.casefold() and len(part.label) > 2:
            return f"{full.label!r} is {part.label!r} with something more, by its name"
    lack = [left_out(it.label) for it in (a, b)]
    of_one = lack[0] and lack[1] and lack[0][0] == lack[1][0]  # two lesser forms of one model
    changed = None if of_one else one_change(a.label, b.label)
    if changed:
        return f"the two differ in one thing, {changed[0] or 'nothing'!r} or {changed[1] or 'nothing'!r}"
    return "they are the only two of the table on this data set" if len(labels) == 2 else None


#: Of fewer none is called the best.
FEWEST = 3


def better_ones(sheet: Sheet, field: Field) -> Iterator[Draft]:
    """Two that differ in one thing: a part left out, a member and its ensemble, a factor; or the only two."""
    labels = field.labels
    for a, b in combinations(field.competitors, 2):
        why = why_paired(a, b, labels)
        if why is None or (a.experiment and a.experiment == b.experiment):
            continue
        for better, worse in ((a, b), (b, a)):
            metrics = [it for it in common((a, b), field) if value(better, it) > value(worse, it)]
            for refs, named in references(sheet, field.table.id, (better, worse), metrics) if metrics else ():
                of = named or [metric_of((better,), refs[0])]
                says = f"{better.label} is better than {worse.label} in {listed(of)} on {field.dataset_name}"
                yield draft_of(
                    "order",
                    f"{field.table.id}-{better.name}-over-{worse.name}",
                    says,
                    f"{why}; {printed_pair(better, worse, of)}",
                    field,
                    {"better": refs[0], "worse": refs[1], "metric": named},
                    (better, worse),
                    of,
                )


def best_ones(sheet: Sheet, field: Field) -> Iterator[Draft]:
    """The best of three or more; where the highest number is printed twice, those that print it are among
    the best, and so is a best one whose spread reaches the next."""
    for (at, alone, places), metrics in _tops(field).items():
        best, among = field.competitors[at], [field.competitors[i] for i in places]
        named_ones = [it.experiment for it in among if it.experiment]
        if len(set(named_ones)) < len(named_ones):
            continue  # one experiment in two rows competes with itself
        for refs, named in references(sheet, field.table.id, [best, *among], metrics):
            shown = named or [metric_of((best,), refs[0])]
            place = "the best" if alone else "among the best"
            more = "" if alone else "; another prints the same, or lies within the printed spread"
            yield draft_of(
                "optimum",
                f"{field.table.id}-{'best' if alone else 'among-best'}-{best.name}",
                f"{best.label} is {place} of {len(among)} in {listed(shown)} on {field.dataset_name}",
                f"prints the highest {listed(shown)} of {len(among)}{_styled(best, shown)}{more}",
                field,
                {
                    "best": refs[0],
                    "among": refs[1:],
                    **({} if alone else {"strength": "among_best"}),
                    "metric": named,
                },
                among,
                shown,
            )


def _tops(field: Field) -> dict[tuple[int, bool, tuple[int, ...]], list[str]]:
    """Who prints the highest number, whether nobody else may have it, and who competes -> the metrics."""
    groups: dict[tuple[int, bool, tuple[int, ...]], list[str]] = {}
    of = field.competitors
    for metric in field.metrics:
        held = [i for i, it in enumerate(of) if metric in it.numbers]
        if len(held) < FEWEST:
            continue
        top = max(value(of[i], metric) for i in held)
        for i in held:
            if value(of[i], metric) == top:
                alone = _is_alone(of, i, held, metric)
                groups.setdefault((i, alone, tuple(held)), []).append(metric)
    return groups


def _is_alone(of: Sequence[Competitor], at: int, held: Sequence[int], metric: str) -> bool:
    """Whether no other prints the same number, nor one within the two spreads."""
    own = of[at].numbers[metric]
    low = own.value.value - _spread(own.cell.sd)
    others = [of[i].numbers[metric] for i in held if i != at]
    if any(it.value.value == own.value.value for it in others):
        return False
    if own.cell.sd is None:
        return True
    return all(it.value.value + _spread(it.cell.sd) < low for it in others)


def _spread(sd: str | None) -> Fraction:
    return printed(sd).value if sd else Fraction(0)


def _styled(best: Competitor, metrics: Sequence[str]) -> str:
    marks = [(best.numbers[it].cell.mark or "").split() for it in metrics]
    return " and has it in bold" if all("bold" in it for it in marks) else ""


#: Rules for one field at a time.
RULES: tuple[Callable[[Sheet, Field], Iterator[Draft]], ...] = (best_ones, better_ones)


#: What a claim is about, however it is written.
Signature = tuple[object, ...]


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
    option: str | None = None
    """That of `audit add experiment` which takes the first of `needs`."""

    def worded(self, says: str | None, where: Mapping[str, Plain] | None = None) -> dict[str, Plain]:
        """The entry with the paper's sentence, in own short words, and its place instead of the table's."""
        own = {"says": says or self.content["says"], "where": dict(where or self.content["where"])}
        return {**self.content, **own}


def suggestions(paper: Paper) -> tuple[Suggestion, ...]:
    """All candidates that the file does not have yet, in the order of its tables; ids stay the same."""
    sheet = sheet_of(paper)
    held = list(fields(sheet))
    order = {name: place for place, name in enumerate(paper.tables)}
    drafts = [draft for it in held for rule in RULES for draft in rule(sheet, it)]
    drafts.sort(key=lambda it: order[it.tables[0]])
    there = signatures(paper, paper.claims)
    found: list[Suggestion] = []
    taken = {it.id for it in paper.claims}
    for draft in drafts:
        for left in _left(paper, draft, there):
            suggestion = _suggestion(paper, left, taken)
            taken.add(suggestion.id)
            found.append(suggestion)
    return tuple(found)


def _left(paper: Paper, draft: Draft, there: set[Signature]) -> Iterator[Draft]:
    """The draft, without the metrics for which there is such a claim; what is given once is not again."""
    own = signatures(paper, [_claim(_content(paper, draft, draft.name))])
    new = own - there
    there |= new
    if not new:
        return
    metrics = draft.keys.get("metric")
    if new != own and metrics:
        kept = [it for it in metrics if any(it == sign[1] for sign in new)]
        draft = Draft(**{**vars(draft), "keys": {**draft.keys, "metric": kept}})
    yield draft


def _suggestion(paper: Paper, draft: Draft, taken: set[str]) -> Suggestion:
    id = _free(re.sub(r"[^A-Za-z0-9_-]+", "-", draft.name).strip("-"), taken)
    content = _content(paper, draft, id)
    place = _place(paper, draft.tables)
    needs = draft.bare, draft.option
    return Suggestion(id, draft.kind, draft.says, draft.why, place, draft.cells, content, *needs)


def _free(name: str, taken: Iterable[str]) -> str:
    names = [name, *(f"{name}-{number}" for number in range(2, len(list(taken)) + 3))]
    return next(it for it in names if it not in taken)


def _content(paper: Paper, draft: Draft, id: str) -> dict[str, Plain]:
    where = paper.tables[draft.tables[0]].where
    place = {key: it for key, it in where.model_dump().items() if it is not None}
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", id).strip("-")
    says = f"suggested from {_place(paper, draft.tables)}; replace by the paper's sentence: {draft.says}"
    start = {"id": name, "kind": draft.kind, **draft.keys}
    return {**start, "says": says, "where": place or {"label": draft.tables[0]}}


def _place(paper: Paper, tables: Sequence[str]) -> str:
    labels = dict.fromkeys(paper.tables[it].where.label or it for it in tables)
    return ", ".join(labels)


def _claim(content: Mapping[str, Plain]) -> Claim:
    return KINDS[content["kind"]].model_validate(dict(content))


def signatures(paper: Paper, claims: Iterable[Claim]) -> set[Signature]:
    """What the claims state, one for each metric: kind, metric and experiments (or cells that have none)."""
    with_these = paper.model_copy(update={"claims": tuple(claims)})
    return {it for record in with_these.statements() for it in _signatures(record)}


def _signatures(it: ClaimRecord) -> Iterator[Signature]:
    of: tuple[str, ...] = it.experiments if len(it.experiments) >= len(it.cells) else it.cells
    if it.kind == "optimum":
        yield it.kind, it.metric, of[0], frozenset(of)
    else:
        yield it.kind, it.metric, of
