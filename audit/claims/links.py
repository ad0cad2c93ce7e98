"""Do the claims lead to cells that can bear them? References, metrics, sources, ids and primaries."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from audit.claims.names import (
    CellNames,
    FileNames,
    PlainMapping,
    UnresolvedError,
    address,
    check_experiment,
    check_row,
    entries,
    is_experiment,
    mapping,
    metrics_of,
    repeated,
    sequence,
    unknown,
)
from audit.claims.schema import is_metric, no_number
from audit.claims.source import KeyPath, Plain, Problem
from audit.expression import ExpressionError, parse, references
from audit.expression import names as names_in
from audit.kinds import CLAIM_MODELS, Claim
from audit.kinds.costs import FEWEST_DECADES, FEWEST_SIZES
from audit.kinds.stated import Formula
from audit.names import counted, known_names
from audit.stats.printed import printed

#: STATISTICS of a paper's audit: headline claims are corrected for among themselves first.
MOST_PRIMARIES = 3


def problems(names: FileNames) -> Iterator[Problem]:
    """All problems of the claims with each other and with the tables; some come once for each metric."""
    claims = list(entries(names.content, "claims"))
    ids = [mapping(claim).get("id") for claim in sequence(names.content.get("claims"))]
    yield from repeated((), "claims", ids)
    primaries = [path for path, claim in claims if claim.get("primary") is True]
    for path in primaries[MOST_PRIMARIES:]:
        text = f"{len(primaries)} claims are primary; keep the {MOST_PRIMARIES} headline claims"
        yield Problem((*path, "primary"), text)
    for path, claim in claims:
        if claim.get("where") == {}:
            yield Problem((*path, "where"), "names no place; add section, page or label")
        kind = CLAIM_MODELS.get(str(claim.get("kind")))
        if kind is not None:
            yield from _in_claim(path, claim, kind, names)


def _in_claim(path: KeyPath, claim: PlainMapping, kind: type[Claim], names: FileNames) -> Iterator[Problem]:
    references = dict(_references(claim, kind))
    stated = _stated(claim.get("metric"))
    yield from repeated(path, "metric", stated or [])
    metrics = [name for name in metrics_of(references.values(), stated, names.grids) if is_metric(name)]
    if not metrics and (stated is None or not kind.needs_metric):
        yield from _without_metric(path, references, kind, names)
    for metric in metrics if kind.needs_metric else ():
        found = []
        for place, reference in references.items():
            try:
                found.append((place, _target(reference, metric, names)))
            except UnresolvedError as err:
                yield Problem((*path, *place), str(err))
        yield from _in_targets(path, found, kind)
    yield from _in_dominance(path, claim, names)
    if claim.get("kind") == "complexity" and isinstance(claim.get("operations"), str):
        known = {"n": None, **mapping(claim.get("given"))}
        yield from _in_formula((*path, "operations"), claim["operations"], known)
    yield from _in_sizes(path, claim, names)
    if claim.get("kind") == "optimum" and claim.get("margin") and claim.get("strength") != "among_best":
        text = "is not used: that one level is better than all is judged without; drop it"
        yield Problem((*path, "margin"), f"{text}, or set strength: among_best")
    if issubclass(kind, Formula) and isinstance(claim.get("expect"), str):
        yield from _in_expression((*path, "expect"), claim, stated, names)


def _in_sizes(path: KeyPath, claim: PlainMapping, names: FileNames) -> Iterator[Problem]:
    """Growth is seen over different sizes of experiments that there are, far enough apart."""
    sizes = mapping(claim.get("sizes"))
    if claim.get("kind") != "complexity" or claim.get("sizes") is None:
        return
    if len(sizes) < FEWEST_SIZES:
        held = counted(len(sizes), "size")
        yield Problem((*path, "sizes"), f"names {held}; {FEWEST_SIZES} are the least that show a power")
    for name in sizes:
        yield from unknown((*path, "sizes", name), name, "experiment", names.experiments)
    numbers = [it for it in sizes.values() if isinstance(it, int | float) and it > 0]
    if len(set(numbers)) < len(numbers):
        yield Problem((*path, "sizes"), "two experiments have one size; name one for each size")
    decades = math.log10(max(numbers) / min(numbers)) if numbers else 0.0
    if len(numbers) == len(sizes) and decades < FEWEST_DECADES - 1e-6:
        text = f"span {decades:.2f} decades; {FEWEST_DECADES} are the least over which a power shows"
        yield Problem((*path, "sizes"), f"{text}, as from 1000 to 16000")


def _in_expression(
    path: KeyPath, claim: PlainMapping, stated: Sequence[str] | None, names: FileNames
) -> Iterator[Problem]:
    """The expression can be read, and its cells and constants are there."""
    try:
        expression = parse(claim["expect"])
    except ExpressionError as err:
        yield Problem(path, str(err))
        return
    given = mapping(claim.get("given"))
    for index, weights in enumerate(map(mapping, sequence(claim.get("counted")))):
        if isinstance(weights.get("equals"), str):
            place = (*path[:-1], "counted", index, "equals")
            yield from _in_formula(place, weights["equals"], given)
    for name in names_in(expression):
        yield from unknown(path, name, "constant", given)
    metrics: Sequence[str | None] = stated or [None]
    for reference in references(expression):
        for metric in metrics:
            try:
                _check_cell(reference, metric, names)
            except UnresolvedError as err:
                yield Problem(path, str(err))


def _in_formula(path: KeyPath, formula: str, given: PlainMapping) -> Iterator[Problem]:
    """A number over constants: read as one side of a comparison."""
    try:
        expression = parse(f"{formula} = 0")
    except ExpressionError as err:
        yield Problem(path, str(err))
        return
    for name in (*names_in(expression), *references(expression)):
        yield from unknown(path, name, "constant", given)


def _check_cell(reference: str, metric: str | None, names: FileNames) -> None:
    """Raises `UnresolvedError` unless the reference of an expression leads to cells."""
    table, row, *column = reference.split(".")
    if "*" not in reference:
        if metric is None and not column:
            raise UnresolvedError(f"{reference} names no column; add it, or state the claim's metric")
        address(reference, None if column else metric, names.grids)
        return
    if row != "*":
        check_row(reference, names.grids)
    elif table not in names.grids:
        raise UnresolvedError(f"there is no table {table!r}; {known_names(table, names.grids)}")
    if column and column[0] not in ("*", *names.grids[table].columns):
        offer = known_names(column[0], names.grids[table].columns)
        raise UnresolvedError(f"table {table!r} has no column {column[0]!r}; {offer}")


def _references(claim: PlainMapping, kind: type[Claim]) -> Iterator[tuple[KeyPath, str]]:
    """Each readable reference with its place in the claim; a key may hold one or a list."""
    for key in kind.references:
        held = claim.get(key)
        if isinstance(held, str) and _is_reference(held):
            yield (key,), held
        yield from (((key, i), it) for i, it in enumerate(sequence(held)) if _is_reference(it))


@dataclass(frozen=True)
class _Target:
    """What a reference leads to: a cell, or an experiment whose number the paper does not print."""

    name: str
    cell: CellNames | None
    experiment: str | None
    dataset: str | None
    unit: str | None = None


def _target(reference: str, metric: str | None, names: FileNames) -> _Target:
    if is_experiment(reference):
        check_experiment(reference, names.experiments)
        return _Target(reference, None, reference, names.dataset_of(reference))
    table, row, column = address(reference, metric, names.grids)
    cell = names.tables[table].cell(row, column)
    unit = names.tables[table].unit_of(row, column)
    return _Target(f"{table}.{row}.{column}", cell, cell.experiment, cell.dataset, unit)


def _without_metric(
    path: KeyPath, references: Mapping[KeyPath, str], kind: type[Claim], names: FileNames
) -> Iterator[Problem]:
    """No metric is stated and no column of a metric is named: perhaps since the names lead nowhere."""
    lost = []
    for place, reference in references.items():
        try:
            if is_experiment(reference) or reference.count(".") == 2:
                _target(reference, None, names)
            else:
                check_row(reference, names.grids)
        except UnresolvedError as err:
            lost.append(Problem((*path, *place), str(err)))
    yield from lost
    if references and not lost and kind.needs_metric:
        text = "this key is missing; add metric: [P@1, ...] or name columns as table.row.column"
        yield Problem((*path, "metric"), text)


def _in_targets(
    path: KeyPath, found: Sequence[tuple[KeyPath, _Target]], kind: type[Claim]
) -> Iterator[Problem]:
    for place, target in found:
        for text in _cell_problems(target, kind):
            yield Problem((*path, *place), text)
    if len(found) < 2 or "among" in kind.references:
        return  # the best level may stand among the others
    (_, first), *others = found
    for place, other in others:
        unfit = _pair_problem(first, other)
        if unfit:
            yield Problem((*path, *place), unfit)


def _in_dominance(path: KeyPath, claim: PlainMapping, names: FileNames) -> Iterator[Problem]:
    """Tables, data sets and methods are named by themselves."""
    if claim.get("kind") != "dominance":
        return
    known: Mapping[str, tuple[str, Mapping[str, object]]] = {
        "tables": ("table", names.tables),
        "datasets": ("data set", names.datasets),
        "over": ("method", names.methods),
    }
    for key, (what, offered) in known.items():
        for index, name in enumerate(sequence(claim.get(key))):
            yield from unknown((*path, key, index), name, what, offered)
    yield from unknown((*path, "winner"), claim.get("winner"), "method", names.methods)


def _cell_problems(target: _Target, kind: type[Claim]) -> Iterator[str]:
    """Why the cell cannot bear a claim of this kind."""
    cell = target.cell
    if cell is None:
        if kind.own_runs_only:
            yield f"{target.name!r} is an experiment, and this claim is about a printed number; name its cell"
        return
    row = ".".join(target.name.split(".")[:2])
    if cell.is_null:
        yield f"{target.name} prints no number (null); drop this metric from the claim"
    if cell.metric and target.unit == "fraction" and cell.printed and no_number(cell.printed) is None:
        for text in (cell.printed, *([cell.sd] if cell.sd and no_number(cell.sd) is None else [])):
            if printed(text).decimals < 2:
                told = f"{target.name} prints {text!r}, a fraction with fewer than two decimals"
                yield f"{told}, too coarse for a claim; drop this metric from the claim"
    if kind.own_runs_only and cell.source == "copied":
        origin = cell.copied_from or "another paper"
        text = f"{row} is copied from {origin}, and a copied number is not this paper's run"
        yield f"{text}; claim it in the claim file of {origin}, or name a row with source own_run"
    elif kind.own_runs_only and cell.source in ("unknown", "stated"):
        yield f"{row} is of unknown source; set source: own_run if the authors ran it, or drop the claim"
    if cell.experiment is None:
        yield f"{target.name} has no experiment; give its row experiment or experiments"


def _pair_problem(first: _Target, second: _Target) -> str | None:
    """Why two targets cannot be compared."""
    if first.name == second.name:
        return "names the same cell as the other side; name another one"
    if first.dataset and second.dataset and first.dataset != second.dataset:
        return f"is on data set {second.dataset!r}, the other side on {first.dataset!r}; name one on that"
    if first.experiment and first.experiment == second.experiment:
        return f"is experiment {second.experiment!r} like the other side; name another experiment"
    return None


def _is_reference(value: Plain) -> bool:
    parts = value.split(".") if isinstance(value, str) else []
    return len(parts) in (1, 2, 3) and all(parts)


def _stated(metric: Plain) -> list[str] | None:
    """The metrics as a list; None where the claim names none."""
    if isinstance(metric, str):
        return [metric]
    return None if metric is None else [name for name in sequence(metric) if isinstance(name, str)]
