"""What stands on the page, with its text already formatted. The templates only print it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from audit.record import Audit, FidelityCheck
from reports.cards import Card, card, card_groups, chips, commands_in_short, on_large_page
from reports.curves import learning_curves
from reports.data import data_blocks, study_views
from reports.findings import findings_section, inconsistencies
from reports.headlines import headed, headlines, on_own_data, open_claims
from reports.lookup import Lookup, aside, distinct, lookup
from reports.notes import (
    GATE_IMPORTED,
    GATE_NOT_IMPORTED,
    KEY_NAME,
    NO_EFFECT,
    PRIMARY,
    PRIMARY_AND_VALUES,
    asked,
    author_state,
    counted_once,
    fidelity_note,
    gate_state,
    on_imported,
    resting_of,
    runs_failed,
    tally,
)
from reports.protocol import protocol_box, protocol_diff, run_rows, scope_notes, version_notes
from reports.rerun import before_only, provenance, rerun_box
from reports.slider import slider
from reports.splits import split_section
from reports.svg import IntervalPlot, interval_plot
from reports.tables import across_section, strata_blocks, table_views
from reports.text import View, listed, moment
from reports.unchecked import not_checked
from reports.words import STATUS_WORDS, STATUSES, UNJUDGED, Status, status_of

#: So many primary claims are on the first screen; the others are folded below them.
_PAGE_FIRST = 3
#: So many printed values stand above them where none of them rests on the paper's own data.
_BESIDE = 2


def build(audit: Audit) -> View:
    """Everything the page shows about `audit`; the same audit gives the same page."""
    found = lookup(audit)
    cards, some_drawn = on_large_page([card(claim, found) for claim in audit.claims])
    primary, values = headlines(found), on_own_data(found, _BESIDE)
    groups, prefix = commands_in_short(card_groups(cards), before_only(found))
    below = sections(found)
    tested = any(found_card.status != "not_tested" for found_card in cards)
    return View(
        title=audit.paper.title or audit.paper.key,
        byline=_byline(audit),
        source=audit.paper.url or "",
        code=" at commit ".join(part for part in (audit.paper.code_url, audit.paper.code_commit) if part),
        version=audit.tool_version,
        date=moment(audit.created),
        headlines=(*values, *headed(primary[:_PAGE_FIRST])),
        primary_heading=PRIMARY_AND_VALUES if values else PRIMARY,
        further=headed(primary[_PAGE_FIRST:]),
        counts=_page_counts(cards, found),
        tally=_tally(audit, cards),
        resting=" ".join(filter(None, (resting_of(audit.verdicts), on_imported(*found.imported_and_judged)))),
        looks=audit.about_looks,
        nothing_tested=not tested,
        scopes=scope_notes(found),
        protocol=protocol_box(found),
        inconsistent=inconsistencies(below.findings, audit.findings, audit.papers_beside),
        gate=_gate(audit),
        authors=author_state(audit.author_response),
        slider=slider(found),
        chips=chips(cards),
        groups=groups,
        before_only=prefix,
        open=open_claims(found),
        some_drawn=some_drawn,
        key_plot=_KEY_PLOT,
        findings=bool(audit.findings),
        tables=table_views(found),
        repeats=bool(found.same.claims),
        splits=split_section(found),
        data=data_blocks(found),
        strata=strata_blocks(found),
        studies=study_views(found),
        runs=run_rows(found),
        versions=version_notes(run for record in audit.experiments for run in record.runs),
        sections=below,
    )


def _byline(audit: Audit) -> str:
    paper = audit.paper
    place = " ".join(str(part) for part in (paper.venue, paper.year) if part)
    return ". ".join(part for part in (listed(paper.authors), place) if part)


def _page_counts(cards: Sequence[Card], found: Lookup) -> tuple[View, ...]:
    """The four numbers. They add up to the number of claims: every card has one of the four statuses."""
    number = Counter(it.status for it in cards)
    return tuple(
        View(
            status=status,
            word=STATUS_WORDS[status],
            count=number[status],
            total=len(cards),
            note=_aside(status, found),
            borrowed=0 < number[status] == _on_stand_in(status, cards) and status != "not_tested",
        )
        for status in STATUSES
    )


def _on_stand_in(status: Status, cards: Sequence[Card]) -> int:
    return sum(it.status == status and it.on == "other_data" for it in cards)


def _aside(status: Status, found: Lookup) -> str:
    """Of claims with a verdict, how many comparisons they are and on whose data; else whose runs failed."""
    verdicts = found.verdicts
    if status == "not_tested":
        return runs_failed(sum(it.reason == "run_failed" for it in verdicts.values()))
    claims = [it for it in found.audit.claims if status_of(verdicts.get(it.id)) == status]
    pairs = [(it, verdicts[it.id]) for it in claims]
    stand_in = sum(it.scope == "other_data" for _, it in pairs)
    return aside(len(pairs), distinct(pairs), stand_in, sum(found.imported(it) for it in claims))


def _tally(audit: Audit, cards: Sequence[Card]) -> str:
    judged = sum(verdict.reason not in UNJUDGED for verdict in audit.verdicts)
    decided = sum(found.status in ("reproduced", "contradicted") for found in cards)
    counts = tally(total=len(cards), judged=judged, decided=decided)
    return f"{counts} {counted_once(audit.share)}".rstrip()


def _gate(audit: Audit) -> str:
    checks = audit.fidelity
    models = list(dict.fromkeys(check.model for check in checks))
    lacking = {check.model for check in checks if not check.passed}
    state = gate_state(models, [model for model in models if model not in lacking])
    imported = {run.imported for record in audit.experiments for run in record.runs}
    if imported == {True}:
        return GATE_IMPORTED
    return f"{state} {GATE_NOT_IMPORTED}" if True in imported else state


_KEY_PLOT = interval_plot(
    IntervalPlot(
        description=KEY_NAME,
        axis="P@1, points",
        estimate=75.62,
        target=76.2,
        target_label="printed 76.20",
        margin=(75.7, 76.7),
        ci90=(75.32, 75.92),
        ci95=(75.23, 76.01),
        pi95=(74.67, 76.57),
        dots=(75.2, 75.45, 75.62, 75.83, 76.0),
    )
)


def sections(found: Lookup) -> View:
    """All of them, of one audit."""
    return View(
        findings=findings_section(found),
        across=across_section(found),
        gate=gate_models(found),
        not_ours=not_ours(found),
        protocol=protocol_diff(found),
        curves=learning_curves(found),
        not_checked=not_checked(found),
        authors=author_slot(found),
        rerun=rerun_box(found),
        provenance=provenance(found),
    )


def author_slot(found: Lookup) -> View:
    """Also where nobody asked: that is said."""
    said = found.audit.author_response
    answered = said is not None and said.answer is not None
    return View(
        sentence=asked(said),
        answer=(said.answer or "") if said else "",
        effect=(said.effect or NO_EFFECT) if said and answered else "",
    )


FIDELITY_IMPORTED = (
    "Runs that were imported did not pass through these checks: their code was not checked here, and "
    "they contradict a claim only where they are stated to be of the paper’s own code."
)
PASSED = "passed"
NOT_PASSED = "not passed"
CHECKS_OF = "The checks of {model}"


def used_by(experiments: int, claims: int) -> str:
    """How much hangs on a model."""
    runs = "1 experiment" if experiments == 1 else f"{experiments:,} experiments"
    said = "1 claim" if claims == 1 else f"{claims:,} claims"
    return f"{runs} and {said} rest on it."


def no_check(model: str) -> str:
    return f"{model}: no check is on record, so that no claim is called contradicted on its runs."


def not_ours(found: Lookup) -> str:
    """What the checks say nothing about; empty where every run is ours."""
    imported = any(run.imported for it in found.audit.experiments for run in it.runs)
    return FIDELITY_IMPORTED if imported else ""


def gate_models(found: Lookup) -> tuple[View, ...]:
    """In the order in which the checks stand; models that were run without any check at the end."""
    checks = found.audit.fidelity
    used: dict[str, set[str]] = {}
    for it in found.audit.experiments:
        if any(not run.imported for run in it.runs):
            for model in it.models:
                used.setdefault(model, set()).add(it.id)
    models = dict.fromkeys((*(it.model for it in checks), *used))
    return tuple(
        _model(name, tuple(it for it in checks if it.model == name), used.get(name, set()), found)
        for name in models
    )


def _model(name: str, checks: tuple[FidelityCheck, ...], used: set[str], found: Lookup) -> View:
    claims = sum(bool(used & set(it.experiments)) for it in found.audit.claims)
    return View(
        name=name,
        sentence=fidelity_note(name, checks) if checks else no_check(name),
        used=used_by(len(used), claims) if used else "",
        open=bool(checks) and all(it.passed for it in checks),
        checks=tuple(sorted(checks, key=lambda it: it.passed)),
    )
