"""What stands on the page, and on the page over several audits. The templates only print it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from urllib.parse import quote

from audit.record import UNTESTED, Audit, Scope, Verdict
from reports import cards, findings, protocol, rerun, splits, svg, tables
from reports import sentences as words
from reports.lookup import Lookup, by_claim, distinct
from reports.numbers import count
from reports.text import View, joined, listed, moment, plural

NOTHING_TESTED = "Nothing was tested."
#: So many rows of one overview plot; the others stand in their cards.
ROWS = 60
#: So many open claims are named; `audit plan` lists all.
_OPEN_NAMED = 20


def build(audit: Audit) -> View:
    """Everything the page shows about `audit`; the same audit gives the same page."""
    index = Lookup(audit)
    shown = [cards.card(members, index) for members in by_claim(audit.claims)]
    some_dropped, groups, paper = cards.drop_plots(shown), cards.card_groups(shown), audit.paper
    return View(
        title=paper.title or paper.key,
        byline=joined(listed(paper.authors), joined(paper.venue, paper.year), by=". "),
        source=paper.url or "",
        code=joined(paper.code_url, paper.code_commit, by=" at commit "),
        version=audit.tool_version,
        date=moment(audit.created),
        primary=[view for view in shown if view.primary],
        counts=_counts(index),
        claims=plural(len(shown), "claim"),
        tally=_tally(index),
        resting=_resting(index),
        looks=audit.about_looks,
        nothing_tested=all(row.status == "not_tested" for view in shown for row in view.rows),
        overview=_overview(index),
        scopes=protocol.scope_notes(index),
        protocol=protocol.protocol_box(index),
        code_of=rerun.code_note(index),
        not_tested=list(words.unjudged_lines(index.pairs, index.names, UNTESTED)),
        inconsistent=list(findings.inconsistencies(index)),
        slider=cards.slider(index),
        chips=cards.chips(shown),
        groups=groups,
        stand_in=any(view.scope == "other_data" for view in shown),
        open=_open_claims(index),
        some_dropped=some_dropped,
        findings=findings.findings_section(index),
        tables=tables.table_views(index),
        repeats=bool(index.same_claims),
        across=tables.across_section(index),
        splits=splits.split_section(index),
        strata=tables.strata_blocks(index),
        data=tables.data_blocks(index),
        models=protocol.gate_models(index),
        imported=sum(run.imported for run in index.every_run.values()),
        run_number=len(index.every_run),
        diff=protocol.protocol_diff(index),
        studies=protocol.study_views(index),
        curves=protocol.learning_views(index),
        not_checked=findings.not_checked(index),
        authors=audit.author_response,
        rerun=rerun.rerun_box(index),
        runs=protocol.run_rows(index),
    )


def _overview(index: Lookup) -> list[View]:
    """Plots of all judged printed values and of all judged differences, many in two columns; of very many the
    first."""
    views = []
    for title, axis, every in cards.overview(index):
        rows = every[:ROWS]
        half = next(
            (k for k in range(len(rows) // 2, len(rows)) if rows[k].heading != rows[k - 1].heading), len(rows)
        )
        columns = [rows[:half], rows[half:]] if len(rows) > 8 else [rows]
        said = f"{title}: {plural(len(every), 'judgement')}."
        plots = [svg.forest(column, axis, said, zero=0.0, beside=rows).svg() for column in columns]
        more = (
            f"the first {ROWS} of {len(every)}; the others stand in their cards" if len(every) > ROWS else ""
        )
        views += [View(title=title, plots=[plot for plot in plots if plot], more=more)] if any(plots) else []
    return views


def _counts(index: Lookup) -> list[View]:
    """The four numbers. They add up to the number of judgements: every claim and metric has one of the four
    statuses.

    Beside each how many comparisons they are and on whose data; of those not tested, whose runs failed.
    """
    boxes = []
    for status in words.STATUSES:
        pairs = [pair for pair in index.pairs if words.status_of(pair[1]) == status]
        number, stand_in = len(pairs), sum(verdict.scope == "other_data" for _, verdict in pairs)
        notes = []
        if status == "not_tested":
            failed = sum(verdict.reason == "run_failed" for _, verdict in pairs)
            notes += [f"{count(failed)} because our runs failed"] if failed else []
        else:
            once = distinct(pairs)
            notes += [plural(once, "different comparison")] if 0 < once < number else []
            imported = sum(index.imported(claim) for claim, _ in pairs)
            for some, what in ((stand_in, "stand-in data"), (imported, "imported numbers")):
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
    """The denominators: all judgements, those that could be made, those that were decided."""
    total = len(index.audit.claims)
    if not total:
        return NOTHING_TESTED
    judged = sum(verdict.reason not in words.UNJUDGED for verdict in index.audit.verdicts)
    status = Counter(map(index.status, index.audit.claims))
    decided = status["reproduced"] + status["contradicted"]
    said = (
        f"Each metric of a claim is judged apart: {plural(total, 'judgement')}, of which {count(judged)} "
        f"could be made and {count(decided)} are decided."
    )
    return joined(said, counted_once(index.audit))


def counted_once(audit: Audit) -> str:
    """Where claims say the same of several data sets and all were run on one corpus; else empty."""
    share = audit.share
    if share is None or share.once is None or share.once[1] == share.decided:
        return ""
    reproduced, number = share.once
    kept = "" if reproduced == number else f", {count(reproduced)} of them reproduced"
    return (
        f"The {count(share.decided)} decided judgements are {plural(number, 'different comparison')}{kept}: "
        "some repeat another on the same runs."
    )


def resting(verdicts: Sequence[Verdict]) -> str:
    """On whose data the claims rest that were judged; empty where none was, or none of it is known."""
    scopes = [verdict.scope for verdict in verdicts if verdict.reason not in words.UNJUDGED]
    known = [scope for scope in scopes if scope is not None]
    if not known:
        return ""
    if set(known) == {"same_data"}:
        return "All verdicts rest on the paper’s own data."
    if set(scopes) == {"other_data"}:
        return "All verdicts rest on stand-in data: what holds there may not hold on the paper’s own."
    others: tuple[Scope, ...] = ("other_data", "other_split")
    number = Counter(known)
    told = [f"{count(number[scope])} on {words.SCOPE_WORDS[scope]}" for scope in others if number[scope]]
    which = f"Of {plural(len(scopes), 'verdict')}, {listed(told)}"
    return f"{which}: what holds there may not hold on the paper’s own data."


def on_imported(number: int, judged: int) -> str:
    """Whose runs the judged claims rest on, where others made them; empty where all are ours."""
    if not number:
        return ""
    which = f"{'All' if number == judged else count(number) + ' of'} {plural(judged, 'verdict')}"
    return f"{which} {'rests' if number == 1 else 'rest'} on imported numbers that were not verified here."


def _resting(index: Lookup) -> str:
    """On whose data, and on whose runs."""
    imported = on_imported(*index.imported_and_judged)
    return joined(resting(index.audit.verdicts), imported, rerun.on_changed_margins(index))


def _open_claims(index: Lookup) -> View:
    """The claims that more seeds can settle, the paper's own data first; of the others how many, by what they
    need."""
    by_seeds, others = [], Counter[str]()
    for name, settling in index.audit.settling.items():
        verdict, claim = index.verdicts.get(name), index.claims.get(name)
        if verdict is None or claim is None or name in index.same_claims:
            continue
        needed = words.to_settle(settling, words.judged_on(verdict), chances=True)
        if verdict.reason != "run_failed" and index.status(claim) != "inconclusive":
            continue
        if settling.seeds is None:
            others[needed] += 1
        else:
            row = View(
                title=index.claim_title(claim),
                metric=words.subject_of(claim),
                of=settling,
                chance=needed.partition("; ")[2] or needed,
                href=f"#{index.anchors[name]}",
                stand_in=verdict.scope == "other_data",
            )
            by_seeds.append(row)
    by_seeds.sort(key=lambda row: row.stand_in)
    rest = [f"{plural(number, 'judgement')}: {text}." for text, number in others.items()]
    if len(by_seeds) > _OPEN_NAMED:
        rest.insert(0, f"{len(by_seeds) - _OPEN_NAMED} more, for which `audit plan` tells the seeds.")
    return View(claims=by_seeds[:_OPEN_NAMED], rest=rest, stand_in=any(row.stand_in for row in by_seeds))


# --------------------------------------------------------------------------- the page over several audits


def index_page(audits: Sequence[tuple[str, Audit]], unread: Sequence[str] = ()) -> View:
    """Of (folder of the report, audit); `unread` are folders whose record is none. By folder."""
    rows = []
    for folder, audit in sorted(audits, key=lambda pair: pair[0]):
        index, total = Lookup(audit), len(audit.findings)
        found = f"{count(len(index.inconsistent))} of {plural(total, 'finding')} inconsistent"
        rows.append(
            View(
                title=audit.paper.title or audit.paper.key,
                report=folder,
                href=f"./{quote(folder)}/report.html",  # `./` so that no name is taken for a scheme
                counts=_counts(index),
                total=len(audit.claims),
                rests_on=_resting(index) or "nothing was judged",
                findings=found if total else "not checked",
                date=moment(audit.created) or "none",
            )
        )
    papers = len({audit.paper.key for _, audit in audits})
    lost = f"Not shown, because no audit could be read there: {listed(sorted(unread))}."
    summary = f"{plural(len(rows), 'audit')} of {plural(papers, 'paper')}"
    return View(summary=summary, rows=rows, unread=lost if unread else "")
