"""The audit as CSV, Markdown, JUnit, LaTeX and lines for a terminal, each by a pure function."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from xml.etree import ElementTree

from audit.record import IMPORTED, Audit, ClaimRecord, Finding, Verdict
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
from reports.tables import SAME
from reports.text import joined, line, listed, moment, plural, shortened, slug, visible
from reports.verdicts import (
    about_text,
    claim_title,
    edges,
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


def _verdict(claim: ClaimRecord, index: Lookup) -> Verdict:
    """A claim without one was not run."""
    return index.verdicts.get(claim.id) or Verdict(claim.id, "inconclusive", "not_run")


def _title(claim: ClaimRecord, index: Lookup) -> str:
    return claim_title(claim, index.names(claim))


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
    verdict, settling = _verdict(claim, index), index.audit.settling.get(claim.id)
    targets = {"value": "printed value", "convergence": "score to reach", "complexity": "claimed exponent"}
    target_is = "" if verdict.target is None else targets.get(claim.kind, "printed difference")
    ours = ours_text(claim, verdict)
    return [
        *(index.audit.paper.key, claim.id, claim.claim, claim.kind, claim.primary, _title(claim, index)),
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
    primary.sort(key=lambda it: words.judged_on(_verdict(most_pressing(it, index), index)) == "other_data")
    contradicted = [
        it
        for it in audit.claims
        if words.status_of(_verdict(it, index)) == "contradicted" and not it.primary and it.id not in shown
    ]
    headlines = [_md_headline(it, index) for it in (*values, *primary)]
    title = PRIMARY_AND_VALUES if values else PRIMARY
    rerun = ["", f"Rerun: {md_code(audit.command)}"] if audit.command else []
    parts = [
        f"## Audit of {md_escape(shortened(audit.paper.title or audit.paper.key, 200))}",
        "",
        _md_head(index),
        *_section(title, headlines, 5, "primary claim"),
        *_section(
            "Contradicted",
            [_md_headline(it, index) for it in by_claim(contradicted)],
            5,
            "contradicted claim",
        ),
        *_section("Printed numbers that disagree", _md_findings(audit.findings), 4, "finding"),
        *_section("Open, the cheapest to settle first", _md_open(index), 5, "open claim"),
        *rerun,
    ]
    return "\n".join(parts) + "\n"


def _md_head(index: Lookup) -> str:
    """The four numbers, whose data and whose runs they rest on, what was reduced: as on the first screen."""
    audit = index.audit
    counts = _status_counts(index)
    version, newest = shortened(audit.tool_version, 40), shortened(moment(audit.created), 40)
    tool = f"xmtc-audit {version}".strip()
    by = md_escape(f"{tool}, newest run {newest}" if newest else tool)
    number, tested = plural(len(audit.claims), "claim"), any(it != "not_tested" for it in _statuses(index))
    protocol = ""
    if box := protocol_box(index):
        protocol = f" {md_escape(joined(f'Protocol: {box[0][:1].lower()}{box[0][1:]}', box[1]))}"
    return (
        joined(
            f"**{counts}** of {number} ({by}).",
            resting(audit.verdicts) if tested else NOTHING_TESTED,
            on_imported(*index.imported_and_judged),
            counted_once(audit),
        )
        + protocol
    )


def _statuses(index: Lookup) -> list[words.Status]:
    return [words.status_of(index.verdicts.get(it.id)) for it in index.audit.claims]


def _status_counts(index: Lookup) -> str:
    """`40 reproduced, 0 contradicted, 15 inconclusive, 120 not tested`"""
    number = Counter(_statuses(index))
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
    said = f"- **{md_escape(over_claim(members, index))}** {md_line(_title(worst, index), 200)}. "
    said += md_line(sentence(worst, index), 600)
    first = index.same_claims.get(worst.id) if worst.primary else None
    told = next((it for it in index.audit.claims if it.id == first), None)
    return said + (f" ({SAME}: {md_line(_title(told, index), 200)})" if told else "")


def _md_findings(findings: Iterable[Finding]) -> list[str]:
    """Of the paper's own numbers, the weightiest first."""
    wrong = [it for it in findings if it.result == "inconsistent"]
    wrong.sort(key=lambda it: (bool(it.source), -it.weight))
    return [f"- {md_line(finding_place(it), 200)}: {md_line(finding_sentence(it), 600)}" for it in wrong]


def _md_open(index: Lookup) -> list[str]:
    """By the number of seeds that would settle them; metrics of a claim that need the same together."""
    claims = {it.id: it for it in index.audit.claims}
    metrics: dict[tuple[str, str], list[str]] = {}
    for name, settling in index.audit.settling.items():
        verdict = index.verdicts.get(name)
        if name in claims and settling.seeds is not None and words.status_of(verdict) == "inconclusive":
            needed = to_settle_short(settling, words.judged_on(verdict))
            metrics.setdefault((_title(claims[name], index), needed), []).append(subject_of(claims[name]))
    return [
        f"- {md_line(title, 200)} ({md_escape(shortened(listed(of), 80))}) – {md_escape(text)}."
        for (title, text), of in metrics.items()
    ]


# --------------------------------------------------------------------------- JUnit

#: Status of a claim or result of a finding -> how its case ends; empty for one that holds.
_ENDS = {
    "reproduced": "",
    "contradicted": "failure",
    "inconclusive": "skipped",
    "not_tested": "skipped",
    "consistent": "",
    "inconsistent": "failure",
    "untestable": "skipped",
}


@dataclass(frozen=True)
class Case:
    """One claim or finding as a test case."""

    name: str
    group: str
    """Shown as the class name; dots make a tree."""
    kind: str
    """A key of `_ENDS`."""
    message: str
    text: str
    said: str
    """Printed beside a case that holds."""


def junit(audit: Audit) -> str:
    """One suite of claims and one of findings."""
    key, index = audit.paper.key, lookup(audit)
    suites = {
        "claims": [_claim_case(it, index) for it in audit.claims],
        "printed numbers": [_finding_case(it, key) for it in audit.findings],
    }
    every = [case for cases in suites.values() for case in cases]
    root = ElementTree.Element("testsuites", _attributes(f"audit of {key}", every))
    del root.attrib["skipped"]  # readers know it of one suite only
    for name, cases in suites.items():
        if cases:
            suite = ElementTree.SubElement(root, "testsuite", _attributes(f"{key}: {name}", cases))
            seconds = sum(run.seconds for run in index.every_run().values())
            suite.set("errors", "0")
            suite.set("time", f"{seconds:.1f}" if name == "claims" else "0")
            if day := re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", audit.created):
                suite.set("timestamp", day[0])  # as written by JUnit: without fraction and zone
            _add_properties(suite, index)
            for case in cases:
                _add_case(suite, case)
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def _attributes(name: str, cases: Sequence[Case]) -> dict[str, str]:
    ended = Counter(_ENDS[case.kind] for case in cases)
    failures, skipped = str(ended["failure"]), str(ended["skipped"])
    return {"name": line(name), "tests": str(len(cases)), "failures": failures, "skipped": skipped}


def _add_properties(suite: ElementTree.Element, index: Lookup) -> None:
    audit = index.audit
    properties = ElementTree.SubElement(suite, "properties")
    for name, value in (
        ("imported", on_imported(*index.imported_and_judged)),
        ("command", audit.command),
        ("tool_version", audit.tool_version),
        ("margins", audit.margins_hash),
    ):
        if value:
            ElementTree.SubElement(properties, "property", {"name": name, "value": line(value)})


def _add_case(suite: ElementTree.Element, case: Case) -> None:
    named = {"classname": line(case.group), "name": line(case.name), "time": "0"}
    element, end = ElementTree.SubElement(suite, "testcase", named), _ENDS[case.kind]
    if end:
        how = {"message": line(case.message)} | ({"type": case.kind} if end == "failure" else {})
        ElementTree.SubElement(element, end, how).text = visible(case.text)
    elif case.said:
        ElementTree.SubElement(element, "system-out").text = visible(case.said)


def _claim_case(claim: ClaimRecord, index: Lookup) -> Case:
    verdict, said = _verdict(claim, index), sentence(claim, index)
    status = words.status_of(verdict)
    why = f"{words.STATUS_WORDS[status]}: {unrun(verdict, claim.experiments) or words.reason(verdict.reason)}"
    two = ""
    if status != "not_tested":
        printed, ours = printed_text(claim, verdict), ours_text(claim, verdict)
        two = f"{line(about_text(claim, verdict))}: printed {printed}, ours {ours}"
    text = joined(_title(claim, index), said, two, where_text(claim), by="\n")
    message, group = said if status == "contradicted" else why, f"{index.audit.paper.key}.claims.{claim.kind}"
    return Case(claim.id, group, status, message, text, said)


def _finding_case(it: Finding, key: str) -> Case:
    said = finding_sentence(it)
    text = f"{finding_place(it)}\n{said}"
    return Case(finding_name(it), f"{key}.printed.{it.check}", it.result, said, text, said)


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
#: What stands in a table of comparisons in place of a difference, by kind.
_IN_PLACE = {
    "cost": "× is how many times as much the second takes.",
    "complexity": "A power is that by which the cost grows with the size: claimed, and ours.",
    "convergence": "Epochs are the medians over seeds of both until the score is reached.",
}
#: Of one table; what is more goes into further ones.
ROWS = 40


def tex_escape(text: str) -> str:
    """`text` on one line. Invisible marks, on which a LaTeX without Unicode fonts stops, are written out.

    >>> tex_escape("50% of P@1_x & {y}")
    '50\\\\% of P@1\\\\_x \\\\& \\\\textbraceleft{}y\\\\textbraceright{}'
    """
    signs = (_TEX_SPECIAL.get(sign, sign) for sign in line(text))
    hidden = ("Cf", "Co", "Cn")
    return "".join(
        f"[U+{ord(it):04X}]" if len(it) == 1 and unicodedata.category(it) in hidden else it for it in signs
    )


def latex(audit: Audit) -> str:
    """Printed values table by table, then the comparisons; the packages they need in a comment on top."""
    index = lookup(audit)
    parts: list[str] = []
    name = f"audit-{slug(audit.paper.key)}"
    values = [it for it in audit.claims if it.kind == "value"]
    for table in audit.tables:
        own = [it for it in values if _table_of(it, index) == table.id]
        said = f"{line(table.label, 70)}: printed values and ours, mean ± standard deviation over seeds."
        head = ["Row", "Column", "Printed", "Ours", "$n$", "Margin", "Verdict"]
        parts += _tex_tables(f"{name}-{slug(table.id)}", said, head, "llrrrrl", own, index)
    others = [it for it in audit.claims if it.kind != "value"]
    kinds = {it.kind for it in others if words.status_of(_verdict(it, index)) != "not_tested"}
    said = joined(
        "Comparisons stated by the paper: the printed difference, and ours with its interval",
        "(95% unless stated).",
        *(text for kind, text in _IN_PLACE.items() if kind in kinds),
    )
    columns = r">{\raggedright\arraybackslash}p{0.36\textwidth}lrrrl"
    head = ["Claim", "Metric", "Printed", "Ours", "$n$", "Verdict"]
    parts += _tex_tables(f"{name}-comparisons", said, head, columns, others, index)
    top = (
        f"% Verdicts on {line(audit.paper.key)}. In the preamble: \\usepackage{{booktabs,amssymb,array}}\n"
        f"% Made by xmtc-audit {line(audit.tool_version)}: {line(audit.command)}"
    )
    return "\n\n".join([top, *(parts or [f"% {NOTHING_TESTED}"])]) + "\n"


def _table_of(claim: ClaimRecord, index: Lookup) -> str:
    place = index.places.get(claim.cells[0]) if claim.cells else None
    return place.table.id if place else ""


def _tex_tables(
    label: str, said: str, head: Sequence[str], columns: str, claims: Sequence[ClaimRecord], index: Lookup
) -> Iterator[str]:
    """The tested of these claims, in parts; the caption says how many, and what a dagger means."""
    rows = [(it, _verdict(it, index)) for it in claims]
    tested = [(it, verdict) for it, verdict in rows if words.status_of(verdict) != "not_tested"]
    number = f"{numbers.count(len(tested))} of {plural(len(claims), 'claim')} were tested."
    if len(tested) == len(claims):
        number = (
            f"All {plural(len(claims), 'claim')} were tested."
            if len(claims) > 1
            else "The one claim was tested."
        )
    scopes = {words.SCOPE_WORDS[it.scope] for _, it in tested if it.scope not in (None, "same_data")}
    dagger = f"† On {listed(sorted(scopes), word='or')}, not on the paper’s own data." if scopes else ""
    imported = on_imported(sum(index.imported(it) for it, _ in tested), len(tested))
    caption = tex_escape(joined(said, number, dagger, imported))
    parts = range(0, len(tested), ROWS)
    for part, start in enumerate(parts, 1):
        of = f" Part {part} of {len(parts)}." if len(parts) > 1 else ""
        yield "\n".join(
            [
                "\\begin{table*}\n\\centering\\small",
                rf"\caption{{{caption}{of}}}",
                rf"\label{{tab:{label}{f'-{part}' if part > 1 else ''}}}",
                rf"\begin{{tabular}}{{{columns}}}",
                r"\toprule",
                " & ".join(head) + r" \\",
                r"\midrule",
                *_tex_lines([_tex_row(*it, index) for it in tested[start : start + ROWS]]),
                "\\bottomrule\n\\end{tabular}\n\\end{table*}",
            ]
        )


def _tex_lines(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """What stands in the first column is said once for neighbours, which are set a little apart."""
    together = len({row[0] for row in rows}) < len(rows)
    before = ""
    for k, row in enumerate(rows):
        first = "" if row[0] == before else row[0]
        if first and k and together:
            yield r"\addlinespace"
        yield " & ".join([first, *row[1:]]) + r" \\"
        before = row[0]


def _tex_row(claim: ClaimRecord, verdict: Verdict, index: Lookup) -> list[str]:
    """Ours has a dagger where it is of other data; `2 of 3` seeds where a run was lost."""
    ours, status = ours_text(claim, verdict), words.status_of(verdict)
    elsewhere = verdict.scope in ("other_data", "other_split") and ours != numbers.ABSENT
    tries = verdict.attempts if len(verdict.attempts) == len(verdict.n) else verdict.n
    seeds = [str(k) if k == of else f"{k} of {of}" for k, of in zip(verdict.n, tries, strict=True)]
    ours = tex_escape(ours) + (r"\,\dag{}" if elsewhere else "")
    last = [
        ", ".join(dict.fromkeys(seeds)) or "--",
        f"{_TEX_MARKS[status]} {words.STATUS_WORDS[status].lower()}",
    ]
    if claim.kind != "value":
        title, about = line(_title(claim, index), 140), line(about_text(claim, verdict), 30)
        return [*map(tex_escape, (title, about, printed_text(claim, verdict))), ours, *last]
    place, printed = index.places[claim.cells[0]], claim.printed[0] if claim.printed else numbers.ABSENT
    row, column = line(place.row.label, 70), line(place.column.label, 70)
    last.insert(1, tex_escape(numbers.margin_size(verdict.margin)))
    return [*map(tex_escape, (row, column, printed)), ours, *last]


# --------------------------------------------------------------------------- a terminal


def summary(audit: Audit) -> str:
    """Kind of evidence, a line for each claim that could be judged, one for each reason of the rest, sums."""
    index = lookup(audit)
    pairs = list(zip(audit.claims, audit.verdicts, strict=True))
    judged = [(claim, verdict) for claim, verdict in pairs if verdict.p_reproduced is not None]
    judged += [(c, v) for c, v in pairs if v.p_reproduced is None and v.outcome != "inconclusive"]
    rest = [pair for pair in pairs if pair not in judged]
    codes = dict.fromkeys(verdict.reason for _, verdict in rest)
    lines = [
        *_claim_lines(judged, index),
        *unjudged_lines(rest, lambda claim: [f"`{name}`" for name in claim.experiments], codes),
    ]
    return "\n".join([*lines, "", f"{plural(len(pairs), 'claim')}: {_status_counts(index)}"])


def _claim_lines(pairs: Sequence[tuple[ClaimRecord, Verdict]], index: Lookup) -> Iterator[str]:
    """What most of them rest on, such as made data, stands above them; behind those that do not, theirs."""
    width = max((len(claim.claim) for claim, _ in pairs), default=0)
    groups = [
        [(it, index.verdicts[it.id]) for it in metrics] for metrics in by_claim(claim for claim, _ in pairs)
    ]
    evidence = [_evidence(group, index) for group in groups]
    usual, number = Counter(evidence).most_common(1)[0] if evidence else ("", 0)
    if usual:
        but = "" if number == len(evidence) else ", but where another stands in brackets"
        yield f"evidence: {usual}{but}"
    for group, marks in zip(groups, evidence, strict=True):
        cells = (
            f"{words.ICONS[words.status_of(verdict)]} {_number(claim, verdict)}" for claim, verdict in group
        )
        own = "" if marks == usual else f"   [{marks or 'as in the paper'}]"
        yield f"{group[0][0].claim:{width}}  {'   '.join(cells)}".rstrip() + own
        yield from (f"{'':{width}}    {said}" for pair in group if (said := _of_readings(*pair)))


def _of_readings(claim: ClaimRecord, verdict: Verdict) -> str:
    """`P@1: 5 of 15 readings contradict it, nearest mean 66.93`, where readings do not agree."""
    number = sum(it.outcome == "contradicted" for it in verdict.readings)
    if verdict.reason != "ambiguous_description" or not number:
        return ""
    does = "contradicts" if number == 1 else "contradict"
    said = f"{subject_of(claim)}: {number} of {len(verdict.readings)} readings {does} it"
    means = [it.estimate for it in verdict.readings if it.estimate is not None]
    target = verdict.target
    if claim.kind != "value" or target is None or not means:
        return said
    nearest = numbers.points(min(means, key=lambda mean: abs(mean - target)))
    return f"{said}, nearest mean {nearest}, printed {numbers.points(target)}"


def _evidence(group: Sequence[tuple[ClaimRecord, Verdict]], index: Lookup) -> str:
    """In what ways the runs behind a claim are not the paper's own, each in two words."""
    records = [it for claim, _ in group for it in index.records(claim)]
    scopes = {verdict.scope for _, verdict in group}
    ways = {
        "stand-in data": "other_data" in scopes,
        "another split": "other_split" in scopes,
        "reduced protocol": any(map(is_reduced, records)),
        "imported, not verified here": any(it.protocol == IMPORTED for it in records),
    }
    return ", ".join(said for said, so in ways.items() if so)


def _number(claim: ClaimRecord, verdict: Verdict) -> str:
    """What the claim is about, and the mean, signed difference, ratio or share of comparisons."""
    subject, medians = subject_of(claim), medians_of(verdict)
    if claim.kind in words.COMPARISONS:
        return f"{subject} {share_as_claimed(claim, verdict)}".rstrip()
    if claim.kind == "convergence":
        return f"{subject} epochs {' and '.join(medians)}" if medians else subject
    if verdict.estimate is None:
        return subject
    show = numbers.points if claim.kind in ("value", "cost", "complexity") else numbers.signed
    sign = {"cost": "x ", "complexity": "^ "}.get(claim.kind, "")
    return f"{subject} {sign}{show(verdict.estimate, beside=edges(claim, verdict))}"


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
