"""The audit as CSV, Markdown, JUnit, LaTeX and lines for a terminal, each by a pure function."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from xml.etree import ElementTree

from audit.record import IMPORTED, Audit, ClaimRecord, Verdict
from reports import numbers
from reports import sentences as words
from reports.cards import most_pressing, over_claim, values_on_own_data, where_text
from reports.findings import finding_name, finding_place, finding_sentence
from reports.lookup import Lookup, by_claim, lookup
from reports.page import (
    FIRST_VALUES,
    NOTHING_TESTED,
    PRIMARY,
    PRIMARY_AND_VALUES,
    counted_once,
    on_imported,
    resting,
)
from reports.protocol import is_reduced, protocol_box
from reports.rerun import on_changed_margins
from reports.tables import SAME
from reports.text import joined, line, listed, moment, plural, shortened, slug, visible
from reports.verdicts import (
    about_text,
    estimate_text,
    is_exact,
    medians_of,
    ours_text,
    printed_text,
    sentence,
    share_as_claimed,
    subject_of,
    to_settle,
    to_settle_short,
    unjudged_lines,
    unrun,
)

# --------------------------------------------------------------------------- CSV

#: Column -> what stands in it. `docs/exports.md` shows the same.
COLUMNS = {
    "paper": "key of the paper",
    "id": "claim and metric, as in `audit.json`: `sweep-ruins-kim:P@1`",
    "claim": "id of the claim in the claim file; its metrics share it",
    "kind": "value, order, gap, equivalent, ranking, ...",
    "primary": "true or false",
    "title": "the claim in the claim file's words",
    "metric": "metric, or what the claim is about instead",
    "dataset": "id of the data set in the claim file",
    "where": "section and page of the paper",
    "status": "reproduced, contradicted, inconclusive or not_tested",
    "reason": "reason code of the verdict; run_failed, where our runs failed, is not_tested",
    "imported": "true where the numbers were imported, not verified here",
    "sentence": "the verdict in words, as on the page",
    "scope": "same_data, other_split or other_data; empty where nothing was run",
    "printed": "the printed numbers as printed, separated by blanks",
    "cells": "their addresses, separated by blanks",
    "experiments": "ids of the experiments, separated by blanks",
    "n": "runs with a value, of the experiment that has fewest",
    "lost_runs": "runs without a value, of all experiments together",
    "estimate": "our mean, for a value; else the difference, ratio or exponent",
    "target": "what the estimate is held against; `target_is` says what it is",
    "target_is": "printed value, printed difference, score to reach or claimed exponent; empty without one",
    "ours": "what was measured in a few words: `11.49 / not reached` of the epochs of a convergence claim",
    "margin": "points",
    "sd": "standard deviation over seeds, n - 1",
    "se": "standard error of the estimate",
    "df": "degrees of freedom",
    "inner_low": "lower end of the interval for reproduced (90 %, or more at a look of less than 5 %)",
    "inner_high": "upper end",
    "outer_low": "lower end of the interval for contradicted (95 %, or more at such a look)",
    "outer_high": "upper end",
    "prediction_low": "lower end for the mean of the paper's runs",
    "prediction_high": "upper end",
    "p_reproduced": "p-value",
    "p_contradicted": "p-value",
    "p_reproduced_adjusted": "among the paper's other claims",
    "p_contradicted_adjusted": "among the paper's other claims",
    "margin_reproduced_from": "the least margin that would reproduce it",
    "margin_contradicted_up_to": "the largest margin that would contradict it; 0 for none",
    "badges": "short warnings, separated by semicolons",
    "seeds_to_settle": "seeds an experiment that would settle it with a chance of 80 %",
    "to_settle": "the same in words, with the time",
}
#: No spreadsheet runs what begins like a formula, unless it is a number.
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?")
_FORMULA = re.compile(r"'*\s*[=+\-@\uff1d\uff0b\uff0d\uff20\t\r\n]")


def guarded(text: str) -> str:
    """`text` as no spreadsheet runs it: behind an apostrophe where it begins like a formula.

    >>> guarded("=1+1"), guarded("-0.62"), guarded("-x")
    ("'=1+1", '-0.62', "'-x")
    """
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def claims_csv(audit: Audit) -> str:
    """The header and one row a claim."""
    out, index = io.StringIO(), lookup(audit)
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for claim in audit.claims:
        writer.writerow(map(_csv_cell, _csv_row(claim, index)))
    return out.getvalue()


def _csv_cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return guarded(visible(value)) if isinstance(value, str) else repr(value)


def _csv_row(claim: ClaimRecord, index: Lookup) -> list[object]:
    """In the order of `COLUMNS`."""
    verdict, settling = index.verdicts[claim.id], index.audit.settling.get(claim.id)
    target_is = "" if verdict.target is None else words.kind_words(claim).target_is
    ours = ours_text(claim, verdict)
    return [
        *(index.audit.paper.key, claim.id, claim.claim, claim.kind, claim.primary, index.claim_title(claim)),
        *(subject_of(claim), claim.dataset, where_text(claim), words.status_of(verdict), verdict.reason),
        *(index.imported(claim), sentence(claim, index), verdict.scope),
        *(" ".join(claim.printed), " ".join(claim.cells), " ".join(claim.experiments)),
        min(verdict.n, default=0),
        max(0, sum(verdict.attempts) - sum(verdict.n)),
        *(verdict.estimate, verdict.target, target_is, "" if ours == numbers.ABSENT else ours),
        *(verdict.margin, verdict.sd, verdict.se, verdict.df),
        *(end for span in (verdict.ci90, verdict.ci95, verdict.pi95) for end in span or (None, None)),
        *(verdict.p_reproduced, verdict.p_contradicted),
        *(verdict.p_reproduced_adjusted, verdict.p_contradicted_adjusted),
        *(verdict.margin_reproduced_from, verdict.margin_contradicted_up_to),
        "; ".join(verdict.badges),
        settling.seeds if settling else None,
        to_settle(settling, words.judged_on(verdict), verdict) if settling else None,
    ]


# --------------------------------------------------------------------------- Markdown

#: With headings and blank lines, the five primary claims, five contradictions, four findings and five open
#: claims that are told come to so many lines.
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
    index = lookup(audit)
    values = by_claim(values_on_own_data(audit))[:FIRST_VALUES]
    shown = {it.id for members in values for it in members}
    primary = by_claim(it for it in audit.claims if it.primary)
    primary.sort(key=lambda it: words.judged_on(index.verdicts[most_pressing(it, index).id]) == "other_data")
    contradicted = by_claim(
        it
        for it in audit.claims
        if words.status_of(index.verdicts[it.id]) == "contradicted" and not it.primary and it.id not in shown
    )
    wrong = [it for it in audit.findings if it.result == "inconsistent"]
    wrong.sort(key=lambda it: (bool(it.source), -it.weight))  # of the paper's own numbers the weightiest
    told = [f"- {md_line(finding_place(it), 200)}: {md_line(finding_sentence(it), 600)}" for it in wrong]
    headlines = [_md_headline(it, index) for it in (*values, *primary)]
    parts = [
        f"## Audit of {md_escape(shortened(audit.paper.title or audit.paper.key, 200))}",
        "",
        _md_head(index),
        *_section(PRIMARY_AND_VALUES if values else PRIMARY, headlines, 5, "primary claim"),
        *_section("Contradicted", [_md_headline(it, index) for it in contradicted], 5, "contradicted claim"),
        *_section("Printed numbers that disagree", told, 4, "finding"),
        *_section("Open, the cheapest to settle first", _md_open(index), 5, "open claim"),
        *(["", f"Rerun: {md_code(audit.command)}"] if audit.command else []),
    ]
    return "\n".join(parts) + "\n"


def _md_head(index: Lookup) -> str:
    """The four numbers, whose data and whose runs they rest on, what was reduced: as on the first screen."""
    audit = index.audit
    version, newest = shortened(audit.tool_version, 40), shortened(moment(audit.created), 40)
    tool = f"xmtc-audit {version}".strip()
    by = md_escape(f"{tool}, newest run {newest}" if newest else tool)
    tested = any(words.status_of(index.verdicts[it.id]) != "not_tested" for it in audit.claims)
    box = protocol_box(index)
    protocol = box and md_escape(joined(f"Protocol: {box[0][:1].lower()}{box[0][1:]}", box[1]))
    return joined(
        f"**{_status_counts(index)}** of {plural(len(audit.claims), 'claim')} ({by}).",
        resting(audit.verdicts) if tested else NOTHING_TESTED,
        on_imported(*index.imported_and_judged),
        md_line(on_changed_margins(index), 600),
        counted_once(audit),
        protocol,
    )


def _status_counts(index: Lookup) -> str:
    """`40 reproduced, 0 contradicted, 15 inconclusive, 120 not tested`"""
    number = Counter(words.status_of(index.verdicts[it.id]) for it in index.audit.claims)
    return ", ".join(f"{number[key]} {words.STATUS_WORDS[key].lower()}" for key in words.STATUSES)


def _section(title: str, items: Sequence[str], limit: int, noun: str) -> list[str]:
    """A heading and at most `limit` lines, then how many more there are; nothing for no items."""
    more = len(items) - limit
    rest = [f"- {plural(more, f'further {noun}')}: see the report."] if more > 0 else []
    return ["", f"**{title}**", "", *items[:limit], *rest] if items else []


def _md_headline(members: Sequence[ClaimRecord], index: Lookup) -> str:
    """How a claim came out over its metrics, and the sentence of the most pressing verdict.

    Of a primary claim that has the runs of another, that it has.
    """
    worst = most_pressing(members, index)
    said = f"- **{md_escape(over_claim(members, index))}** {md_line(index.claim_title(worst), 200)}. "
    said += md_line(sentence(worst, index), 600)
    told = index.claims.get(index.same_claims.get(worst.id, "")) if worst.primary else None
    return said + (f" ({SAME}: {md_line(index.claim_title(told), 200)})" if told else "")


def _md_open(index: Lookup) -> list[str]:
    """By the number of seeds that would settle them; metrics of a claim that need the same together."""
    metrics: dict[tuple[str, str], list[str]] = {}
    for name, settling in index.audit.settling.items():
        claim, verdict = index.claims.get(name), index.verdicts.get(name)
        if claim and settling.seeds is not None and words.status_of(verdict) == "inconclusive":
            needed = to_settle_short(settling, words.judged_on(verdict))
            metrics.setdefault((index.claim_title(claim), needed), []).append(subject_of(claim))
    return [
        f"- {md_line(title, 200)} ({md_escape(shortened(listed(of), 80))}) – {md_escape(text)}."
        for (title, text), of in metrics.items()
    ]


# --------------------------------------------------------------------------- JUnit

#: Status of a claim or result of a finding -> how its case ends; the others hold.
_ENDS = {
    **dict.fromkeys(("contradicted", "inconsistent"), "failure"),
    **dict.fromkeys(("inconclusive", "not_tested", "untestable"), "skipped"),
}


def junit(audit: Audit) -> str:
    """One suite of claims and one of findings."""
    key, index = audit.paper.key, lookup(audit)
    # name, group, a key of `_ENDS` or another, message, text, and what is printed beside a case that holds
    claims = [_claim_case(it, index) for it in audit.claims]
    findings = []
    for it in audit.findings:
        said = finding_sentence(it)
        group, text = f"{key}.printed.{it.check}", f"{finding_place(it)}\n{said}"
        findings.append((finding_name(it), group, it.result, said, text, said))

    def counted(name: str, cases: Sequence[tuple[str, ...]]) -> dict[str, str]:
        ended = Counter(_ENDS.get(case[2]) for case in cases)
        number = {"tests": len(cases), "failures": ended["failure"], "skipped": ended["skipped"]}
        return {"name": line(name)} | {what: str(of) for what, of in number.items()}

    root = ElementTree.Element("testsuites", counted(f"audit of {key}", [*claims, *findings]))
    del root.attrib["skipped"]  # readers know it of one suite only
    seconds = sum(run.seconds for run in index.every_run().values())
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
            ("imported", on_imported(*index.imported_and_judged)),
            ("margins_changed", on_changed_margins(index)),
            ("command", audit.command),
            ("tool_version", audit.tool_version),
            ("margins", audit.margins_hash),
        ):
            if value:
                ElementTree.SubElement(properties, "property", {"name": name, "value": line(value)})
        for name, group, kind, message, text, said in cases:
            named = {"classname": line(group), "name": line(name), "time": "0"}
            case = ElementTree.SubElement(suite, "testcase", named)
            if end := _ENDS.get(kind):
                how = {"message": line(message)} | ({"type": kind} if end == "failure" else {})
                ElementTree.SubElement(case, end, how).text = visible(text)
            elif said:
                ElementTree.SubElement(case, "system-out").text = visible(said)
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def _claim_case(claim: ClaimRecord, index: Lookup) -> tuple[str, ...]:
    verdict, said = index.verdicts[claim.id], sentence(claim, index)
    status = words.status_of(verdict)
    why = f"{words.STATUS_WORDS[status]}: {unrun(verdict, claim.experiments) or words.reason(verdict.reason)}"
    two = ""
    if status != "not_tested":
        printed, ours = printed_text(claim, verdict), ours_text(claim, verdict)
        two = f"{line(about_text(claim, verdict))}: printed {printed}, ours {ours}"
    text = joined(index.claim_title(claim), said, two, where_text(claim), by="\n")
    message, group = said if status == "contradicted" else why, f"{index.audit.paper.key}.claims.{claim.kind}"
    return claim.id, group, status, message, text, said


# --------------------------------------------------------------------------- LaTeX

#: Braces are written as words: BibTeX counts a brace even behind a backslash.
_TEX_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\textbraceleft{}",
    "}": r"\textbraceright{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "`": r"\textasciigrave{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    **{sign: f"\\{sign}" for sign in "&%$#_"},
    "“": "``",
    "”": "''",
    "‘": "`",
    "’": "'",
    "–": "--",
    "—": "---",
    "…": r"\ldots{}",
    "\xa0": "~",
    "±": r"$\pm$",
    "×": r"$\times$",
    "−": "$-$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "†": r"\dag{}",
}
_TEX_MARKS: dict[words.Status, str] = {
    "reproduced": r"$\checkmark$",
    "contradicted": r"$\times$",
    "inconclusive": r"$\circ$",
    "not_tested": "--",
}
#: Of one table; what is more goes into further ones.
ROWS = 40


def tex_escape(text: str) -> str:
    """`text` on one line. Invisible marks, on which a LaTeX without Unicode fonts stops, are written out.

    >>> tex_escape("50% of P@1_x & {y}")
    '50\\\\% of P@1\\\\_x \\\\& \\\\textbraceleft{}y\\\\textbraceright{}'
    """
    return "".join(
        f"[U+{ord(sign):04X}]"
        if sign not in _TEX_SPECIAL and unicodedata.category(sign) in ("Cf", "Co", "Cn")
        else _TEX_SPECIAL.get(sign, sign)
        for sign in line(text)
    )


def latex(audit: Audit) -> str:
    """Printed values table by table, then the comparisons; the packages they need in a comment on top."""
    index = lookup(audit)
    parts: list[str] = []
    name = f"audit-{slug(audit.paper.key)}"
    by_table: dict[str, list[ClaimRecord]] = {}
    for it in audit.claims:
        if words.kind_words(it).is_value and it.cells and it.cells[0] in index.places:
            by_table.setdefault(index.places[it.cells[0]].table.id, []).append(it)
    for table in audit.tables:
        said = f"{line(table.label, 70)}: printed values and ours, mean ± standard deviation over seeds."
        head, own = (
            ["Row", "Column", "Printed", "Ours", "$n$", "Margin", "Verdict"],
            by_table.get(table.id, []),
        )
        parts += _tex_tables(f"{name}-{slug(table.id)}", said, head, "llrrrrl", own, index)
    others = [it for it in audit.claims if not words.kind_words(it).is_value]
    tested = {it.kind for it in others if words.status_of(index.verdicts[it.id]) != "not_tested"}
    said = joined(
        "Comparisons stated by the paper: the printed difference, and ours with its interval",
        "(95% unless stated).",
        *(kind.in_table for name, kind in words.KINDS.items() if name in tested),
    )
    columns = r">{\raggedright\arraybackslash}p{0.36\textwidth}lrrrl"
    head = ["Claim", "Metric", "Printed", "Ours", "$n$", "Verdict"]
    parts += _tex_tables(f"{name}-comparisons", said, head, columns, others, index)
    top = (
        f"% Verdicts on {line(audit.paper.key)}. In the preamble: \\usepackage{{booktabs,amssymb,array}}\n"
        f"% Made by xmtc-audit {line(audit.tool_version)}: {line(audit.command)}"
    )
    return "\n\n".join([top, *(parts or [f"% {NOTHING_TESTED}"])]) + "\n"


def _tex_tables(
    label: str, said: str, head: Sequence[str], columns: str, claims: Sequence[ClaimRecord], index: Lookup
) -> Iterator[str]:
    """The tested of these claims, in parts; the caption says how many, and what a dagger means."""
    rows = [(it, index.verdicts[it.id]) for it in claims]
    tested = [(it, verdict) for it, verdict in rows if words.status_of(verdict) != "not_tested"]
    number = f"{numbers.count(len(tested))} of {plural(len(claims), 'claim')} were tested."
    if len(tested) == len(claims):
        every = f"All {plural(len(claims), 'claim')} were tested."
        number = every if len(claims) > 1 else "The one claim was tested."
    scopes = {words.SCOPE_WORDS[it.scope] for _, it in tested if it.scope not in (None, "same_data")}
    dagger = f"† On {listed(sorted(scopes), word='or')}, not on the paper’s own data." if scopes else ""
    imported = on_imported(sum(index.imported(it) for it, _ in tested), len(tested))
    caption = tex_escape(joined(said, number, dagger, imported, line(on_changed_margins(index), 600)))
    parts = range(0, len(tested), ROWS)
    for part, start in enumerate(parts, 1):
        of = f" Part {part} of {len(parts)}." if len(parts) > 1 else ""
        lines: list[str] = []
        before = ""
        shown = [_tex_row(*it, index) for it in tested[start : start + ROWS]]
        together = len({row[0] for row in shown}) < len(shown)
        for first, *rest in shown:  # what neighbours share stands once, a little apart from the line before
            lines += [r"\addlinespace"] if first != before and first and lines and together else []
            lines.append(" & ".join(["" if first == before else first, *rest]) + r" \\")
            before = first
        yield "\n".join(
            [
                "\\begin{table*}\n\\centering\\small",
                rf"\caption{{{caption}{of}}}",
                rf"\label{{tab:{label}{f'-{part}' if part > 1 else ''}}}",
                rf"\begin{{tabular}}{{{columns}}}",
                r"\toprule",
                " & ".join(head) + r" \\",
                r"\midrule",
                *lines,
                "\\bottomrule\n\\end{tabular}\n\\end{table*}",
            ]
        )


def _tex_row(claim: ClaimRecord, verdict: Verdict, index: Lookup) -> list[str]:
    """Ours has a dagger where it is of other data; `2 of 3` seeds where a run was lost."""
    ours, status = ours_text(claim, verdict), words.status_of(verdict)
    elsewhere = verdict.scope in ("other_data", "other_split") and ours != numbers.ABSENT
    tries = verdict.attempts if len(verdict.attempts) == len(verdict.n) else verdict.n
    seeds = [str(k) if k == of else f"{k} of {of}" for k, of in zip(verdict.n, tries, strict=True)]
    texts = [line(index.claim_title(claim), 140), line(about_text(claim, verdict), 30)]
    texts.append(printed_text(claim, verdict))
    margin = []
    if words.kind_words(claim).is_value:
        place = index.places[claim.cells[0]]
        texts = [line(place.row.label, 70), line(place.column.label, 70), (*claim.printed, numbers.ABSENT)[0]]
        margin = [tex_escape(numbers.margin_size(verdict.margin))]
    return [
        *map(tex_escape, texts),
        tex_escape(ours) + (r"\,\dag{}" if elsewhere else ""),
        ", ".join(dict.fromkeys(seeds)) or "--",
        *margin,
        f"{_TEX_MARKS[status]} {words.STATUS_WORDS[status].lower()}",
    ]


# --------------------------------------------------------------------------- a terminal


def summary(audit: Audit) -> str:
    """Kind of evidence, a line for each claim that could be judged, one for each reason of the rest, sums.

    What most claims rest on, such as made data, stands above them; behind those that do not, theirs.
    """
    index = lookup(audit)
    lines = [visible(changed)] if (changed := on_changed_margins(index)) else []
    pairs = list(zip(audit.claims, audit.verdicts, strict=True))
    rest = [it for it in pairs if it[1].p_reproduced is None and it[1].outcome == "inconclusive"]
    tested = [claim for claim, verdict in pairs if verdict.p_reproduced is not None]
    groups = by_claim([*tested, *(claim for claim, verdict in pairs if is_exact(verdict))])
    evidence = [_evidence(group, index) for group in groups]
    usual, number = Counter(evidence).most_common(1)[0] if evidence else ("", 0)
    if usual:
        but = "" if number == len(evidence) else ", but where another stands in brackets"
        lines.append(f"evidence: {usual}{but}")
    width = max((len(group[0].claim) for group in groups), default=0)
    for group, marks in zip(groups, evidence, strict=True):
        own = "" if marks == usual else f"   [{marks or 'as in the paper'}]"
        judged = [(it, index.verdicts[it.id]) for it in group]
        cells = (f"{words.ICONS[words.status_of(verdict)]} {_number(it, verdict)}" for it, verdict in judged)
        lines.append(f"{group[0].claim:{width}}  {'   '.join(cells)}".rstrip() + own)
        lines += [f"{'':{width}}    {said}" for pair in judged if (said := _of_readings(*pair))]
    codes = dict.fromkeys(verdict.reason for _, verdict in rest)
    lines += unjudged_lines(rest, lambda claim: [f"`{name}`" for name in claim.experiments], codes)
    return "\n".join([*lines, "", f"{plural(len(pairs), 'claim')}: {_status_counts(index)}"])


def _of_readings(claim: ClaimRecord, verdict: Verdict) -> str:
    """`P@1: 5 of 15 readings contradict it, nearest mean 66.93`, where readings do not agree."""
    number = sum(it.outcome == "contradicted" for it in verdict.readings)
    if verdict.reason != "ambiguous_description" or not number:
        return ""
    does = "contradicts" if number == 1 else "contradict"
    said = f"{subject_of(claim)}: {number} of {len(verdict.readings)} readings {does} it"
    means = [it.estimate for it in verdict.readings if it.estimate is not None]
    target = verdict.target
    if not words.kind_words(claim).is_value or target is None or not means:
        return said
    nearest = numbers.points(min(means, key=lambda mean: abs(mean - target)))
    return f"{said}, nearest mean {nearest}, printed {numbers.points(target)}"


def _evidence(group: Sequence[ClaimRecord], index: Lookup) -> str:
    """In what ways the runs behind a claim are not the paper's own, each in two words."""
    records = [it for claim in group for it in index.records(claim)]
    scopes = {index.verdicts[claim.id].scope for claim in group}
    ways = {
        "stand-in data": "other_data" in scopes,
        "another split": "other_split" in scopes,
        "reduced protocol": any(map(is_reduced, records)),
        "imported, not verified here": any(it.protocol == IMPORTED for it in records),
    }
    return ", ".join(said for said, so in ways.items() if so)


def _number(claim: ClaimRecord, verdict: Verdict) -> str:
    """What the claim is about, and the mean, signed difference, ratio or share of comparisons."""
    kind, subject, medians = words.kind_words(claim), subject_of(claim), medians_of(verdict)
    if kind.parts:
        return f"{subject} {share_as_claimed(claim, verdict)}".rstrip()
    if kind.measure is None:
        return f"{subject} epochs {' and '.join(medians)}" if medians else subject
    number = (
        "" if verdict.estimate is None else kind.measure.terminal + estimate_text(claim, verdict, sd=False)
    )
    return f"{subject} {number}".rstrip()


# --------------------------------------------------------------------------- all of them


@dataclass(frozen=True)
class Export:
    """What may be written beside the page."""

    file: str
    """Name beside `report.html`."""
    what: str
    write: Callable[[Audit], str]


#: By the name that `--also` knows. The names of the files are `report.`, so that they lie together.
EXPORTS = {
    "csv": Export("report.csv", "one row a claim", claims_csv),
    "markdown": Export("report.md", "at most 40 lines for a review form", markdown_summary),
    "junit": Export("report.junit.xml", "a test report for CI", junit),
    "latex": Export("report.tex", "tables for a paper", latex),
}
