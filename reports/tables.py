"""The paper’s tables drawn again, what other papers print, and frequent and rare labels."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence

from audit.record import (
    AcrossPapers,
    Cell,
    Column,
    LabelStrata,
    PrintedIn,
    Row,
    Scope,
    StratumResult,
    TableRecord,
)
from reports import digits
from reports.fields import coverage, edges, subject_of
from reports.findings import checks_mark, finding_anchors, finding_key
from reports.lookup import SAME, Lookup, mark_again, same_also
from reports.notes import copied_from, stand_in_footnote
from reports.text import View, listed, plural
from reports.verdicts import claim_title
from reports.words import STATUS_WORDS, status_of


def table_views(found: Lookup) -> tuple[View, ...]:
    """All tables of the audit."""
    marks = View(
        verdicts=_cell_marks(found), findings=_finding_marks(found), intervals=_cell_intervals(found)
    )
    return tuple(_cell_table(table, found, marks) for table in found.audit.tables)


def _finding_marks(found: Lookup) -> dict[str, tuple[View, ...]]:
    """Of inconsistent findings; each once a cell."""
    anchors = finding_anchors(found.audit.findings)
    marks: dict[str, list[View]] = defaultdict(list)
    for it in found.audit.findings:
        if it.result == "inconsistent" and it.claim is None:  # else it is about a sentence, not its cells
            label = checks_mark(it)
            for address in dict.fromkeys(it.cells):
                marks[address].append(View(label=label, href=f"#{anchors[finding_key(it)]}"))
    return {address: tuple(listed) for address, listed in marks.items()}


def _cell_intervals(found: Lookup) -> dict[str, str]:
    """Cell address -> the interval of our mean, from the verdict on the cell's own value."""
    held = {}
    for claim in found.audit.claims:
        verdict = found.verdicts.get(claim.id)
        if claim.kind == "value" and len(claim.cells) == 1 and verdict and verdict.ci95:
            bounds = digits.interval(verdict.ci95, beside=edges(claim, verdict))
            held[claim.cells[0]] = f"{coverage(verdict)[1]}%: {bounds}"
    return held


def _cell_marks(found: Lookup) -> dict[str, tuple[View, ...]]:
    """Cell address -> marks; the cell's own value first, then comparisons in the order of the claims."""
    marks: dict[str, list[View]] = defaultdict(list)
    for claim in found.audit.claims:
        status = status_of(found.verdicts.get(claim.id))
        title = claim_title(claim, found.names(claim))
        of = "" if claim.metric else f" ({subject_of(claim)})"  # a metric heads the column
        word, first = STATUS_WORDS[status], found.same.claims.get(claim.id)
        mark = View(
            status=status,
            label=f"{word}: {title}{of}" if first is None else mark_again(word, f"{title}{of}"),
            href=f"#{found.anchors[claim.id if first is None else first]}",
            small=claim.kind != "value",
            again=first is not None,
        )
        for address in dict.fromkeys(claim.cells):
            marks[address].append(mark)
    return {address: tuple(sorted(listed, key=lambda mark: mark.small)) for address, listed in marks.items()}


def _cell_table(table: TableRecord, found: Lookup, marks: View) -> View:
    rows = tuple(_cell_row(table, row, found, marks) for row in table.rows)
    return View(
        anchor=found.table_anchors[table.id],
        label=table.label,
        caption=table.caption,
        place=f"page {table.page}" if table.page is not None else "",
        columns=tuple(column.label for column in table.columns),
        rows=rows,
        footnote=stand_in_footnote(_scopes(table, found), split_known=found.audit.splits is None),
    )


def _cell_row(table: TableRecord, row: Row, found: Lookup, marks: View) -> View:
    pairs = zip(table.columns, row.cells, strict=False)
    return View(
        label=row.label, cells=tuple(_cell_cell(column, cell, found, marks) for column, cell in pairs)
    )


def _cell_cell(column: Column, cell: Cell, found: Lookup, marks: View) -> View:
    repeated = _repeated(cell, column, found)
    values = () if repeated else cell_measured(cell, column, found)
    record = found.experiments.get(cell.experiment or "")
    dagger = "" if record is None or record.scope == "same_data" else " †"
    return View(
        anchor=found.places[cell.address].anchor,
        printed=digits.ABSENT if cell.printed is None else cell.printed,
        marks=marks.verdicts.get(cell.address, ()),
        ours=digits.mean_sd(*mean_and_sd(values)) + dagger if values else "",
        n=f"n = {len(values)}" if values else "",
        copied=copied_from(cell.copied_from) if cell.source == "copied" else "",
        interval=marks.intervals.get(cell.address, "") if values else "",
        repeated=repeated,
        findings=marks.findings.get(cell.address, ()),
    )


def _repeated(cell: Cell, column: Column, found: Lookup) -> View | None:
    """The cell of the experiment that has these runs on nearer data, where one holds this metric."""
    first, metric = found.same.experiments.get(cell.experiment or ""), cell.metric or column.metric
    if first is None or metric is None or cell.source == "copied":
        return None
    for place in found.places.values():
        it = place.cell
        if it.experiment == first and (it.metric or place.column.metric) == metric and it.source != "copied":
            return View(text=f"{SAME} {found.title(first)}", href=f"#{place.anchor}")
    return None


def cell_measured(cell: Cell, column: Column, found: Lookup) -> tuple[float, ...]:
    """The cell's metric of every finished run of its experiment; nothing for copied cells.

    Where metrics head the rows, the column has none: the cell's own counts.
    """
    metric = cell.metric or column.metric
    if cell.experiment is None or metric is None or cell.source == "copied":
        return ()
    runs = [run for run in found.runs(cell.experiment) if run.status == "done"]
    return tuple(run.metrics[metric] for run in runs if metric in run.metrics)


def mean_and_sd(values: Sequence[float]) -> tuple[float, float | None]:
    """Mean and standard deviation with n - 1 below; no deviation of a single value.

    >>> mean_and_sd([75.0, 76.0, 77.0])
    (76.0, 1.0)
    """
    mean = math.fsum(values) / len(values)
    if len(values) < 2:
        return mean, None
    return mean, math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1))


def _scopes(table: TableRecord, found: Lookup) -> list[Scope]:
    """The scopes of those experiments whose numbers stand in the table."""
    pairs = [
        (cell, column) for row in table.rows for column, cell in zip(table.columns, row.cells, strict=False)
    ]
    shown = {
        cell.experiment
        for cell, column in pairs
        if cell_measured(cell, column, found) and not _repeated(cell, column, found)
    }
    return [found.experiments[key].scope for key in sorted(key for key in shown if key)]


OURS = "Ours"
UNKNOWN_SIZE = "N not printed"


def across_summary(rows: int, differing: int, sized: int, papers: Sequence[str]) -> str:
    """`39 numbers that other papers print too (liu2017); 12 differ by more than rounding, 9 of these for ...`

    `sized` of those differ though they are no copies and stand for one number of test documents.
    """
    others = f" ({listed(list(papers))})" if papers else ""
    held = f"{plural(rows, 'number')} that other papers print too{others}"
    if not differing:
        return f"{held}; none differs from another by more than rounding."
    verb = "differs" if differing == 1 else "differ"
    same = "none" if not sized else "all" if sized == differing else digits.count(sized)
    return (
        f"{held}; {digits.count(differing)} {verb} by more than rounding, {same} of these on test sets of "
        "one size."
    )


def differs(one_size: bool) -> str:
    """What stands beside a row whose numbers differ."""
    return "differs" if one_size else "differs; so may the test sets"


def none(papers: Sequence[str]) -> str:
    """Why there is no row."""
    if not papers:
        return "No other paper was at hand when this audit was made."
    return f"None of the {plural(len(papers), 'other paper')} at hand prints a number of this one."


def sizes(numbers: Sequence[int | None]) -> str:
    """`N = 3,865`, or several where one paper has the collection in several versions."""
    known = list(dict.fromkeys(it for it in numbers if it is not None))
    return f"N = {listed([digits.count(it) for it in known], word='or')}" if known else UNKNOWN_SIZE


def origin_of(found: PrintedIn) -> str:
    """What stands below a number: where it is from, unless it is the paper's own run."""
    if found.source == "copied":
        return f"from {found.copied_from}" if found.copied_from else "copied"
    return {"unknown": "source not said", "code_readme": "from its README", "stated": "stated"}.get(
        found.source, ""
    )


def collection_title(name: str, rows: int) -> str:
    return f"{name}: {plural(rows, 'number')}"


def across_section(found: Lookup) -> View:
    """By collection; those first that hold a number of ours."""
    rows = found.audit.across
    if not rows:
        return View(summary=none(found.audit.papers_beside), tables=())
    key = found.audit.paper.key
    papers = sorted({it.paper for row in rows for it in row.prints} - {key})
    held: dict[str, list[AcrossPapers]] = {}
    for row in rows:
        held.setdefault(row.collection, []).append(row)
    tables = sorted(
        (_across_table(name, mine, key, found) for name, mine in held.items()), key=lambda it: not it.ours
    )
    differing = [row for row in rows if row.differ]
    sized = sum(row.differ_on_one_size for row in differing)
    return View(summary=across_summary(len(rows), len(differing), sized, papers), tables=tuple(tables))


def _across_table(collection: str, rows: Sequence[AcrossPapers], key: str, found: Lookup) -> View:
    printed = [it for row in rows for it in row.prints]
    papers = [key, *sorted({it.paper for it in printed} - {key})]
    shown = tuple(_across_row(row, papers, found) for row in rows)
    return View(
        collection=collection,
        title=collection_title(collection, len(rows)),
        ours=any(row.ours for row in shown),
        papers=tuple((it, sizes([one.test_size for one in printed if one.paper == it])) for it in papers),
        rows=shown,
        stand_in=any("†" in row.ours for row in shown),
    )


def _across_row(row: AcrossPapers, papers: Sequence[str], found: Lookup) -> View:
    ours, n = _across_ours(row, found)
    return View(
        method=row.method.replace("_", " "),
        metric=row.metric,
        differs=differs(row.differ_on_one_size) if row.differ else "",
        cells=tuple(
            _across_numbers([it for it in row.prints if it.paper == paper], found) for paper in papers
        ),
        ours=ours,
        n=n,
    )


def _across_numbers(printed: Sequence[PrintedIn], found: Lookup) -> tuple[View, ...]:
    """A paper's numbers; one that stands in two places alike is one."""
    seen: dict[tuple[str, str], View] = {}
    for it in printed:
        origin = origin_of(it)
        mine = it.paper == found.audit.paper.key and it.address in found.places
        href = f"#{found.places[it.address].anchor}" if mine else ""
        number = View(
            text=it.text,
            origin=origin.replace("_", " "),
            copied=it.source == "copied",
            place=it.place,
            href=href,
        )
        seen.setdefault((it.text, origin), number)
    return tuple(seen.values())


def _across_ours(row: AcrossPapers, found: Lookup) -> tuple[str, str]:
    """Mean ± sd over the runs of the first of this paper's cells that has any, and how many they are."""
    for it in row.prints:
        place = found.places.get(it.address) if it.paper == found.audit.paper.key else None
        values = cell_measured(place.cell, place.column, found) if place else ()
        if place and values:
            record = found.experiments.get(place.cell.experiment or "")
            dagger = "" if record is None or record.scope == "same_data" else " †"
            return digits.mean_sd(*mean_and_sd(values)) + dagger, f"n = {len(values)}"
    return "", ""


STRATA_NOTE = (
    "Labels by how often they occur in training: the head is the fewest labels that hold half of all "
    "positives, torso those up to 80%, tail the rest. Part of P@{k}: over the strata these add up to P@{k}. "
    "Recall: of the stratum’s labels in test documents, those among the first {k}. Macro-F1: the mean over "
    "its labels, each alone. Means over the runs; a description, no verdict."
)


def strata_blocks(found: Lookup) -> tuple[View, ...]:
    """One block for each set of strata, in the order of the experiments."""
    blocks: dict[tuple[object, ...], list[LabelStrata]] = {}
    for it in found.audit.strata:
        if it.experiment in found.same.experiments:
            continue  # told in the row of the experiment that has its runs
        sizes = tuple((part.name, part.labels, part.positives) for part in it.strata)
        blocks.setdefault((it.k, it.rule, sizes), []).append(it)
    return tuple(_strata_block(held, found) for held in blocks.values())


def _strata_block(held: list[LabelStrata], found: Lookup) -> View:
    first = held[0]
    return View(
        note=STRATA_NOTE.format(k=first.k),
        k=first.k,
        heads=tuple(map(_strata_head, first.strata)),
        rows=tuple(
            View(
                name=found.title(it.experiment),
                also=same_also([found.title(name) for name in found.same.again(it.experiment)]),
                runs=plural(it.runs, "run"),
                cells=tuple(_cells(part) for part in it.strata),
            )
            for it in held
        ),
    )


def _strata_head(it: StratumResult) -> str:
    share = digits.points(it.share, decimals=1)
    return f"{it.name}: {plural(it.labels, 'label')}, {share}% of test positives"


def _cells(it: StratumResult) -> View:
    return View(
        part=digits.points(it.share_of_precision),
        recall=digits.points(it.recall),
        macro_f1=digits.points(it.macro_f1),
    )
