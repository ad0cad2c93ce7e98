"""Bounds that hold for any test set: shares lie in 0..100, and hits among the first k only grow with k."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations

from audit.checks.finding import OTHER_DEFINITION, SLIP, decimal, finding
from audit.checks.sheet import Number, Sheet
from audit.record import Finding

_SHARE = re.compile(r"(?:P|R|RP|nDCG|PSP|PSnDCG)@[0-9]+|(?:Micro|Macro|Another-Macro)-F1")
_PRECISION = re.compile(r"P@(?P<k>[0-9]+)")
_ALTERNATIVES = (SLIP, "the numbers are means over other runs or documents", OTHER_DEFINITION)


def bounds(sheet: Sheet) -> Iterator[Finding]:
    """Findings of kind `bounds`: one for each number out of 0..100, one for each experiment's P@k.

    P@k is the share of the first k labels that are right, so for k1 < k2 the hits obey
    0 <= k2 P@k2 - k1 P@k1 <= 100 (k2 - k1), with the rounding, or the cutting, of both left open.
    """
    for number in sheet.numbers.values():
        if _SHARE.fullmatch(number.cell.metric or "") and number.cell.unit in (None, "percent"):
            yield from _in_range(sheet, number)
    for profile in sheet.profiles:
        matches = {metric: _PRECISION.fullmatch(metric) for metric in profile.numbers}
        by_k = {int(match["k"]): profile.numbers[metric] for metric, match in matches.items() if match}
        if len(by_k) > 1:
            yield from _growing_hits(sheet, dict(sorted(by_k.items())))


def _in_range(sheet: Sheet, number: Number) -> Iterator[Finding]:
    half = number.value.half_unit
    if not -half <= number.value.value <= 100 + half:
        text = f"{number.text} is not in 0..100"
        yield finding(sheet, "bounds", "inconsistent", [number], text, alternatives=_ALTERNATIVES)


def _growing_hits(sheet: Sheet, by_k: dict[int, Number]) -> Iterator[Finding]:
    sound = True
    for (k1, first), (k2, second) in combinations(by_k.items(), 2):
        gained = k2 * second.value.value - k1 * first.value.value
        first_unit, second_unit = 2 * k1 * first.value.half_unit, 2 * k2 * second.value.half_unit
        slack = max((first_unit + second_unit) / 2, first_unit, second_unit)  # rounded, or both cut
        if -slack <= gained <= 100 * (k2 - k1) + slack:
            continue
        sound = False
        text = (
            f"{k2} x {second.text} - {k1} x {first.text} = {decimal(gained)}, which must lie in "
            f"0..{100 * (k2 - k1)} up to {decimal(slack)} of rounding or cutting"
        )
        yield finding(sheet, "bounds", "inconsistent", [first, second], text, alternatives=_ALTERNATIVES)
    if sound:
        shown = ", ".join(f"{k} x {number.text}" for k, number in by_k.items())
        text = f"hits grow with k by no more than one a place: {shown}"
        yield finding(sheet, "bounds", "consistent", list(by_k.values()), text)
