"""The claims on the page: a card each, the groups of cards, the headlines, the margin slider."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import count, groupby

from audit.record import (
    Audit,
    ClaimRecord,
    ExperimentRecord,
    InstanceEvidence,
    Margin,
    ReadingVerdict,
    Run,
    Scope,
    SplitNoise,
    Verdict,
)
from reports import numbers
from reports import sentences as words
from reports.curves import curve_of, specification_curve
from reports.lookup import Lookup, by_claim
from reports.rerun import command_of
from reports.splits import splits_of_claim
from reports.svg import interval_plot, intervals_of
from reports.tables import mean_and_sd
from reports.text import View, capital, joined, listed, plural, unique_slugs
from reports.verdicts import (
    brief,
    chance,
    claim_title,
    coverage,
    edges,
    few_words,
    hangs_on,
    margin_band,
    medians_of,
    no_plot,
    open_choice,
    open_in,
    over_metrics,
    power,
    reading_because,
    reading_name,
    seeds_text,
    sentence,
    subject_of,
    times,
    to_settle,
    to_settle_short,
    unrun,
)

#: A term, its text, and where it leads; empty where nowhere.
Fact = tuple[str, str, str]

ON_STAND_IN = "On stand-in data: what holds there may not hold on the paper’s own"
STAND_IN_NOTE = (
    "Another corpus was run in place of the paper’s. A verdict here is about that corpus, and settles "
    "nothing that is printed for the paper’s own."
)
_AGAIN_NOTE = (
    "Claims about other data sets for which the same corpus was run. Each rests on the very runs of the "
    "claim that its line leads to, and adds no evidence."
)
_CURVES = {
    "one_at_a_time": (
        "One change at a time: the default reading of what the paper leaves open, and each reading that "
        "departs from it in one point; no two changes were made together."
    ),
    "full": "Readings of what the paper leaves open: every combination of the declared choices.",
}
_CURVE_NOTE = (
    "By size, a disc where the claim is reproduced, a cross where it is contradicted, a ring where "
    "it is open; below, the choices that each reading makes. The dotted stem marks the default reading. The "
    "claim is decided only where all readings agree."
)
#: Up to so many characters all plots of a page are drawn; on a larger page, so many of the most important.
ALL_PLOTS, PLOTS_OF_A_LARGE_PAGE = 400_000, 100_000
#: Up to so many characters all commands of a page stand in full.
WHOLE_COMMANDS = 60_000


# --------------------------------------------------------------------------- one card


def card(claim: ClaimRecord, index: Lookup) -> View:
    """The card of one claim; a claim without a verdict is shown as not tested.

    Of a claim that has the runs of another one no more than its verdict, and where the runs are told.
    """
    verdict = index.verdicts.get(claim.id)
    status = words.status_of(verdict)
    made = View(
        anchor=index.anchors[claim.id],
        claim=claim.claim,
        status=status,
        word=words.STATUS_WORDS[status],
        reason=unrun(verdict, index.quoted(claim))
        or few_words(verdict)
        or words.reason(verdict.reason if verdict else "not_run"),
        title=claim_title(claim, index.names(claim)),
        kind=words.KIND_WORDS.get(claim.kind, claim.kind),
        kind_key=claim.kind,
        dataset=claim.dataset,
        scope=words.RUN_ON[verdict.scope] if verdict and verdict.scope else "",
        on=verdict.scope if verdict else None,
        metric=subject_of(claim),
        primary=claim.primary,
        band=band_of(claim, verdict),
        open=False,
        plot="",
        command="",
        same=None,
    )
    if first := index.same_claims.get(claim.id):
        told = next(it for it in index.audit.claims if it.id == first)
        title = claim_title(told, index.names(told))
        paper = claim.printed[0] if claim.kind == "value" and claim.printed else ""
        return made.but(
            numbers=_paper_and_here(paper, ""), same=View(title=title, href=f"#{index.anchors[first]}")
        )
    two = _two_numbers(claim, verdict)
    shown = intervals_of(claim, verdict, index.names(claim))
    plot = interval_plot(shown, name=capital(two) or "Intervals and seeds") if shown else ""
    badges = verdict.badges if verdict else ()
    return made.but(
        numbers=two,
        open=status == "contradicted",
        sentence=sentence(claim, index),
        badges=badges[:6],
        further=badges[6:],  # as of a claim over dozens of experiments that were not run
        facts=list(_facts(claim, verdict, index)),
        plot=plot,
        no_plot="" if plot else no_plot(claim, verdict),
        parts=[(_part_says(it.says, it.experiments, index), it) for it in verdict.parts] if verdict else (),
        strips=list(_strips(claim, verdict, index)),
        splits=splits_of_claim(index.audit.splits, claim.id),
        readings=_readings(claim, verdict, index),
        command=command_of(claim, index),
    )


def _paper_and_here(printed: str, ours: str) -> str:
    """The two numbers of a row; empty where there are none."""
    return joined(printed and f"paper {printed}", ours and f"here {ours}", by=", ")


def _two_numbers(claim: ClaimRecord, verdict: Verdict | None) -> str:
    """The printed and ours, in the terminal's signs; on other data ours stands beside no printed number."""
    printed = claim.printed[0] if claim.kind == "value" and claim.printed else ""
    if verdict is None:
        return _paper_and_here(printed, "")
    marks, estimate = edges(claim, verdict), verdict.estimate
    number = numbers.points(estimate, beside=marks)
    stand_in = verdict.scope == "other_data"
    if claim.kind == "convergence":
        medians = " / ".join(medians_of(verdict))
        return _paper_and_here("", medians and f"epochs {medians}")
    if claim.kind in ("cost", "complexity") and estimate is not None:
        return _paper_and_here("", times(number) if claim.kind == "cost" else power(number))
    ours = ""
    if claim.kind == "value":
        ours = numbers.mean_sd(estimate, verdict.sd, beside=marks)
    elif claim.kind in words.DIFFERENCES:
        printed = "" if verdict.target is None or stand_in else numbers.signed(verdict.target)
        ours = numbers.signed(estimate, beside=marks)
    hidden = estimate is None or (stand_in and claim.kind in words.PRINTED_KINDS)
    return _paper_and_here(printed, "" if hidden else ours)


def _part_says(says: str, experiments: Sequence[str], index: Lookup) -> str:
    """The comparison with the titles of its experiments instead of their ids."""
    by_id = " > ".join(experiments)
    if not by_id or not says.endswith(by_id):
        return says
    return says.removesuffix(by_id) + " > ".join(f"“{index.title(key)}”" for key in experiments)


def _facts(claim: ClaimRecord, verdict: Verdict | None, index: Lookup) -> Iterator[Fact]:
    """Where the paper says it, how the verdict came about, what would settle it, and what stands beside."""
    yield from _places(claim, index)
    yield from _to_reach(claim, index)
    if verdict is not None:
        yield from _derivation(claim, verdict)
    if settling := index.audit.settling.get(claim.id):
        yield "To settle it", to_settle(settling, words.judged_on(verdict), verdict), ""
    if evidence := index.audit.instances.get(claim.id):
        yield from _documents(evidence)
    if words.status_of(verdict) != "not_tested":
        yield from _others_on_its_data(claim, index)
        yield from _over_columns(claim, index)


def where_text(claim: ClaimRecord) -> str:
    """`section 3.2, page 1991`; empty where the claim file does not say."""
    section, page = claim.where.section, claim.where.page
    return joined(
        section and f"section {section}",
        claim.where.label,
        None if page is None else f"page {page}",
        by=", ",
    )


def _places(claim: ClaimRecord, index: Lookup) -> Iterator[Fact]:
    """Where the paper says it, and the printed cells it is about."""
    if where := where_text(claim):
        yield "Said in", where, ""
    for k, address in enumerate(claim.cells):
        place = index.places.get(address)
        own = place.cell.printed if place else None
        printed = claim.printed[k] if k < len(claim.printed) else own or numbers.ABSENT
        if place and claim.kind != "dominance" and own not in (None, printed):
            printed = f"{own}, which is {printed} %"
        named = address
        if place:  # the link leads to the cell, which needs no name where the claim is about few
            several = len(claim.cells) > 2 or place.metric != claim.metric
            cell = f": {place.row.label}, {place.column.label}" if several else ""
            named = f"{place.table.label}{cell}"
        yield "Printed", f"{printed} ({named})", f"#{place.anchor}" if place else ""


def _to_reach(claim: ClaimRecord, index: Lookup) -> Iterator[Fact]:
    """The score of a convergence claim, beside the lowest that the paper prints for one of its arms."""
    target = claim.details.get("target") if claim.kind == "convergence" else None
    if target is None:
        return
    text = f"{numbers.points(float(target))} {claim.metric} on held-out documents, as the claim file fixes it"
    about = (
        it.cell.printed
        for it in index.places.values()
        if it.cell.experiment in claim.experiments and it.metric == claim.metric
    )
    scores = [it for it in about if it and re.fullmatch(r"\d{1,3}(?:\.\d+)?", it) and float(it) >= target]
    if scores and float(lowest := min(scores, key=float)) > 0:
        text += f": {100 * target / float(lowest):.0f}% of the lowest printed, {lowest}"
    yield "To be reached", text, ""


def _derivation(claim: ClaimRecord, verdict: Verdict) -> Iterator[Fact]:
    """The numbers of the verdict; what is absent is left out, and the seeds are listed one by one."""
    marks, (inner, outer) = edges(claim, verdict), coverage(verdict)
    default = next((it for it in verdict.readings if not it.reading), None)
    number = len(verdict.readings)
    if default:
        yield "Shown here", f"the default of {number} readings, by itself {default.outcome}", ""
    if verdict.estimate is not None:
        yield _estimate(claim, verdict, marks)
    spans = (
        (f"{inner}% interval", verdict.ci90),
        (f"{outer}% interval", verdict.ci95),
        (f"One paper run ({outer}%)", verdict.pi95),
    )
    for term, bounds in spans:
        if bounds is not None:
            yield term, numbers.interval(bounds, beside=marks), ""
    if verdict.margin is not None:
        yield "Margin", _margin(claim, verdict.margin), ""
    if band := margin_band(verdict):
        over = f", all {number} readings" if number > 1 else ""
        yield f"Margin band{over}, taken alone", band, ""
    yield from ((term, text, "") for term, text in hangs_on(claim, verdict))
    if default:  # of the reading that is shown, and the largest over all, by which the claim is judged
        yield from _p_values(default, verdict.level, ", as shown")
    over = f", largest of {number} readings" if default and number > 1 else ""
    yield from _p_values(verdict, verdict.level, over)


def _estimate(claim: ClaimRecord, verdict: Verdict, marks: tuple[float, ...]) -> Fact:
    if claim.kind == "value":
        term = "Mean" if verdict.sd is None else "Mean ± sd"
        return term, numbers.mean_sd(verdict.estimate, verdict.sd, beside=marks), ""
    if claim.kind in ("cost", "complexity"):
        term = "Ratio" if claim.kind == "cost" else "Exponent"
        return term, numbers.points(verdict.estimate, beside=marks), ""
    printed = "" if verdict.target is None else f" (printed {numbers.signed(verdict.target)})"
    return "Difference", numbers.signed(verdict.estimate, beside=marks) + printed, ""


def _margin(claim: ClaimRecord, size: float) -> str:
    """The margin with the rule that fixed it; the reasons are listed once for all claims."""
    if claim.kind == "complexity":
        return f"{numbers.margin_size(size)} of the exponent, as logarithmic factors need it"
    text = f"{numbers.margin_size(size)} points"
    if claim.margin is None:
        return text
    if size > claim.margin.value:  # the size of a large gap is not asked for more closely than that
        text += f" (half of the printed difference; fixed was {numbers.margin_size(claim.margin.value)})"
    return f"{text}, rule “{claim.margin.rule}”"


def _p_values(it: Verdict | ReadingVerdict, level: float, label: str) -> Iterator[Fact]:
    for term, raw, adjusted in (
        ("p (reproduced)", it.p_reproduced, it.p_reproduced_adjusted),
        ("p (contradicted)", it.p_contradicted, it.p_contradicted_adjusted),
    ):
        if raw is not None or adjusted is not None:
            more = "" if adjusted is None else f", adjusted {numbers.p_value(adjusted, levels=(level,))}"
            yield f"{term}{label}", numbers.p_value(raw, levels=(level,)) + more, ""


def _documents(it: InstanceEvidence) -> Iterator[Fact]:
    """What single documents say, beside the verdict: nothing of reproduced or contradicted."""
    size = f"{numbers.signed(it.difference)} points"
    texts = f" ({numbers.count(it.texts)} different texts)" if it.texts < it.documents else ""
    if it.these is not None:
        bounds = numbers.interval(it.these.ci95)
        yield "For these documents", f"{size}, 95% interval {bounds}: seeds alone vary", ""
    if it.new is not None:
        drawn = (
            f"; drawing documents alone anew gives {numbers.interval(it.bootstrap)}" if it.bootstrap else ""
        )
        sample = f"the {plural(it.documents, 'test document')}{texts} are a sample too{drawn}"
        yield "For new documents", f"{size}, 95% interval {numbers.interval(it.new.ci95)}: {sample}", ""
    pairs = (
        f"seeds {pair.seeds[0]} and {pair.seeds[1]}: {pair.first_only} to {pair.second_only}, "
        f"p {numbers.p_value(pair.p)}"
        for pair in it.pairs
    )
    if said := "; ".join(pairs):
        yield "McNemar", f"documents that only one side gets right, {said}", ""


def _others_on_its_data(claim: ClaimRecord, index: Lookup) -> Iterator[Fact]:
    """Means of other models by its metric on the very documents of its runs: the linear, then the best."""
    own = index.records(claim)
    documents = {digest for it in own for digest in _documents_of(it)}
    if not claim.metric or len(documents) != 1:
        return
    models = {it.model for it in own}
    others = []
    for it in index.audit.experiments:
        again = it.reading_of or it.id in index.same_experiments
        if it.runs and not again and it.model not in models and _documents_of(it) == documents:
            done = (run for run in it.runs if run.status == "done")
            if values := [run.metrics[claim.metric] for run in done if claim.metric in run.metrics]:
                others.append((it, values, mean_and_sd(values)[0]))
    anchors = settings_anchors(index)
    for it, values, mean in sorted(others, key=lambda other: (other[0].model != "linear", -other[2]))[:3]:
        how, also = _tuned(it, own), ""
        if noise := _noise(it.id, claim.metric, index):
            also = f"; {numbers.points(noise.mean)} is its mean over {len(noise.columns)} split columns"
        text = (
            f"“{index.title(it.id)}”{f', {how},' if how else ''} reaches {numbers.points(mean)} "
            f"{claim.metric} ({plural(len(values), 'seed')}){also}"
        )
        yield "On the same data", text, f"#{anchors[it.id]}"


def _documents_of(it: ExperimentRecord) -> set[str]:
    """Digests of what its runs were trained and tested on; of the documents alone where they are known."""
    if not it.runs:
        return set()
    return {it.data.content} if it.data else {run.data.fingerprint for run in it.runs}


def _tuned(it: ExperimentRecord, own: Sequence[ExperimentRecord]) -> str:
    """How its settings were found, as far as that tells whether the comparison is fair."""
    if it.study is None:
        return "not tuned" if any(other.study for other in own) else ""
    same = all(other.study and other.study.validation == it.study.validation for other in own)
    return "tuned on the same held-out documents" if same else "tuned"


def _over_columns(claim: ClaimRecord, index: Lookup) -> Iterator[Fact]:
    """The claim's experiments over all split columns of the corpus; nothing where one column was run."""
    noise = [it for name in claim.experiments if (it := _noise(name, claim.metric, index))]
    if not noise or len(noise) < len(claim.experiments):
        return
    sizes = {len(it.columns) for it in noise}
    over = f"{min(sizes)} columns" if len(sizes) == 1 else f"{min(sizes)} to {max(sizes)} columns"
    means = listed([f"“{index.title(it.experiment)}” {numbers.points(it.mean)}" for it in noise])
    yield "Over split columns", f"{'mean' if len(noise) == 1 else 'means'} over {over}: {means}", "#splits"


def _noise(experiment: str, metric: str, index: Lookup) -> SplitNoise | None:
    """Of several columns."""
    noise = index.audit.splits.noise if index.audit.splits else ()
    about = (it for it in noise if (it.experiment, it.metric) == (experiment, metric))
    return next((it for it in about if len(it.columns) > 1), None)


def settings_anchors(index: Lookup) -> dict[str, str]:
    """Experiment -> fragment of what was run; of one for which another's runs stand, that one's."""
    run = [it.id for it in index.audit.experiments if it.runs]
    anchors = unique_slugs("s", run)
    return {name: anchors[index.same_experiments.get(name, name)] for name in run}


# --------------------------------------------------------------------------- its seeds and readings

#: What a cost claim compares: of a run, and as text.
_Cost = tuple[Callable[[Run], float | None], Callable[[float], str]]
_COSTS: Mapping[str, _Cost] = {
    "training_time": (lambda run: run.seconds or None, numbers.duration),
    "prediction_time": (lambda run: run.prediction_seconds or None, numbers.duration),
    "parameters": (lambda run: run.parameters or None, lambda value: numbers.count(round(value))),
    "model_size": (lambda run: 4 * (run.parameters or 0) or None, lambda value: numbers.memory(round(value))),
}

_NO_COST: _Cost = (lambda run: None, numbers.points)


def seed_note(status: str, why: str | None) -> str:
    """Why a run has no value."""
    word = {"failed": "ended early", "interrupted": "interrupted"}.get(status, "no value of this metric")
    return f"{word}: {why}" if why else word


def _strips(claim: ClaimRecord, verdict: Verdict | None, index: Lookup) -> Iterator[View]:
    """Every seed of each experiment: those on record, then those that only the verdict knows.

    Then what is shown and was not judged: imported runs beside ours, or ours beside imported ones.
    """
    is_cost = claim.kind in ("cost", "complexity")
    cost, show = _COSTS.get(str(claim.details.get("quantity")), _NO_COST) if is_cost else _NO_COST

    def seed(run: Run, metric: str, anchor: str) -> tuple[str, str, str, str]:
        value = cost(run) if is_cost else run.metrics.get(metric)
        value = value if run.status == "done" else None
        note = seed_note(run.status, run.reason) if value is None else _reached(run, claim)
        return str(run.spec.seed), "" if value is None else show(value), note, anchor

    def strip(name: str, seeds: Sequence[tuple[str, str, str, str]]) -> View:
        """A seed is numbered where its number is not that of its place: lists count by themselves."""
        own = [("" if it[0] == str(k) else it[0], *it[1:]) for k, it in enumerate(seeds)]
        return View(name=name, seeds=own)

    metrics = {name: _metric_of(claim, name) for name in claim.experiments}
    for arm, experiment in enumerate(claim.experiments):
        metric, runs = metrics[experiment], index.runs(experiment)
        seeds = [seed(run, metric, index.run_anchors[run.key]) for run in runs]
        if verdict and arm < len(verdict.seeds) and arm < len(verdict.values):
            judged = zip(verdict.seeds[arm], verdict.values[arm], strict=False)
            recorded = {run.spec.seed for run in runs}
            seeds += [
                (str(number), show(value), "", "") for number, value in judged if number not in recorded
            ]
        name = index.title(experiment) + (f", {metric}" if metric != claim.metric else "")
        if claim.kind == "convergence" and any(value and note for _, value, note, _ in seeds):
            name += f": {metric} on test documents, and when the curve of held-out ones reached the score"
        if seeds:
            yield strip(name, seeds)
    for experiment, metric in metrics.items():
        record = index.experiments.get(experiment)
        if record and record.unjudged:
            runs = tuple(sorted(record.unjudged, key=lambda run: run.spec.seed))
            whose = "imported" if runs[0].imported else "run here"
            name = f"{index.title(experiment)}: {whose}, shown and not judged"
            yield strip(name, [seed(run, metric, "") for run in runs])


def _metric_of(claim: ClaimRecord, experiment: str) -> str:
    """The claim's metric; where it is about several, the first that the experiment is named for."""
    lines = claim.details.get("lines", ())
    named = (line["metric"] for line in lines if experiment in (line["winner"], *line["rivals"]))
    return claim.metric or next(named, "")


def _reached(run: Run, claim: ClaimRecord) -> str:
    """For convergence: the epoch at which the run reached the score that counts, on held-out documents."""
    target = claim.details.get("target") if claim.kind == "convergence" else None
    scored = [row for row in run.curve if claim.metric in row and "epoch" in row]
    if target is None or not scored:
        return ""
    score = f"{numbers.points(float(target))} held out"
    epoch = next((row["epoch"] for row in scored if row[claim.metric] >= target), None)
    if epoch is None:
        return f"{score} not reached in {round(scored[-1]['epoch'], 2):g} epochs"
    if epoch.is_integer():
        return f"{score} reached in epoch {epoch:g}"
    return f"{score} reached after {round(epoch, 2):g} epochs"


def _readings(claim: ClaimRecord, verdict: Verdict | None, index: Lookup) -> View | None:
    """None where nothing is open in the claim's experiments, or none but the default reading was run."""
    readings = index.audit.readings
    if verdict is None or readings is None or not verdict.readings:
        return None
    open_here, marks = open_in(claim, readings), edges(claim, verdict)
    difference = claim.kind in words.DIFFERENCES
    show = numbers.signed if difference else numbers.points
    rows = []
    for it in verdict.readings:
        status: words.Status = "not_tested" if it.reason in words.UNTESTED else it.outcome
        rows.append(
            (
                reading_name(it.reading),
                seeds_text(it.n) if it.n else numbers.ABSENT,
                show(it.estimate, beside=marks),
                numbers.interval(it.ci95, beside=marks),
                status,
                words.STATUS_WORDS[status],
                reading_because(it, claim, verdict),
            )
        )
    return View(
        curve=specification_curve(curve_of(claim, verdict, open_here, index.anchors[claim.id])),
        caption=f"{_CURVES[readings.limit]} {_CURVE_NOTE}",
        estimate="Difference" if difference else "Mean",
        interval=f"{coverage(verdict)[1]}% interval",
        rows=rows,
        open=[open_choice(it) for it in open_here],
    )


# --------------------------------------------------------------------------- the list of cards


def card_groups(cards: Sequence[View]) -> list[View]:
    """On the paper's own data, on stand-in data, on the same runs again, and what was not tested."""
    again = [it for it in cards if it.same]
    rest = [it for it in cards if not it.same]
    tested = [it for it in rest if it.status != "not_tested"]
    own = [it for it in tested if it.on != "other_data"]
    stand_in = [it for it in tested if it.on == "other_data"]
    places = {it.anchor: place for place, it in enumerate(cards)}
    heading = ""
    if stand_in or again:
        split = any(it.on == "other_split" for it in own)
        heading = "On the paper’s own data" + (", or another split of it" if split else "")

    def group(members: Sequence[View], anchor: str, word: str, **more: object) -> View:
        given = {"status": None, "folded": False, "data": "", "part": "", "note": "", **more}
        blocks = _blocks(members, places)
        return View(anchor=anchor, word=word, count=len(members), blocks=blocks, **given)

    def by_status(members: Sequence[View], suffix: str, data: str, part: str, note: str) -> Iterator[View]:
        for status in words.PRESSING:
            if own_cards := [it for it in members if it.status == status]:
                word, folded = words.STATUS_WORDS[status], status == "not_tested"
                about = {"status": status, "folded": folded, "data": data, "part": part, "note": note}
                yield group(own_cards, f"g-{status}{suffix}", word, **about)
                part = note = ""  # said once

    return [
        *by_status(own, "", "own" if heading else "", heading, ""),
        *by_status(stand_in, "-s", "stand-in", ON_STAND_IN, STAND_IN_NOTE),
        *([group(again, "g-again", "The same runs again", folded=True, note=_AGAIN_NOTE)] if again else ()),
        *by_status([it for it in rest if it.status == "not_tested"], "", "", "", ""),
    ]


def _blocks(cards: Sequence[View], places: Mapping[str, int]) -> list[View]:
    """Neighbours that are one claim; their command is that with all readings where one metric has them."""

    def key(it: View) -> tuple[object, ...]:
        return it.claim, it.title, it.primary, it.kind_key, it.dataset, it.scope

    blocks = []
    for (_, title, primary, kind, dataset, scope), group in groupby(cards, key=key):
        members = list(group)
        command, place = max((it.command for it in members), key=len), places[members[0].anchor]
        about = {"title": title, "primary": primary, "kind": kind, "dataset": dataset, "scope": scope}
        blocks.append(View(cards=members, command=command, place=place, **about))
    return blocks


def commands_in_short(groups: Sequence[View], prefix: str) -> str:
    """What the commands of the page begin with, which is cut from them on a large page; else empty."""
    blocks = [it for group in groups for it in group.blocks]
    if not prefix or sum(len(it.command) for it in blocks) <= WHOLE_COMMANDS:
        return ""
    for it in blocks:
        it.command = it.command.removeprefix(prefix)
    return prefix


def chips(cards: Sequence[View]) -> list[tuple[str, str, str, int]]:
    """Key, value, word and number: of verdicts, data sets and kinds where there are several, primary claims.

    Only the most frequent are offered; any other can be typed.
    """
    status = Counter(it.status for it in cards)
    made: list[tuple[str, str, str, int]] = [
        ("v", it, words.STATUS_WORDS[it], status[it]) for it in words.STATUSES if status[it]
    ]
    for key, counts in (
        ("d", Counter(it.dataset for it in cards if it.dataset)),
        ("kind", Counter(it.kind_key for it in cards)),
    ):
        for value, number in counts.most_common(8) if len(counts) > 1 else ():
            word = words.KIND_WORDS.get(value, value) if key == "kind" else value
            made.append((key, value, word, number))
    primary = sum(it.primary for it in cards)
    made += [("", "primary", "primary", primary)] if primary else []
    return [*made, *([("", "flipped", "flipped", 0)] if any(it.band for it in cards) else [])]


def drop_plots(cards: Sequence[View], *, limit: int = ALL_PLOTS) -> bool:
    """Whether some cards lost their plots: those of closed claims that are not primary, where all plots would
    be most of the page, and the last of the others. Their numbers stand in the page as text.
    """
    if sum(len(it.plot) for it in cards) <= limit:
        return False
    room = PLOTS_OF_A_LARGE_PAGE
    for it in cards:
        room -= len(it.plot) if it.primary or it.open else 0
        if not (it.primary or it.open) or room < 0:
            it.plot = it.no_plot = ""
    return True


# --------------------------------------------------------------------------- the first screen


def headlines(index: Lookup) -> list[View]:
    """Metrics of one primary claim together, with the sentence of their most pressing verdict.

    A verdict on stand-in data never stands above one on the paper's own: by data first, then by urgency.
    """
    primary = by_claim(it for it in index.audit.claims if it.primary)
    return sorted((_headline(members, index) for members in primary), key=lambda it: it.rank)


def on_own_data(index: Lookup, limit: int) -> list[View]:
    """Printed values that were judged on the paper's own corpus, where no primary claim was.

    What is asked first is whether the paper's numbers hold: that stands above the primary claims then. Whose
    data a verdict rests on decides, never how it came out; in the claim file's order.
    """
    made = [_headline(it, index) for it in by_claim(values_on_own_data(index.audit))[:limit]]
    heading = "Printed values, on the paper’s own corpus"
    return [it.but(heading="" if k else heading) for k, it in enumerate(made)]


def values_on_own_data(audit: Audit) -> list[ClaimRecord]:
    """The claims of `on_own_data`, metric by metric; none where a primary claim was judged on own data."""
    own = {
        it.claim
        for it in audit.verdicts
        if words.status_of(it) != "not_tested" and it.scope in ("same_data", "other_split")
    }
    judged = [claim for claim in audit.claims if claim.id in own]
    return [] if any(claim.primary for claim in judged) else [it for it in judged if it.kind == "value"]


def headed(items: Sequence[View]) -> list[View]:
    """The same, where those on stand-in data begin under a heading that says what they are."""
    first = next((k for k, it in enumerate(items) if it.stand_in), None)
    return [it.but(heading=ON_STAND_IN) if k == first else it for k, it in enumerate(items)]


def over_claim(claims: Iterable[ClaimRecord], index: Lookup) -> str:
    """How one claim of the file came out over its metrics."""
    return over_metrics((subject_of(it), words.status_of(index.verdicts.get(it.id))) for it in claims)


def most_pressing(claims: Sequence[ClaimRecord], index: Lookup) -> ClaimRecord:
    """Of one claim's metrics, the first with the verdict that most needs a reader's eye."""
    return min(claims, key=lambda it: words.PRESSING.index(words.status_of(index.verdicts.get(it.id))))


def _headline(claims: Sequence[ClaimRecord], index: Lookup) -> View:
    """`rank` is its place on the screen: whose data it rests on, and how pressing it is."""
    claim = most_pressing(claims, index)
    verdict = index.verdicts.get(claim.id)
    status = words.status_of(verdict)
    data = 2 if status == "not_tested" else int(verdict is not None and verdict.scope == "other_data")
    marks = []
    for it in claims:
        own = words.status_of(index.verdicts.get(it.id))
        marks.append((subject_of(it), own, words.STATUS_WORDS[own], f"#{index.anchors[it.id]}"))
    made = View(
        rank=(data, words.PRESSING.index(status)),
        title=claim_title(claim, index.names(claim)),
        marks=marks,
        sentence=joined(brief(claim, index), splits_of_claim(index.audit.splits, claim.id)),
        stand_in=data == 1,
        heading="",
        href="",
        link="",
    )
    first = index.same_claims.get(claim.id)
    if not first or not made.stand_in:
        return made
    # without marks of its own: its runs are told at another claim, with how that one came out
    told = next(it for it in index.audit.claims if it.id == first)
    over = over_claim(index.metrics[told.claim], index)
    rests = f"It rests on the very runs of another claim, which is {over[:1].lower()}{over[1:].rstrip('.')}:"
    title, href = claim_title(told, index.names(told)), f"#{index.anchors[first]}"
    return made.but(marks=(), sentence=f"{made.sentence} {rests}", href=href, link=title)


#: So many open claims are named; `audit plan` lists all.
_OPEN_NAMED = 40


def open_claims(index: Lookup) -> View:
    """Of the claims that are open, and those whose runs failed; the rest is told elsewhere."""
    claims = {it.id: it for it in index.audit.claims}
    asked, again = {}, 0
    for name, settling in index.audit.settling.items():
        verdict = index.verdicts.get(name)
        failed = verdict is not None and verdict.reason == "run_failed"
        if name not in claims or not (failed or words.status_of(verdict) == "inconclusive"):
            continue
        first = index.verdicts.get(index.same_claims.get(name, ""))
        if first and verdict and (first.outcome, first.reason) == (verdict.outcome, verdict.reason):
            again += 1
        else:
            asked[name] = settling

    def scope(name: str) -> Scope | None:
        return words.judged_on(index.verdicts.get(name))

    by_seeds = sorted(
        (it for it in asked if asked[it].seeds is not None), key=lambda it: scope(it) == "other_data"
    )
    rows = []
    for name in by_seeds[:_OPEN_NAMED]:  # the paper's own data first
        it, claim = asked[name], claims[name]
        rows.append(
            View(
                title=claim_title(claim, index.names(claim)),
                metric=subject_of(claim),
                href=f"#{index.anchors[name]}",
                seeds=it.seeds,
                runs=sum(it.missing.values()) or numbers.ABSENT,
                time="not known"
                if it.seconds is None
                else numbers.duration(it.seconds) + (f" on a {it.device}" if it.device else ""),
                chance=chance(it, scope(name)),
            )
        )
    rest = []
    if (more := len(by_seeds) - len(rows)) > 0:
        rest.append(f"{plural(more, 'further claim')}: more seeds than these, as `audit plan` lists.")
    others = Counter(
        to_settle_short(it, scope(name), index.verdicts.get(name))
        for name, it in asked.items()
        if it.seeds is None
    )
    rest += [f"{plural(number, 'claim')}: {text}." for text, number in others.items()]
    if again:
        rests = f"{plural(again, 'further claim')} on stand-in data {'rests' if again == 1 else 'rest'}"
        rest.append(f"{rests} on the same runs as one of these.")
    return View(claims=rows, rest=rest, stand_in=any(scope(name) == "other_data" for name in by_seeds))


# --------------------------------------------------------------------------- the margin slider

#: Ends of the slider, in points.
_TOPS = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0)
_STEPS = 200
#: How much of the slider a character of a label takes on the narrowest screen: 7.6 of 280 pixels.
_CHARACTER = 0.0272


def band_of(claim: ClaimRecord, verdict: Verdict | None) -> str:
    """Margin and the four ends of the band, a dash for none: `0.5 1.02 - - 0.3`; empty where none moves it.

    The bands are those of the record, of the claim taken alone: the page only looks on which side of their
    ends a margin lies. A sixth word `u` says that the runs may contradict nothing.
    """
    if verdict is None or not is_movable(claim, verdict):
        return ""
    ends = (verdict.margin, *_ends(verdict))
    texts = ["-" if number is None else repr(float(number)).removesuffix(".0") for number in ends]
    return " ".join([*texts, "u"] if verdict.barred else texts)


def is_movable(claim: ClaimRecord, verdict: Verdict) -> bool:
    """Whether a margin in points decides; not so where readings are still to be run, whatever the margin, nor
    where the paper's other claims keep it open: the band is that of the claim alone.
    """
    if claim.kind == "complexity" or verdict.margin is None or verdict.reason == "multiplicity":
        return False
    if verdict.readings and len(verdict.readings) < verdict.readings_declared:
        return False
    return any(end is not None for end in _ends(verdict))


def _ends(verdict: Verdict) -> tuple[float | None, ...]:
    return (
        verdict.margin_reproduced_from,
        verdict.margin_reproduced_up_to,
        verdict.margin_contradicted_from,
        verdict.margin_contradicted_up_to,
    )


def slider(index: Lookup) -> View:
    """Where the slider begins and ends, and what was fixed."""
    claims = index.audit.claims
    pairs = ((claim, index.verdicts.get(claim.id)) for claim in claims)
    moved = [(claim, verdict) for claim, verdict in pairs if verdict and is_movable(claim, verdict)]
    used = Counter(claim.margin.value for claim, _ in moved if claim.margin)
    # at least twice the largest margin, and far enough for nine in ten of the flips
    ends = sorted(end for _, verdict in moved for end in _ends(verdict) if end is not None)
    most = ends[min(len(ends) - 1, int(0.9 * len(ends)))] if ends else 0.0
    needed = max(2.0 * max(used, default=0.0), 1.1 * most)
    top = next((it for it in _TOPS if it >= needed), _TOPS[-1])
    step = top / _STEPS  # where the slider begins
    shown = sorted(margin for margin in used if margin <= top)
    labels = [f"{numbers.margin_size(margin)} ({plural(used[margin], 'claim')})" for margin in shown]
    places = [max(0.0, (margin - step) / (top - step)) for margin in shown]
    rows = label_rows([(x, _CHARACTER * len(text)) for x, text in zip(places, labels, strict=True)])
    fixed: Counter[Margin] = Counter(claim.margin for claim in claims if claim.margin)
    return View(
        movable=len(moved),
        start=_plain(max(used, key=lambda margin: (used[margin], -margin))) if used else "0",
        top=_plain(top),
        step=_plain(step),
        ticks=list(zip(labels, map(_plain, places), rows, strict=True)),
        rows=1 + max(rows, default=0),
        sentence=_hanging(len(moved), len(claims)),
        fixed=[_fixed(margin, number) for margin, number in fixed.most_common()],
    )


def _hanging(movable: int, total: int) -> str:
    """How many claims the margin can move."""
    keep = "keeps its verdict" if total - movable == 1 else "keep their verdicts"
    rest = f"; the other {numbers.count(total - movable)} {keep} at any margin in points"
    hang = "hangs" if movable == 1 else "hang"
    return f"{plural(movable, 'verdict')} {hang} on it{rest if movable < total else ''}."


def _fixed(margin: Margin, claims: int) -> str:
    """`0.50 points, rule “field”, 23 claims: usual for so few test documents`"""
    size = f"{numbers.margin_size(margin.value)} points, rule “{margin.rule}”, {plural(claims, 'claim')}"
    return f"{size}: {margin.why}" if margin.why else size


def label_rows(labels: Sequence[tuple[float, float]]) -> list[int]:
    """In which row below the slider each label hangs, given where it begins, upwards, and how long it is.

    The last hangs highest. One before it may hang beside it if it ends before the marks of all that hang as
    low or lower, which pass by it.
    """
    rows: list[int] = []
    begins = [start for start, _ in labels]
    for place in reversed(range(len(labels))):
        end = sum(labels[place])
        right = list(zip(begins[place + 1 :], rows, strict=True))
        rows.insert(0, next(row for row in count() if all(end < x for x, low in right if low >= row)))
    return rows


def _plain(number: float) -> str:
    """As a number of the page: no exponent, no needless digits."""
    return f"{number:.6f}".rstrip("0").rstrip(".")
