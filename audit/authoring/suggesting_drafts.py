"""A candidate on its way to a suggestion, and what all rules ask of competitors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from audit.authoring.reporting import reported
from audit.authoring.suggesting_fields import Competitor, Field
from audit.authoring.suggesting_labels import ensemble, full_model, left_out, one_change
from audit.claim_source import Plain


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
