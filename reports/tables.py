"""The paper’s tables drawn again, what other papers print, frequent and rare labels, and the data."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence

from audit.record import AcrossPapers, DataInfo, DataSheet, ExperimentRecord, LabelStrata, PrintedIn
from reports import numbers
from reports.findings import anchors_of, check_title
from reports.lookup import Lookup, Place
from reports.sentences import SCOPE_WORDS, STATUS_WORDS, TEXTS, coverage, edges, kind_words, subject_of
from reports.text import View, grouped, joined, listed, plural, unique_slugs

SAME = "same runs as"

# --------------------------------------------------------------------------- the paper's tables


def table_views(index: Lookup) -> list[View]:
    """All tables of the audit; in each cell what is printed, the marks of its claims, and ours."""
    marks, wrong = _verdict_marks(index), _finding_marks(index)
    # cell address -> the claim about the cell's own value, whose verdict tells the seeds of its look
    values = (it for it in index.audit.claims if kind_words(it).is_value and len(it.cells) == 1)
    judged = {it.cells[0]: it for it in values if index.verdicts[it.id].ci95}
    anchors = unique_slugs("table", [table.id for table in index.audit.tables])

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
            interval=numbers.interval(verdict.ci95, beside=edges(claim, verdict))
            if claim and verdict
            else "",
            level=coverage(verdict)[1] if verdict else "",
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
        views.append(View(table=table, anchor=anchors[table.id], rows=rows, scopes=scopes))
    return views


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


def across_section(index: Lookup) -> list[View]:
    """By collection, what every paper prints for one method and metric, and ours; those collections first of
    ours."""
    views, own = [], index.audit.paper.key
    for collection, rows in grouped(index.audit.across, lambda it: it.collection).items():
        papers = dict.fromkeys((own, *sorted({it.paper for row in rows for it in row.prints})))
        shown = []
        for row in rows:
            places = (index.places.get(it.address) for it in row.prints if it.paper == own)
            found = next(
                ((place, seeds) for place in places if place and (seeds := measured(place, index))), None
            )
            ours = _ours(found[1], index.experiments.get(found[0].cell.experiment or "")) if found else ""
            cells = [_prints(row, paper, index) for paper in papers]
            shown.append(View(row=row, cells=cells, ours=ours, n=f"n = {len(found[1])}" if found else ""))
        sizes = {
            paper: {it.test_size for row in rows for it in row.prints if it.paper == paper and it.test_size}
            for paper in papers
        }
        views.append(View(title=collection, papers=sizes, rows=shown, ours=any(row.ours for row in shown)))
    return sorted(views, key=lambda it: not it.ours)


def _prints(row: AcrossPapers, paper: str, index: Lookup) -> list[tuple[PrintedIn, str]]:
    """A paper's numbers, each with the link to its cell; those alike once."""
    alike = {(it.text, it.source, it.copied_from): it for it in reversed(row.prints) if it.paper == paper}
    own = paper == index.audit.paper.key
    places = ((it, index.places.get(it.address) if own else None) for it in reversed(alike.values()))
    return [(it, f"#{place.anchor}" if place else "") for it, place in places]


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
    """What was counted; a rule that never acted is left out."""
    title = (
        f"Recipe “{info.recipe}”, {plural(experiments, 'experiment')}, fingerprint {info.fingerprint[:12]}"
    )
    names = TEXTS["counted"]
    counted = []
    for name, value in info.counts.items():
        split, _, what = name.partition(".")
        said = names.get(name) or joined(
            names.get(what, what.replace("_", " ")), f"({split})" if what else split
        )
        share = f"{numbers.points(100 * value, decimals=1)}%" if name.endswith("_share") else f"{value:,.6g}"
        counted += [(said, share)] if value or what == "documents" else []
    return View(title=title, counted=counted, notes=info.notes)
