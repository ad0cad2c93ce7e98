"""Words of what differs between two audits of one paper.

A cause is what differs behind a claim whose verdict changed. That it differs is on record; that it is the
cause is not, so the words are "with", never "because of".
"""

from __future__ import annotations

from collections.abc import Sequence

from audit.record import FindingResult
from reports import digits
from reports.wording.words import STATUS_WORDS, Status, listed, plural

FLIPPED = "Other verdicts"
ADDED = "New claims"
GONE = "Claims that are gone"
FINDINGS = "Printed numbers"
NO_CHANGE = "No verdict changed."
NO_RUN = "no run"
NO_CAUSE = "nothing on record that explains it"
SAME_RUNS = "the same runs with other results"
MULTIPLICITY = "the same numbers, but the paper’s other claims came out otherwise"
GATE = {
    True: "our implementation has passed all of its checks since",
    False: "our implementation has not passed all of its checks any more",
}
EVIDENCE = {True: "imported runs, before ours", False: "our runs, before imported ones"}
#: Fields of a claim, and of what decides a run, as they are said.
CLAIM_FIELDS = {
    "kind": "its kind",
    "metric": "its metric",
    "cells": "the cells it is about",
    "printed": "the printed number",
    "experiments": "its experiments",
    "dataset": "its data set",
    "expect": "its formula",
    "details": "its details",
    "deterministic": "whether it is deterministic",
    "runs_behind": "the paper’s runs behind a number",
    "paired": "whether its runs are paired",
}
SPEC_FIELDS = {
    "model": "another model",
    "variant": "another variant",
    "config": "another configuration",
    "protocol": "another protocol",
    "data": "other data",
    "precision": "another precision",
    "revision": "a correction of the model’s code",
}


def stated_otherwise(fields: Sequence[str]) -> str:
    return f"the claim file states it otherwise: {listed([CLAIM_FIELDS[name] for name in fields])}"


def other_margin(now: float | None, before: float | None) -> str:
    return f"a margin of {digits.margin_size(now)}, before {digits.margin_size(before)}"


def other_negligible(now: float, before: float) -> str:
    return f"differences up to {digits.margin_size(now)} count as none, before {digits.margin_size(before)}"


def other_data(now: Sequence[str], before: Sequence[str]) -> str:
    """The same name on both sides stands for two contents."""
    if list(now) == list(before):
        return f"another content of {listed(now)}"
    return f"runs on {listed(now) or 'no data'}, before on {listed(before) or 'no data'}"


def other_seeds(now: str, before: str) -> str:
    return f"{now}, before {before}"


def other_runs(fields: Sequence[str]) -> str:
    how = listed([SPEC_FIELDS[name] for name in fields]) or "other settings"
    return f"other runs of the same seeds: {how}"


def other_level(now: float, before: float) -> str:
    return f"the level of {100.0 * now:.3g} %, before {100.0 * before:.3g} %"


def other_readings(now: int, before: int) -> str:
    return f"{plural(now, 'declared reading')} of what the paper leaves open, before {before}"


def other_version(now: str, before: str) -> str:
    return f"version {now or 'unknown'} of this tool, before {before or 'unknown'}"


def version_line(version: str, newest_run: str, claims: int) -> str:
    """`version 0.1.0, newest run 2026-03-01 12:30 UTC, 175 claims`"""
    run = f"newest run {newest_run}" if newest_run else "no run"
    return f"version {version or 'unknown'}, {run}, {plural(claims, 'claim')}"


def flip(before: Status | None, after: Status | None) -> str:
    """`inconclusive, now reproduced`"""
    was = "not there" if before is None else STATUS_WORDS[before].lower()
    now = "gone" if after is None else f"now {STATUS_WORDS[after].lower()}"
    return f"{was}, {now}"


def finding_flip(before: FindingResult | None, after: FindingResult | None) -> str:
    return f"{before or 'not there'}, {f'now {after}' if after else 'gone'}"


def counts(*, flipped: int, both: int, moved: int, added: int, gone: int) -> str:
    """One line that adds up to the claims of both audits."""
    if not both:
        head = "No claim is in both."
    elif not flipped:
        head = f"{NO_CHANGE} {_moved(moved, both) or 'All rest on the same numbers.'}"
    else:
        verdicts = plural(both, "verdict")
        others = "The others rest on the same numbers." if flipped < both else ""
        stand = _moved(moved, both - flipped) or others
        head = f"{digits.count(flipped)} of {verdicts} changed. {stand}".strip()
    rest = [
        f"{plural(number, 'claim')} {word}" for number, word in ((added, "new"), (gone, "gone")) if number
    ]
    return f"{head} {listed(rest)}.".strip() if rest else head


def _moved(moved: int, of: int) -> str:
    """Of the verdicts that stand, those whose numbers are others; empty where there are none."""
    if not moved:
        return ""
    return f"Of the {digits.count(of)} that stand, {digits.count(moved)} rest on other numbers."


def with_these(causes: Sequence[str]) -> str:
    return f"with {'; '.join(causes) or NO_CAUSE}"
