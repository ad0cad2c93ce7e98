"""Statistics of other packages, by the entry point group `xmtc_audit.statistics`: shown, and never deciding.

A claim about two experiments names some (`beside: [cliffs_delta]`), before the runs like all else. Each is a
function

    cliffs_delta(first, second) -> float

of the two arms' values over seeds, in percent and in the order of the claim. Its number stands as a badge
beside the verdict, which is by our own rules: an error rate that is bounded over all of a paper's claims
cannot rest on a function that nobody here has read. What cannot be had is named in a warning and left out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from audit.record import ClaimRecord, Verdict

#: How such a badge begins: what describes a verdict is no part of it when it is judged again.
MARK = "beside the verdict: "

Function = Callable[[Sequence[float], Sequence[float]], Any]


@cache
def statistics() -> dict[str, Function]:
    """Name -> function, of all that can be loaded."""
    from reimpl.plugins import STATISTICS, load_all

    return load_all(STATISTICS, own=(), check=_amiss)


def described(claim: ClaimRecord, verdict: Verdict) -> Verdict:
    """The verdict with a badge for each statistic that the claim names and that can be had."""
    names: Sequence[str] = claim.details.get("beside", ())
    if len(verdict.values) != 2 or not all(verdict.values):
        return verdict
    found = [(name, _number(name, *verdict.values)) for name in names]
    badges = [f"{MARK}{name} {number:.3g} ({_source(name)})" for name, number in found if number is not None]
    return replace(verdict, badges=(*verdict.badges, *badges)) if badges else verdict


def bare(verdict: Verdict) -> Verdict:
    """Without what `described` put there."""
    badges = tuple(it for it in verdict.badges if not it.startswith(MARK))
    return verdict if badges == verdict.badges else replace(verdict, badges=badges)


def _number(name: str, first: Sequence[float], second: Sequence[float]) -> float | None:
    from reimpl.plugins import tell

    function = statistics().get(name)
    if function is None:
        tell(f"statistic {name!r} is not there, so it is left out; `audit list statistics` shows what is")
        return None
    try:
        number = float(function(tuple(first), tuple(second)))
        if not math.isfinite(number):
            raise ValueError(f"it gave {number!r}, which is no finite number")
    except (Exception, SystemExit) as err:  # whatever goes wrong in another's code
        why = " ".join(f"{type(err).__name__}: {err}".split())
        tell(f"statistic {name!r} of {_source(name)} is left out ({why}); mend that package")
        return None
    return number


def _source(name: str) -> str:
    from reimpl.plugins import STATISTICS, offered

    offer = offered(STATISTICS).there.get(name)
    return offer.source.partition(" (")[0] if offer else "unknown"


def _amiss(name: str, function: Any) -> str | None:
    return None if callable(function) else "is no function of two arms' values"
