"""How a claim came out under its readings, each counted with why: those of one verdict are not all alike.

An open reading may be decided when taken alone, may want seeds, or may be left open by the noise of two test
sets, which no number of seeds takes away.
"""

from __future__ import annotations

from collections import Counter

from audit.record import ReadingVerdict, Verdict
from reports.wording.words import listed, reason

#: Reason codes of open readings that more seeds may decide.
_SEEDS = ("undecided", "straddles_margin", "tied", "too_few_seeds", "no_variance_estimate")
#: Group -> its words for one reading and for more of them, in the order in which they are told.
_WORDS = {
    "reproduced": ("reproduces it", "reproduce it"),
    "contradicted": ("contradicts it", "contradict it"),
    "reproduced alone": ("would reproduce it if taken alone", "would reproduce it if taken alone"),
    "contradicted alone": ("would contradict it if taken alone", "would contradict it if taken alone"),
    "seeds": ("is open for want of seeds", "are open for want of seeds"),
    "test sets": ("is open by the noise of two test sets", "are open by the noise of two test sets"),
    "luck": ("is as far off as one lucky run explains", "are as far off as one lucky run explains"),
}
_NONE = "none of {those} of what the paper leaves open {does} it: {counts}"
_MIXED = "it hangs on what the paper leaves open, as not all of {those} come to the same verdict ({counts})"
#: In a few words, beside the status.
NONE_REPRODUCES = "no reading of what the paper leaves open reproduces it, and some contradict it"
NONE_CONTRADICTS = "no reading of what the paper leaves open contradicts it, and some reproduce it"
#: What would settle a claim that no reading reproduces.
TO_SETTLE = "none of its readings reproduces it: more seeds of those that are open may settle it"
TO_SETTLE_REST = "; {number} of them {were} not run"
TO_SETTLE_SPLIT = "; where the noise of two test sets leaves them open, the paper’s own split would"


def came_out(verdict: Verdict, centre: float | None) -> str:
    """`none of its 15 declared readings ... reproduces it: 4 contradict it, 8 would if taken alone`.

    `centre` is what the estimates are held against, in points. Empty where no reading was run.
    """
    groups = Counter(_group(it, verdict, centre) for it in verdict.readings)
    if not groups:
        return ""
    one_sided = bool(groups["reproduced"]) != bool(groups["contradicted"])
    does = "contradicts" if groups["reproduced"] else "reproduces"
    pattern = _NONE if one_sided else _MIXED
    return pattern.format(those=_those_run(verdict), does=does, counts=_counts(groups))


def few_words(verdict: Verdict | None) -> str:
    """The reason beside the status, where the readings all but agree; empty elsewhere."""
    outcomes = _outcomes(verdict)
    if outcomes == {"contradicted", "inconclusive"}:
        return NONE_REPRODUCES
    return NONE_CONTRADICTS if outcomes == {"reproduced", "inconclusive"} else ""


def to_settle(verdict: Verdict | None) -> str:
    """What would settle a claim that no reading reproduces and some contradict; empty elsewhere."""
    if verdict is None or _outcomes(verdict) != {"contradicted", "inconclusive"}:
        return ""
    split = any(_is_between_splits(it) for it in verdict.readings)
    number = verdict.readings_declared - len(verdict.readings)
    rest = TO_SETTLE_REST.format(number=number, were="was" if number == 1 else "were") if number > 0 else ""
    return TO_SETTLE + (TO_SETTLE_SPLIT if split else "") + rest


def further_off(it: ReadingVerdict, verdict: Verdict, centre: float | None) -> bool:
    """Whether a contradicted reading lies nearer to what is claimed, on the same side, than this open one."""
    if centre is None or it.estimate is None:
        return False
    off = it.estimate - centre
    decided = [
        other.estimate - centre
        for other in verdict.readings
        if other.outcome == "contradicted" and other.estimate is not None
    ]
    return any(0.0 < other / off < 1.0 for other in decided if off)


def _outcomes(verdict: Verdict | None) -> set[str]:
    if verdict is None or verdict.reason != "ambiguous_description":
        return set()
    return {it.outcome for it in verdict.readings}


def _group(it: ReadingVerdict, verdict: Verdict, centre: float | None) -> str:
    """A key of `_WORDS`, or the reason in words."""
    if it.outcome != "inconclusive":
        return it.outcome
    if it.reason == "multiplicity" and it.p_reproduced is not None:
        return "reproduced alone" if it.p_reproduced <= verdict.level else "contradicted alone"
    if _is_between_splits(it):
        return "seeds" if further_off(it, verdict, centre) else "test sets"
    if it.reason == "within_seed_spread":
        return "luck"
    return "seeds" if it.reason in _SEEDS else reason(it.reason)


def _is_between_splits(it: ReadingVerdict) -> bool:
    """Judged with the noise of both test sets, and open."""
    return it.outcome == "inconclusive" and it.reason == "other_split" and it.p_reproduced is not None


def _counts(groups: Counter[str]) -> str:
    """`4 contradict it, 8 would if taken alone and 3 are open for want of seeds`"""
    told = [(groups[name], *_WORDS[name]) for name in _WORDS if groups[name]]
    parts = [f"{number} {one if number == 1 else more}" for number, one, more in told]
    if groups["contradicted"] and groups["contradicted alone"] and not groups["reproduced alone"]:
        parts = [it.replace("would contradict it if", "would if") for it in parts]
    if groups["reproduced"] and groups["reproduced alone"] and not groups["contradicted alone"]:
        parts = [it.replace("would reproduce it if", "would if") for it in parts]
    parts += [
        f"{n} {'is' if n == 1 else 'are'} open ({why})" for why, n in groups.items() if why not in _WORDS
    ]
    return listed(parts)


def _those_run(verdict: Verdict) -> str:
    """`its 15 declared readings`, or `the 3 that were run of its 15 declared readings`."""
    run, declared = len(verdict.readings), verdict.readings_declared
    ran = f"the {run} that were run of " if run < declared else ""
    return f"{ran}its {declared} declared readings"
