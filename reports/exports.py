"""CSV, Markdown and JUnit from the same record, each a pure function: audit in, text out."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal
from xml.etree import ElementTree

from audit.record import Audit, ClaimRecord, Finding, Run, Verdict
from reports import digits
from reports.claims import Told, by_claim, most_pressing, ours, printed, shown_about, told
from reports.findings import finding_place, finding_sentence
from reports.headlines import values_on_own_data
from reports.latex import latex
from reports.lookup import SAME, lookup, same_runs
from reports.notes import (
    BESIDE_OPEN,
    CONTRADICTED,
    DISAGREE,
    NOTHING_TESTED,
    PRIMARY,
    PRIMARY_AND_VALUES,
    counted_once,
    further,
    made_by,
    on_imported,
    resting_of,
    two_numbers,
)
from reports.protocol import BOX_TERM, protocol_box
from reports.text import line, listed, moment, plural, shortened, visible
from reports.verdicts import over_metrics, settle_to_settle, short, unrun
from reports.words import STATUS_WORDS, STATUSES, judged_on, reason

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
_TARGETS = {"value": "printed value", "convergence": "score to reach", "complexity": "claimed exponent"}

Value = str | int | float | bool | None

_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?")
_FORMULA = re.compile(r"'*\s*[=+\-@\uff1d\uff0b\uff0d\uff20\t\r\n]")
_GUARDED = re.compile(r"''*\s*[=+\-@\uff1d\uff0b\uff0d\uff20\t\r\n]")


def claims_csv(audit: Audit) -> str:
    """The header and one row a claim."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for it in told(audit):
        writer.writerow(_csv_cell(value) for value in _csv_row(it, audit))
    return out.getvalue()


def guarded(text: str) -> str:
    """`text` as no spreadsheet runs it: behind an apostrophe where it begins like a formula.

    >>> guarded("=1+1"), guarded("-0.62"), guarded("-x")
    ("'=1+1", '-0.62', "'-x")
    """
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def unguarded(text: str) -> str:
    """What was given to `guarded`."""
    return text[1:] if _GUARDED.match(text) else text


def _csv_cell(value: Value) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return guarded(visible(value)) if isinstance(value, str) else repr(value)


def _target_is(it: Told, verdict: Verdict) -> str:
    return "" if verdict.target is None else _TARGETS.get(it.claim.kind, "printed difference")


def _csv_ours(it: Told, verdict: Verdict) -> str:
    text = ours(it.claim, verdict)
    return "" if text == digits.ABSENT else text


def _csv_row(it: Told, audit: Audit) -> list[Value]:
    """In the order of `COLUMNS`."""
    claim, settling = it.claim, audit.settling.get(it.claim.id)
    verdict = it.verdict or Verdict(claim.id, "inconclusive", "not_run")
    return [
        *(audit.paper.key, claim.id, claim.claim, claim.kind, claim.primary),
        *(it.title, it.subject, claim.dataset, it.where, it.status, verdict.reason),
        *(it.imported, it.sentence),
        verdict.scope,
        *(" ".join(claim.printed), " ".join(claim.cells), " ".join(claim.experiments)),
        min(verdict.n, default=0),
        max(0, sum(verdict.attempts) - sum(verdict.n)),
        *(verdict.estimate, verdict.target, _target_is(it, verdict), _csv_ours(it, verdict)),
        *(verdict.margin, verdict.sd, verdict.se, verdict.df),
        *(verdict.ci90 or (None, None)),
        *(verdict.ci95 or (None, None)),
        *(verdict.pi95 or (None, None)),
        *(verdict.p_reproduced, verdict.p_contradicted),
        *(verdict.p_reproduced_adjusted, verdict.p_contradicted_adjusted),
        *(verdict.margin_reproduced_from, verdict.margin_contradicted_up_to),
        "; ".join(verdict.badges),
        settling.seeds if settling else None,
        settle_to_settle(settling, judged_on(verdict), verdict) if settling else None,
    ]


LINES = 40

#: How many of each are told; with headings and blank lines they come to the forty.
_PRIMARY, _CONTRADICTED, _FINDINGS, _OPEN = 5, 5, 4, 5

#: Printed values among those of `_PRIMARY`, as on the first screen.
_VALUES = 2
_MD_LONGEST = 600
_MD_SPECIAL = re.compile(r"([\\`*_\[\]<>#|~$&!])")


def markdown_summary(audit: Audit) -> str:
    """Four numbers, the primary claims, contradictions, inconsistent numbers, what is open, how to rerun."""
    claims = told(audit)
    parts = [
        *_md_head(audit, claims),
        *_first(claims, audit),
        *_section(CONTRADICTED, _contradicted(claims, audit), _CONTRADICTED, "contradicted claim"),
        *_section(DISAGREE, _md_findings(audit.findings), _FINDINGS, "finding"),
        *_section(BESIDE_OPEN, _md_open(audit, claims), _OPEN, "open claim"),
        *_rerun(audit),
    ]
    return "\n".join(parts) + "\n"


def md_escape(text: str) -> str:
    """Text from outside on one line, of which no character is Markdown, HTML or a formula."""
    return _MD_SPECIAL.sub(r"\\\1", line(text))


def md_code(text: str) -> str:
    """A code span, in more backticks than stand anywhere in `text`."""
    held = line(text)
    fence = "`" * (max((len(run) for run in re.findall("`+", held)), default=0) + 1)
    pad = " " if held.startswith("`") or held.endswith("`") else ""
    return f"{fence}{pad}{held}{pad}{fence}"


def _md_head(audit: Audit, claims: Sequence[Told]) -> list[str]:
    counts = Counter(it.status for it in claims)
    numbers = ", ".join(f"{counts[key]} {STATUS_WORDS[key].lower()}" for key in STATUSES)
    by = md_escape(made_by(shortened(audit.tool_version, 40), shortened(moment(audit.created), 40)))
    of = plural(len(claims), "claim")
    return [
        f"## Audit of {md_escape(shortened(audit.paper.title or audit.paper.key, 200))}",
        "",
        " ".join(filter(None, (f"**{numbers}** of {of} ({by}).", *_ground(audit, claims))))
        + _protocol(audit),
    ]


def _ground(audit: Audit, claims: Sequence[Told]) -> tuple[str, ...]:
    """Whose data and whose runs the verdicts rest on."""
    return (
        _nothing(claims) or resting_of(audit.verdicts),
        on_imported(*lookup(audit).imported_and_judged),
        counted_once(audit.share),
    )


def _protocol(audit: Audit) -> str:
    """What was reduced, and whether curves were still rising, as on the first screen."""
    box = protocol_box(lookup(audit))
    if box is None:
        return ""
    text = f"{BOX_TERM}: {box.text[:1].lower()}{box.text[1:]}"
    return f" {md_escape(' '.join(filter(None, (text, box.rising))))}"


def _nothing(claims: Sequence[Told]) -> str:
    return "" if any(it.status != "not_tested" for it in claims) else NOTHING_TESTED


def _section(title: str, items: Sequence[str], limit: int, noun: str) -> list[str]:
    """A heading and at most `limit` lines, then how many more there are; nothing for no items."""
    if not items:
        return []
    more = len(items) - limit
    rest = [f"- {further(more, noun)}"] if more > 0 else []
    return ["", f"**{title}**", "", *items[:limit], *rest]


def _first(claims: Sequence[Told], audit: Audit) -> list[str]:
    """The primary claims, and above them what the first screen has above them."""
    values = _md_each(_own_values(claims, audit), _md_headline)
    primary = _primary(claims, audit)
    if not values:
        return _section(PRIMARY, primary, _PRIMARY, "primary claim")
    return _section(PRIMARY_AND_VALUES, [*values, *primary], _PRIMARY, "primary claim")


def _own_values(claims: Sequence[Told], audit: Audit) -> list[Told]:
    own = {it.id for it in values_on_own_data(audit)}
    groups = by_claim([it for it in claims if it.claim.id in own])
    return [it for members in groups[:_VALUES] for it in members]


def _primary(claims: Sequence[Told], audit: Audit) -> list[str]:
    """On the paper's own data first; of one that has the runs of another, that it has."""
    first = same_runs(audit).claims
    titles = {it.claim.id: it.title for it in claims}
    groups = by_claim([it for it in claims if it.claim.primary])
    groups.sort(key=lambda members: judged_on(most_pressing(members).verdict) == "other_data")

    def say(members: list[Told]) -> str:
        told = first.get(most_pressing(members).claim.id)
        more = f" ({SAME}: {md_escape(shortened(line(titles[told]), 200))})" if told else ""
        return _md_headline(members) + more

    return [say(members) for members in groups]


def _contradicted(claims: Sequence[Told], audit: Audit) -> list[str]:
    """Those that have not been told above."""
    shown = _own_values(claims, audit)
    found = [it for it in claims if it.status == "contradicted" and not it.claim.primary and it not in shown]
    return _md_each(found, _md_headline)


def _md_each(claims: Sequence[Told], say: Callable[[list[Told]], str]) -> list[str]:
    return [say(members) for members in by_claim(claims)]


def _md_headline(members: list[Told]) -> str:
    """How a claim came out over its metrics, and the sentence of the most pressing verdict."""
    worst = most_pressing(members)
    over = over_metrics([(it.subject, it.status) for it in members])
    said = shortened(line(worst.title), 200)
    sentence = shortened(line(worst.sentence), _MD_LONGEST)
    return f"- **{md_escape(over)}** {md_escape(said)}. {md_escape(sentence)}"


def _md_findings(findings: Sequence[Finding]) -> list[str]:
    """Of the paper's own numbers, the weightiest first."""
    wrong = [it for it in findings if it.result == "inconsistent"]
    wrong.sort(key=lambda it: (bool(it.source), -it.weight))
    return [
        f"- {md_escape(shortened(line(finding_place(it)), 200))}: "
        f"{md_escape(shortened(line(finding_sentence(it)), _MD_LONGEST))}"
        for it in wrong
    ]


def _md_open(audit: Audit, claims: Sequence[Told]) -> list[str]:
    """By the number of seeds that would settle them; metrics of a claim that need the same together."""
    judged = {it.claim.id: it for it in claims if it.status == "inconclusive"}
    metrics: dict[tuple[str, str], list[str]] = {}
    for name, found in audit.settling.items():
        if name in judged and found.seeds is not None:
            it = judged[name]
            needed = short(found, judged_on(it.verdict))
            metrics.setdefault((it.title, needed), []).append(it.subject)
    return [
        f"- {md_escape(shortened(line(title), 200))} ({md_escape(shortened(listed(of), 80))}) – "
        f"{md_escape(line(text))}."
        for (title, text), of in metrics.items()
    ]


def _rerun(audit: Audit) -> list[str]:
    return ["", f"Rerun: {md_code(audit.command)}"] if audit.command else []


Ended = Literal["failure", "skipped", ""]


@dataclass(frozen=True)
class Case:
    name: str
    group: str
    """Shown as the class name; dots make a tree."""
    ended: Ended
    kind: str
    message: str
    """One line."""
    text: str
    said: str = ""
    """Printed beside a case that holds."""


def junit(audit: Audit) -> str:
    """One suite of claims and one of findings."""
    key = audit.paper.key
    suites = (
        (f"{key}: claims", [_claim(it, key) for it in told(audit)]),
        (f"{key}: printed numbers", [_case_finding(it, key) for it in audit.findings]),
    )
    root = ElementTree.Element("testsuites", _attributes(f"audit of {key}", [*suites[0][1], *suites[1][1]]))
    del root.attrib["skipped"]  # readers know it of one suite only
    for name, cases in suites:
        if cases:
            root.append(_suite(name, cases, audit))
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def _suite(name: str, cases: Sequence[Case], audit: Audit) -> ElementTree.Element:
    suite = ElementTree.Element("testsuite", _attributes(name, cases))
    suite.set("errors", "0")
    suite.set("time", f"{_seconds(audit):.1f}" if name.endswith("claims") else "0")
    if moment := re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", audit.created):
        suite.set("timestamp", moment[0])  # as written by JUnit: without fraction and zone
    properties = ElementTree.SubElement(suite, "properties")
    imported = on_imported(*lookup(audit).imported_and_judged)
    known = {
        "imported": imported,
        "command": audit.command,
        "tool_version": audit.tool_version,
        "margins": audit.margins_hash,
    }
    for key, value in known.items():
        if value:
            ElementTree.SubElement(properties, "property", {"name": key, "value": line(value)})
    for case in cases:
        suite.append(_element(case))
    return suite


def _attributes(name: str, cases: Sequence[Case]) -> dict[str, str]:
    ended = [case.ended for case in cases]
    return {
        "name": line(name),
        "tests": str(len(cases)),
        "failures": str(ended.count("failure")),
        "skipped": str(ended.count("skipped")),
    }


def _element(case: Case) -> ElementTree.Element:
    found = ElementTree.Element(
        "testcase", {"classname": line(case.group), "name": line(case.name), "time": "0"}
    )
    if case.ended:
        how = {"message": line(case.message)} | ({"type": case.kind} if case.ended == "failure" else {})
        ElementTree.SubElement(found, case.ended, how).text = visible(case.text)
    elif case.said:
        ElementTree.SubElement(found, "system-out").text = visible(case.said)
    return found


def _claim(it: Told, key: str) -> Case:
    ended: dict[str, Ended] = {"reproduced": "", "contradicted": "failure"}
    code = it.verdict.reason if it.verdict else "not_run"
    lacks = unrun(it.verdict, it.claim.experiments) or reason(code)
    why = it.sentence if it.status == "contradicted" else f"{it.word}: {lacks}"
    numbers = "" if it.status == "not_tested" or it.verdict is None else _case_numbers(it.claim, it.verdict)
    text = "\n".join(part for part in (it.title, it.sentence, numbers, it.where) if part)
    end = ended.get(it.status, "skipped")
    return Case(it.claim.id, f"{key}.claims.{it.claim.kind}", end, it.status, why, text, it.sentence)


def _case_numbers(claim: ClaimRecord, verdict: Verdict) -> str:
    """`epochs to 57.70 nDCG@5: printed –, ours 11.49 / not reached`"""
    subject = line(shown_about(claim, verdict))
    return two_numbers(subject, printed(claim, verdict), ours(claim, verdict))


def _case_finding(it: Finding, key: str) -> Case:
    ended: dict[str, Ended] = {"consistent": "", "inconsistent": "failure", "untestable": "skipped"}
    sentence = finding_sentence(it)
    text = f"{finding_place(it)}\n{sentence}"
    name = it.id or f"{it.check}: {' '.join(it.cells)}"
    return Case(name, f"{key}.printed.{it.check}", ended[it.result], it.result, sentence, text, sentence)


def _seconds(audit: Audit) -> float:
    """Of all runs, each counted once."""
    runs: dict[str, Run] = {run.key: run for it in audit.experiments for run in it.runs}
    return sum(run.seconds for run in runs.values())


@dataclass(frozen=True)
class Export:
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
