"""The audit as JUnit XML, which CI systems show as a test report.

A claim is a test case: contradicted is a failure with the verdict's sentence, inconclusive and not tested
are skipped with their reason. A finding that printed numbers are inconsistent is a failure too; an untestable
one is skipped. `error` is never used: it would say that the audit itself broke.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal
from xml.etree import ElementTree

from audit.record import Audit, ClaimRecord, Finding, Run, Verdict
from reports import wording
from reports.exports import shown
from reports.exports.told import Told, line, told
from reports.lookup import lookup
from reports.strings import visible
from reports.wording import beside

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
        (f"{key}: printed numbers", [_finding(it, key) for it in audit.findings]),
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
    imported = wording.on_imported(*lookup(audit).imported_and_judged)
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
    lacks = wording.unrun(it.verdict, it.claim.experiments) or wording.reason(code)
    why = it.sentence if it.status == "contradicted" else f"{it.word}: {lacks}"
    numbers = "" if it.status == "not_tested" or it.verdict is None else _numbers(it.claim, it.verdict)
    text = "\n".join(part for part in (it.title, it.sentence, numbers, it.where) if part)
    end = ended.get(it.status, "skipped")
    return Case(it.claim.id, f"{key}.claims.{it.claim.kind}", end, it.status, why, text, it.sentence)


def _numbers(claim: ClaimRecord, verdict: Verdict) -> str:
    """`epochs to 57.70 nDCG@5: printed –, ours 11.49 / not reached`"""
    subject = line(shown.about(claim, verdict))
    return beside.numbers(subject, shown.printed(claim, verdict), shown.ours(claim, verdict))


def _finding(it: Finding, key: str) -> Case:
    ended: dict[str, Ended] = {"consistent": "", "inconsistent": "failure", "untestable": "skipped"}
    sentence = wording.finding_sentence(it)
    text = f"{wording.finding_place(it)}\n{sentence}"
    name = it.id or f"{it.check}: {' '.join(it.cells)}"
    return Case(name, f"{key}.printed.{it.check}", ended[it.result], it.result, sentence, text, sentence)


def _seconds(audit: Audit) -> float:
    """Of all runs, each counted once."""
    runs: dict[str, Run] = {run.key: run for it in audit.experiments for run in it.runs}
    return sum(run.seconds for run in runs.values())
