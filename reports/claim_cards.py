"""One card per claim: what it says, what was found, the plot, every seed, the numbers behind the verdict."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from audit.record import ClaimRecord, InstanceEvidence, Part, ReadingVerdict, Scope, Settling, Verdict
from reports import digits, wording
from reports.claim_plots import plot_of
from reports.lookup import Lookup, Place
from reports.reading_view import ReadingView, reading_view
from reports.rejudging import band_of
from reports.rerun_view import of_claim
from reports.seed_strips import Strip, strips
from reports.sentences import sentence
from reports.wording import Status, beside, reading_counts, yardsticks
from reports.wording.fields import medians
from reports.wording.splits import splits_at_claim
from reports.yardsticks import others_on_its_data, over_columns

#: Cells of a claim up to which the place of each is told by its table alone: the link leads to the cell.
_FEW = 2
#: A printed score that a score to be reached can be held against.
_PERCENT = re.compile(r"\d{1,3}(?:\.\d+)?")
#: So many badges are shown; more are folded.
_BADGES = 6


@dataclass(frozen=True)
class Fact:
    """A term and what is known about it; `href` leads to where it stands in the page."""

    term: str
    text: str
    href: str = ""


@dataclass(frozen=True)
class Again:
    """The claim on whose very runs another one rests."""

    title: str
    href: str


@dataclass(frozen=True)
class PartRow:
    """One of the comparisons that a claim is made of; empty where nothing was measured or tested."""

    says: str
    difference: str
    p_as_claimed: str
    p_reverse: str


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
    kind_key: str
    dataset: str
    scope: str
    """On whose data it was run; empty where it was not."""
    on: Scope | None
    """The same as the record has it."""
    metric: str
    numbers: str
    """The paper's number and ours; empty where the two share no axis."""
    band: str
    """For the margin slider: `rejudging.band_of`."""
    primary: bool
    open: bool = False
    sentence: str = ""
    badges: tuple[str, ...] = ()
    further: tuple[str, ...] = ()
    """Badges beyond the first few, as of a claim over dozens of experiments that were not run."""
    facts: tuple[Fact, ...] = ()
    plot: str = ""
    """SVG drawn by `reports.figures`; empty when there is nothing to draw."""
    no_plot: str = ""
    parts: tuple[PartRow, ...] = ()
    strips: tuple[Strip, ...] = ()
    splits: str = ""
    """The printed number under each reading of its split; empty where no split columns were run."""
    readings: ReadingView | None = None
    """None where none but the default reading was run."""
    command: str = ""
    """That runs its experiments alone; empty where none of them can be run here."""
    same: Again | None = None
    """Where a claim is told that has the same runs; such a card holds no more than its verdict."""
    packed: str = ""
    """Place of its plot among those of `reports.packed`; empty where it stands here."""


def card(claim: ClaimRecord, found: Lookup) -> Card:
    """The card of one claim; a claim without a verdict is shown as not tested."""
    first = found.same.claims.get(claim.id)
    return _whole(claim, found) if first is None else _again(claim, first, found)


def _again(claim: ClaimRecord, first: str, found: Lookup) -> Card:
    """Of a claim that has the runs of another one no more than its verdict, and where the runs are told."""
    verdict = found.verdicts[claim.id]
    told = next(it for it in found.audit.claims if it.id == first)
    return _card(
        claim,
        found,
        numbers=wording.paper_and_here(
            claim.printed[0] if claim.kind == "value" and claim.printed else "", ""
        ),
        band=band_of(claim, verdict),
        same=Again(wording.claim_title(told, found.names(told)), f"#{found.anchors[first]}"),
    )


def _whole(claim: ClaimRecord, found: Lookup) -> Card:
    verdict = found.verdicts.get(claim.id)
    numbers = _two_numbers(claim, verdict)
    badges = verdict.badges if verdict else ()
    plot = plot_of(claim, verdict, found.names(claim), wording.plot_name(numbers))
    return _card(
        claim,
        found,
        numbers=numbers,
        band=band_of(claim, verdict),
        open=wording.status_of(verdict) == "contradicted",
        sentence=sentence(claim, found),
        badges=badges[:_BADGES],
        further=badges[_BADGES:],
        facts=(
            *_places(claim, found),
            *_to_reach(claim, found),
            *(_numbers(claim, verdict) if verdict else ()),
            *_settling(found.audit.settling.get(claim.id), verdict),
            *_documents(found.audit.instances.get(claim.id)),
            *_beside(claim, found),
        ),
        plot=plot,
        no_plot="" if plot else wording.no_plot(claim, verdict),
        parts=_parts(verdict, found) if verdict else (),
        strips=strips(claim, verdict, found),
        splits=splits_at_claim(found.audit.splits, claim.id),
        readings=reading_view(claim, verdict, found.audit.readings, found.anchors[claim.id]),
        command=of_claim(claim, found),
    )


def _card(claim: ClaimRecord, found: Lookup, **more: Any) -> Card:
    """What every card has, and `more` of its fields."""
    verdict = found.verdicts.get(claim.id)
    status = wording.status_of(verdict)
    return Card(
        anchor=found.anchors[claim.id],
        claim=claim.claim,
        status=status,
        word=wording.STATUS_WORDS[status],
        reason=wording.unrun(verdict, found.quoted(claim))
        or reading_counts.few_words(verdict)
        or wording.reason(verdict.reason if verdict else "not_run"),
        title=wording.claim_title(claim, found.names(claim)),
        kind=wording.KIND_WORDS.get(claim.kind, claim.kind),
        kind_key=claim.kind,
        dataset=claim.dataset,
        scope=wording.RUN_ON[verdict.scope] if verdict and verdict.scope else "",
        on=verdict.scope if verdict else None,
        metric=wording.subject(claim),
        primary=claim.primary,
        **more,
    )


def _two_numbers(claim: ClaimRecord, verdict: Verdict | None) -> str:
    """The printed and ours, in the terminal's signs; on other data ours stands beside no printed number."""
    if verdict is not None and (ours := _of_its_kind(claim, verdict)):
        return wording.paper_and_here("", ours)
    if verdict is None or (claim.kind != "value" and claim.kind not in wording.DIFFERENCES):
        return wording.paper_and_here(claim.printed[0] if claim.kind == "value" and claim.printed else "", "")
    stand_in = verdict.scope == "other_data"
    marks = wording.edges(claim, verdict)
    if claim.kind == "value":
        printed = claim.printed[0] if claim.printed else ""
        ours = digits.mean_sd(verdict.estimate, verdict.sd, beside=marks)
    else:
        printed = "" if verdict.target is None or stand_in else digits.signed(verdict.target)
        ours = digits.signed(verdict.estimate, beside=marks)
    hidden = verdict.estimate is None or (stand_in and claim.kind in wording.PRINTED)
    return wording.paper_and_here(printed, "" if hidden else ours)


def _of_its_kind(claim: ClaimRecord, verdict: Verdict) -> str:
    """`× 1.62`, `power 1.05`, `epochs 11.49 / not reached`; empty for other kinds, or without a number."""
    if claim.kind == "convergence":
        return f"epochs {' / '.join(held)}" if (held := medians(verdict)) else ""
    if claim.kind not in ("cost", "complexity") or verdict.estimate is None:
        return ""
    number = digits.points(verdict.estimate, beside=wording.edges(claim, verdict))
    return beside.times(number) if claim.kind == "cost" else beside.power(number)


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
        if place and claim.kind != "dominance" and place.cell.printed not in (None, printed):
            printed = f"{place.cell.printed}, which is {printed} %"
        several = len(claim.cells) > _FEW or (place and metric_of(place) != claim.metric)
        named = place.table.label if place and not several else _cell_name(place) if place else address
        text = f"{printed} ({named})"
        facts.append(Fact("Printed", text, href=f"#{place.anchor}" if place else ""))
    return facts


def _to_reach(claim: ClaimRecord, found: Lookup) -> list[Fact]:
    """The score of a convergence claim, beside the lowest that the paper prints for one of its arms."""
    target = claim.details.get("target") if claim.kind == "convergence" else None
    if target is None:
        return []
    printed = [
        it.cell.printed
        for it in found.places.values()
        if it.cell.experiment in claim.experiments and metric_of(it) == claim.metric
    ]
    numbers = [it for it in printed if it and _PERCENT.fullmatch(it) and float(it) >= float(target)]
    lowest = min(numbers, key=float, default=None)
    return [Fact("To be reached", wording.to_reach(float(target), claim.metric, lowest))]


def metric_of(place: Place) -> str | None:
    """Of a printed cell, whether metrics head the columns or the rows."""
    return place.cell.metric or place.column.metric


def _cell_name(place: Place) -> str:
    return f"{place.table.label}: {place.row.label}, {place.column.label}"


def _numbers(claim: ClaimRecord, verdict: Verdict) -> list[Fact]:
    """The derivation of the verdict; what is absent is left out."""
    marks = wording.edges(claim, verdict)
    facts = _default_reading(verdict)  # the seeds are in the sentence, and listed one by one
    if verdict.estimate is not None:
        facts.append(_estimate(claim, verdict, marks))
    inner, outer = wording.coverage(verdict)
    for term, bounds in ((f"{inner}% interval", verdict.ci90), (f"{outer}% interval", verdict.ci95)):
        if bounds is not None:
            facts.append(Fact(term, digits.interval(bounds, beside=marks)))
    if verdict.pi95 is not None:
        facts.append(Fact(f"One paper run ({outer}%)", digits.interval(verdict.pi95, beside=marks)))
    if verdict.margin is not None:
        facts.append(Fact("Margin", _margin(claim, verdict.margin)))
    over = wording.over_readings(verdict)
    if band := wording.margin_band(verdict):
        facts.append(Fact(f"Margin band{over}, taken alone", band))
    facts += [Fact(term, text) for term, text in wording.hangs_on(claim, verdict)]
    return [*facts, *_p_values(verdict)]


def _default_reading(verdict: Verdict) -> list[Fact]:
    """How the reading came out whose numbers and plot these are, where others were run too."""
    default = next((it for it in verdict.readings if not it.reading), None)
    if default is None:
        return []
    return [Fact("Shown here", wording.shown_reading(default, verdict))]


def _estimate(claim: ClaimRecord, verdict: Verdict, marks: tuple[float, ...]) -> Fact:
    if claim.kind == "value":
        term = "Mean" if verdict.sd is None else "Mean ± sd"
        return Fact(term, digits.mean_sd(verdict.estimate, verdict.sd, beside=marks))
    if claim.kind in ("cost", "complexity"):
        term = "Ratio" if claim.kind == "cost" else "Exponent"
        return Fact(term, digits.points(verdict.estimate, beside=marks))
    printed = "" if verdict.target is None else f" (printed {digits.signed(verdict.target)})"
    return Fact("Difference", digits.signed(verdict.estimate, beside=marks) + printed)


def _margin(claim: ClaimRecord, size: float) -> str:
    """The margin with the rule that fixed it; the reasons are listed once for all claims."""
    if claim.kind == "complexity":
        return f"{digits.margin_size(size)} of the exponent, as logarithmic factors need it"
    text = f"{digits.margin_size(size)} points"
    if claim.margin is None:
        return text
    if size > claim.margin.value:  # the size of a large gap is not asked for more closely than that
        text += f" (half of the printed difference; fixed was {digits.margin_size(claim.margin.value)})"
    return f"{text}, rule “{claim.margin.rule}”"


def _p_values(verdict: Verdict) -> list[Fact]:
    """Of the reading that is shown, and the largest over all readings, by which the claim is judged."""
    default = next((it for it in verdict.readings if not it.reading), None)
    if default is None:
        return _p_of(verdict, verdict.level, "")
    over = wording.over_readings(verdict, what="largest")
    return [*_p_of(default, verdict.level, ", as shown"), *_p_of(verdict, verdict.level, over)]


def _p_of(it: Verdict | ReadingVerdict, level: float, label: str) -> list[Fact]:
    pairs = (
        ("p (reproduced)", it.p_reproduced, it.p_reproduced_adjusted),
        ("p (contradicted)", it.p_contradicted, it.p_contradicted_adjusted),
    )
    return [
        Fact(
            f"{term}{label}",
            digits.p_value(raw, levels=(level,))
            + ("" if adjusted is None else f", adjusted {digits.p_value(adjusted, levels=(level,))}"),
        )
        for term, raw, adjusted in pairs
        if raw is not None or adjusted is not None
    ]


def _settling(found: Settling | None, verdict: Verdict | None) -> list[Fact]:
    if found is None:
        return []
    return [Fact("To settle it", wording.to_settle(found, wording.judged_on(verdict), verdict))]


def _documents(evidence: InstanceEvidence | None) -> list[Fact]:
    """What single documents say, beside the verdict."""
    if evidence is None:
        return []
    these, new = wording.of_documents(evidence)
    facts = (
        ("For these documents", these),
        ("For new documents", new),
        ("McNemar", wording.mcnemar(evidence)),
    )
    return [Fact(term, text) for term, text in facts if text]


def _beside(claim: ClaimRecord, found: Lookup) -> list[Fact]:
    """Other models on the same data, and all split columns of it; of claims that were judged."""
    if wording.status_of(found.verdicts.get(claim.id)) == "not_tested":
        return []
    columns = over_columns(claim, found)
    return [
        *(Fact(yardsticks.TERM, it.text, it.href) for it in others_on_its_data(claim, found)),
        *([Fact(yardsticks.COLUMNS_TERM, columns.text, columns.href)] if columns else []),
    ]


# --------------------------------------------------------------------------- parts


def _parts(verdict: Verdict, found: Lookup) -> tuple[PartRow, ...]:
    return tuple(
        PartRow(
            says=_part_says(part, found),
            difference=digits.signed(part.estimate),
            p_as_claimed=digits.p_value(part.p_reproduced),
            p_reverse=digits.p_value(part.p_contradicted),
        )
        for part in verdict.parts
    )


def _part_says(part: Part, found: Lookup) -> str:
    """The comparison with the titles of its experiments instead of their ids."""
    by_id = " > ".join(part.experiments)
    if not by_id or not part.says.endswith(by_id):
        return part.says
    return part.says.removesuffix(by_id) + " > ".join(f"“{found.title(key)}”" for key in part.experiments)
