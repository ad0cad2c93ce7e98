"""One card per claim: what it says, what was found, the plot, every seed, the numbers behind the verdict."""

from __future__ import annotations

from dataclasses import dataclass

from audit.record import ClaimRecord, Run, Verdict
from reports import digits, wording
from reports.figures import Bounds, IntervalPlot, Lane, interval_plot
from reports.lookup import Lookup, Place
from reports.wording import Status


@dataclass(frozen=True)
class Fact:
    """A term and what is known about it; `href` leads to where it stands in the page."""

    term: str
    text: str
    href: str = ""


@dataclass(frozen=True)
class Seed:
    """One run of a strip. `value` is empty where the run has none, and `note` says why."""

    seed: str
    value: str
    note: str
    key: str
    run: str
    """Fragment of the run's record; empty where there is no record."""


@dataclass(frozen=True)
class Strip:
    """Every seed of one experiment, in order."""

    name: str
    seeds: tuple[Seed, ...]


@dataclass(frozen=True)
class Card:
    anchor: str
    claim: str
    """Id in the claim file, which the cards of its metrics share."""
    status: Status
    word: str
    reason: str
    title: str
    kind: str
    metric: str
    primary: bool
    open: bool
    sentence: str
    badges: tuple[str, ...]
    facts: tuple[Fact, ...]
    plot: str
    """SVG drawn by `reports.figures`; empty when there is nothing to draw."""
    no_plot: str
    strips: tuple[Strip, ...]


def card(claim: ClaimRecord, found: Lookup) -> Card:
    """The card of one claim; a claim without a verdict is shown as not tested."""
    verdict = found.verdicts.get(claim.id)
    status = wording.status_of(verdict)
    anchor = found.anchors[claim.id]
    names = found.names(claim)
    plot = _plot(claim, verdict, names, anchor)
    return Card(
        anchor=anchor,
        claim=claim.claim,
        status=status,
        word=wording.STATUS_WORDS[status],
        reason=wording.reason(verdict.reason if verdict else "not_run"),
        title=wording.claim_title(claim, names),
        kind=wording.KIND_WORDS.get(claim.kind, claim.kind),
        metric=claim.metric,
        primary=claim.primary,
        open=status == "contradicted",
        sentence=wording.verdict_sentence(claim, verdict, names=names, departures=departures(claim, found)),
        badges=_badges(verdict),
        facts=(*_places(claim, found), *(_numbers(claim, verdict) if verdict else ())),
        plot=plot,
        no_plot="" if plot else wording.no_plot(verdict),
        strips=tuple(
            strip for k in range(len(claim.experiments)) if (strip := _strip(claim, verdict, k, found))
        ),
    )


def departures(claim: ClaimRecord, found: Lookup) -> int:
    """How many different departures from the paper lie behind the claim's runs."""
    records = [found.experiments[key] for key in claim.experiments if key in found.experiments]
    return len({deviation for record in records for deviation in record.deviations})


def _badges(verdict: Verdict | None) -> tuple[str, ...]:
    if verdict is None:
        return ()
    scope = (wording.SCOPE_WORDS[verdict.scope],) if verdict.scope else ()
    return (*scope, *verdict.badges)


# --------------------------------------------------------------------------- facts


def _places(claim: ClaimRecord, found: Lookup) -> list[Fact]:
    """Where the paper says it, and the printed cells it is about."""
    where = claim.where
    said = [f"section {where.section}"] if where.section else []
    said += [where.label] if where.label else []
    said += [f"page {where.page}"] if where.page is not None else []
    facts = [Fact("Said in", ", ".join(said))] if said else []
    for k, address in enumerate(claim.cells):
        place = found.places.get(address)
        printed = (
            claim.printed[k] if k < len(claim.printed) else (place and place.cell.printed) or digits.ABSENT
        )
        text = f"{printed} ({_cell_name(place) if place else address})"
        facts.append(Fact("Printed", text, href=f"#{place.anchor}" if place else ""))
    return facts


def _cell_name(place: Place) -> str:
    return f"{place.table.label}: {place.row.label}, {place.column.label}"


def _numbers(claim: ClaimRecord, verdict: Verdict) -> list[Fact]:
    """The derivation of the verdict; what is absent is left out."""
    marks = (
        () if verdict.target is None or verdict.margin is None else _around(verdict.target, verdict.margin)
    )
    facts = [Fact("Seeds", wording.seeds(verdict.n, verdict.attempts))] if verdict.n else []
    if verdict.estimate is not None:
        facts.append(_estimate(claim, verdict, marks))
    for term, bounds in (("90% interval", verdict.ci90), ("95% interval", verdict.ci95)):
        if bounds is not None:
            facts.append(Fact(term, digits.interval(bounds, beside=marks)))
    if verdict.pi95 is not None:
        facts.append(Fact("One paper run (95%)", digits.interval(verdict.pi95, beside=marks)))
    if verdict.margin is not None:
        facts.append(Fact("Margin", _margin(claim, verdict.margin)))
    if band := wording.margin_band(verdict):
        facts.append(Fact("Margin band", band))
    return [*facts, *_p_values(verdict)]


def _estimate(claim: ClaimRecord, verdict: Verdict, marks: tuple[float, ...]) -> Fact:
    if claim.kind == "value":
        term = "Mean" if verdict.sd is None else "Mean ± sd"
        return Fact(term, digits.mean_sd(verdict.estimate, verdict.sd, beside=marks))
    printed = "" if verdict.target is None else f" (printed {digits.signed(verdict.target)})"
    return Fact("Difference", digits.signed(verdict.estimate, beside=marks) + printed)


def _margin(claim: ClaimRecord, size: float) -> str:
    """The margin with the rule that fixed it and the reason given in the claim file."""
    text = f"{digits.margin_size(size)} points"
    if claim.margin is None:
        return text
    return f"{text}, rule “{claim.margin.rule}”" + (f": {claim.margin.why}" if claim.margin.why else "")


def _p_values(verdict: Verdict) -> list[Fact]:
    pairs = (
        ("p (reproduced)", verdict.p_reproduced, verdict.p_reproduced_adjusted),
        ("p (contradicted)", verdict.p_contradicted, verdict.p_contradicted_adjusted),
    )
    return [
        Fact(
            term, digits.p_value(raw) + ("" if adjusted is None else f", adjusted {digits.p_value(adjusted)}")
        )
        for term, raw, adjusted in pairs
        if raw is not None or adjusted is not None
    ]


# --------------------------------------------------------------------------- seeds and plot


def _strip(claim: ClaimRecord, verdict: Verdict | None, arm: int, found: Lookup) -> Strip | None:
    """All seeds of one experiment: those on record, then those that only the verdict knows."""
    runs = found.runs(claim.experiments[arm])
    seeds = [_seed(run, claim.metric, found.run_anchors[run.key]) for run in runs]
    recorded = {run.spec.seed for run in runs}
    if verdict and arm < len(verdict.seeds) and arm < len(verdict.values):
        judged = zip(verdict.seeds[arm], verdict.values[arm], strict=False)
        seeds += [Seed(str(s), digits.points(v), "", "", "") for s, v in judged if s not in recorded]
    return Strip(found.title(claim.experiments[arm]), tuple(seeds)) if seeds else None


def _seed(run: Run, metric: str, run_anchor: str) -> Seed:
    value = run.metrics.get(metric) if run.status == "done" else None
    return Seed(
        seed=str(run.spec.seed),
        value="" if value is None else digits.points(value),
        note="" if value is not None else wording.seed_note(run.status, run.reason),
        key=run.key[:8],
        run=run_anchor,
    )


def _around(centre: float, margin: float) -> Bounds:
    return (centre - margin, centre + margin)


def _plot(claim: ClaimRecord, verdict: Verdict | None, names: tuple[str, ...], anchor: str) -> str:
    """The interval plot; none for a printed value on other data, which shares no axis with ours."""
    if verdict is None or verdict.estimate is None:
        return ""
    value = claim.kind == "value"
    if value and verdict.scope == "other_data":
        return ""
    target = verdict.target if value or verdict.scope != "other_data" else None
    centre = verdict.target if value else 0.0
    band = claim.negligible if claim.kind == "order" and verdict.margin is None else verdict.margin
    printed = (
        (claim.printed[0] if claim.printed else digits.points(target)) if value else digits.signed(target)
    )
    return interval_plot(
        IntervalPlot(
            id=f"p-{anchor}",
            title=f"{wording.STATUS_WORDS[wording.status_of(verdict)]}: {wording.claim_title(claim, names)}",
            description=wording.plot_description(claim, verdict),
            axis=f"{claim.metric}, points" if value else f"difference in {claim.metric}, points",
            estimate=verdict.estimate,
            target=target,
            target_label=f"printed {printed}",
            margin=None if band is None or centre is None else _around(centre, band),
            ci90=verdict.ci90,
            ci95=verdict.ci95,
            pi95=verdict.pi95,
            dots=verdict.values[0] if value and verdict.values else (),
            zero=not value,
            lanes=() if value else tuple(Lane(n, v) for n, v in zip(names, verdict.values, strict=False)),
            lanes_axis=f"{claim.metric}, points",
        )
    )
