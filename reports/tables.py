"""The paper’s tables drawn again, what other papers print, frequent and rare labels, and the data."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from statistics import fmean, stdev

from audit.record import DataInfo, DataSheet, ExperimentRecord, SplitNoise, SplitStudy, SplitVerdict
from reports import numbers
from reports import sentences as words
from reports.findings import anchors_of, check_title
from reports.lookup import Lookup, Place
from reports.svg import Bounds, Row, forest
from reports.text import View, grouped, joined, listed, plural, unique_slugs

SAME = "same runs as"

# --------------------------------------------------------------------------- the paper's tables


def table_views(index: Lookup) -> list[View]:
    """All tables of the audit; in each cell what is printed, the marks of its claims, and ours."""
    marks, wrong = _verdict_marks(index), _finding_marks(index)
    # cell address -> the claim about the cell's own value, whose verdict tells the seeds of its look
    values = (
        claim for claim in index.audit.claims if words.kind_words(claim).is_value and len(claim.cells) == 1
    )
    judged = {claim.cells[0]: claim for claim in values if index.verdicts[claim.id].ci95}
    anchors = unique_slugs("table", [table.id for table in index.audit.tables])

    def cell_view(place: Place) -> View:
        cell, claim = place.cell, judged.get(place.cell.address)
        repeated = _repeated(place, index)
        verdict = index.verdicts[claim.id] if claim else None
        known = () if repeated else measured(place, index)
        shown = (verdict.values[0] if verdict and verdict.values else known) if known else ()
        record = index.experiments.get(cell.experiment or "")
        sd = stdev(shown) if len(shown) > 1 else None
        span = numbers.interval(verdict.ci95, beside=words.edges(claim, verdict)) if claim and verdict else ""
        dagger = "" if record is None or record.scope == "same_data" else " †"
        return View(
            cell=cell,
            anchor=place.anchor,
            marks=marks.get(cell.address, ()),
            ours=numbers.mean_sd(fmean(shown), sd) + dagger if shown else "",
            n=f"n = {len(shown)}" if shown else "",
            interval=span,
            level=words.coverage(verdict)[1] if verdict else "",
            repeated=repeated,
            findings=wrong.get(cell.address, ()),
            scope=record.scope if record and shown else "same_data",
        )

    views = []
    for table in index.audit.tables:
        rows = [
            (row.label, [cell_view(index.places[cell.address]) for cell in row.cells[: len(table.columns)]])
            for row in table.rows
        ]
        scopes = {cell.scope for _, cells in rows for cell in cells}
        views.append(View(table=table, anchor=anchors[table.id], rows=rows, scopes=scopes))
    return views


def _finding_marks(index: Lookup) -> dict[str, list[tuple[str, str]]]:
    """Cell address -> label and link of its inconsistent findings; each once a cell."""
    marks: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for finding, anchor in zip(index.audit.findings, anchors_of(index.audit.findings), strict=True):
        # a finding with a claim is about a sentence, not its cells
        if finding.result == "inconsistent" and finding.claim is None:
            for address in dict.fromkeys(finding.cells):
                marks[address].append((f"Inconsistent: {check_title(finding.check)}", f"#{anchor}"))
    return marks


def _verdict_marks(index: Lookup) -> dict[str, list[View]]:
    """Cell address -> marks; the cell's own value first, then comparisons in the order of the claims."""
    marks: dict[str, list[View]] = defaultdict(list)
    for claim in sorted(index.audit.claims, key=lambda claim: not words.kind_words(claim).is_value):
        status, first = index.status(claim), index.same_claims.get(claim.id)
        title = index.claim_title(claim)
        title += "" if claim.metric else f" ({words.subject_of(claim)})"  # a metric heads the column
        how = "" if first is None else " on stand-in data, on the same runs as"
        mark = View(
            status=status,
            label=f"{words.STATUS_WORDS[status]}{how}: {title}",
            href=f"#{index.anchors[first or claim.id]}",
            small=not words.kind_words(claim).is_value,
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
    for other in index.places.values():
        if other.cell.experiment == first and other.metric == metric and other.cell.source != "copied":
            return f"{SAME} {index.title(first)}", f"#{other.anchor}"
    return None


def measured(place: Place, index: Lookup) -> tuple[float, ...]:
    """The cell's metric of every finished run of its experiment; nothing for copied cells."""
    cell, metric = place.cell, place.metric
    if cell.experiment is None or metric is None or cell.source == "copied":
        return ()
    runs = index.runs(cell.experiment)
    return tuple(run.metrics[metric] for run in runs if run.status == "done" and metric in run.metrics)


# --------------------------------------------------------------------------- the data


def data_blocks(index: Lookup) -> list[View]:
    """Each corpus once, in the order of the experiments that were run on it here."""

    def corpus(pair: tuple[ExperimentRecord, DataSheet]) -> tuple[object, ...]:
        sheet = pair[1]
        return sheet.content, sheet.partition, sheet.corpus, sheet.recognised

    ours = [it for it in index.run_experiments if not all(run.imported for run in it.runs)]
    used = [(experiment, experiment.data) for experiment in ours if experiment.data]
    return [_data_block(pairs) for pairs in grouped(used, corpus).values()]


def _data_block(pairs: Sequence[tuple[ExperimentRecord, DataSheet]]) -> View:
    """Statistics: the number here with the most places that any data set prints, and what each prints."""
    sheet = pairs[0][1]
    sheets = {(sheet.dataset or experiment.dataset, experiment.scope): sheet for experiment, sheet in pairs}
    prepared: dict[str, list[DataInfo]] = {}  # one for each experiment on them
    for experiment, _ in pairs:
        for info in {run.data.fingerprint: run.data for run in experiment.runs if not run.imported}.values():
            prepared.setdefault(info.fingerprint, []).append(info)
    by_name = [{entry.name: entry for entry in own.statistics} for own in sheets.values()]
    statistics, comparisons = [], []
    for name in dict.fromkeys(name for own in by_name for name in own):
        known = [own.get(name) for own in by_name]
        here = max((entry.here or "" for entry in known if entry), key=len)
        printed = [((it and it.printed) or numbers.ABSENT, bool(it and it.differs)) for it in known]
        statistics.append((name, here or numbers.ABSENT, printed))
    for (dataset, scope), of in sheets.items():
        differing = (entry for entry in of.statistics if entry.differs)
        said = "; ".join(f"printed {entry.printed} {entry.name}, here {entry.here}" for entry in differing)
        counted = any(None not in (entry.printed, entry.here) for entry in of.statistics)
        prints = "all printed statistics that were counted agree"
        same = prints if counted else "the paper prints none of the counted statistics"
        comparisons.append(f"{dataset} ({words.SCOPE_WORDS[scope]}): {said or same}.")
    names = ("content, in this order", "in any order", "in any order and split")
    hashes = zip(names, (sheet.content, sheet.partition, sheet.corpus), strict=True)
    return View(
        corpus=listed(list(dict.fromkeys(infos[-1].name for infos in prepared.values()))),
        recognised=sheet.recognised,
        hashes=[digest for digest in hashes if digest[1]],
        datasets=list(sheets),
        comparisons=comparisons,
        statistics=statistics,
        preparations=[_preparation(infos[-1], len(infos)) for infos in prepared.values()],
    )


def _preparation(info: DataInfo, experiments: int) -> View:
    """What was counted; a rule that never acted is left out."""
    recipe = f"Recipe “{info.recipe}”, {plural(experiments, 'experiment')}"
    title = f"{recipe}, fingerprint {info.fingerprint[:12]}"
    names = words.TEXTS["counted"]
    counted = []
    for name, value in info.counts.items():
        split, _, what = name.partition(".")
        plain = names.get(what, what.replace("_", " "))
        said = names.get(name) or joined(plain, f"({split})" if what else split)
        share = f"{numbers.points(100 * value, decimals=1)}%" if name.endswith("_share") else f"{value:,.6g}"
        counted += [(said, share)] if value or what == "documents" else []
    return View(title=title, counted=counted, notes=info.notes)


# --------------------------------------------------------------------------- split columns


def splits_because(of: SplitVerdict, *, mean: bool) -> str:
    """Its reason in words; of the mean over the columns, or of one split."""
    return words.TEXTS["splits"]["mean" if mean else "one"].get(of.reason) or words.reason(of.reason)


def p_values(of: SplitVerdict) -> str:
    """`p (reproduced) 0.998, p (contradicted) 0.013`; empty where nothing was tested."""
    if of.p_reproduced is None or of.p_contradicted is None:
        return ""
    reproduced, contradicted = numbers.p_value(of.p_reproduced), numbers.p_value(of.p_contradicted)
    return f"p (reproduced) {reproduced}, p (contradicted) {contradicted}"


def _printed_in(bounds: Bounds | None, printed: str | None, *, missing: str) -> str:
    """`58.06 to 77.94; 80.00 is 2.06 above`; `missing` says why there is no interval."""
    if bounds is None:
        return f"not known: {missing}"
    value = _number(printed)
    if value is None:
        return numbers.interval(bounds)
    shown = numbers.interval(bounds, beside=(float(value),))
    half = Decimal(1).scaleb(int(value.as_tuple().exponent)) / 2  # the number before it was rounded
    above, below = float(value - half) - bounds[1], bounds[0] - float(value + half)
    if max(above, below) <= 1e-9:
        return f"{shown}; {printed} is inside"
    end, side = (bounds[1], "above") if above > below else (bounds[0], "below")
    return f"{shown}; {printed} is {numbers.points(abs(float(value) - end))} {side}"


def as_one_split(noise: SplitNoise) -> str:
    """The printed number as one run on one unknown split."""
    return _printed_in(noise.pi95_column, noise.printed, missing="only one column was run")


def as_mean(noise: SplitNoise) -> str:
    """The printed number as the mean over these splits; one column is no mean."""
    if len(noise.columns) < 2:
        return "not known: only one column was run"
    return _printed_in(noise.pi95_mean, noise.printed, missing="no column was run with two seeds")


def _number(printed: str | None) -> Decimal | None:
    """A printed number; None for a dash or what is none."""
    try:
        value = Decimal(printed) if printed else None
    except InvalidOperation:
        return None
    return value if value is not None and value.is_finite() else None


def splits_of_claim(study: SplitStudy | None, claim: str) -> str:
    """How the printed number came out under both readings of the split; empty where nothing is judged."""
    of = next((row for row in study.noise if row.claim == claim), None) if study else None
    if of is None or not (of.as_one_split or of.as_mean):
        return ""
    both = joined(
        of.as_one_split and f"one unknown column: {of.as_one_split.outcome}",
        of.as_mean and f"mean of {of.as_mean.n}: {of.as_mean.outcome}",
        by="; ",
    )
    return f"{of.metric} under each reading of the split: {both}."


def default_specification(study: SplitStudy) -> tuple[str, ...]:
    """That the columns were run under one reading of what else the paper leaves open."""
    several = [row.readings_declared for row in study.noise if row.claim and row.readings_declared > 1]
    said = "The columns were run under the default reading of the other open choices, one of up to "
    return (f"{said}{max(several)}; other readings may give other verdicts.",) if several else ()


def _not_run(study: SplitStudy) -> list[str]:
    """Runs that failed, and experiments of one column only, which says nothing of splits."""
    number = len({row.experiment for row in study.noise if row.attempts < 2})
    were = "was" if number == 1 else "were"
    said = [f"{plural(study.failed, 'run')} failed."] if study.failed else []
    said += [f"{plural(number, 'experiment')} {were} run on one column only."] if number else []
    return said


def shown(study: SplitStudy) -> list[SplitNoise]:
    """Metrics that are printed or usual, of the same runs once, if on several columns; the record has all."""
    of_runs = {study.runs.get(row.experiment): row.experiment for row in reversed(study.noise)}
    printed = [row for row in study.noise if row.printed is not None]
    of_runs |= {study.runs.get(row.experiment): row.experiment for row in printed}
    usual = [row for row in study.noise if row.metric in ("P@1", "P@3", "P@5")]
    usual = [row for row in usual if of_runs[study.runs.get(row.experiment)] == row.experiment]
    return [row for row in study.noise if row.attempts > 1 and (row in printed or row in usual)]


# --------------------------------------------------------------------------- on a terminal


def split_table(study: SplitStudy) -> str:
    """A line for each metric that is printed or usual; printed numbers under both readings."""
    noise = shown(study)
    head = ("", "metric", "mean", "SD columns", "SD seeds", "SD split")
    rows: list[tuple[str, ...]] = [(*head, "one unknown split", "mean of these", "printed")]
    for of in noise:
        # no end is rounded across the printed number
        mark = (float(of.printed),) if of.printed and _number(of.printed) else ()
        known = map(numbers.points, (of.mean, of.sd_columns, of.sd_seeds, of.sd_split))
        spans = (numbers.interval(span, beside=mark) for span in (of.pi95_column, of.pi95_mean))
        rows.append((of.experiment, of.metric, *known, *spans, of.printed or numbers.ABSENT))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows] + [""]
    if judged := [row for row in noise if row.as_one_split]:
        lines.append("printed numbers under each reading of the split, each alone at the full level:")
        for row in judged:
            lines.append(f"{row.experiment} {row.metric}, printed {row.printed}")
            sides = {"one unknown split": row.as_one_split, f"mean of these {len(row.columns)}": row.as_mean}
            for name, side in sides.items():
                if side is not None:
                    because = joined(splits_because(side, mean=side is row.as_mean), p_values(side), by="; ")
                    lines.append(f"  {name}: {side.outcome} ({because})")
        lines.append("")
    if lacking := dict.fromkeys(f"{row.experiment}{tried}" for row in noise if (tried := _tried(row))):
        lines.append(f"not on every column: {', '.join(lacking)}")
    return "\n".join([*lines, *_not_run(study), *default_specification(study), *study.left_out]).rstrip()


def _values(noise: SplitNoise) -> str:
    """`svm P@1  columns 0: 69.07, 1: 68.10; seeds on column 0: 0: 69.07, 1: 69.07`"""

    def pairs(names: Sequence[int], values: Sequence[float]) -> str:
        return ", ".join(f"{k}: {numbers.points(value)}" for k, value in zip(names, values, strict=True))

    columns = f"columns {pairs(noise.columns, noise.values)}{_tried(noise)}"
    seeds = f"; seeds on column {noise.column}: {pairs(noise.seeds, noise.seed_values)}"
    return f"{noise.experiment} {noise.metric}  {columns}{seeds if len(noise.seeds) > 1 else ''}"


def _tried(noise: SplitNoise) -> str:
    number = len(noise.columns)
    return f" ({number} of {noise.attempts} columns)" if number < noise.attempts else ""


def split_section(index: Lookup) -> View | None:
    """None where the audit is of no split column, or nothing was measured."""
    study = index.audit.splits
    noise = shown(study) if study is not None else []
    if study is None or not noise:
        return None
    missing = _not_run(study)
    if short := dict.fromkeys(row.experiment for row in study.noise if len(row.columns) < row.attempts):
        missing.append(f"Not every column has a value of {listed(list(short))}.")
    plots = []
    for name, own in grouped(noise, lambda row: index.title(row.experiment)).items():
        printed = ((row, _number(row.printed)) for row in own)
        rows = [_plot_row(row, float(number)) for row, number in printed if number is not None]
        said = f"{name}: runs on each column, measured from the printed number"
        plots.append((said, forest(rows, "ours − printed, points", said, zero=0.0).svg()))
    return View(
        title=f"{plural(max(len(row.columns) for row in study.noise), 'split column')} of “{study.corpus}”",
        noise=[(row, index.title(row.experiment), index.anchors.get(row.claim or "", "")) for row in noise],
        values_of=[_values(row) for row in noise],
        plots=[plot for plot in plots if plot[1]],
        default=default_specification(study),
        missing=[*missing, *study.left_out],
        command=study.command,
    )


def _plot_row(noise: SplitNoise, printed: float) -> Row:
    """Thin: 95% of means over these splits; dotted: of single runs on one more; dots: columns."""

    spans = (noise.pi95_mean, noise.pi95_column)
    outer, single = (span and (span[0] - printed, span[1] - printed) for span in spans)
    dots = tuple(value - printed for value in noise.values)
    return Row(noise.metric, estimate=noise.mean - printed, outer=outer, prediction=single, dots=dots)
