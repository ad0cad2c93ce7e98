"""The paper’s tables drawn again, what other papers print, frequent and rare labels, and the data."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence

from audit.record import (
    AcrossPapers,
    DataInfo,
    DataSheet,
    ExperimentRecord,
    LabelStrata,
    PrintedIn,
    Verdict,
)
from reports import numbers
from reports.findings import anchors_of, check_title
from reports.lookup import Lookup, Place
from reports.sentences import SCOPE_WORDS, STATUS_WORDS, TEXTS, coverage, edges, kind_words, subject_of
from reports.text import View, grouped, listed, plural, unique_slugs

SAME = "same runs as"

# --------------------------------------------------------------------------- the paper's tables


def table_views(index: Lookup) -> list[View]:
    """All tables of the audit; in each cell what is printed, the marks of its claims, and ours."""
    marks, wrong = _verdict_marks(index), _finding_marks(index)
    # cell address -> the claim about the cell's own value, whose verdict tells the seeds of its look
    values = (it for it in index.audit.claims if kind_words(it).is_value and len(it.cells) == 1)
    judged = {it.cells[0]: it for it in values if index.verdicts[it.id].ci95}
    anchors = unique_slugs("table", [table.id for table in index.audit.tables])
    split = "another split" if index.audit.splits is None else "a split that need not be the paper’s"
    daggers = {
        "other_split": f"on {split}, judged with the noise of both test sets added",
        "other_data": f"on {SCOPE_WORDS['other_data']}, not comparable with the printed number above it",
    }

    def cell_view(place: Place) -> View:
        cell, claim = place.cell, judged.get(place.cell.address)
        repeated = _repeated(place, index)
        verdict = index.verdicts[claim.id] if claim else None
        known = () if repeated else measured(place, index)
        shown = (verdict.values[0] if verdict and verdict.values else known) if known else ()
        record = index.experiments.get(cell.experiment or "")
        return View(
            cell=cell,
            anchor=place.anchor,
            marks=marks.get(cell.address, ()),
            ours=_ours(shown, record) if shown else "",
            n=f"n = {len(shown)}" if shown else "",
            interval=_interval(verdict, edges(claim, verdict)) if claim and verdict else "",
            repeated=repeated,
            findings=wrong.get(cell.address, ()),
            scope=record.scope if record and shown else "same_data",
        )

    views = []
    for table in index.audit.tables:
        rows = [
            (row.label, [cell_view(index.places[it.address]) for it in row.cells[: len(table.columns)]])
            for row in table.rows
        ]
        scopes = {it.scope for _, cells in rows for it in cells}
        parts = [text for scope, text in daggers.items() if scope in scopes]
        note = f"† Ours {'; or '.join(parts)}." if parts else ""
        views.append(View(table=table, anchor=anchors[table.id], rows=rows, footnote=note))
    return views


def _interval(verdict: Verdict, marks: Sequence[float]) -> str:
    return f"{coverage(verdict)[1]}%: {numbers.interval(verdict.ci95, beside=marks)}"


def _ours(values: Sequence[float], record: ExperimentRecord | None) -> str:
    dagger = "" if record is None or record.scope == "same_data" else " †"
    return numbers.mean_sd(*mean_and_sd(values)) + dagger


def _finding_marks(index: Lookup) -> dict[str, list[tuple[str, str]]]:
    """Cell address -> label and link of its inconsistent findings; each once a cell."""
    marks: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for it, anchor in zip(index.audit.findings, anchors_of(index.audit.findings), strict=True):
        if it.result == "inconsistent" and it.claim is None:  # else it is about a sentence, not its cells
            for address in dict.fromkeys(it.cells):
                marks[address].append((f"Inconsistent: {check_title(it.check)}", f"#{anchor}"))
    return marks


def _verdict_marks(index: Lookup) -> dict[str, list[View]]:
    """Cell address -> marks; the cell's own value first, then comparisons in the order of the claims."""
    marks: dict[str, list[View]] = defaultdict(list)
    for claim in sorted(index.audit.claims, key=lambda it: not kind_words(it).is_value):
        status, first = index.status(claim), index.same_claims.get(claim.id)
        title = index.claim_title(claim)
        title += "" if claim.metric else f" ({subject_of(claim)})"  # a metric heads the column
        how = "" if first is None else " on stand-in data, on the same runs as"
        mark = View(
            status=status,
            label=f"{STATUS_WORDS[status]}{how}: {title}",
            href=f"#{index.anchors[first or claim.id]}",
            small=not kind_words(claim).is_value,
            again=first is not None,
        )
        for address in dict.fromkeys(claim.cells):
            marks[address].append(mark)
    return marks


def _repeated(place: Place, index: Lookup) -> tuple[str, str] | None:
    """The cell of the experiment that has these runs on nearer data, where one holds this metric."""
    first, metric = index.same_experiments.get(place.cell.experiment or ""), place.metric
    if first is None or metric is None or place.cell.source == "copied":
        return None
    for it in index.places.values():
        if it.cell.experiment == first and it.metric == metric and it.cell.source != "copied":
            return f"{SAME} {index.title(first)}", f"#{it.anchor}"
    return None


def measured(place: Place, index: Lookup) -> tuple[float, ...]:
    """The cell's metric of every finished run of its experiment; nothing for copied cells."""
    cell, metric = place.cell, place.metric
    if cell.experiment is None or metric is None or cell.source == "copied":
        return ()
    runs = index.runs(cell.experiment)
    return tuple(run.metrics[metric] for run in runs if run.status == "done" and metric in run.metrics)


def mean_and_sd(values: Sequence[float]) -> tuple[float, float | None]:
    """Mean and standard deviation with n - 1 below; no deviation of a single value.

    >>> mean_and_sd([75.0, 76.0, 77.0])
    (76.0, 1.0)
    """
    mean = math.fsum(values) / len(values)
    if len(values) < 2:
        return mean, None
    return mean, math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1))


# --------------------------------------------------------------------------- across papers


def across_section(index: Lookup) -> View:
    """`39 numbers that other papers print too (liu2017); 12 differ ...`; those collections first of ours."""
    rows, beside = index.audit.across, index.audit.papers_beside
    if not rows:
        none = f"None of the {plural(len(beside), 'other paper')} available prints a number of this one."
        return View(summary=none if beside else "No other paper was available for comparison.", tables=())
    papers = sorted({it.paper for row in rows for it in row.prints} - {index.audit.paper.key})
    differing = sum(row.differ for row in rows)
    sized = sum(row.differ_on_one_size for row in rows if row.differ)  # no copies, one number of documents
    others = f" ({listed(papers)})" if papers else ""
    told = (
        f"{numbers.count(differing)} of them differ by more than rounding, "
        f"{numbers.count(sized)} on test sets of one size"
    )
    tables = [
        _across_table(name, own, index) for name, own in grouped(rows, lambda it: it.collection).items()
    ]
    summary = f"Other papers{others} print {plural(len(rows), 'number')} of this one too; {told}."
    return View(summary=summary, tables=sorted(tables, key=lambda it: not it.ours))


def _across_table(collection: str, rows: Sequence[AcrossPapers], index: Lookup) -> View:
    """Beside what every paper prints, ours: of the first of this paper's cells that has runs."""
    key, printed = index.audit.paper.key, [it for row in rows for it in row.prints]
    sizes: dict[str, list[str]] = {it: [] for it in (key, *sorted({it.paper for it in printed} - {key}))}
    for it in printed:
        sizes[it.paper] += [] if it.test_size is None else [numbers.count(it.test_size)]
    shown = []
    for row in rows:
        ours = n = ""
        for place in (index.places.get(it.address) for it in row.prints if it.paper == key):
            if place and not ours and (values := measured(place, index)):
                ours = _ours(values, index.experiments.get(place.cell.experiment or ""))
                n = f"n = {len(values)}"
        cells = [_across_cell([it for it in row.prints if it.paper == paper], index) for paper in sizes]
        differs = "differs" if row.differ_on_one_size else "differs; so may the test sets"
        shown.append(View(row=row, differs=differs if row.differ else "", cells=cells, ours=ours, n=n))
    return View(
        title=f"{collection}: {plural(len(rows), 'number')}",
        ours=any(row.ours for row in shown),
        papers=[
            (paper, f"N = {listed(list(dict.fromkeys(known)), word='or')}" if known else "N not printed")
            for paper, known in sizes.items()
        ],
        rows=shown,
        stand_in=any("†" in row.ours for row in shown),
    )


def _across_cell(printed: Sequence[PrintedIn], index: Lookup) -> list[View]:
    """A paper's numbers, each with where it is from unless it is the paper's own run; those alike once."""
    origins = {"unknown": "source not said", "code_readme": "from its README", "stated": "stated"}
    seen: dict[tuple[str, str], View] = {}
    for it in printed:
        origin = origins.get(it.source, "")
        if it.source == "copied":
            origin = f"from {it.copied_from}" if it.copied_from else "copied"
        own = it.paper == index.audit.paper.key and it.address in index.places
        href = f"#{index.places[it.address].anchor}" if own else ""
        seen.setdefault((it.text, origin), View(of=it, origin=origin.replace("_", " "), href=href))
    return list(seen.values())


def strata_blocks(index: Lookup) -> list[list[View]]:
    """One block for each set of strata, in the order of the experiments; of the same runs once."""

    def sizes(it: LabelStrata) -> tuple[object, ...]:
        return (it.k, it.rule, tuple((part.name, part.labels, part.positives) for part in it.strata))

    def view(it: LabelStrata) -> View:
        return View(of=it, name=index.title(it.experiment), also=same_also(index.again(it.experiment)))

    own = (it for it in index.audit.strata if it.experiment not in index.same_experiments)
    return [[view(it) for it in block] for block in grouped(own, sizes).values()]


def same_also(titles: Sequence[str]) -> str:
    """`the same runs stand for 2 further experiments: A; B`; empty where there are none."""
    further = plural(len(titles), "further experiment")
    return f"the same runs stand for {further}: {'; '.join(titles)}" if titles else ""


# --------------------------------------------------------------------------- the data


def data_blocks(index: Lookup) -> list[View]:
    """Each corpus once, in the order of the experiments that were run on it here."""
    used = [
        (it, it.data)
        for it in index.audit.experiments
        if it.data and any(not run.imported for run in it.runs)
    ]
    of_one = grouped(used, lambda it: (it[1].content, it[1].partition, it[1].corpus, it[1].recognised))
    return [_data_block(pairs) for pairs in of_one.values()]


def _data_block(pairs: Sequence[tuple[ExperimentRecord, DataSheet]]) -> View:
    """Statistics: the number here with the most places that any data set prints, and what each prints."""
    sheet = pairs[0][1]
    sheets = {(it.dataset or experiment.dataset, experiment.scope): it for experiment, it in pairs}
    prepared: dict[str, list[DataInfo]] = {}  # one for each experiment on them
    for experiment, _ in pairs:
        for info in {run.data.fingerprint: run.data for run in experiment.runs if not run.imported}.values():
            prepared.setdefault(info.fingerprint, []).append(info)
    by_name = [{it.name: it for it in own.statistics} for own in sheets.values()]
    statistics, comparisons = [], []
    for name in dict.fromkeys(name for own in by_name for name in own):
        known = [own.get(name) for own in by_name]
        here = max((it.here or "" for it in known if it), key=len)
        printed = [((it and it.printed) or numbers.ABSENT, bool(it and it.differs)) for it in known]
        statistics.append((name, here or numbers.ABSENT, printed))
    for (dataset, scope), of in sheets.items():
        said = "; ".join(
            f"printed {it.printed} {it.name}, here {it.here}" for it in of.statistics if it.differs
        )
        counted = any(it.printed is not None and it.here is not None for it in of.statistics)
        same = "all that is printed and counted agrees" if counted else "nothing is printed that was counted"
        comparisons.append(f"{dataset} ({SCOPE_WORDS[scope]}): {said or same}.")
    hashes = {
        "content, in this order": sheet.content,
        "in any order": sheet.partition,
        "in any order and split": sheet.corpus,
    }
    return View(
        corpus=listed(list(dict.fromkeys(infos[-1].name for infos in prepared.values()))),
        recognised=sheet.recognised,
        hashes=[it for it in hashes.items() if it[1]],
        datasets=list(sheets),
        comparisons=comparisons,
        statistics=statistics,
        preparations=[_preparation(infos[-1], len(infos)) for infos in prepared.values()],
    )


def _preparation(info: DataInfo, experiments: int) -> View:
    """What was counted; a rule that never acted has no row."""
    counts = info.counts
    splits = [it for it in ("train", "test", "dev") if any(name.startswith(f"{it}.") for name in counts)]
    rows = []
    for what, noun in TEXTS["counted"]["split"].items():
        values = [counts.get(f"{split}.{what}") for split in splits]
        if any(values) or (what == "documents" and any(it is not None for it in values)):
            rows.append((noun, [_counted(what, it) for it in values]))
    title = (
        f"Recipe “{info.recipe}”, {plural(experiments, 'experiment')}, fingerprint {info.fingerprint[:12]}"
    )
    facts = [
        (noun, _counted(name, counts[name]))
        for name, noun in TEXTS["counted"]["all"].items()
        if name in counts
    ]
    return View(title=title, splits=splits, rows=rows, facts=facts, notes=info.notes)


def _counted(name: str, value: float | None) -> str:
    """A count, a mean or a share: `truncated_share`, 0.4321 -> `43.2%`."""
    if value is None:
        return numbers.ABSENT
    if name.endswith("_share"):
        return f"{numbers.points(100 * value, decimals=1)}%"
    return numbers.points(value, decimals=1) if name.startswith("mean_") else numbers.count(round(value))
