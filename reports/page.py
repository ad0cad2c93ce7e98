"""What stands on the page, as frozen data with its text already formatted. The templates only print it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from audit.record import Audit, FidelityCheck, Finding
from reports import wording
from reports.claim_cards import Card, card
from reports.claim_filter import Chip, chips
from reports.claim_groups import CardGroup, card_groups, commands_in_short
from reports.data_view import DataBlock, data_blocks
from reports.figures import IntervalPlot, interval_plot
from reports.first_screen import Line, inconsistencies
from reports.headlines import Headline, headed, headlines, on_own_data
from reports.lookup import Lookup, lookup
from reports.open_claims import OpenClaims, open_claims
from reports.packed import packed
from reports.protocol import RunRow, ScopeNote, run_rows, scope_notes, version_notes
from reports.protocol_box import ProtocolBox, protocol_box
from reports.rejudging import Slider, slider
from reports.rerun_view import before_only
from reports.same_runs import distinct
from reports.sections import Sections, sections
from reports.split_view import SplitSection, split_section
from reports.strata_view import StrataBlock, strata_blocks
from reports.strings import moment
from reports.studies import StudyView, study_views
from reports.table_view import TableView, table_views
from reports.wording import STATUS_WORDS, STATUSES, Status, beside, controls
from reports.wording import same_runs as again

#: So many primary claims are on the first screen; the others are folded below them.
_FIRST = 3
#: So many printed values stand above them where none of them rests on the paper's own data.
_BESIDE = 2


@dataclass(frozen=True)
class CountBox:
    status: Status
    word: str
    count: int
    total: int
    note: str = ""
    """What of them a reader would take for more, or for something else."""
    borrowed: bool = False
    """Whether all of them rest on stand-in data, so that the number has less weight."""


@dataclass(frozen=True)
class FidelityPanel:
    sentence: str
    checks: tuple[FidelityCheck, ...]


@dataclass(frozen=True)
class FindingView:
    id: str
    check: str
    result: str
    says: str
    """The claim that was held against the tables; empty for a check of numbers alone."""
    cells: str
    """Where the numbers, or the sentence, stand."""
    sentence: str


@dataclass(frozen=True)
class Page:
    title: str
    byline: str
    source: str
    code: str
    version: str
    date: str
    headlines: tuple[Headline, ...]
    """At most three primary claims: those on the paper's own data first, and those that need an eye. Where
    none of them rests on the paper's own data, printed values that do stand above them."""
    primary_heading: str
    further: tuple[Headline, ...]
    """The other primary claims."""
    counts: tuple[CountBox, ...]
    tally: str
    resting: str
    """On whose data those claims rest that were judged."""
    looks: tuple[str, ...]
    """Sentences about how often the claims were judged, and what that did to the error."""
    nothing_tested: bool
    scopes: tuple[ScopeNote, ...]
    protocol: ProtocolBox | None
    """Whether the paper's own or a reduced one; None where there are no runs."""
    gate_open: bool
    """Whether every check on record passed, and there is one."""
    inconsistent: tuple[Line, ...]
    gate: str
    fidelity: tuple[FidelityPanel, ...]
    authors: str
    """Whether they were asked, and what came of it."""
    slider: Slider
    chips: tuple[Chip, ...]
    groups: tuple[CardGroup, ...]
    before_only: str
    """What the commands of single claims begin with; empty but on a large page."""
    open: OpenClaims
    plots: str
    """Those of closed cards, packed; empty but on a large page."""
    key_plot: str
    """SVG drawn by `reports.figures`: how to read the others."""
    findings: tuple[FindingView, ...]
    tables: tuple[TableView, ...]
    repeats: bool
    """Whether claims rest on the runs of others."""
    splits: SplitSection | None
    data: tuple[DataBlock, ...]
    strata: tuple[StrataBlock, ...]
    studies: tuple[StudyView, ...]
    runs: tuple[RunRow, ...]
    versions: tuple[str, ...]
    sections: Sections


def build(audit: Audit) -> Page:
    """Everything the page shows about `audit`; the same audit gives the same page."""
    found = lookup(audit)
    cards, plots = packed([card(claim, found) for claim in audit.claims])
    primary, values = headlines(found), on_own_data(found, _BESIDE)
    groups, prefix = commands_in_short(card_groups(cards), before_only(found))
    below = sections(found)
    tested = any(found_card.status != "not_tested" for found_card in cards)
    return Page(
        title=audit.paper.title or audit.paper.key,
        byline=_byline(audit),
        source=audit.paper.url or "",
        code=" at commit ".join(part for part in (audit.paper.code_url, audit.paper.code_commit) if part),
        version=audit.tool_version,
        date=moment(audit.created),
        headlines=(*values, *headed(primary[:_FIRST])),
        primary_heading=beside.PRIMARY_AND_VALUES if values else beside.PRIMARY,
        further=headed(primary[_FIRST:]),
        counts=_counts(cards, found),
        tally=_tally(audit, cards),
        resting=" ".join(
            filter(
                None,
                (wording.resting_of(audit.verdicts), wording.on_imported(*found.imported_and_judged)),
            )
        ),
        looks=audit.about_looks,
        nothing_tested=not tested,
        scopes=scope_notes(found),
        protocol=protocol_box(found),
        gate_open=bool(audit.fidelity) and all(check.passed for check in audit.fidelity),
        inconsistent=inconsistencies(below.findings, audit.findings, audit.papers_beside),
        gate=_gate(audit),
        fidelity=_fidelity(audit.fidelity),
        authors=wording.author_state(audit.author_response),
        slider=slider(found),
        chips=chips(cards),
        groups=groups,
        before_only=prefix,
        open=open_claims(found),
        plots=plots,
        key_plot=_KEY_PLOT,
        findings=_findings(audit.findings),
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
    return ". ".join(part for part in (wording.listed(paper.authors), place) if part)


def _counts(cards: Sequence[Card], found: Lookup) -> tuple[CountBox, ...]:
    """The four numbers. They add up to the number of claims: every card has one of the four statuses."""
    number = Counter(it.status for it in cards)
    return tuple(
        CountBox(
            status,
            STATUS_WORDS[status],
            number[status],
            len(cards),
            _aside(status, found),
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
        return wording.runs_failed(sum(it.reason == "run_failed" for it in verdicts.values()))
    claims = [it for it in found.audit.claims if wording.status_of(verdicts.get(it.id)) == status]
    pairs = [(it, verdicts[it.id]) for it in claims]
    stand_in = sum(it.scope == "other_data" for _, it in pairs)
    return again.aside(len(pairs), distinct(pairs), stand_in, sum(found.imported(it) for it in claims))


def _tally(audit: Audit, cards: Sequence[Card]) -> str:
    judged = sum(verdict.reason not in wording.UNJUDGED for verdict in audit.verdicts)
    decided = sum(found.status in ("reproduced", "contradicted") for found in cards)
    counts = wording.tally(total=len(cards), judged=judged, decided=decided)
    return f"{counts} {wording.counted_once(audit.share)}".rstrip()


def _fidelity(checks: Sequence[FidelityCheck]) -> tuple[FidelityPanel, ...]:
    """One panel for each model, in the order in which the models first appear."""
    panels = []
    for model in dict.fromkeys(check.model for check in checks):
        own = tuple(check for check in checks if check.model == model)
        panels.append(FidelityPanel(wording.fidelity_note(model, own), own))
    return tuple(panels)


def _gate(audit: Audit) -> str:
    checks = audit.fidelity
    models = list(dict.fromkeys(check.model for check in checks))
    lacking = {check.model for check in checks if not check.passed}
    state = wording.gate_state(models, [model for model in models if model not in lacking])
    imported = {run.imported for record in audit.experiments for run in record.runs}
    if imported == {True}:
        return controls.GATE_IMPORTED
    return f"{state} {controls.GATE_NOT_IMPORTED}" if True in imported else state


def _findings(findings: Sequence[Finding]) -> tuple[FindingView, ...]:
    """Inconsistent ones first, then untestable, then consistent ones.

    Among these the paper's own come before those of its code's README, and the weightiest first.
    """
    order = ("inconsistent", "untestable", "consistent")
    return tuple(
        _finding(it)
        for it in sorted(findings, key=lambda it: (order.index(it.result), bool(it.source), -it.weight))
    )


def _finding(finding: Finding) -> FindingView:
    return FindingView(
        id=finding.id,
        check=finding.check,
        result=finding.result,
        says=finding.says or "",
        cells=wording.finding_place(finding),
        sentence=wording.finding_sentence(finding),
    )


_KEY_PLOT = interval_plot(
    IntervalPlot(
        description=wording.KEY_NAME,
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
