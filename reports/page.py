"""What stands on the page, and on the page over several audits. The templates only print it."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

from audit.record import Audit, AuthorResponse, Scope, Verdict
from reports import cards, findings, protocol, rerun, splits, tables
from reports import sentences as words
from reports.lookup import Lookup, distinct, lookup
from reports.numbers import count
from reports.svg import IntervalPlot, interval_plot
from reports.text import View, capital, joined, listed, moment, plural

NOTHING_TESTED = "Nothing was tested."
PRIMARY = "Primary claims"
PRIMARY_AND_VALUES = "Printed values, and the primary claims"
#: So many primary claims are on the first screen; the others are folded below them.
_FIRST = 3
#: So many printed values stand above them where none of them rests on the paper's own data.
FIRST_VALUES = 2


def build(audit: Audit) -> View:
    """Everything the page shows about `audit`; the same audit gives the same page."""
    index = lookup(audit)
    shown = [cards.card(claim, index) for claim in audit.claims]
    some_drawn = cards.drop_plots(shown)
    primary, values = cards.headlines(index), cards.on_own_data(index, FIRST_VALUES)
    groups = cards.card_groups(shown)
    section = findings.findings_section(index)
    paper = audit.paper
    return View(
        title=paper.title or paper.key,
        byline=joined(listed(paper.authors), joined(paper.venue, paper.year), by=". "),
        source=paper.url or "",
        code=joined(paper.code_url, paper.code_commit, by=" at commit "),
        version=audit.tool_version,
        date=moment(audit.created),
        headlines=[*values, *cards.headed(primary[:_FIRST])],
        primary_heading=PRIMARY_AND_VALUES if values else PRIMARY,
        further=cards.headed(primary[_FIRST:]),
        counts=_counts(index),
        tally=_tally(index),
        resting=_resting(index),
        looks=audit.about_looks,
        nothing_tested=all(it.status == "not_tested" for it in shown),
        scopes=protocol.scope_notes(index),
        protocol=protocol.protocol_box(index),
        inconsistent=list(findings.inconsistencies(section, index)),
        gate=protocol.gate_state(index),
        slider=cards.slider(index),
        chips=cards.chips(shown),
        before_only=cards.commands_in_short(groups, rerun.before_only(index)),
        groups=groups,
        open=cards.open_claims(index),
        some_drawn=some_drawn,
        key_plot=_KEY_PLOT,
        findings=section,
        tables=tables.table_views(index),
        repeats=bool(index.same_claims),
        across=tables.across_section(index),
        splits=splits.split_section(index),
        strata=tables.strata_blocks(index),
        data=tables.data_blocks(index),
        models=protocol.gate_models(index),
        imported=any(run.imported for run in index.every_run().values()),
        diff=protocol.protocol_diff(index),
        studies=protocol.study_views(index),
        curves=protocol.learning_views(index),
        not_checked=list(findings.not_checked(index)),
        authors=_authors(audit.author_response),
        rerun=rerun.rerun_box(index),
        provenance=rerun.provenance(index),
        runs=protocol.run_rows(index),
        versions=protocol.version_notes(index),
    )


_KEY_PLOT = interval_plot(
    IntervalPlot(
        description="An invented example: printed 76.20, mean 75.62.",
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


def _counts(index: Lookup, *, imported: bool = True) -> list[View]:
    """The four numbers. They add up to the number of claims: every claim has one of the four statuses.

    Beside each how many comparisons they are and on whose data; of those not tested, whose runs failed.
    `imported` is whether a number says how many of it rest on imported runs.
    """
    boxes = []
    for status in words.STATUSES:
        pairs = [(it, verdict) for it in index.audit.claims if (verdict := index.verdicts[it.id])]
        pairs = [pair for pair in pairs if words.status_of(pair[1]) == status]
        number, stand_in = len(pairs), sum(verdict.scope == "other_data" for _, verdict in pairs)
        others = sum(imported and index.imported(claim) for claim, _ in pairs)
        if status == "not_tested":
            failed = sum(verdict.reason == "run_failed" for _, verdict in pairs)
            notes = [f"{count(failed)} because our runs failed"] if failed else []
        else:
            once = distinct(pairs)
            notes = [plural(once, "different comparison")] if 0 < once < number else []
            for some, what in ((stand_in, "stand-in data"), (others, "imported numbers")):
                notes += [f"{'all' if some == number else count(some)} on {what}"] if some else []
        boxes.append(
            View(
                status=status,
                word=words.STATUS_WORDS[status],
                count=number,
                note=", ".join(notes),
                borrowed=0 < number == stand_in and status != "not_tested",
            )
        )
    return boxes


def _tally(index: Lookup) -> str:
    """The denominators: all claims, those that could be judged, those that were decided."""
    total = len(index.audit.claims)
    judged = sum(verdict.reason not in words.UNJUDGED for verdict in index.audit.verdicts)
    decided = sum(
        words.status_of(index.verdicts[it.id]) in ("reproduced", "contradicted") for it in index.audit.claims
    )
    if not total:
        said = NOTHING_TESTED
    elif not judged:
        said = f"Of {plural(total, 'claim')}, none could be judged."
    else:
        could = "all" if judged == total else count(judged)
        settled = {0: "none was", 1: "1 was"}.get(decided, f"{count(decided)} were")
        said = f"Of {plural(total, 'claim')}, {could} could be judged and {settled} decided."
    return joined(said, counted_once(index.audit))


def counted_once(audit: Audit) -> str:
    """Where claims say the same of several data sets and all were run on one corpus; else empty."""
    share = audit.share
    if share is None or share.once is None or share.once[1] == share.decided:
        return ""
    reproduced, number = share.once
    kept = "" if reproduced == number else f", {count(reproduced)} of them reproduced"
    return (
        f"The {count(share.decided)} decided claims are {plural(number, 'different comparison')}{kept}: some "
        "say the same of several data sets, or in other words, and rest on the same runs."
    )


def resting(verdicts: Sequence[Verdict]) -> str:
    """On whose data the claims rest that were judged; empty where none was, or none of it is known."""
    scopes = [it.scope for it in verdicts if it.reason not in words.UNJUDGED]
    known = [it for it in scopes if it is not None]
    if not known:
        return ""
    if set(known) == {"same_data"}:
        return "What was judged rests on the paper’s own data."
    if set(scopes) == {"other_data"}:
        return "All that was judged rests on stand-in data: what holds there may not hold on the paper’s own."
    others: tuple[Scope, ...] = ("other_data", "other_split")
    told = [f"{count(known.count(it))} on {words.SCOPE_WORDS[it]}" for it in others if it in known]
    return f"Of those judged, {listed(told)}: what holds there may not hold on the paper’s own."


def on_imported(number: int, judged: int) -> str:
    """Whose runs the judged claims rest on, where others made them; empty where all are ours."""
    if not number:
        return ""
    which = "All of it" if number == judged else f"{count(number)} of {plural(judged, 'judged claim')}"
    rests = "rests" if 1 in (number, number / judged) else "rest"
    return f"{which} {rests} on numbers that were imported, not verified here."


def _resting(index: Lookup) -> str:
    """On whose data, and on whose runs."""
    imported = on_imported(*index.imported_and_judged)
    return joined(resting(index.audit.verdicts), imported, rerun.on_changed_margins(index))


def _authors(said: AuthorResponse | None) -> View:
    """Also where nobody asked: that is said. `state` is for the first screen."""
    if said is None:
        return View(state="not yet asked", sentence="Not yet asked.", answer="", effect="")
    if said.answered is None:
        state = f"asked on {said.asked}; no answer yet"
        return View(state=state, sentence=f"{capital(state)}.", answer=said.answer or "", effect="")
    state, effect = f"asked on {said.asked}, answered on {said.answered}", said.effect or "not yet worked in"
    return View(state=state, sentence=f"{capital(state)}:", answer=said.answer or "", effect=effect)


# --------------------------------------------------------------------------- the page over several audits


def index_page(audits: Sequence[tuple[str, Audit]], unread: Sequence[str] = ()) -> View:
    """Of (folder of the report, audit); `unread` are folders whose record is none. By folder."""
    rows = []
    for folder, audit in sorted(audits, key=lambda it: it[0]):
        wrong, total = sum(it.result == "inconsistent" for it in audit.findings), len(audit.findings)
        index, found = lookup(audit), f"{count(wrong)} of {plural(total, 'finding')} inconsistent"
        rows.append(
            View(
                title=audit.paper.title or audit.paper.key,
                report=folder,
                href=f"./{quote(folder)}/report.html",  # `./` so that no name is taken for a scheme
                counts=_counts(index, imported=False),
                total=len(audit.claims),
                rests_on=_resting(index) or "nothing was judged",
                findings=found if total else "not checked",
                date=moment(audit.created) or "none",
            )
        )
    papers = len({audit.paper.key for _, audit in audits})
    them = "it" if len(unread) == 1 else "them"
    lost = f"Not shown, as no audit could be read from {them}: {listed(sorted(unread))}."
    summary = f"{plural(len(rows), 'audit')} of {plural(papers, 'paper')}"
    return View(summary=summary, rows=rows, unread=lost if unread else "")
