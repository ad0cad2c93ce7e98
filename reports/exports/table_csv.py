"""The claims as CSV: one row for each claim and metric, in the order of `audit.json`.

UTF-8, comma, quotes where needed (RFC 4180), a line feed at the end of a row. Numbers are plain (`-0.62`)
and as exact as in the record; an absent one is empty. A text that a spreadsheet would take for a formula has
one apostrophe in front; a reader takes it off again with `unguarded`.
"""

from __future__ import annotations

import csv
import io
import re

from audit.record import Audit, Verdict
from reports import digits, wording
from reports.exports import shown
from reports.exports.told import Told, told
from reports.strings import visible

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
        writer.writerow(_cell(value) for value in _row(it, audit))
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


def _cell(value: Value) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return guarded(visible(value)) if isinstance(value, str) else repr(value)


def _target_is(it: Told, verdict: Verdict) -> str:
    return "" if verdict.target is None else _TARGETS.get(it.claim.kind, "printed difference")


def _ours(it: Told, verdict: Verdict) -> str:
    text = shown.ours(it.claim, verdict)
    return "" if text == digits.ABSENT else text


def _row(it: Told, audit: Audit) -> list[Value]:
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
        *(verdict.estimate, verdict.target, _target_is(it, verdict), _ours(it, verdict)),
        *(verdict.margin, verdict.sd, verdict.se, verdict.df),
        *(verdict.ci90 or (None, None)),
        *(verdict.ci95 or (None, None)),
        *(verdict.pi95 or (None, None)),
        *(verdict.p_reproduced, verdict.p_contradicted),
        *(verdict.p_reproduced_adjusted, verdict.p_contradicted_adjusted),
        *(verdict.margin_reproduced_from, verdict.margin_contradicted_up_to),
        "; ".join(verdict.badges),
        settling.seeds if settling else None,
        wording.to_settle(settling, wording.judged_on(verdict), verdict) if settling else None,
    ]
