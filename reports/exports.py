"""The audit as CSV, Markdown, JUnit, LaTeX and lines for a terminal, each by a pure function."""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from operator import attrgetter
from xml.etree import ElementTree

from audit.record import IMPORTED, Audit, ClaimRecord, Verdict
from reports import numbers
from reports import sentences as words
from reports.cards import where_text
from reports.findings import finding_name, finding_place, finding_sentence
from reports.lookup import Lookup, by_claim
from reports.page import NOTHING_TESTED, counted_once, on_imported, resting
from reports.protocol import is_reduced, on_changed_margins, protocol_box
from reports.text import View, grouped, joined, line, listed, moment, plural, shortened, slug, visible

# --------------------------------------------------------------------------- CSV

#: No spreadsheet runs what begins like a formula, unless it is a number.
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?")
_FORMULA = re.compile(r"'*\s*[=+\-@\uff1d\uff0b\uff0d\uff20\t\r\n]")


def guarded(text: str) -> str:
    """`text` as no spreadsheet runs it: behind an apostrophe where it begins like a formula."""
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def _end(span: str, k: int) -> Callable[[View], object]:
    return lambda of: (getattr(of.verdict, span) or (None, None))[k]


#: Column -> what stands in it; `docs/exports.md` says it in words.
COLUMNS: dict[str, Callable[[View], object]] = {
    "paper": lambda of: of.index.audit.paper.key,
    "id": lambda of: of.claim.id,
    "claim": lambda of: of.claim.claim,
    "kind": lambda of: of.claim.kind,
    "primary": lambda of: of.claim.primary,
    "title": lambda of: of.index.claim_title(of.claim),
    "metric": lambda of: words.subject_of(of.claim),
    "dataset": lambda of: of.claim.dataset,
    "where": lambda of: where_text(of.claim),
    "status": lambda of: words.status_of(of.verdict),
    "reason": lambda of: of.verdict.reason,
    "imported": lambda of: of.index.imported(of.claim),
    "sentence": lambda of: of.index.sentence(of.claim),
    "scope": lambda of: of.verdict.scope,
    "printed": lambda of: " ".join(of.claim.printed),
    "cells": lambda of: " ".join(of.claim.cells),
    "experiments": lambda of: " ".join(of.claim.experiments),
    "n": lambda of: min(of.verdict.n, default=0),
    "lost_runs": lambda of: max(0, sum(of.verdict.attempts) - sum(of.verdict.n)),
    "estimate": lambda of: of.verdict.estimate,
    "target": lambda of: of.verdict.target,
    "target_is": lambda of: "" if of.verdict.target is None else words.kind_words(of.claim).target_is,
    "ours": lambda of: words.row_texts(of.claim, of.verdict).measured.replace(numbers.ABSENT, ""),
    **{name: attrgetter(f"verdict.{name}") for name in ("margin", "sd", "se", "df")},
    **{
        f"{name}_{end}": _end(span, k)
        for name, span in (("inner", "ci90"), ("outer", "ci95"), ("prediction", "pi95"))
        for k, end in enumerate(("low", "high"))
    },
    **{
        name: attrgetter(f"verdict.{name}")
        for name in (
            *("p_reproduced", "p_contradicted", "p_reproduced_adjusted", "p_contradicted_adjusted"),
            *("margin_reproduced_from", "margin_contradicted_up_to"),
        )
    },
    "badges": lambda of: "; ".join(of.verdict.badges),
    "seeds_to_settle": lambda of: of.settling and of.settling.seeds,
    "to_settle": lambda of: (
        of.settling and words.to_settle(of.settling, words.judged_on(of.verdict), chances=True)
    ),
}


def claims_csv(audit: Audit) -> str:
    """The header and one row a claim and metric."""
    import pandas as pd

    index = Lookup(audit)

    def shown(value: object) -> object:
        if isinstance(value, bool):
            return str(value).lower()
        return guarded(visible(value)) if isinstance(value, str) else None if value is None else repr(value)

    rows = []
    for claim in audit.claims:
        settling = audit.settling.get(claim.id)
        side = View(claim=claim, verdict=index.verdicts[claim.id], settling=settling, index=index)
        rows.append([shown(of(side)) for of in COLUMNS.values()])
    frame = pd.DataFrame(rows, columns=list(COLUMNS), dtype=object)
    csv: str = frame.to_csv(index=False, lineterminator="\n")
    return csv


# --------------------------------------------------------------------------- Markdown

#: With headings and blank lines, four sections of four lines come to so many at most.
LINES = 40


def md_escape(text: str) -> str:
    """Text from outside on one line, of which no character is Markdown, HTML or a formula."""
    return re.sub(r"([\\`*_\[\]<>#|~$&!])", r"\\\1", line(text))


def md_code(text: str) -> str:
    """A code span, in more backticks than stand anywhere in `text`."""
    content = line(text)
    fence = "`" * (max((len(run) for run in re.findall("`+", content)), default=0) + 1)
    pad = " " if content.startswith("`") or content.endswith("`") else ""
    return f"{fence}{pad}{content}{pad}{fence}"


def md_line(text: str, limit: int) -> str:
    """At most so many characters of a text from outside."""
    return md_escape(line(text, limit))


def markdown_summary(audit: Audit) -> str:
    """Four numbers, the primary claims, contradictions, inconsistent numbers, what is open, how to rerun."""
    index = Lookup(audit)
    primary = [members for members in by_claim(audit.claims) if members[0].primary]
    others = [members for members in by_claim(audit.claims) if not members[0].primary]
    against = [members for members in others if index.status(index.most_pressing(members)) == "contradicted"]
    # the paper's own numbers first, the weightiest of them on top
    wrong = sorted(index.inconsistent, key=lambda finding: (bool(finding.source), -finding.weight))
    disagree = [
        f"- {md_line(finding_place(finding), 200)}: {md_line(finding_sentence(finding), 600)}"
        for finding in wrong
    ]
    still_open = []
    for name, settling in audit.settling.items():
        claim = index.claims.get(name)
        if claim and settling.seeds is not None and index.status(claim) == "inconclusive":
            about = f"{md_line(index.claim_title(claim), 200)} ({md_line(words.subject_of(claim), 80)})"
            still_open.append(f"- {about} – {md_escape(settling.text)}.")
    parts = [f"## Audit of {md_line(audit.paper.title or audit.paper.key, 200)}", "", _md_head(index)]
    for title, lines in (
        ("Primary claims", [_md_claim(members, index) for members in primary]),
        ("Contradicted", [_md_claim(members, index) for members in against]),
        ("Printed numbers that disagree", disagree),
        ("Open, the cheapest to settle first", still_open),
    ):
        rest = [f"- and {len(lines) - 4} more: see the report."] if len(lines) > 4 else []
        parts += ["", f"**{title}**", "", *lines[:4], *rest] if lines else []
    return "\n".join([*parts, *(["", f"Rerun: {md_code(audit.command)}"] if audit.command else [])]) + "\n"


def _md_head(index: Lookup) -> str:
    """The four numbers, whose data and whose runs they rest on, what was reduced: as on the first screen."""
    audit, box = index.audit, protocol_box(index)
    tool = f"xmtc-audit {shortened(audit.tool_version, 40)}".strip()
    newest = shortened(moment(audit.created), 40)
    tested = any(index.status(claim) != "not_tested" for claim in audit.claims)
    return joined(
        f"**{audit.counts}** of {plural(len(audit.claims), 'judgement')} "
        f"({md_escape(joined(tool, newest and f'newest run {newest}', by=', '))}).",
        resting(index) if tested else NOTHING_TESTED,
        on_imported(index),
        md_line(on_changed_margins(index), 600),
        counted_once(audit),
        box and md_escape(joined(f"Protocol: {box[0][:1].lower()}{box[0][1:]}", box[1])),
    )


def _md_claim(members: Sequence[ClaimRecord], index: Lookup) -> str:
    worst = index.most_pressing(members)
    came_out = words.over_metrics((words.subject_of(claim), index.status(claim)) for claim in members)
    said = f"- **{md_escape(came_out)}** {md_line(index.claim_title(worst), 200)}. "
    first = index.same_claims.get(worst.id)
    again = f" (same runs as: {md_line(index.claim_title(index.claims[first]), 200)})" if first else ""
    return said + md_line(index.sentence(worst), 600) + again


# --------------------------------------------------------------------------- JUnit

#: Status of a claim or result of a finding -> how its case ends; the others hold.
_ENDS = {
    **dict.fromkeys(("contradicted", "inconsistent"), "failure"),
    **dict.fromkeys(("inconclusive", "not_tested", "untestable"), "skipped"),
}


def junit(audit: Audit) -> str:
    """One suite of claims and one of findings."""
    key, index = audit.paper.key, Lookup(audit)
    claims, findings = [_claim_case(claim, index) for claim in audit.claims], []
    for finding in audit.findings:  # name, group, a key of `_ENDS` or another, message, text
        said, group = finding_sentence(finding), f"{key}.printed.{finding.check}"
        text = f"{finding_place(finding)}\n{said}"
        findings.append((finding_name(finding), group, finding.result, said, text))

    def counted(name: str, cases: Sequence[tuple[str, ...]]) -> dict[str, str]:
        ended = Counter(_ENDS.get(case[2]) for case in cases)
        number = {"tests": len(cases), "failures": ended["failure"], "skipped": ended["skipped"]}
        return {"name": line(name)} | {what: str(of) for what, of in number.items()}

    root = ElementTree.Element("testsuites", counted(f"audit of {key}", [*claims, *findings]))
    del root.attrib["skipped"]  # readers know it of one suite only
    seconds = sum(run.seconds for run in index.every_run.values())
    for suite_name, cases in (("claims", claims), ("printed numbers", findings)):
        if not cases:
            continue
        suite = ElementTree.SubElement(root, "testsuite", counted(f"{key}: {suite_name}", cases))
        suite.set("errors", "0")
        suite.set("time", f"{seconds:.1f}" if suite_name == "claims" else "0")
        if day := re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", audit.created):
            suite.set("timestamp", day[0])  # as written by JUnit: without fraction and zone
        properties = ElementTree.SubElement(suite, "properties")
        for name, value in (
            ("imported", on_imported(index)),
            ("margins_changed", on_changed_margins(index)),
            ("command", audit.command),
            ("tool_version", audit.tool_version),
            ("margins", audit.margins_hash),
        ):
            if value:
                ElementTree.SubElement(properties, "property", {"name": name, "value": line(value)})
        for name, group, kind, message, text in cases:
            named = {"classname": line(group), "name": line(name), "time": "0"}
            case = ElementTree.SubElement(suite, "testcase", named)
            end = _ENDS.get(kind)
            how = {"message": line(message)} if end else {}
            how |= {"type": kind} if end == "failure" else {}
            ElementTree.SubElement(case, end or "system-out", how).text = visible(text)
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def _claim_case(claim: ClaimRecord, index: Lookup) -> tuple[str, ...]:
    verdict, said, status = index.verdicts[claim.id], index.sentence(claim), index.status(claim)
    why = index.unrun(claim) or words.reason(verdict.reason)
    message = said if status == "contradicted" else f"{words.STATUS_WORDS[status]}: {why}"
    two = ""
    if status != "not_tested":
        row = words.row_texts(claim, verdict)
        printed, ours = row.printed or numbers.ABSENT, row.measured or numbers.ABSENT
        two = f"{line(row.about)}: printed {printed}, ours {ours}"
    text = joined(index.claim_title(claim), said, two, where_text(claim), by="\n")
    return claim.id, f"{index.audit.paper.key}.claims.{claim.kind}", status, message, text


# --------------------------------------------------------------------------- LaTeX

_TEX_SPECIAL: dict[str, str] = words.TEXTS["tex"]
_TEX_MARKS = dict(zip(words.STATUSES, (r"$\checkmark$", r"$\times$", r"$\circ$", "--"), strict=True))


def tex_escape(text: str) -> str:
    """`text` on one line. Invisible marks, on which a LaTeX without Unicode fonts stops, are written out."""
    return "".join(
        f"[U+{ord(sign):04X}]"
        if sign not in _TEX_SPECIAL and unicodedata.category(sign) in ("Cf", "Co", "Cn")
        else _TEX_SPECIAL.get(sign, sign)
        for sign in line(text)
    )


def latex(audit: Audit) -> str:
    """One long table of the judgements that were tested; the packages it needs in a comment on top."""
    import pandas as pd

    index = Lookup(audit)
    tested = [pair for pair in index.pairs if words.status_of(pair[1]) != "not_tested"]
    top = (
        f"% Verdicts on {line(audit.paper.key)}. "
        "In the preamble: \\usepackage{booktabs,amssymb,array,longtable}\n"
        f"% Made by xmtc-audit {line(audit.tool_version)}: {line(audit.command)}\n\n"
    )
    if not tested:
        return f"{top}% {NOTHING_TESTED}\n"
    elsewhere = {verdict.scope for _, verdict in tested if verdict.scope not in (None, "same_data")}
    scopes = [word for scope, word in words.SCOPE_WORDS.items() if scope in elsewhere]
    kinds = {claim.kind for claim, _ in tested}
    caption = joined(
        "What the paper prints, and ours: mean ± standard deviation over seeds; of a comparison the "
        "difference with its interval.",
        *(kind.in_table for name, kind in words.KINDS.items() if name in kinds),
        f"{numbers.count(len(tested))} of {plural(len(index.pairs), 'judgement')} tested.",
        f"† On {listed(sorted(scopes), word='or')}, not on the paper’s own data." if scopes else "",
        on_imported(index),
        line(on_changed_margins(index), 600),
    )
    table: str = (
        pd.DataFrame([_tex_row(*pair, index) for pair in tested])
        .style.hide(axis="index")
        .to_latex(
            environment="longtable",
            hrules=True,
            column_format=r">{\raggedright\arraybackslash}p{0.36\textwidth}lrrrrl",
            caption=tex_escape(caption),
            label=f"tab:audit-{slug(audit.paper.key)}",
        )
    )
    return top + table.replace(f"\\caption[]{{{tex_escape(caption)}}}", r"\caption[]{Continued.}")


def _tex_row(claim: ClaimRecord, verdict: Verdict, index: Lookup) -> dict[str, str]:
    """Ours has a dagger where it is of other data; `2 of 3` seeds where a run was lost."""
    texts, status = words.row_texts(claim, verdict), words.status_of(verdict)
    elsewhere = verdict.scope in ("other_data", "other_split") and texts.measured
    tries = verdict.attempts if len(verdict.attempts) == len(verdict.n) else verdict.n
    counts = zip(verdict.n, tries, strict=True)
    seeds = dict.fromkeys(str(k) if k == of else f"{k} of {of}" for k, of in counts)
    return {
        "Claim": tex_escape(line(index.claim_title(claim), 140)),
        "Metric": tex_escape(line(texts.about, 30)),
        "Printed": tex_escape(texts.printed or numbers.ABSENT),
        "Ours": tex_escape(texts.measured or numbers.ABSENT) + (r"\,\dag{}" if elsewhere else ""),
        "$n$": ", ".join(seeds) or "--",
        "Margin": tex_escape(numbers.margin_size(verdict.margin)),
        "Verdict": f"{_TEX_MARKS[status]} {words.STATUS_WORDS[status].lower()}",
    }


# --------------------------------------------------------------------------- a terminal


def summary(audit: Audit) -> str:
    """Kind of evidence, a line for each claim that could be judged, one for each reason of the rest, sums.
    What most claims rest on, such as made data, stands above them; behind those that do not, theirs."""
    index = Lookup(audit)
    lines = [visible(changed)] if (changed := on_changed_margins(index)) else []
    rest = [of for of in index.pairs if of[1].p_reproduced is None and of[1].outcome == "inconclusive"]
    left = {claim.id for claim, _ in rest}
    groups = by_claim(claim for claim in audit.claims if claim.id not in left)
    evidence = [_evidence(group, index) for group in groups]
    usual, number = Counter(evidence).most_common(1)[0] if evidence else ("", 0)
    if usual:
        lines.append(f"evidence: {usual}{'' if number == len(evidence) else ', unless stated in brackets'}")
    lines += ["ours is a mean, or a difference (+ or −), in points; in brackets the paper's"] * bool(groups)
    for group, marks in zip(groups, evidence, strict=True):
        judged = [(member, index.verdicts[member.id]) for member in group]
        cells = [f"{words.ICONS[words.status_of(pair[1])]} {_number(*pair)}" for pair in judged]
        lines.append(group[0].claim + ("" if marks == usual else f" [{marks or 'as in the paper'}]"))
        lines += _lines("   ".join(cell.replace(" ", "\xa0") for cell in cells), 2)  # breaks between cells
        for why, pairs in grouped(judged, lambda pair: words.in_short(*pair)).items():
            at = listed([words.subject_of(member) for member, _ in pairs]) if len(judged) > 1 else ""
            lines += _lines(joined(at, why, by=": "), 4) if why else []
    codes = dict.fromkeys(verdict.reason for _, verdict in rest)
    lines += index.unjudged_lines(codes)
    last = f"{plural(len(index.pairs), 'judgement')}: {index.audit.counts}"
    return "\n".join([*lines, "", last])


def _lines(text: str, indent: int) -> list[str]:
    shape = textwrap.TextWrapper(80, initial_indent=" " * indent, subsequent_indent=" " * indent)
    shape.break_long_words = shape.break_on_hyphens = False
    return [line.replace("\xa0", " ") for line in shape.wrap(text)]


def _evidence(group: Sequence[ClaimRecord], index: Lookup) -> str:
    """In what ways the runs behind a claim are not the paper's own, each in two words."""
    records = [record for claim in group for record in index.records(claim)]
    scopes = {index.verdicts[claim.id].scope for claim in group}
    imported = any(record.protocol == IMPORTED for record in records)
    ways = {
        "data not stated to be the paper’s" if imported else "stand-in data": "other_data" in scopes,
        "another split": "other_split" in scopes,
        "reduced protocol": any(map(is_reduced, records)),
        "imported, not verified here": imported,
    }
    return ", ".join(said for said, so in ways.items() if so)


def _number(claim: ClaimRecord, verdict: Verdict) -> str:
    """What the claim is about, and the mean, signed difference, ratio or share of comparisons."""
    kind, subject, medians = words.kind_words(claim), words.subject_of(claim), words.medians_of(verdict)
    if kind.parts:
        return f"{subject} {words.share_as_claimed(claim, verdict)}".rstrip()
    if kind.measure is None:
        return f"{subject} epochs {' and '.join(medians)}" if medians else subject
    if verdict.estimate is None:
        return subject
    said = f"{subject} {kind.measure.terminal}{words.estimate_text(claim, verdict, sd=False)}".lstrip()
    return f"{said} ({words.printed_of(claim, verdict)})" if verdict.target is not None else said


#: By the name that `--also` knows: the file beside `report.html`, and what writes it.
EXPORTS: dict[str, tuple[str, Callable[[Audit], str]]] = {
    "csv": ("report.csv", claims_csv),
    "markdown": ("report.md", markdown_summary),
    "junit": ("report.junit.xml", junit),
    "latex": ("report.tex", latex),
}
