"""What stands on the page; the templates only print it."""

from __future__ import annotations

import hashlib
import json
import re
from base64 import b64encode
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from audit.record import UNTESTED, Audit, Scope, Verdict
from reports import cards, findings, numbers, protocol, svg, tables, text
from reports import sentences as words
from reports.lookup import Lookup, by_claim, distinct
from reports.numbers import count
from reports.sentences import ICONS, KINDS, STATUS_WORDS, TEXTS
from reports.text import View, joined, listed, moment, plural, visible

NOTHING_TESTED = "Nothing was tested."
#: So many rows of one overview plot; the others stand in their cards.
ROWS = 60
#: So many open claims are named, of which `audit plan` lists all, and so many judged ones in a notebook.
_OPEN_NAMED = 20


def build(audit: Audit) -> View:
    """Everything the page shows about `audit`; the same audit gives the same page."""
    index = Lookup(audit)
    shown = [cards.card(members, index) for members in by_claim(audit.claims)]
    some_dropped, groups, paper = cards.lighten(shown), cards.card_groups(shown), audit.paper
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
        resting=joined(
            resting(index),
            on_imported(*index.imported_and_judged),
            protocol.on_changed_margins(index),
        ),
        looks=audit.about_looks,
        nothing_tested=all(row.status == "not_tested" for view in shown for row in view.rows),
        overview=_overview(index),
        scopes=protocol.scope_notes(index),
        protocol=protocol.protocol_box(index),
        code_of=protocol.code_note(index),
        not_tested=list(words.unjudged_lines(index.pairs, index.names, UNTESTED)),
        inconsistent=list(findings.inconsistencies(index)),
        slider=cards.slider(index),
        chips=cards.chips(shown),
        groups=groups,
        stand_in=any(view.scope == "other_data" for view in shown),
        open=_open_claims(index),
        some_dropped=some_dropped,
        whole=cards.CARDS,
        findings=findings.findings_section(index),
        tables=tables.table_views(index),
        repeats=bool(index.same_claims),
        splits=tables.split_section(index),
        data=tables.data_blocks(index),
        models=protocol.gate_models(index),
        imported=(imported := sum(run.imported for run in index.every_run.values())),
        run_number=len(index.every_run),
        ours="Imported" if 0 < imported == len(index.every_run) else "Ours",
        diff=protocol.protocol_diff(index),
        studies=protocol.study_views(index),
        curves=protocol.learning_views(index),
        not_checked=findings.not_checked(index),
        authors=audit.author_response,
        rerun=protocol.rerun_box(index),
        runs=protocol.run_groups(index),
    )


def _overview(index: Lookup) -> list[View]:
    """Plots of the judged printed values and differences, many in two columns, at most the first `ROWS`."""
    views = []
    for title, axis, every in cards.overview(index):
        rows = every[:ROWS]
        behind = range(len(rows) // 2, len(rows))
        half = next((k for k in behind if rows[k].heading != rows[k - 1].heading), len(rows))
        columns = [rows[:half], rows[half:]] if len(rows) > 8 else [rows]
        said = f"{title}: {plural(len(every), 'judgement')}."
        plots = [svg.forest(column, axis, said, zero=0.0, beside=rows).svg() for column in columns]
        first = f"the first {ROWS} of {len(every)}; the cards show the others"
        more = first if len(every) > ROWS else ""
        views += [View(title=title, plots=[plot for plot in plots if plot], more=more)] if any(plots) else []
    return views


def _counts(index: Lookup) -> list[View]:
    """The four numbers. They add up to the number of judgements: every claim and metric has one of the four
    statuses. Beside each its comparisons and whose data; of those not tested, whose runs failed."""
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
        f"Each metric of a claim is judged by itself: {plural(total, 'judgement')}, of which {count(judged)} "
        f"could be made and {count(decided)} gave a decision."
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
        f"The {count(share.decided)} decided judgements are {plural(number, 'different comparison')}{kept}."
    )


def resting(index: Lookup) -> str:
    """On whose data the claims rest that were judged; empty where none was, or none of it is known."""
    judged = [pair for pair in index.pairs if pair[1].reason not in words.UNJUDGED]
    scopes = [verdict.scope for _, verdict in judged]
    known = [scope for scope in scopes if scope is not None]
    if not known:
        return ""
    if set(known) == {"same_data"}:
        if any(index.declared(claim) for claim, _ in judged):
            return "All verdicts rest on data that the import declares to be the paper’s, not verified here."
        return "All verdicts rest on the paper’s own data."
    if set(scopes) == {"other_data"}:
        return "All verdicts rest on stand-in data; the paper’s own data may behave differently."
    others: tuple[Scope, ...] = ("other_data", "other_split")
    number = Counter(known)
    told = [f"{count(number[scope])} on {words.SCOPE_WORDS[scope]}" for scope in others if number[scope]]
    which = f"Of {plural(len(scopes), 'verdict')}, {listed(told)}"
    return f"{which}: the paper’s own data may behave differently."


def on_imported(number: int, judged: int) -> str:
    """Whose runs the judged claims rest on, where others made them; empty where all are ours."""
    if not number:
        return ""
    which = f"{'All' if number == judged else count(number) + ' of'} {plural(judged, 'verdict')}"
    return f"{which} {'rests' if number == 1 else 'rest'} on imported numbers that were not verified here."


def _open_claims(index: Lookup) -> View:
    """The claims that more seeds can settle, the paper's own data first; how many others need what."""
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
        rest.insert(0, f"{len(by_seeds) - _OPEN_NAMED} more, for which `audit plan` gives the seeds.")
    return View(claims=by_seeds[:_OPEN_NAMED], rest=rest, stand_in=any(row.stand_in for row in by_seeds))


# --------------------------------------------------------------------------- as HTML


#: An address that may be followed at a click: of the web, in signs that need no escape.
_ADDRESS = re.compile(r"(https?://[A-Za-z0-9][\w.~:/?#@!$&*+,;=%()\[\]-]*[\w/=#~)-])", re.ASCII)
#: Images are the marks of the style sheet.
_POLICY = (
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; "
    "base-uri 'none'; form-action 'none'"
)
#: What the script says, by the names by which it knows them.
SPOKEN: dict[str, Any] = {
    **TEXTS["spoken"],
    "status": STATUS_WORDS,
    "kinds": {name: kind.word for name, kind in KINDS.items()},
}


def html(audit: Audit) -> str:
    """The report. The same record gives the same bytes: no clock, no chance, no order of a set."""
    script = (files("reports") / "templates" / "report.js").read_text(encoding="utf-8")
    digest = b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy, words = _POLICY.format(digest=digest), embedded(SPOKEN)
    page = _environment().get_template("page.html.j2")
    return page.render(page=build(audit), words=words, script=Markup(script), policy=policy)


def notebook(shown: Audit | Verdict) -> str:
    """What a notebook shows: of an audit its counts, overview plots and first judged claims; of a verdict its
    plot. The plots are images, which no style of the notebook changes."""
    judged: list[View] = []
    if isinstance(shown, Audit):
        index, title = Lookup(shown), str(shown)
        judged = [cards.card(members, index) for members in by_claim(shown.claims)]
        judged = [view for view in judged if view.status != "not_tested" and not view.same]
        plots = [plot for view in _overview(index) for plot in view.plots]
    else:
        title = f"{shown.claim}: {shown.outcome} ({shown.reason})"
        margin = svg.around(shown.target, shown.margin) if len(shown.values) == 1 else None
        seen: Any = {"estimate": shown.estimate, "target": shown.target}
        seen |= {"inner": shown.ci90, "outer": shown.ci95}
        row = svg.Row(shown.claim.rpartition(":")[2], shown.outcome, margin=margin, **seen)
        plots = [svg.forest([row], "ours; dashed: printed", title).svg()]
    style = (files("reports") / "templates" / "plot.css").read_text(encoding="utf-8")

    def image(plot: str) -> str:
        alone = plot.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
        return b64encode(alone.replace("</svg>", f"<style>{style}</style></svg>").encode()).decode()

    images, template = (
        [image(plot) for plot in plots if plot],
        _environment().get_template("notebook.html.j2"),
    )
    return template.render(title=title, images=images, items=judged[:ROWS], more=len(judged) - ROWS)


def changes_html(changes: text.View) -> str:
    """What changed between two audits, as a small page of its own."""
    return _environment().get_template("changes.html.j2").render(changes=changes, icons=ICONS)


def embedded(data: Mapping[str, Any]) -> Markup:
    r"""JSON as it may stand in a script element: no sign that ends it, or a line in older scripts."""
    content = json.dumps(data, ensure_ascii=True, sort_keys=True, allow_nan=False)
    for sign in "<>&":
        content = content.replace(sign, f"\\u{ord(sign):04x}")
    return Markup(content)


@cache
def _environment() -> Environment:
    """Autoescape everywhere, an unknown name is an error, and steering characters are written out."""
    environment = Environment(
        loader=PackageLoader("reports"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=lambda value: visible(value) if type(value) is str else value,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"coded": _coded, "linked": _linked, "plural": text.plural}
    shown = ("points", "signed", "p_value", "duration", "memory", "count", "margin_size")
    environment.filters |= {name: getattr(numbers, name) for name in shown}
    environment.globals |= {"splits": tables, "spoken": SPOKEN}
    return environment


def _coded(said: str) -> Markup:
    """What a sentence has between two backticks as code; a text with an odd one stays as it is."""
    parts = visible(said).split("`")
    return _framed(parts, "<code>{0}</code>") if len(parts) % 2 else Markup.escape(visible(said))


def _linked(said: str) -> Markup:
    """The addresses of the web in a text as links, which load nothing until they are followed."""
    return _framed(_ADDRESS.split(visible(said)), '<a href="{0}" rel="noreferrer">{0}</a>')


def _framed(parts: Sequence[str], frame: str) -> Markup:
    """Every other part in a frame, all of them escaped."""
    shown = (Markup(frame).format(of) if k % 2 else Markup.escape(of) for k, of in enumerate(parts))
    return Markup("").join(shown)
