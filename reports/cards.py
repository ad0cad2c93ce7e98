"""One card per claim, the groups in which the cards stand, and what they can be filtered by."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from audit.record import ClaimRecord, InstanceEvidence, Part, ReadingVerdict, Scope, Settling, Verdict
from reports import digits
from reports.beside import (
    COLUMNS_TERM,
    YARDSTICK_TERM,
    Strip,
    others_on_its_data,
    over_columns,
    strips,
)
from reports.fields import DIFFERENCES, PRINTED_KINDS, coverage, edges, few_words, medians, subject_of
from reports.lookup import (
    AGAIN,
    AGAIN_NOTE,
    SAME_ON_STAND_IN,
    SAME_STAND_IN_NOTE,
    Lookup,
    Place,
    part_heading,
)
from reports.notes import mcnemar, of_documents, paper_and_here, plot_name, power_text, times, to_reach
from reports.readings import over_readings, reading_view, shown_reading
from reports.rerun import of_claim
from reports.slider import band_of
from reports.splits import splits_at_claim
from reports.svg import plot_of
from reports.text import View
from reports.verdicts import claim_title, hangs_on, margin_band, no_plot, sentence, settle_to_settle, unrun
from reports.words import (
    KIND_WORDS,
    ORDER,
    RUN_ON,
    STATUS_WORDS,
    STATUSES,
    Status,
    judged_on,
    reason,
    status_of,
)

#: Cells of a claim up to which the place of each is told by its table alone: the link leads to the cell.
_CARD_FEW = 2
#: A printed score that a score to be reached can be held against.
_PERCENT = re.compile(r"\d{1,3}(?:\.\d+)?")
#: Up to so many characters all plots of a page are drawn.
ALL_PLOTS = 400_000
#: On a larger page, so many of those of primary and contradicted claims.
PLOTS_OF_A_LARGE_PAGE = 100_000
#: So many badges are shown; more are folded.
_BADGES = 6


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
    facts: tuple[View, ...] = ()
    plot: str = ""
    """SVG drawn by `reports.figures`; empty when there is nothing to draw."""
    no_plot: str = ""
    parts: tuple[View, ...] = ()
    strips: tuple[Strip, ...] = ()
    splits: str = ""
    """The printed number under each reading of its split; empty where no split columns were run."""
    readings: View | None = None
    """None where none but the default reading was run."""
    command: str = ""
    """That runs its experiments alone; empty where none of them can be run here."""
    same: View | None = None
    """Where a claim is told that has the same runs; such a card holds no more than its verdict."""


def card(claim: ClaimRecord, found: Lookup) -> Card:
    """The card of one claim; a claim without a verdict is shown as not tested."""
    first = found.same.claims.get(claim.id)
    return _card_whole(claim, found) if first is None else _card_again(claim, first, found)


def _card_again(claim: ClaimRecord, first: str, found: Lookup) -> Card:
    """Of a claim that has the runs of another one no more than its verdict, and where the runs are told."""
    verdict = found.verdicts[claim.id]
    told = next(it for it in found.audit.claims if it.id == first)
    return _card(
        claim,
        found,
        numbers=paper_and_here(claim.printed[0] if claim.kind == "value" and claim.printed else "", ""),
        band=band_of(claim, verdict),
        same=View(title=claim_title(told, found.names(told)), href=f"#{found.anchors[first]}"),
    )


def _card_whole(claim: ClaimRecord, found: Lookup) -> Card:
    verdict = found.verdicts.get(claim.id)
    numbers = _two_numbers(claim, verdict)
    badges = verdict.badges if verdict else ()
    plot = plot_of(claim, verdict, found.names(claim), plot_name(numbers))
    return _card(
        claim,
        found,
        numbers=numbers,
        band=band_of(claim, verdict),
        open=status_of(verdict) == "contradicted",
        sentence=sentence(claim, found),
        badges=badges[:_BADGES],
        further=badges[_BADGES:],
        facts=(
            *_card_places(claim, found),
            *_to_reach(claim, found),
            *(_card_numbers(claim, verdict) if verdict else ()),
            *_settling(found.audit.settling.get(claim.id), verdict),
            *_card_documents(found.audit.instances.get(claim.id)),
            *_beside(claim, found),
        ),
        plot=plot,
        no_plot="" if plot else no_plot(claim, verdict),
        parts=_card_parts(verdict, found) if verdict else (),
        strips=strips(claim, verdict, found),
        splits=splits_at_claim(found.audit.splits, claim.id),
        readings=reading_view(claim, verdict, found.audit.readings, found.anchors[claim.id]),
        command=of_claim(claim, found),
    )


def _card(claim: ClaimRecord, found: Lookup, **more: Any) -> Card:
    """What every card has, and `more` of its fields."""
    verdict = found.verdicts.get(claim.id)
    status = status_of(verdict)
    return Card(
        anchor=found.anchors[claim.id],
        claim=claim.claim,
        status=status,
        word=STATUS_WORDS[status],
        reason=unrun(verdict, found.quoted(claim))
        or few_words(verdict)
        or reason(verdict.reason if verdict else "not_run"),
        title=claim_title(claim, found.names(claim)),
        kind=KIND_WORDS.get(claim.kind, claim.kind),
        kind_key=claim.kind,
        dataset=claim.dataset,
        scope=RUN_ON[verdict.scope] if verdict and verdict.scope else "",
        on=verdict.scope if verdict else None,
        metric=subject_of(claim),
        primary=claim.primary,
        **more,
    )


def _two_numbers(claim: ClaimRecord, verdict: Verdict | None) -> str:
    """The printed and ours, in the terminal's signs; on other data ours stands beside no printed number."""
    if verdict is not None and (ours := _of_its_kind(claim, verdict)):
        return paper_and_here("", ours)
    if verdict is None or (claim.kind != "value" and claim.kind not in DIFFERENCES):
        return paper_and_here(claim.printed[0] if claim.kind == "value" and claim.printed else "", "")
    stand_in = verdict.scope == "other_data"
    marks = edges(claim, verdict)
    if claim.kind == "value":
        printed = claim.printed[0] if claim.printed else ""
        ours = digits.mean_sd(verdict.estimate, verdict.sd, beside=marks)
    else:
        printed = "" if verdict.target is None or stand_in else digits.signed(verdict.target)
        ours = digits.signed(verdict.estimate, beside=marks)
    hidden = verdict.estimate is None or (stand_in and claim.kind in PRINTED_KINDS)
    return paper_and_here(printed, "" if hidden else ours)


def _of_its_kind(claim: ClaimRecord, verdict: Verdict) -> str:
    """`× 1.62`, `power 1.05`, `epochs 11.49 / not reached`; empty for other kinds, or without a number."""
    if claim.kind == "convergence":
        return f"epochs {' / '.join(held)}" if (held := medians(verdict)) else ""
    if claim.kind not in ("cost", "complexity") or verdict.estimate is None:
        return ""
    number = digits.points(verdict.estimate, beside=edges(claim, verdict))
    return times(number) if claim.kind == "cost" else power_text(number)


def _card_places(claim: ClaimRecord, found: Lookup) -> list[View]:
    """Where the paper says it, and the printed cells it is about."""
    where = claim.where
    said = [f"section {where.section}"] if where.section else []
    said += [where.label] if where.label else []
    said += [f"page {where.page}"] if where.page is not None else []
    facts = [View(term="Said in", text=", ".join(said), href="")] if said else []
    for k, address in enumerate(claim.cells):
        place = found.places.get(address)
        printed = (
            claim.printed[k] if k < len(claim.printed) else (place and place.cell.printed) or digits.ABSENT
        )
        if place and claim.kind != "dominance" and place.cell.printed not in (None, printed):
            printed = f"{place.cell.printed}, which is {printed} %"
        several = len(claim.cells) > _CARD_FEW or (place and card_metric_of(place) != claim.metric)
        named = place.table.label if place and not several else _cell_name(place) if place else address
        text = f"{printed} ({named})"
        facts.append(View(term="Printed", text=text, href=f"#{place.anchor}" if place else ""))
    return facts


def _to_reach(claim: ClaimRecord, found: Lookup) -> list[View]:
    """The score of a convergence claim, beside the lowest that the paper prints for one of its arms."""
    target = claim.details.get("target") if claim.kind == "convergence" else None
    if target is None:
        return []
    printed = [
        it.cell.printed
        for it in found.places.values()
        if it.cell.experiment in claim.experiments and card_metric_of(it) == claim.metric
    ]
    numbers = [it for it in printed if it and _PERCENT.fullmatch(it) and float(it) >= float(target)]
    lowest = min(numbers, key=float, default=None)
    return [View(term="To be reached", text=to_reach(float(target), claim.metric, lowest), href="")]


def card_metric_of(place: Place) -> str | None:
    """Of a printed cell, whether metrics head the columns or the rows."""
    return place.cell.metric or place.column.metric


def _cell_name(place: Place) -> str:
    return f"{place.table.label}: {place.row.label}, {place.column.label}"


def _card_numbers(claim: ClaimRecord, verdict: Verdict) -> list[View]:
    """The derivation of the verdict; what is absent is left out."""
    marks = edges(claim, verdict)
    facts = _default_reading(verdict)  # the seeds are in the sentence, and listed one by one
    if verdict.estimate is not None:
        facts.append(_estimate(claim, verdict, marks))
    inner, outer = coverage(verdict)
    for term, bounds in ((f"{inner}% interval", verdict.ci90), (f"{outer}% interval", verdict.ci95)):
        if bounds is not None:
            facts.append(View(term=term, text=digits.interval(bounds, beside=marks), href=""))
    if verdict.pi95 is not None:
        facts.append(
            View(term=f"One paper run ({outer}%)", text=digits.interval(verdict.pi95, beside=marks), href="")
        )
    if verdict.margin is not None:
        facts.append(View(term="Margin", text=_card_margin(claim, verdict.margin), href=""))
    over = over_readings(verdict)
    if band := margin_band(verdict):
        facts.append(View(term=f"Margin band{over}, taken alone", text=band, href=""))
    facts += [View(term=term, text=text, href="") for term, text in hangs_on(claim, verdict)]
    return [*facts, *_p_values(verdict)]


def _default_reading(verdict: Verdict) -> list[View]:
    """How the reading came out whose numbers and plot these are, where others were run too."""
    default = next((it for it in verdict.readings if not it.reading), None)
    if default is None:
        return []
    return [View(term="Shown here", text=shown_reading(default, verdict), href="")]


def _estimate(claim: ClaimRecord, verdict: Verdict, marks: tuple[float, ...]) -> View:
    if claim.kind == "value":
        term = "Mean" if verdict.sd is None else "Mean ± sd"
        return View(term=term, text=digits.mean_sd(verdict.estimate, verdict.sd, beside=marks), href="")
    if claim.kind in ("cost", "complexity"):
        term = "Ratio" if claim.kind == "cost" else "Exponent"
        return View(term=term, text=digits.points(verdict.estimate, beside=marks), href="")
    printed = "" if verdict.target is None else f" (printed {digits.signed(verdict.target)})"
    return View(term="Difference", text=digits.signed(verdict.estimate, beside=marks) + printed, href="")


def _card_margin(claim: ClaimRecord, size: float) -> str:
    """The margin with the rule that fixed it; the reasons are listed once for all claims."""
    if claim.kind == "complexity":
        return f"{digits.margin_size(size)} of the exponent, as logarithmic factors need it"
    text = f"{digits.margin_size(size)} points"
    if claim.margin is None:
        return text
    if size > claim.margin.value:  # the size of a large gap is not asked for more closely than that
        text += f" (half of the printed difference; fixed was {digits.margin_size(claim.margin.value)})"
    return f"{text}, rule “{claim.margin.rule}”"


def _p_values(verdict: Verdict) -> list[View]:
    """Of the reading that is shown, and the largest over all readings, by which the claim is judged."""
    default = next((it for it in verdict.readings if not it.reading), None)
    if default is None:
        return _p_of(verdict, verdict.level, "")
    over = over_readings(verdict, what="largest")
    return [*_p_of(default, verdict.level, ", as shown"), *_p_of(verdict, verdict.level, over)]


def _p_of(it: Verdict | ReadingVerdict, level: float, label: str) -> list[View]:
    pairs = (
        ("p (reproduced)", it.p_reproduced, it.p_reproduced_adjusted),
        ("p (contradicted)", it.p_contradicted, it.p_contradicted_adjusted),
    )
    return [
        View(
            term=f"{term}{label}",
            text=digits.p_value(raw, levels=(level,))
            + ("" if adjusted is None else f", adjusted {digits.p_value(adjusted, levels=(level,))}"),
            href="",
        )
        for term, raw, adjusted in pairs
        if raw is not None or adjusted is not None
    ]


def _settling(found: Settling | None, verdict: Verdict | None) -> list[View]:
    if found is None:
        return []
    return [View(term="To settle it", text=settle_to_settle(found, judged_on(verdict), verdict), href="")]


def _card_documents(evidence: InstanceEvidence | None) -> list[View]:
    """What single documents say, beside the verdict."""
    if evidence is None:
        return []
    these, new = of_documents(evidence)
    facts = (("For these documents", these), ("For new documents", new), ("McNemar", mcnemar(evidence)))
    return [View(term=term, text=text, href="") for term, text in facts if text]


def _beside(claim: ClaimRecord, found: Lookup) -> list[View]:
    """Other models on the same data, and all split columns of it; of claims that were judged."""
    if status_of(found.verdicts.get(claim.id)) == "not_tested":
        return []
    columns = over_columns(claim, found)
    return [
        *(View(term=YARDSTICK_TERM, text=it.text, href=it.href) for it in others_on_its_data(claim, found)),
        *([View(term=COLUMNS_TERM, text=columns.text, href=columns.href)] if columns else []),
    ]


def _card_parts(verdict: Verdict, found: Lookup) -> tuple[View, ...]:
    return tuple(
        View(
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


#: Up to so many characters all commands of a page stand in full.
WHOLE_COMMANDS = 60_000


def card_groups(cards: Sequence[Card]) -> tuple[View, ...]:
    """On the paper's own data, on stand-in data, on the same runs again, and what was not tested."""
    places = {found.anchor: place for place, found in enumerate(cards)}
    again = [it for it in cards if it.same]
    own, stand_in, untested = _group_parts([it for it in cards if not it.same])
    heading = part_heading([it.on for it in own]) if stand_in or again else ""
    return (
        *_group_headed(_by_status(own, places, ""), "own", heading),
        *_group_headed(_by_status(stand_in, places, "-s"), "stand-in", SAME_ON_STAND_IN, SAME_STAND_IN_NOTE),
        *_group_again(again, places),
        *_by_status(untested, places, ""),
    )


def commands_in_short(groups: Sequence[View], prefix: str) -> tuple[tuple[View, ...], str]:
    """On a large page the commands without what all begin with, and that; else the groups as they are."""
    blocks = [it for group in groups for it in group.blocks]
    if not prefix or sum(len(it.command) for it in blocks) <= WHOLE_COMMANDS:
        return tuple(groups), ""
    return tuple(
        group.but(blocks=tuple(it.but(command=it.command.removeprefix(prefix)) for it in group.blocks))
        for group in groups
    ), prefix


def _group_parts(cards: Sequence[Card]) -> tuple[list[Card], list[Card], list[Card]]:
    """On the paper's own data, on other data, and not tested."""
    tested = [it for it in cards if it.status != "not_tested"]
    return (
        [it for it in tested if it.on != "other_data"],
        [it for it in tested if it.on == "other_data"],
        [it for it in cards if it.status == "not_tested"],
    )


def _by_status(cards: Sequence[Card], places: Mapping[str, int], suffix: str) -> Iterator[View]:
    for status in ORDER:
        members = [it for it in cards if it.status == status]
        if members:
            yield View(
                anchor=f"g-{status}{suffix}",
                status=status,
                word=STATUS_WORDS[status],
                count=len(members),
                folded=status == "not_tested",
                blocks=_blocks(members, places),
                data="",
                part="",
                note="",
            )


def _group_headed(groups: Iterator[View], data: str, heading: str, note: str = "") -> Iterator[View]:
    for k, it in enumerate(groups):
        of = it.but(data=data if heading else "")
        yield of if k else of.but(part=heading, note=note)


def _group_again(cards: Sequence[Card], places: Mapping[str, int]) -> Iterator[View]:
    if cards:
        blocks = _blocks(cards, places)
        yield View(
            anchor="g-again",
            status=None,
            word=AGAIN,
            count=len(cards),
            folded=True,
            blocks=blocks,
            note=AGAIN_NOTE,
            data="",
            part="",
        )


def _blocks(cards: Sequence[Card], places: Mapping[str, int]) -> tuple[View, ...]:
    grouped = groupby(
        cards, key=lambda it: (it.claim, it.title, it.primary, it.kind_key, it.dataset, it.scope)
    )
    blocks = []
    for (_, title, primary, kind, dataset, scope), found in grouped:
        members = tuple(found)
        place = places[members[0].anchor]
        command = max((it.command for it in members), key=len)  # with all readings where one metric has them
        blocks.append(
            View(
                title=title,
                primary=primary,
                kind=kind,
                dataset=dataset,
                scope=scope,
                place=place,
                cards=members,
                command=command,
            )
        )
    return tuple(blocks)


#: So many data sets and kinds are offered; any other can be typed.
_OFFERED = 8


def chips(cards: Sequence[Card]) -> tuple[View, ...]:
    """Verdicts, data sets and kinds where there are several, and what is primary or moved."""
    status = Counter(card.status for card in cards)
    datasets = Counter(card.dataset for card in cards if card.dataset)
    kinds = Counter(card.kind_key for card in cards)
    primary = sum(card.primary for card in cards)
    found = [
        View(key="v", value=it, word=STATUS_WORDS[it], count=status[it]) for it in STATUSES if status[it]
    ]
    found += [View(key="d", value=it, word=it, count=number) for it, number in _several(datasets)]
    found += [
        View(key="kind", value=it, word=KIND_WORDS.get(it, it), count=number)
        for it, number in _several(kinds)
    ]
    found += [View(key="", value="primary", word="primary", count=primary)] if primary else []
    return (
        (*found, View(key="", value="flipped", word="flipped", count=0))
        if any(card.band for card in cards)
        else tuple(found)
    )


def _several(counts: Counter[str]) -> list[tuple[str, int]]:
    return counts.most_common(_OFFERED) if len(counts) > 1 else []


def on_large_page(cards: Sequence[Card], *, limit: int = ALL_PLOTS) -> tuple[list[Card], bool]:
    """The cards, and whether some are without their plots: those of closed claims that are not primary, where
    all plots would be most of the page, and the last of the others. Their numbers stand in the page as text.
    """
    if sum(len(card.plot) for card in cards) <= limit:
        return list(cards), False
    shown, room = [], PLOTS_OF_A_LARGE_PAGE
    for it in cards:
        room -= len(it.plot) if it.primary or it.open else 0
        whole = (it.primary or it.open) and room >= 0
        shown.append(it if whole else replace(it, plot="", no_plot=""))
    return shown, True
