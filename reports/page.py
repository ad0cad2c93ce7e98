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

from audit.record import LEFT_OUT, NOT_IN_STORE, NOT_TUNED, Audit, Verdict
from reports import cards, findings, numbers, protocol, svg, tables, text
from reports import sentences as words
from reports.lookup import NEVER, NO_NUMBER, Lookup, by_claim
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
        first_claims=_first_claims(shown),
        counts=_counts(index),
        tally=joined(
            f"A judgement is one claim in one metric: {plural(len(shown), 'claim')}, "
            f"{plural(len(index.pairs), 'judgement')}.",
            counted_once(audit),
            by_own_spread(index),
            protocol.on_changed_margins(index),
        ),
        looks=audit.about_looks,
        nothing_tested=all(row.status == "not_tested" for view in shown for row in view.rows),
        overview=(overview := _overview(index)),
        level=f"{100 * index.level:.3g}%",
        legend=_legend([row for view in overview for row in view.rows]),
        scopes=protocol.scope_notes(index),
        protocol=protocol.protocol_box(index),
        code_of=protocol.code_note(index),
        inconsistent=list(findings.inconsistencies(index)),
        slider=cards.slider(index),
        chips=cards.chips(shown),
        groups=groups,
        badges=index.shared_badges,
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
        drawn = View(title=title, plots=[plot for plot in plots if plot], more=more, rows=rows)
        views += [drawn] if drawn.plots else []
    return views


def _legend(rows: Sequence[svg.Row]) -> str:
    """What the marks of the overview mean, of those that are drawn."""
    marks = {"reproduced": "disc", "contradicted": "cross", "inconclusive": "ring"}
    seen = {row.outcome for row in rows}
    told = "; ".join(f"{mark}: {outcome}" for outcome, mark in marks.items() if outcome in seen)
    bars = "Thick bar: the interval that decides “reproduced”; thin bar: the one that decides “contradicted”."
    return joined(
        "Shaded band: the margin (what counts as equal)." * any(row.margin for row in rows),
        "Dashed line: the printed difference." * any(row.target is not None for row in rows),
        bars * any(row.inner and row.outer for row in rows),
        f"{text.capital(told)}.",
        "†: on stand-in data or another split." * any(row.heading.startswith("†") for row in rows),
    )


def _first_claims(shown: Sequence[View]) -> View:
    """The primary claims, contradicted ones first, then others that are; without primary ones all tested."""
    primary = [view for view in shown if view.primary]
    tested = [view for view in shown if view.status != "not_tested" and not view.same]
    tested.sort(key=lambda view: words.PRESSING.index(view.status))
    against = [view for view in tested if view.status == "contradicted" and not view.primary]
    title = "Primary claims" if primary else "Tested claims, none marked as primary"
    if primary and against:
        hold = [view for view in primary if view.status != "contradicted"]
        first = [view for view in primary if view.status == "contradicted"]
        title, primary = "Contradicted and primary claims", [*first, *against[:5], *hold]
    claims = primary or tested
    return View(title=title, claims=claims[:8], more=len(claims[8:]) + len(against[5:]) * bool(primary))


#: Of what was not tested: why, as `Lookup.obstacle` has it -> how that stands after the number of judgements.
_WHY_NOT = {
    NEVER: NEVER,
    NOT_TUNED: "not tuned on this corpus",
    LEFT_OUT: LEFT_OUT,
    NOT_IN_STORE: "without a run",
    NO_NUMBER: "not measured in the runs",
    words.reason("other_data"): "need the paper’s own data",
    words.reason("run_failed"): "failed here",
}


def _counts(index: Lookup) -> list[View]:
    """The four numbers. They add up to the number of judgements: every claim and metric has one of the four
    statuses. Below each on whose data and runs it rests; below those not tested, for which reasons."""
    boxes = []
    for status in words.STATUSES:
        pairs = [pair for pair in index.pairs if words.status_of(pair[1]) == status]
        number, stand_in = len(pairs), sum(verdict.scope == "other_data" for _, verdict in pairs)
        if tested := status != "not_tested":
            sorts = {"on stand-in data": stand_in}
            sorts["on imported numbers"] = sum(index.imported(claim) for claim, _ in pairs)
        else:
            sorts = Counter(_WHY_NOT.get(index.obstacle(claim), "for other reasons") for claim, _ in pairs)
        told = sorted(sorts.items(), key=lambda sort: -sort[1])
        notes = [
            f"{'all' if tested and some == number else count(some)} {what}" for what, some in told if some
        ]
        word, borrowed = words.STATUS_WORDS[status], tested and 0 < number == stand_in
        boxes.append(View(status=status, word=word, count=number, notes=notes, borrowed=borrowed))
    return boxes


def counted_once(audit: Audit) -> str:
    """Where claims say the same of several data sets and all were run on one corpus; else empty."""
    share = audit.share
    if share is None or share.once is None or share.once[1] == share.decided:
        return ""
    reproduced, number = share.once
    kept = "" if reproduced == number else f", {count(reproduced)} of them reproduced"
    different = plural(number, "different comparison")
    every = f"the {count(share.decided)} decided ones are {different}"
    return f"Some compare the same numbers: {every}{kept}."


def by_own_spread(index: Lookup) -> str:
    """How many verdicts need the spread of the paper's other experiments, too; empty where none does."""
    decided = [of for _, of in index.pairs if of.outcome != "inconclusive"]
    borrowed = len(list(filter(words.by_own_spread, decided)))
    would = f"{borrowed} of the {len(decided)} would be inconclusive by the spread of their own seeds alone."
    return would if borrowed else ""


def resting(index: Lookup) -> str:
    """On whose data the claims rest that were judged; empty where none was, or none of it is known."""
    judged = [pair for pair in index.pairs if pair[1].reason not in words.UNJUDGED]
    number = Counter(filter(None, (index.run_on(*pair) for pair in judged)))
    told = [f"{count(some)} {on}" for on, some in number.items()]
    every = len(told) == 1
    which = (
        f"All verdicts are {next(iter(number))}" if every else f"Of {len(judged)} verdicts, {listed(told)}"
    )
    own = all(verdict.scope in ("same_data", None) for _, verdict in judged)
    but = "" if own else "; the paper’s own data may behave differently"
    return f"{which}{but}." if told else ""


def on_imported(index: Lookup) -> str:
    """How many of the judged claims rest on runs that others made; empty where all are ours."""
    judged = [index.imported(claim) for claim, verdict in index.pairs if verdict.reason not in words.UNJUDGED]
    which = f"{'All' if all(judged) else count(sum(judged)) + ' of'} {plural(len(judged), 'verdict')}"
    rest = "rests" if sum(judged) == 1 else "rest"
    return f"{which} {rest} on imported numbers that were not verified here." if any(judged) else ""


def _open_claims(index: Lookup) -> View:
    """The claims that more seeds can settle, the paper's own data first; how many others need what."""
    by_seeds, others = [], Counter[tuple[str, str]]()
    for name, settling in index.audit.settling.items():
        verdict, claim = index.verdicts.get(name), index.claims.get(name)
        if verdict is None or claim is None or name in index.same_claims:
            continue
        if verdict.reason != "run_failed" and index.status(claim) != "inconclusive":
            continue
        if settling.seeds is None:
            on = " on stand-in data" if words.judged_on(verdict) == "other_data" else ""
            others[on, settling.text] += 1
        else:
            needed = words.to_settle(settling, words.judged_on(verdict), chances=True)
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
    rest = [f"{plural(number, 'judgement')}{on}: {text}." for (on, text), number in others.items()]
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
        title = str(shown)
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
    environment.filters |= {"coded": _coded, "linked": _linked}
    environment.filters |= {"plural": text.plural, "capital": text.capital}
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
