"""The claims on the page: a card each, the groups of cards, the headlines, the margin slider."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import count, groupby

from audit.record import (
    UNTESTED,
    Audit,
    ClaimRecord,
    ExperimentRecord,
    InstanceEvidence,
    Part,
    ReadingVerdict,
    Run,
    Settling,
    SplitNoise,
    Verdict,
)
from reports import numbers
from reports import sentences as words
from reports.curves import curve_of, specification_curve
from reports.lookup import Lookup, by_claim
from reports.rerun import command_of, on_changed_margins
from reports.splits import splits_of_claim
from reports.svg import interval_plot, intervals_of
from reports.tables import mean_and_sd
from reports.text import View, capital, joined, listed, plural, unique_slugs
from reports.verdicts import (
    brief,
    chance,
    coverage,
    edges,
    estimate_text,
    few_words,
    hangs_on,
    margin_band,
    medians_of,
    no_plot,
    open_choice,
    open_in,
    over_metrics,
    reading_because,
    reading_name,
    seeds_text,
    sentence,
    subject_of,
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
    verdict = index.verdicts[claim.id]
    status = words.status_of(verdict)
    made = View(
        anchor=index.anchors[claim.id],
        claim=claim.claim,
        status=status,
        word=words.STATUS_WORDS[status],
        reason=unrun(verdict, index.quoted(claim)) or few_words(verdict) or words.reason(verdict.reason),
        title=index.claim_title(claim),
        kind=words.kind_words(claim).word,
        kind_key=claim.kind,
        dataset=claim.dataset,
        scope=words.RUN_ON[verdict.scope] if verdict.scope else "",
        on=verdict.scope,
        metric=subject_of(claim),
        primary=claim.primary,
        band=band_of(claim, verdict),
        open=False,
        plot="",
        command="",
        same=None,
    )
    if first := index.same_claims.get(claim.id):
        value = words.kind_words(claim).is_value
        printed = claim.printed[0] if value and claim.printed else ""
        same = View(title=index.claim_title(index.claims[first]), href=f"#{index.anchors[first]}")
        return made.but(numbers=printed and f"paper {printed}", same=same)
    two = _two_numbers(claim, verdict)
    shown = intervals_of(claim, verdict, index.names(claim))
    plot = interval_plot(shown, name=capital(two) or "Intervals and seeds") if shown else ""
    return made.but(
        numbers=two,
        open=status == "contradicted",
        sentence=sentence(claim, index),
        badges=verdict.badges[:6],
        further=verdict.badges[6:],  # as of a claim over dozens of experiments that were not run
        facts=list(_facts(claim, verdict, index)),
        plot=plot,
        no_plot="" if plot else no_plot(claim, verdict),
        parts=[(_part_says(it, index), it) for it in verdict.parts],
        strips=list(_strips(claim, verdict, index)),
        splits=splits_of_claim(index.audit.splits, claim.id),
        readings=_readings(claim, verdict, index),
        command=command_of(claim, index),
    )


def _two_numbers(claim: ClaimRecord, verdict: Verdict) -> str:
    """The printed and ours, in the terminal's signs; on other data ours stands beside no printed number."""
    kind, stand_in = words.kind_words(claim), verdict.scope == "other_data"
    printed = ours = ""
    if kind.epochs and (medians := medians_of(verdict)):
        ours = f"epochs {' / '.join(medians)}"
    elif kind.measure and verdict.estimate is not None and not (stand_in and kind.printed):
        ours = kind.measure.sign + estimate_text(claim, verdict)
    if kind.is_value:
        printed = claim.printed[0] if claim.printed else ""
    elif kind.differs and verdict.target is not None and not stand_in:
        printed = numbers.signed(verdict.target)
    return joined(printed and f"paper {printed}", ours and f"here {ours}", by=", ")


def _part_says(part: Part, index: Lookup) -> str:
    """The comparison with the titles of its experiments instead of their ids."""
    by_id = " > ".join(part.experiments)
    if not by_id or not part.says.endswith(by_id):
        return part.says
    return part.says.removesuffix(by_id) + " > ".join(f"“{index.title(key)}”" for key in part.experiments)


def _facts(claim: ClaimRecord, verdict: Verdict, index: Lookup) -> Iterator[Fact]:
    """Where the paper says it, how the verdict came about, what would settle it, and what stands beside."""
    yield from _places(claim, index)
    yield from _to_reach(claim, index)
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
        if place and words.kind_words(claim).one_axis and own not in (None, printed):
            printed = f"{own}, which is {printed} %"
        named = address
        if place:  # the link leads to the cell, which needs no name where the claim is about few
            several = len(claim.cells) > 2 or place.metric != claim.metric
            cell = f": {place.row.label}, {place.column.label}" if several else ""
            named = f"{place.table.label}{cell}"
        yield "Printed", f"{printed} ({named})", f"#{place.anchor}" if place else ""


def _to_reach(claim: ClaimRecord, index: Lookup) -> Iterator[Fact]:
    """The score of a convergence claim, beside the lowest that the paper prints for one of its arms."""
    target = claim.details.get("target") if words.kind_words(claim).epochs else None
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
        kind = words.kind_words(claim)
        text, term = estimate_text(claim, verdict), kind.measure.term if kind.measure else "Difference"
        if kind.differs and verdict.target is not None:
            text += f" (printed {numbers.signed(verdict.target)})"
        spread = kind.is_value and verdict.sd is not None
        yield f"{term} ± sd" if spread else term, text, ""
    spans = (
        (f"{inner}% interval", verdict.ci90),
        (f"{outer}% interval", verdict.ci95),
        (
            f"{'One paper run' if claim.runs_behind < 2 else 'Mean of the paper’s runs'} ({outer}%)",
            verdict.pi95,
        ),
    )
    yield from ((term, numbers.interval(span, beside=marks), "") for term, span in spans if span is not None)
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


def _margin(claim: ClaimRecord, size: float) -> str:
    """The margin with the rule that fixed it; the reasons are listed once for all claims."""
    if words.kind_words(claim).measure is words.EXPONENT:
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
        drawn = numbers.interval(it.bootstrap)
        drawn = f"; drawing documents alone anew gives {drawn}" if it.bootstrap else ""
        sample = f"the {plural(it.documents, 'test document')}{texts} are a sample too{drawn}"
        yield "For new documents", f"{size}, 95% interval {numbers.interval(it.new.ci95)}: {sample}", ""
    if it.pairs:
        said = "; ".join(
            f"seeds {pair.seeds[0]} and {pair.seeds[1]}: {pair.first_only} to {pair.second_only}, "
            f"p {numbers.p_value(pair.p)}"
            for pair in it.pairs
        )
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
    for it, values, mean in sorted(others, key=lambda other: (other[0].model != "linear", -other[2]))[:3]:
        # how its settings were found, as far as that tells whether the comparison is fair
        how = ", not tuned," if it.study is None and any(other.study for other in own) else ""
        if it.study is not None:
            same = all(other.study and other.study.validation == it.study.validation for other in own)
            how = f", tuned{' on the same held-out documents' if same else ''},"
        also = ""
        if noise := _noise(it.id, claim.metric, index):
            also = f"; {numbers.points(noise.mean)} is its mean over {len(noise.columns)} split columns"
        reaches = f"reaches {numbers.points(mean)} {claim.metric} ({plural(len(values), 'seed')}){also}"
        text = f"“{index.title(it.id)}”{how} {reaches}"
        yield "On the same data", text, f"#{settings_anchors(index)[it.id]}"


def _documents_of(it: ExperimentRecord) -> set[str]:
    """Digests of what its runs were trained and tested on; of the documents alone where they are known."""
    if not it.runs:
        return set()
    return {it.data.content} if it.data else {run.data.fingerprint for run in it.runs}


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


def _strips(claim: ClaimRecord, verdict: Verdict, index: Lookup) -> Iterator[View]:
    """Every seed of each experiment: those on record, then those that only the verdict knows.

    Then what is shown and was not judged: imported runs beside ours, or ours beside imported ones.
    """
    kind = words.kind_words(claim)
    is_cost = kind.measure in (words.RATIO, words.EXPONENT)
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
        if arm < min(len(verdict.seeds), len(verdict.values)):
            judged = zip(verdict.seeds[arm], verdict.values[arm], strict=False)
            known = {run.spec.seed for run in runs}
            seeds += [(str(number), show(value), "", "") for number, value in judged if number not in known]
        name = index.title(experiment) + (f", {metric}" if metric != claim.metric else "")
        if kind.epochs and any(value and note for _, value, note, _ in seeds):
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
    target = claim.details.get("target") if words.kind_words(claim).epochs else None
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


def _readings(claim: ClaimRecord, verdict: Verdict, index: Lookup) -> View | None:
    """None where nothing is open in the claim's experiments, or none but the default reading was run."""
    readings = index.audit.readings
    if readings is None or not verdict.readings:
        return None
    marks, difference = edges(claim, verdict), words.kind_words(claim).differs
    show = numbers.signed if difference else numbers.points
    rows = []
    for it in verdict.readings:
        status: words.Status = "not_tested" if it.reason in UNTESTED else it.outcome
        seeds = seeds_text(it.n) if it.n else numbers.ABSENT
        interval, because = numbers.interval(it.ci95, beside=marks), reading_because(it, claim, verdict)
        own = (reading_name(it.reading), seeds, show(it.estimate, beside=marks), interval)
        rows.append((*own, status, words.STATUS_WORDS[status], because))
    return View(
        curve=specification_curve(curve_of(claim, verdict, readings, index.anchors[claim.id])),
        caption=f"{_CURVES[readings.limit]} {_CURVE_NOTE}",
        estimate="Difference" if difference else "Mean",
        interval=f"{coverage(verdict)[1]}% interval",
        rows=rows,
        open=[open_choice(it) for it in open_in(claim, readings)],
    )


# --------------------------------------------------------------------------- the list of cards


def card_groups(cards: Sequence[View]) -> list[View]:
    """On the paper's own data, on stand-in data, on the same runs again, and what was not tested."""
    again = [it for it in cards if it.same]
    rest = [it for it in cards if not it.same]
    untested = [it for it in rest if it.status == "not_tested"]
    own = [it for it in rest if it.status != "not_tested" and it.on != "other_data"]
    stand_in = [it for it in rest if it.status != "not_tested" and it.on == "other_data"]
    places = {it.anchor: place for place, it in enumerate(cards)}
    heading = ""
    if stand_in or again:
        split = any(it.on == "other_split" for it in own)
        heading = "On the paper’s own data" + (", or another split of it" if split else "")
    groups = []
    for members, suffix, data, part, note in (
        (own, "", "own" if heading else "", heading, ""),
        (stand_in, "-s", "stand-in", ON_STAND_IN, STAND_IN_NOTE),
        (again, "", "", "", _AGAIN_NOTE),
        (untested, "", "", "", ""),
    ):
        for status in words.PRESSING if members is not again else (None,):
            if shown := [it for it in members if status in (None, it.status)]:
                groups.append(
                    View(
                        anchor=f"g-{status}{suffix}" if status else "g-again",
                        word=words.STATUS_WORDS[status] if status else "The same runs again",
                        count=len(shown),
                        blocks=_blocks(shown, places),
                        status=status,
                        folded=status in (None, "not_tested"),
                        data=data,
                        part=part,
                        note=note,
                    )
                )
                part = note = ""  # said once
    return groups


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
            word = words.KINDS[value].word if key == "kind" and value in words.KINDS else value
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
    return (
        []
        if any(claim.primary for claim in judged)
        else [it for it in judged if words.kind_words(it).is_value]
    )


def headed(items: Sequence[View]) -> list[View]:
    """The same, where those on stand-in data begin under a heading that says what they are."""
    first = next((k for k, it in enumerate(items) if it.stand_in), None)
    return [it.but(heading=ON_STAND_IN) if k == first else it for k, it in enumerate(items)]


def over_claim(claims: Iterable[ClaimRecord], index: Lookup) -> str:
    """How one claim of the file came out over its metrics."""
    return over_metrics((subject_of(it), words.status_of(index.verdicts[it.id])) for it in claims)


def most_pressing(claims: Sequence[ClaimRecord], index: Lookup) -> ClaimRecord:
    """Of one claim's metrics, the first with the verdict that most needs a reader's eye."""
    return min(claims, key=lambda it: words.PRESSING.index(words.status_of(index.verdicts[it.id])))


def _headline(claims: Sequence[ClaimRecord], index: Lookup) -> View:
    """`rank` is its place on the screen: whose data it rests on, and how pressing it is."""
    claim = most_pressing(claims, index)
    verdict = index.verdicts[claim.id]
    status = words.status_of(verdict)
    data = 2 if status == "not_tested" else int(verdict.scope == "other_data")
    marks = []
    for it in claims:
        own = words.status_of(index.verdicts[it.id])
        marks.append((subject_of(it), own, words.STATUS_WORDS[own], f"#{index.anchors[it.id]}"))
    made = View(
        rank=(data, words.PRESSING.index(status)),
        title=index.claim_title(claim),
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
    over = over_claim(index.metrics[index.claims[first].claim], index)
    rests = f"It rests on the very runs of another claim, which is {over[:1].lower()}{over[1:].rstrip('.')}:"
    title, href = index.claim_title(index.claims[first]), f"#{index.anchors[first]}"
    return made.but(marks=(), sentence=f"{made.sentence} {rests}", href=href, link=title)


#: So many open claims are named; `audit plan` lists all.
_OPEN_NAMED = 40


def open_claims(index: Lookup) -> View:
    """Of the claims that are open, and those whose runs failed; the rest is told elsewhere."""
    asked: list[tuple[ClaimRecord, Settling, Verdict]] = []
    again = 0
    for name, settling in index.audit.settling.items():
        verdict, first = index.verdicts.get(name), index.verdicts.get(index.same_claims.get(name, ""))
        if name not in index.claims or verdict is None:
            continue
        if verdict.reason != "run_failed" and words.status_of(verdict) != "inconclusive":
            continue
        if first and (first.outcome, first.reason) == (verdict.outcome, verdict.reason):
            again += 1
        else:
            asked.append((index.claims[name], settling, verdict))
    by_seeds = [it for it in asked if it[1].seeds is not None]
    by_seeds.sort(key=lambda it: words.judged_on(it[2]) == "other_data")  # the paper's own data first
    rows = [
        View(
            title=index.claim_title(claim),
            metric=subject_of(claim),
            href=f"#{index.anchors[claim.id]}",
            seeds=it.seeds,
            runs=sum(it.missing.values()) or numbers.ABSENT,
            time="not known"
            if it.seconds is None
            else numbers.duration(it.seconds) + (f" on a {it.device}" if it.device else ""),
            chance=chance(it, words.judged_on(verdict)),
        )
        for claim, it, verdict in by_seeds[:_OPEN_NAMED]
    ]
    rest = []
    if (more := len(by_seeds) - len(rows)) > 0:
        rest.append(f"{plural(more, 'further claim')}: more seeds than these, as `audit plan` lists.")
    others = Counter(
        to_settle_short(it, words.judged_on(verdict), verdict) for _, it, verdict in asked if it.seeds is None
    )
    rest += [f"{plural(number, 'claim')}: {text}." for text, number in others.items()]
    if again:
        rests = f"{plural(again, 'further claim')} on stand-in data {'rests' if again == 1 else 'rest'}"
        rest.append(f"{rests} on the same runs as one of these.")
    stand_in = any(words.judged_on(verdict) == "other_data" for _, _, verdict in by_seeds)
    return View(claims=rows, rest=rest, stand_in=stand_in)


# --------------------------------------------------------------------------- the margin slider

#: Ends of the slider, in points.
_TOPS = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0)
_STEPS = 200
#: How much of the slider a character of a label takes on the narrowest screen: 7.6 of 280 pixels.
_CHARACTER = 0.0272


def band_of(claim: ClaimRecord, verdict: Verdict) -> str:
    """Margin and the four ends of the band, a dash for none: `0.5 1.02 - - 0.3`; empty where none moves it.

    The bands are those of the record, of the claim taken alone: the page only looks on which side of their
    ends a margin lies. A sixth word `u` says that the runs may contradict nothing. No margin moves a claim
    of which readings are still to be run, nor one that something else than its margin keeps open: the band
    must give the audit's own verdict at the audit's own margin.
    """
    ends, run = _ends(verdict), len(verdict.readings)
    exponent = words.kind_words(claim).measure is words.EXPONENT
    if exponent or verdict.margin is None or verdict.reason in ("multiplicity", *words.UNJUDGED):
        return ""
    if 0 < run < verdict.readings_declared or _alone(verdict, verdict.margin) != verdict.outcome:
        return ""
    if all(end is None for end in ends):
        return ""
    numbers_of = (verdict.margin, *ends)
    texts = ["-" if it is None else repr(float(it)).removesuffix(".0") for it in numbers_of]
    return " ".join([*texts, "u"] if verdict.barred else texts)


def _ends(verdict: Verdict) -> tuple[float | None, ...]:
    return (
        verdict.margin_reproduced_from,
        verdict.margin_reproduced_up_to,
        verdict.margin_contradicted_from,
        verdict.margin_contradicted_up_to,
    )


def _alone(verdict: Verdict, margin: float) -> str:
    """The outcome at a margin above 0 by the bands alone, as `outcome` of report.js has it."""
    start, end, against, until = _ends(verdict)
    if (start, end) != (None, None) and (start or 0.0) <= margin <= (math.inf if end is None else end):
        return "reproduced"
    low, high = against or 0.0, math.inf if until is None else until
    contradicts = (against, until) != (None, None) and low <= margin <= high
    return "contradicted" if contradicts and not verdict.barred else "inconclusive"


def slider(index: Lookup) -> View:
    """Where the slider begins and ends, how many claims a margin can move, and what was fixed."""
    claims = index.audit.claims
    pairs = [(claim, index.verdicts[claim.id]) for claim in claims]
    moved = [(claim, verdict) for claim, verdict in pairs if band_of(claim, verdict)]
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
    movable, others = len(moved), len(claims) - len(moved)
    do = "does" if others == 1 else "do"
    rest = f"; the other {numbers.count(others)} {do} not hang on it, or not on it alone"
    hang = "hangs" if movable == 1 else "hang"
    fixed = [
        f"{numbers.margin_size(it.value)} points, rule “{it.rule}”, {plural(number, 'claim')}"
        + (f": {it.why}" if it.why else "")
        for it, number in Counter(claim.margin for claim in claims if claim.margin).most_common()
    ]
    changed, others_ran = on_changed_margins(index), any(index.imported(claim) for claim in claims)
    return View(
        movable=movable,
        made=f". {changed}"
        if changed
        else f", made and hashed before the runs{' or their import' if others_ran else ''}.",
        start=_plain(max(used, key=lambda margin: (used[margin], -margin))) if used else "0",
        top=_plain(top),
        step=_plain(step),
        ticks=list(zip(labels, map(_plain, places), rows, strict=True)),
        rows=1 + max(rows, default=0),
        sentence=f"{plural(movable, 'verdict')} {hang} on it{rest if others else ''}.",
        fixed=fixed,
    )


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
