"""Do the claims lead to cells that can bear them? References, metrics, sources, ids and primaries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from audit.claim_model import KINDS, Claim, is_metric
from audit.claim_names import CellNames, FileNames, PlainMapping, entries, mapping, repeated, sequence
from audit.claim_reference import Address, UnresolvedError, address, metrics_of, row_of
from audit.claim_source import KeyPath, Plain, Problem

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
        kind = KINDS.get(str(claim.get("kind")))
        if kind is not None:
            yield from _in_claim(path, claim, kind, names)


def _in_claim(path: KeyPath, claim: PlainMapping, kind: type[Claim], names: FileNames) -> Iterator[Problem]:
    references = {key: claim[key] for key in kind.references if _is_reference(claim.get(key))}
    stated = _stated(claim.get("metric"))
    yield from repeated(path, "metric", stated or [])
    metrics = [name for name in metrics_of(references.values(), stated, names.grids) if is_metric(name)]
    if not metrics and stated is None:
        yield from _without_metric(path, references, names)
    for metric in metrics:
        cells: dict[str, Address] = {}
        for key, reference in references.items():
            try:
                cells[key] = address(reference, metric, names.grids)
            except UnresolvedError as err:
                yield Problem((*path, key), str(err))
        yield from _in_cells(path, cells, kind, names)


def _without_metric(path: KeyPath, references: Mapping[str, str], names: FileNames) -> Iterator[Problem]:
    """No metric is stated and no column of a metric is named: perhaps since the names lead nowhere."""
    lost = []
    for key, reference in references.items():
        try:
            if reference.count(".") == 2:
                address(reference, None, names.grids)
            else:
                row_of(reference, names.grids)
        except UnresolvedError as err:
            lost.append(Problem((*path, key), str(err)))
    yield from lost
    if references and not lost:
        text = "this key is missing; add metric: [P@1, ...] or name columns as table.row.column"
        yield Problem((*path, "metric"), text)


def _in_cells(
    path: KeyPath, cells: Mapping[str, Address], kind: type[Claim], names: FileNames
) -> Iterator[Problem]:
    held = {key: names.tables[table].cell(row, column) for key, (table, row, column) in cells.items()}
    for key, place in cells.items():
        for text in _cell_problems(place, held[key], kind):
            yield Problem((*path, key), text)
    if len(held) == len(kind.references) == 2:
        first, second = kind.references
        unfit = _pair_problem(held[first], held[second], same=cells[first] == cells[second])
        if unfit:
            yield Problem((*path, second), unfit)


def _cell_problems(place: Address, cell: CellNames, kind: type[Claim]) -> Iterator[str]:
    """Why the cell cannot bear a claim of this kind."""
    row = ".".join(place[:2])
    if cell.is_null:
        yield f"{'.'.join(place)} prints no number (null); drop this metric from the claim"
    if kind.own_runs_only and cell.source == "copied":
        origin = cell.copied_from or "another paper"
        text = f"{row} is copied from {origin}, and a copied number is not this paper's run"
        yield f"{text}; claim it in the claim file of {origin}, or name a row with source own_run"
    elif kind.own_runs_only and cell.source == "unknown":
        yield f"{row} is of unknown source; set source: own_run if the authors ran it, or drop the claim"
    if cell.experiment is None:
        yield f"{'.'.join(place)} has no experiment; give its row experiment or experiments"


def _pair_problem(first: CellNames, second: CellNames, *, same: bool) -> str | None:
    """Why two cells cannot be compared."""
    if same:
        return "names the same cell as the other side; name another one"
    if first.dataset and second.dataset and first.dataset != second.dataset:
        return f"is on data set {second.dataset!r}, the other side on {first.dataset!r}; name one on that"
    if first.experiment and first.experiment == second.experiment:
        return f"is experiment {second.experiment!r} like the other side; name another experiment"
    return None


def _is_reference(value: Plain) -> bool:
    parts = value.split(".") if isinstance(value, str) else []
    return len(parts) in (2, 3) and all(parts)


def _stated(metric: Plain) -> list[str] | None:
    """The metrics as a list; None where the claim names none."""
    if isinstance(metric, str):
        return [metric]
    return None if metric is None else [name for name in sequence(metric) if isinstance(name, str)]
