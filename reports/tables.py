"""The paper’s tables drawn again, what other papers print, frequent and rare labels, and the data."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from audit.record import (
    AcrossPapers,
    ClaimRecord,
    DataInfo,
    DataSheet,
    DataStatistic,
    ExperimentRecord,
    LabelStrata,
    PrintedIn,
    Scope,
)
from reports import numbers
from reports.findings import check_title, finding_key
from reports.lookup import Lookup, Place
from reports.sentences import SCOPE_WORDS, STATUS_WORDS, kind_words, status_of
from reports.text import View, grouped, listed, plural, unique_slugs
from reports.verdicts import coverage, edges, subject_of

SAME = "same runs as"

# --------------------------------------------------------------------------- the paper's tables


def table_views(index: Lookup) -> list[View]:
    """All tables of the audit."""
    marks, findings, judged = _verdict_marks(index), _finding_marks(index), _judged(index)
    anchors = unique_slugs("table", [table.id for table in index.audit.tables])

    def cell_view(place: Place) -> View:
        cell, address = place.cell, place.cell.address
        repeated = _repeated(place, index)
        claim, seeds = judged.get(address, (None, ()))
        known = () if repeated else measured(place, index)
        values = (seeds or known) if known else ()
        record = index.experiments.get(cell.experiment or "")
        return View(
            cell=cell,
            anchor=place.anchor,
            marks=marks.get(address, ()),
            ours=_ours(values, record) if values else "",
            n=f"n = {len(values)}" if values else "",
            interval=_interval(claim, index) if claim else "",
            repeated=repeated,
            findings=findings.get(address, ()),
            scope=record.scope if record and values else "same_data",
        )

    # what the dagger beside our numbers means; empty when none is needed
    split = "another split" if index.audit.splits is None else "a split that need not be the paper’s"
    daggers = {
        "other_split": f"on {split}{{}} judged with the noise of both test sets added",
        "other_data": f"on {SCOPE_WORDS['other_data']}{{}} not comparable with the printed number above it",
    }
    views = []
    for table in index.audit.tables:
        rows = []
        for row in table.rows:
            shown = row.cells[: len(table.columns)]
            rows.append((row.label, [cell_view(index.places[cell.address]) for cell in shown]))
        scopes = {it.scope for _, cells in rows for it in cells}
        parts = [text for scope, text in daggers.items() if scope in scopes]
        colon = ":" if len(parts) == 1 else ","
        said = f"† Ours {', or '.join(part.format(colon) for part in parts)}." if parts else ""
        views.append(View(table=table, anchor=anchors[table.id], rows=rows, footnote=said))
    return views


def _ours(values: Sequence[float], record: ExperimentRecord | None) -> str:
    dagger = "" if record is None or record.scope == "same_data" else " †"
    return numbers.mean_sd(*mean_and_sd(values)) + dagger


def _finding_marks(index: Lookup) -> dict[str, list[tuple[str, str]]]:
    """Cell address -> label and link of its inconsistent findings; each once a cell."""
    anchors = unique_slugs("f", map(finding_key, index.audit.findings))
    marks: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for it in index.audit.findings:
        if it.result == "inconsistent" and it.claim is None:  # else it is about a sentence, not its cells
            for address in dict.fromkeys(it.cells):
                marks[address].append(
                    (f"Inconsistent: {check_title(it.check)}", f"#{anchors[finding_key(it)]}")
                )
    return marks


def _judged(index: Lookup) -> dict[str, tuple[ClaimRecord, Sequence[float]]]:
    """Cell address -> the claim about the cell's own value, and the seeds of its verdict: of its look."""
    values = (it for it in index.audit.claims if kind_words(it).is_value and len(it.cells) == 1)
    verdicts = ((it, index.verdicts[it.id]) for it in values)
    return {it.cells[0]: (it, next(iter(verdict.values), ())) for it, verdict in verdicts if verdict.ci95}


def _interval(claim: ClaimRecord, index: Lookup) -> str:
    """Of our mean."""
    verdict = index.verdicts[claim.id]
    return f"{coverage(verdict)[1]}%: {numbers.interval(verdict.ci95, beside=edges(claim, verdict))}"


def _verdict_marks(index: Lookup) -> dict[str, list[View]]:
    """Cell address -> marks; the cell's own value first, then comparisons in the order of the claims."""
    marks: dict[str, list[View]] = defaultdict(list)
    for claim in sorted(index.audit.claims, key=lambda it: not kind_words(it).is_value):
        status, first = status_of(index.verdicts[claim.id]), index.same_claims.get(claim.id)
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
        none = "No other paper was at hand when this audit was made."
        if beside:
            none = f"None of the {plural(len(beside), 'other paper')} at hand prints a number of this one."
        return View(summary=none, tables=())
    papers = sorted({it.paper for row in rows for it in row.prints} - {index.audit.paper.key})
    differing = sum(row.differ for row in rows)
    sized = sum(row.differ_on_one_size for row in rows if row.differ)  # no copies, one number of documents
    others = f" ({listed(papers)})" if papers else ""
    said = f"{plural(len(rows), 'number')} that other papers print too{others}"
    verb = "differs" if differing == 1 else "differ"
    same = "none" if not sized else "all" if sized == differing else numbers.count(sized)
    told = (
        f"{numbers.count(differing)} {verb} by more than rounding, {same} of these on test sets of one size."
    )
    if not differing:
        told = "none differs from another by more than rounding."
    collections = grouped(rows, lambda it: it.collection)
    tables = [_across_table(name, own, index) for name, own in collections.items()]
    return View(summary=f"{said}; {told}", tables=sorted(tables, key=lambda it: not it.ours))


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
    seen: dict[tuple[str, str], View] = {}
    for it in printed:
        origins = {"unknown": "source not said", "code_readme": "from its README", "stated": "stated"}
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

#: Name in `DataInfo.counts`, after the split -> what it counts; shares as percent.
_OF_SPLIT: Mapping[str, str] = {
    "documents": "documents",
    "unlabelled_dropped": "without labels, dropped",
    "unlabelled_kept": "without labels, kept",
    "empty_texts": "texts without words",
    "empty_documents": "with neither labels nor features",
    "duplicate_labels": "repeated labels, counted once",
    "repeated_labels": "repeated labels, counted once",
    "zero_values": "features of value 0, left out",
    "mean_words": "words a document, before any cut",
    "mean_features": "features a document",
    "truncated_share": "documents cut",
    "unknown_word_share": "words that the vocabulary lacks",
    "unknown_label_share": "labels that training lacks",
}
#: Names in `DataInfo.counts` of the whole corpus.
_OF_ALL: Mapping[str, str] = {
    "vocabulary": "words of the vocabulary",
    "vectors.words_found_share": "of these with a word vector",
    "vectors.text_found_share": "of the training text with a word vector",
    "labels.not_in_train": "labels without a training document",
    "labels.test_not_in_train": "labels of test documents without a training document",
    "rows_not_used": "rows in neither train nor test",
    "split.column": "split column, from 0",
}


def data_blocks(index: Lookup) -> list[View]:
    """In the order of the experiments that were run on them here."""
    groups: dict[tuple[str, ...], list[tuple[ExperimentRecord, DataSheet]]] = {}
    for it in index.audit.experiments:
        if (sheet := it.data) is not None and any(not run.imported for run in it.runs):
            key = (sheet.content, sheet.partition, sheet.corpus, sheet.recognised)
            groups.setdefault(key, []).append((it, sheet))
    return [_data_block(pairs) for pairs in groups.values()]


def _data_block(pairs: Sequence[tuple[ExperimentRecord, DataSheet]]) -> View:
    sheet = pairs[0][1]
    sheets = {(it.dataset or experiment.dataset, experiment.scope): it for experiment, it in pairs}
    prepared: dict[str, list[DataInfo]] = {}  # one for each experiment on them
    for experiment, _ in pairs:
        for info in {run.data.fingerprint: run.data for run in experiment.runs if not run.imported}.values():
            prepared.setdefault(info.fingerprint, []).append(info)
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
        comparisons=[_compared(*of, it.statistics) for of, it in sheets.items()],
        statistics=list(_statistics([it.statistics for it in sheets.values()])),
        preparations=[_preparation(infos[-1], len(infos)) for infos in prepared.values()],
    )


def _compared(dataset: str, scope: Scope, statistics: Sequence[DataStatistic]) -> str:
    """What differs, or that nothing does: `EUR-Lex (stand-in data): printed 5.30 labels, here 5.14.`"""
    said = "; ".join(f"printed {it.printed} {it.name}, here {it.here}" for it in statistics if it.differs)
    if not said:
        known = any(it.printed is not None and it.here is not None for it in statistics)
        said = "all that is printed and counted agrees" if known else "nothing is printed that was counted"
    return f"{dataset} ({SCOPE_WORDS[scope]}): {said}."


def _statistics(
    sheets: Sequence[Sequence[DataStatistic]],
) -> Iterator[tuple[str, str, list[tuple[str, bool]]]]:
    """Name, the number here with the most places that any data set prints, and what each prints."""
    by_name = [{it.name: it for it in sheet} for sheet in sheets]
    for name in dict.fromkeys(name for own in by_name for name in own):
        known = [own.get(name) for own in by_name]
        here = max((it.here or "" for it in known if it), key=len)
        printed = [((it and it.printed) or numbers.ABSENT, bool(it and it.differs)) for it in known]
        yield name, here or numbers.ABSENT, printed


def _preparation(info: DataInfo, experiments: int) -> View:
    """What was counted; a rule that never acted has no row."""
    counts = info.counts
    splits = [it for it in ("train", "test", "dev") if any(name.startswith(f"{it}.") for name in counts)]
    rows = []
    for what, noun in _OF_SPLIT.items():
        values = [counts.get(f"{split}.{what}") for split in splits]
        if any(values) or (what == "documents" and any(it is not None for it in values)):
            rows.append((noun, [_counted(what, it) for it in values]))
    made = plural(experiments, "experiment")
    return View(
        title=f"Recipe “{info.recipe}”, {made}, fingerprint {info.fingerprint[:12]}",
        splits=splits,
        rows=rows,
        facts=[(noun, _counted(name, counts[name])) for name, noun in _OF_ALL.items() if name in counts],
        notes=info.notes,
    )


def _counted(name: str, value: float | None) -> str:
    """A count, a mean or a share: `truncated_share`, 0.4321 -> `43.2%`."""
    if value is None:
        return numbers.ABSENT
    if name.endswith("_share"):
        return f"{numbers.points(100 * value, decimals=1)}%"
    return numbers.points(value, decimals=1) if name.startswith("mean_") else numbers.count(round(value))
