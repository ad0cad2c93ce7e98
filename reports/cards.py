"""The claims on the page: a card for each claim of the file with a row a metric, and the margin slider."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from audit.record import UNTESTED, ClaimRecord, InstanceEvidence, Run, Verdict
from reports import numbers, svg
from reports import sentences as words
from reports.lookup import Lookup
from reports.protocol import on_changed_margins
from reports.tables import splits_of_claim
from reports.text import View, grouped, joined, listed, plural, unique_slugs

#: Characters of plots, and cards with all numbers, on one page.
PLOTS, CARDS = 80_000, 80
Pairs = Sequence[tuple[ClaimRecord, Verdict]]
#: A term, its text, and where it leads; empty where nowhere.
Fact = tuple[str, str, str]


def card(members: Sequence[ClaimRecord], index: Lookup) -> View:
    """The card of one claim of the file, over its metrics; without a verdict it is shown as not tested. Of a
    claim that has the runs of another one no more than its verdicts, and where the runs are told."""
    claim, pairs = members[0], [(claim, index.verdicts[claim.id]) for claim in members]
    pressing = index.most_pressing(members)
    kind, status, verdict = words.kind_words(claim), index.status(pressing), index.verdicts[pressing.id]
    first = index.claims.get(index.same_claims.get(pressing.id, ""))
    brief = status == "not_tested" or first is not None
    again = index.asked_again.get(claim.claim, ())
    against = any(index.status(claim) == "contradicted" for claim in members)
    imported = any(map(index.imported, members))
    note = words.alternatives(claim, len(index.departures(claim)), imported) if against else ""
    if kind.parts and status == "reproduced":
        note = words.size_not_judged(pressing, verdict)
    return View(
        anchor=index.card_anchors[claim.id],
        title=index.claim_title(claim),
        status=status,
        cause=index.obstacle(pressing),
        primary=claim.primary,
        kind=kind.word,
        kind_key=claim.kind,
        dataset=claim.dataset,
        scope=verdict.scope if status != "not_tested" else None,
        on=index.run_on(claim, verdict),
        rows=[_row(*pair, index) for pair in pairs],
        asked_again=[(words.kind_words(of).word, of.claim, index.card_anchors[of.id]) for of in again],
        same=first and View(title=index.claim_title(first), href=f"#{index.anchors[first.id]}"),
        brief=brief,
        open=claim.primary,
        sides=[(index.title(name), index.settings_anchors.get(name, "")) for name in claim.experiments[:4]],
        where=where_text(claim),
        reasons=_reasons(pairs, index),
        note=joined(note, _by_own_spread(pairs)),
        imported=imported,
        plot="" if brief else card_plot(members, index).svg(),
        badges=_badges(pairs, index),
        splits=[said for claim in members if (said := splits_of_claim(index.audit.splits, claim.id))],
        facts=[] if brief else _facts(pairs, index),
        seeds=[] if brief else _seed_rows(pairs, index),
        parts=[(words.subject_of(claim), of.parts) for claim, of in pairs if of.parts],
        readings=[] if brief else [view for pair in pairs if (view := _specifications(*pair, index))],
        claim=claim.claim,
    )


def _row(claim: ClaimRecord, verdict: Verdict, index: Lookup) -> View:
    """The paper's number and ours, of a comparison both sides, and how far they are apart."""
    status = words.status_of(verdict)
    return View(
        anchor=index.anchors[claim.id],
        status=status,
        word=words.STATUS_WORDS[status],
        said=words.status_text(claim, verdict, verdict.level),
        metric=words.subject_of(claim),
        **vars(words.row_texts(claim, verdict)),
        margin="" if verdict.margin is None else numbers.margin_size(verdict.margin),
        seeds=words.seeds_text(verdict.n, verdict.attempts) if any(verdict.attempts) else "none",
        band=band_of(claim, verdict),
    )


def _reasons(pairs: Pairs, index: Lookup) -> list[tuple[str, str, str]]:
    """Status, metrics and reason; metrics that share both are told together."""
    told: dict[tuple[str, str], list[str]] = {}
    for claim, verdict in pairs:
        settling, names = index.audit.settling.get(claim.id), index.names(claim)
        why = words.because(claim, verdict, names, settling, index.lacking(claim))
        status = words.status_text(claim, verdict, index.level)
        told.setdefault((status, why), []).append(words.subject_of(claim))
    several = len(told) > 1
    return [(status, listed(metrics) if several else "", why) for (status, why), metrics in told.items()]


def _by_own_spread(pairs: Pairs) -> str:
    """What the verdicts would be without the spread of the paper's other experiments, where that differs."""
    others: dict[str, list[str]] = {}
    for claim, of in pairs:
        if outcome := words.by_own_spread(of):
            others.setdefault(outcome, []).append(words.subject_of(claim))
    told = [f"{listed(metrics)} would be {outcome}" for outcome, metrics in others.items()]
    return f"By the spread of their own seeds alone, {listed(told)}." if told else ""


def _badges(pairs: Pairs, index: Lookup) -> list[str]:
    """What is told of the verdicts of one claim alone, after the metrics where it is not told of all."""
    every: dict[str, list[str]] = {}
    for claim, verdict in pairs:
        for badge in verdict.badges:
            every.setdefault(badge, []).append(words.subject_of(claim))
    own = {badge: metrics for badge, metrics in every.items() if badge not in index.shared_badges}
    return [
        badge if len(metrics) == len(pairs) else f"{listed(metrics)}: {badge}"
        for badge, metrics in own.items()
    ]


def where_text(claim: ClaimRecord) -> str:
    """`section 3.2, page 1991`; empty where the claim file does not say."""
    of = claim.where
    page = None if of.page is None else f"page {of.page}"
    return joined(of.section and f"section {of.section}", of.label, page, by=", ")


# --------------------------------------------------------------------------- how its verdicts came about


def _facts(pairs: Pairs, index: Lookup) -> list[tuple[str, list[tuple[str, str]]]]:
    """Terms with a text and link for each metric, or one for all where they have the same."""
    columns = [grouped(_derivation(*pair, index), lambda fact: fact[0]) for pair in pairs]
    facts: list[tuple[str, list[tuple[str, str]]]] = []
    for term in dict.fromkeys(name for column in columns for name in column):
        for k in range(max(len(column.get(term, ())) for column in columns)):
            cells = [own[term][k][1:] if len(own.get(term, ())) > k else ("", "") for own in columns]
            facts.append((term, cells[:1] if len(set(cells)) == 1 else cells))
    return facts


def _derivation(claim: ClaimRecord, verdict: Verdict, index: Lookup) -> Iterator[Fact]:
    """The printed cells, and the numbers of the verdict that are there and not in its row."""
    kind, marks = words.kind_words(claim), words.edges(claim, verdict)
    inner, outer = words.coverage(verdict)
    for k, address in enumerate(claim.cells):
        place = index.places.get(address)
        own = place.cell.printed if place else None
        printed = claim.printed[k] if k < len(claim.printed) else own or numbers.ABSENT
        if place and kind.one_axis and own not in (None, printed):
            printed = f"{own}, which is {printed}%"
        named = place.table.label if place else address
        if place and (len(claim.cells) > 2 or place.metric != claim.metric):
            named += f": {place.row.label}, {place.column.label}"
        yield "Printed", f"{printed} ({named})", f"#{place.anchor}" if place else ""
    if kind.epochs and (target := claim.details.get("target")) is not None:
        yield "To be reached", f"{numbers.points(float(target))} {claim.metric} on held-out documents", ""
    if verdict.ci90:
        yield f"{inner}% interval", numbers.interval(verdict.ci90, beside=marks), ""
    if verdict.pi95:
        run = "One paper run" if claim.runs_behind < 2 else "Mean of the paper’s runs"
        yield f"{run} ({outer}%)", numbers.interval(verdict.pi95, beside=marks), ""
    if claim.margin and verdict.margin is not None:
        fixed = numbers.margin_size(claim.margin.value)
        wider = verdict.margin > claim.margin.value
        more = f" {fixed}, widened to half of the printed difference" if wider else ""
        yield "Margin", f"rule “{claim.margin.rule}”{more}", "#margins"
    if band := words.margin_band(verdict):
        yield "Margin band, taken alone", band, ""
    yield from ((term, text, "") for term, text in words.hangs_on(claim, verdict) if term != "Own spread")
    for word in ("reproduced", "contradicted"):
        raw, adjusted = getattr(verdict, f"p_{word}"), getattr(verdict, f"p_{word}_adjusted")
        if raw is not None or adjusted is not None:
            texts = [numbers.p_value(p, levels=(verdict.level,)) for p in (raw, adjusted)]
            over = f", largest of {len(verdict.readings)} readings" if len(verdict.readings) > 1 else ""
            more = "" if adjusted is None else f", adjusted {texts[1]}"
            yield f"p ({word}){over}", texts[0] + more, ""
    if evidence := index.audit.instances.get(claim.id):
        yield from _documents(evidence)


def _documents(of: InstanceEvidence) -> Iterator[Fact]:
    """What single documents say, beside the verdict: nothing of reproduced or contradicted."""
    if of.these is not None:
        yield "For these documents, 95% interval", numbers.interval(of.these.ci95), ""
    if of.new is not None:
        sample = f"For new documents (a sample of {numbers.count(of.documents)}), 95% interval"
        yield sample, numbers.interval(of.new.ci95), ""
    counts = [
        f"{pair.first_only}:{pair.second_only} (p {numbers.p_value(pair.p)})"
        + (f" seeds {pair.seeds[0]}, {pair.seeds[1]}" if pair.seeds[0] != pair.seeds[1] else "")
        for pair in of.pairs
    ]
    if counts:
        yield "McNemar: correct on one side only, by seed", "; ".join(counts), ""


# --------------------------------------------------------------------------- its seeds and readings

_SHOWN: dict[str, Callable[[float], str]] = {
    "training_time": numbers.duration,
    "prediction_time": numbers.duration,
    "parameters": lambda value: numbers.count(round(value)),
    "model_size": lambda value: numbers.memory(round(value)),
}


def seed_note(status: str, why: str | None) -> str:
    """Why a run has no value."""
    word = {"failed": "ended early", "interrupted": "interrupted"}.get(status, "no value of this metric")
    return f"{word}: {why}" if why else word


def _seed_rows(pairs: Pairs, index: Lookup) -> list[View]:
    """A row an experiment: seed, value in each metric or why there is none, and the link of every run. Then
    what is shown and was not judged: imported runs beside ours, or ours beside those."""
    claim, rows = pairs[0][0], []
    show = _SHOWN.get(str(claim.details.get("quantity")), numbers.points)
    judged = {
        (k, name, seed): value
        for k, (of, verdict) in enumerate(pairs)
        for name, seeds, values in zip(of.experiments, verdict.seeds, verdict.values, strict=False)
        for seed, value in zip(seeds, values, strict=False)
    }

    def row(
        name: str, runs: Iterable[Run], known: Mapping[tuple[int, str, int], float], more: str = ""
    ) -> View:
        seeds = []
        for run in runs:
            own = [known.get((k, name, run.spec.seed)) for k in range(len(pairs))]
            measured = [run.metrics.get(of.metric) for of, _ in pairs]
            values = [a if a is not None else b for a, b in zip(own, measured, strict=True)]
            text = " / ".join(numbers.ABSENT if value is None else show(value) for value in values)
            if all(value is None for value in values):
                text = seed_note(run.status, run.reason)
            elif reached := _reached(run, claim):
                text += f", {reached}"
            seeds.append((run.spec.seed, text, index.run_anchors.get(run.key, "")))
        return View(title=name + more, seeds=seeds)

    for name in dict.fromkeys(claim.experiments):
        unjudged = index.experiments[name].unjudged if name in index.experiments else ()
        rows += [row(name, index.runs(name), judged), row(name, unjudged, {}, ": shown, not judged")]
    return [view for view in rows if view.seeds]


def _reached(run: Run, claim: ClaimRecord) -> str:
    """For convergence: the epoch at which the run reached the score that counts, on held-out documents."""
    target = claim.details.get("target") if words.kind_words(claim).epochs else None
    scored = [row for row in run.curve if claim.metric in row and "epoch" in row]
    if target is None or not scored:
        return ""
    epoch = next((row["epoch"] for row in scored if row[claim.metric] >= target), None)
    return "score not reached" if epoch is None else f"score reached in epoch {round(epoch, 2):g}"


def _specifications(claim: ClaimRecord, verdict: Verdict, index: Lookup) -> View | None:
    """None where nothing is open in the claim's experiments, or none but the default reading was run."""
    readings = index.audit.readings
    if readings is None or not verdict.readings:
        return None
    marks, difference = words.edges(claim, verdict), words.kind_words(claim).differs
    show, rows = numbers.signed if difference else numbers.points, []
    for reading in verdict.readings:
        status: words.Status = "not_tested" if reading.reason in UNTESTED else reading.outcome
        why = words.general_reason(reading, verdict.level)
        seeds = words.seeds_text(reading.n) if reading.n else numbers.ABSENT
        own = (seeds, show(reading.estimate, beside=marks), numbers.interval(reading.ci95, beside=marks))
        name = words.specification_name(reading.reading)
        rows.append((name, *own, status, words.STATUS_WORDS[status], why))
    one, every = "one change at a time from the default reading", "every combination of the declared choices"
    return View(
        metric=claim.metric,
        curve=curve(claim, verdict, index).svg(),
        limit=one if readings.limit == "one_at_a_time" else every,
        estimate="Difference" if difference else "Mean",
        interval=f"{words.coverage(verdict)[1]}% interval",
        rows=rows,
        open=[words.open_choice(choice) for choice in words.open_in(claim, readings)],
    )


# --------------------------------------------------------------------------- drawn


def curve(claim: ClaimRecord, verdict: Verdict, index: Lookup) -> svg.Drawing:
    """The readings of one claim; without the printed number where the runs are on other data."""
    kind, readings = words.kind_words(claim), index.audit.readings
    choices = words.open_in(claim, readings) if readings else ()
    target = verdict.target if verdict.scope != "other_data" and kind.printed else None
    return svg.specification_curve(
        verdict.readings,
        choices,
        title=f"{len(verdict.readings)} of {verdict.readings_declared} declared readings by {claim.metric}.",
        axis=f"difference in {claim.metric}" if kind.differs else f"{claim.metric}, points",
        target=target,
        margin=svg.around(0.0 if kind.differs and not kind.printed else target, verdict.margin),
        zero=kind.differs,
    )


def interval_row(
    claim: ClaimRecord, verdict: Verdict, *, heading: str = "", seeds: bool = True
) -> svg.Row | None:
    """Its intervals; of a printed value measured from it. None for a printed number on other data, which
    shares no axis with ours, and where nothing was estimated."""
    kind, target, elsewhere = words.kind_words(claim), verdict.target, verdict.scope == "other_data"
    lacking = verdict.estimate is None or (kind.is_value and target is None)
    single = verdict.values[0] if seeds and kind.is_value and verdict.values else ()
    if lacking or kind.measure is None or (kind.printed and elsewhere):
        return None
    zero = target or 0.0 if kind.is_value else 0.0
    # the margin lies around no difference, but around the printed one where its size is claimed
    centre = target if kind.measure is words.EXPONENT or (kind.printed and kind.differs) else 0.0
    size = claim.negligible if kind.direction_only and verdict.margin is None else verdict.margin

    moved = [span and (span[0] - zero, span[1] - zero) for span in (verdict.ci90, verdict.ci95, verdict.pi95)]
    return svg.Row(
        label=words.subject_of(claim),
        outcome=verdict.outcome,
        estimate=(verdict.estimate or 0.0) - zero,
        target=1.0 if kind.measure is words.RATIO else None if kind.is_value or elsewhere else target,
        margin=None if kind.measure is words.RATIO else svg.around(centre, size),
        inner=moved[0],
        outer=moved[1],
        prediction=moved[2] if seeds else None,
        dots=tuple(value - zero for value in single),
        heading=heading,
    )


VALUES_AXIS, DIFFERENCES_AXIS = "ours − printed, points", "difference, points"


def card_plot(members: Sequence[ClaimRecord], index: Lookup) -> svg.Drawing:
    """Intervals, a row for each metric; of a claim of several comparisons the seeds of each arm."""
    claim, kind = members[0], words.kind_words(members[0])
    metrics = listed([words.subject_of(claim) for claim in members])
    if kind.parts:
        rows = []
        for claim in members if kind.one_axis else ():
            arms = dict(zip(claim.experiments, index.verdicts[claim.id].values, strict=False))
            heading = claim.metric if len(members) > 1 else ""
            rows += [svg.Row(index.title(name), dots=dots, heading=heading) for name, dots in arms.items()]
        return svg.forest(rows, f"{metrics}, points", f"Seeds of each method, {metrics}.", labels_above=True)
    found = [row for claim in members if (row := interval_row(claim, index.verdicts[claim.id]))]
    axis = VALUES_AXIS if kind.is_value else DIFFERENCES_AXIS if kind.differs else "exponent of the growth"
    axis = f"ratio of {words.subject_of(claim)}" if kind.measure is words.RATIO else axis
    zero, above = 0.0 if kind.is_value or kind.differs else None, any(len(row.label) > 9 for row in found)
    said = f"Intervals of {metrics}; the table has the numbers."
    return svg.forest(found, axis, said, zero=zero, labels_above=above)


def overview(index: Lookup) -> list[tuple[str, str, list[svg.Row]]]:
    """Title, axis and rows of all judged printed values, then of differences; the same runs once."""
    values: list[svg.Row] = []
    differences: list[svg.Row] = []
    for claim in index.audit.claims:
        kind, verdict = words.kind_words(claim), index.verdicts[claim.id]
        if claim.id not in index.same_claims and (kind.is_value or kind.differs):
            dagger = "" if verdict.scope == "same_data" else "† "
            row = interval_row(claim, verdict, heading=dagger + index.claim_title(claim), seeds=False)
            (values if kind.is_value else differences).extend([row] if row else [])
    return [("Printed values", VALUES_AXIS, values), ("Comparisons", DIFFERENCES_AXIS, differences)]


# --------------------------------------------------------------------------- the list of cards


def card_groups(cards: Sequence[View]) -> list[View]:
    """Primary claims, then the others by outcome and reason, then repeats of the same runs, then untested."""

    def key(view: View) -> tuple[int, bool, str, str]:
        """Place, and what heads the group: word and reason."""
        if view.same:
            return 5, True, "Same runs as another claim", ""
        if view.primary:
            return -1, False, "Primary claims", ""
        word = words.STATUS_WORDS[view.status] + (f" {view.on}" if view.scope else "")
        return words.PRESSING.index(view.status), view.scope == "other_data", word, view.cause

    groups = grouped(sorted(cards, key=lambda view: key(view)[:2]), key)
    anchors = unique_slugs("g", [f"{word} {why}" for _, _, word, why in groups])
    last, sorts = words.PRESSING.index("not_tested"), zip(groups.items(), anchors.values(), strict=True)
    return [
        View(anchor=anchor, word=word, why=why, cards=members, folded=place >= last)
        for ((place, _, word, why), members), anchor in sorts
    ]


def chips(cards: Sequence[View]) -> list[tuple[str, str, str, int]]:
    """Key, value, word and number of claims: of verdicts, data sets and kinds where there are several."""
    status = Counter(status for view in cards for status in {row.status for row in view.rows})
    made: list[tuple[str, str, str, int]] = []
    made += [("v", word, words.STATUS_WORDS[word], status[word]) for word in words.STATUSES if status[word]]
    data = Counter(view.dataset for view in cards if view.dataset)
    kinds = Counter(view.kind_key for view in cards)
    made += [("d", dataset, dataset, number) for dataset, number in data.most_common(8) if len(data) > 1]
    named = {view.kind_key: view.kind for view in cards}
    made += [("kind", kind, named[kind], number) for kind, number in kinds.most_common(8) if len(kinds) > 1]
    primary = sum(view.primary for view in cards)
    made += [("", "primary", "primary", primary)] if primary else []
    return made + [("", "changed", "changed", 0)] * any(row.band for view in cards for row in view.rows)


def lighten(cards: Sequence[View]) -> bool:
    """Whether some cards lost their plot, or became a line, since a page has only so many: first those of
    claims that are neither primary nor contradicted. All their numbers stand in the record."""
    plots, whole, dropped = PLOTS, CARDS, False
    for view in sorted(cards, key=lambda view: not (view.primary or view.status == "contradicted")):
        plots -= len(view.plot)
        if plots < 0 and view.plot:
            view.plot, dropped = "", True
        whole -= not view.brief
        if whole < 0 and not view.brief:
            view.brief = dropped = True
    return dropped


# --------------------------------------------------------------------------- the margin slider

#: Ends of the slider, in points.
_TOPS = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0)
_STEPS = 200


def band_of(claim: ClaimRecord, verdict: Verdict) -> str:
    """Margin and the four ends of the band, a dash for none: `0.5 1.02 - - 0.3`; empty where none moves it.
    The bands are those of the record, of the claim taken alone: the page only looks on which side of their
    ends a margin lies. A sixth word `u` says that the runs may contradict nothing. No margin moves a claim of
    which readings are still to be run, nor one that something else than its margin keeps open: the band must
    give the audit's own verdict at the audit's own margin."""
    ends, run = _ends(verdict), len(verdict.readings)
    exponent = words.kind_words(claim).measure is words.EXPONENT
    if exponent or verdict.margin is None or verdict.reason in ("multiplicity", *words.UNJUDGED):
        return ""
    if 0 < run < verdict.readings_declared or _alone(verdict, verdict.margin) != verdict.outcome:
        return ""
    if all(end is None for end in ends):
        return ""
    bounds = (verdict.margin, *ends)
    texts = ["-" if bound is None else repr(float(bound)).removesuffix(".0") for bound in bounds]
    return " ".join([*texts, "u"] if verdict.barred else texts)


def _ends(verdict: Verdict) -> tuple[float | None, ...]:
    names = ("reproduced_from", "reproduced_up_to", "contradicted_from", "contradicted_up_to")
    return tuple(getattr(verdict, f"margin_{name}") for name in names)


def _alone(verdict: Verdict, margin: float) -> str:
    """The outcome at a margin above 0 by the bands alone, as `outcome` of report.js has it."""
    start, end, against, until = _ends(verdict)
    if (start, end) != (None, None) and (start or 0.0) <= margin <= (math.inf if end is None else end):
        return "reproduced"
    low, high = against or 0.0, math.inf if until is None else until
    contradicts = (against, until) != (None, None) and low <= margin <= high
    return "contradicted" if contradicts and not verdict.barred else "inconclusive"


def slider(index: Lookup) -> View:
    """Where the slider begins and ends, how many judgements a margin can move, and what was fixed."""
    claims = index.audit.claims
    moved = [claim for claim in claims if band_of(claim, index.verdicts[claim.id])]
    used = Counter(claim.margin.value for claim in moved if claim.margin)
    # at least twice the largest margin, and far enough for nine in ten of the flips
    ends = sorted(end for claim in moved for end in _ends(index.verdicts[claim.id]) if end is not None)
    far = ends[min(len(ends) - 1, int(0.9 * len(ends)))] if ends else 0.0
    needed = max(2.0 * max(used, default=0.0), 1.1 * far)
    top = next((top for top in _TOPS if top >= needed), _TOPS[-1])
    start = max(used, key=lambda margin: (used[margin], -margin)) if used else 0.0
    fixed = [
        f"{numbers.margin_size(margin.value)} points, rule “{margin.rule}”, {plural(number, 'judgement')}"
        + (f": {margin.why}" if margin.why else "")
        for margin, number in Counter(claim.margin for claim in claims if claim.margin).most_common()
    ]
    imported = any(index.imported(claim) for claim in claims)
    tested = sum(index.status(claim) != "not_tested" for claim in claims)
    return View(
        movable=len(moved),
        made=on_changed_margins(index)
        or f"They were fixed and hashed before the runs{' or their import' if imported else ''}.",
        start=_plain(start),
        top=_plain(top),
        step=_plain(top / _STEPS),
        sentence=f"{len(moved)} of {plural(tested, 'tested judgement')} "
        f"depend{'s' if len(moved) == 1 else ''} on them.",
        fixed=fixed,
    )


def _plain(number: float) -> str:
    """As a number of the page: no exponent, no needless digits."""
    return f"{number:.6f}".rstrip("0").rstrip(".")
