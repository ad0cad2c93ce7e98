"""Everything that a sentence about one claim may ask for, as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from audit.record import ClaimRecord, ReadingVerdict, Verdict
from reports import digits
from reports.text import listed, plural
from reports.words import MORE_SEEDS, quantity, reason

#: Reason codes of open readings that more seeds may decide.
_SEEDS = ("undecided", "straddles_margin", "tied", "too_few_seeds", "no_variance_estimate")
#: Group -> its words for one reading and for more of them, in the order in which they are told.
_READING_WORDS = {
    "reproduced": ("reproduces it", "reproduce it"),
    "contradicted": ("contradicts it", "contradict it"),
    "reproduced alone": ("would reproduce it if taken alone", "would reproduce it if taken alone"),
    "contradicted alone": ("would contradict it if taken alone", "would contradict it if taken alone"),
    "seeds": ("is open for want of seeds", "are open for want of seeds"),
    "test sets": ("is open by the noise of two test sets", "are open by the noise of two test sets"),
    "luck": ("is as far off as one lucky run explains", "are as far off as one lucky run explains"),
}
_READING_NONE = "none of {those} of what the paper leaves open {does} it: {counts}"
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
    pattern = _READING_NONE if one_sided else _MIXED
    return pattern.format(those=_those_run(verdict), does=does, counts=_reading_counts(groups))


def few_words(verdict: Verdict | None) -> str:
    """The reason beside the status, where the readings all but agree; empty elsewhere."""
    outcomes = _outcomes(verdict)
    if outcomes == {"contradicted", "inconclusive"}:
        return NONE_REPRODUCES
    return NONE_CONTRADICTS if outcomes == {"reproduced", "inconclusive"} else ""


def reading_to_settle(verdict: Verdict | None) -> str:
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


def _reading_counts(groups: Counter[str]) -> str:
    """`4 contradict it, 8 would if taken alone and 3 are open for want of seeds`"""
    told = [(groups[name], *_READING_WORDS[name]) for name in _READING_WORDS if groups[name]]
    parts = [f"{number} {one if number == 1 else more}" for number, one, more in told]
    if groups["contradicted"] and groups["contradicted alone"] and not groups["reproduced alone"]:
        parts = [it.replace("would contradict it if", "would if") for it in parts]
    if groups["reproduced"] and groups["reproduced alone"] and not groups["contradicted alone"]:
        parts = [it.replace("would reproduce it if", "would if") for it in parts]
    parts += [
        f"{n} {'is' if n == 1 else 'are'} open ({why})"
        for why, n in groups.items()
        if why not in _READING_WORDS
    ]
    return listed(parts)


def _those_run(verdict: Verdict) -> str:
    """`its 15 declared readings`, or `the 3 that were run of its 15 declared readings`."""
    run, declared = len(verdict.readings), verdict.readings_declared
    ran = f"the {run} that were run of " if run < declared else ""
    return f"{ran}its {declared} declared readings"


#: Kinds whose estimate is the difference of two means, in points.
DIFFERENCES = ("order", "gap", "equivalent", "significant")
#: Kinds that are about a printed number, which nothing on other data speaks to.
PRINTED_KINDS = ("value", "gap")
#: Kinds that are made of several comparisons, with what one of those is called.
COMPARISONS = {
    "ranking": "pair of neighbours",
    "trend": "step",
    "optimum": "comparison with another level",
    "dominance": "comparison",
}


def fields_of(claim: ClaimRecord, verdict: Verdict, names: Sequence[str]) -> dict[str, str]:
    """The fields by name; a number that is absent is a dash."""
    first, second = pair(names)
    marks = edges(claim, verdict)
    return {
        "first": first,
        "second": second,
        "metric": claim.metric,
        "subject": subject_of(claim),
        "seeds": field_seeds(verdict.n, verdict.attempts),
        "mean": digits.mean_sd(verdict.estimate, verdict.sd, beside=marks),
        "sizes": str(len(claim.experiments)),
        "cost": quantity(str(claim.details.get("quantity", ""))),
        "power": digits.points(verdict.estimate, beside=marks),
        "ratio": digits.points(verdict.estimate, beside=marks),
        "medians": _medians(verdict),
        "give": "gives" if verdict.attempts in ((1,), ()) and verdict.n == (1,) else "give",
        "place": _place(verdict),
        "gap": _gap(verdict),
        "held": share_held(claim, verdict),
        "moves": "rises" if claim.details.get("direction", "rising") == "rising" else "falls",
        "beyond": _beyond(verdict),
        "printed": claim.printed[0] if claim.printed else digits.points(verdict.target),
        "target": target_of(claim, verdict),
        "margin": digits.margin_size(verdict.margin),
        "negligible": digits.margin_size(claim.negligible),
        "ci90": digits.interval(verdict.ci90, beside=marks),
        "ci95": digits.interval(verdict.ci95, beside=marks),
        "inner": coverage(verdict)[0],
        "outer": coverage(verdict)[1],
        "alone": alone(verdict),
        "range90": _range(coverage(verdict)[0], "difference", verdict.ci90, marks),
        "range95": _range(coverage(verdict)[1], "difference", verdict.ci95, marks),
        "deciding": deciding(claim, verdict)[0],
        "range_deciding": _range(*_deciding("difference", claim, verdict), marks),
        "ratio_deciding": _range(*_deciding("ratio", claim, verdict), marks),
        "from_margin": digits.smallest_reproducing(verdict.margin_reproduced_from, margin=verdict.margin),
        "declared": str(verdict.readings_declared) if verdict.readings_declared else digits.ABSENT,
        "came_out": came_out(verdict, centre(claim, verdict)) or digits.ABSENT,
        "readings": readings_counted(verdict),
        "more": MORE_SEEDS,
        "to_margin": digits.largest_contradicting(verdict.margin_contradicted_up_to, margin=verdict.margin),
    }


def readings_counted(verdict: Verdict) -> str:
    """`9 reproduced, 2 contradicted`, of the readings that were run; a dash for the default alone."""
    order = ("reproduced", "contradicted", "inconclusive")
    counts = ((sum(it.outcome == word for it in verdict.readings), word) for word in order)
    return ", ".join(f"{number} {word}" for number, word in counts if number) or digits.ABSENT


def coverage(verdict: Verdict) -> tuple[str, str]:
    """Of the intervals of both tests, in percent: `90` and `95` at the level of 5 %, `98` and `99` at 1 %."""
    return f"{100.0 * (1.0 - 2.0 * verdict.level):.6g}", f"{100.0 * (1.0 - verdict.level):.6g}"


def deciding(claim: ClaimRecord, verdict: Verdict) -> tuple[str, tuple[float, float] | None]:
    """The interval that says what the tests of an order or a cost say, with its coverage in percent.

    The claim is tested on one side, which its inner interval shows, and the reverse by twice that p, which
    the outer one shows: of an open claim the one on whose side the estimate lies.
    """
    inner, outer = coverage(verdict)
    level = 1.0 if claim.kind == "cost" else 0.0  # no difference
    against = verdict.estimate is not None and verdict.estimate < level
    if verdict.reason == "reversed" or (verdict.outcome == "inconclusive" and against):
        return outer, verdict.ci95
    return inner, verdict.ci90


def _deciding(of: str, claim: ClaimRecord, verdict: Verdict) -> tuple[str, str, tuple[float, float] | None]:
    level, bounds = deciding(claim, verdict)
    return level, of, bounds


def alone(verdict: Verdict) -> str:
    """What a claim that only the others keep open would be by itself."""
    if verdict.p_reproduced is None:
        return digits.ABSENT
    return "reproduced" if verdict.p_reproduced <= verdict.level else "contradicted"


def subject_of(claim: ClaimRecord) -> str:
    """What the claim compares: its metric, or what stands in its place where it is not about one."""
    if claim.metric:
        return claim.metric
    details = claim.details
    if "quantity" in details and claim.kind != "complexity":
        return quantity(str(details["quantity"]))
    if claim.kind == "dominance":
        metrics = details.get("metrics") or dict.fromkeys(line["metric"] for line in details.get("lines", ()))
        return listed(list(metrics)) or "all metrics"
    return str(details.get("of", ""))


def centre(claim: ClaimRecord, verdict: Verdict) -> float | None:
    """What estimates are held against, in points: no difference, or the printed number."""
    return 0.0 if claim.kind in DIFFERENCES else verdict.target


def edges(claim: ClaimRecord, verdict: Verdict) -> tuple[float, ...]:
    """What an estimate is read against: the target (or no difference) and the margin on either side."""
    if claim.kind == "cost":
        return (1.0,)
    centre = verdict.target if claim.kind in (*PRINTED_KINDS, "complexity") else 0.0
    if centre is None:
        return ()
    return (centre,) if verdict.margin is None else (centre, centre - verdict.margin, centre + verdict.margin)


def field_seeds(n: Sequence[int], attempts: Sequence[int] = ()) -> str:
    """`3 seeds`, `1 seed`, `3 seeds each`, `3 and 5 seeds`, `5 of 6 seeds`, `2 to 5 seeds each`."""
    tries = list(attempts) if len(attempts) == len(n) else list(n)
    whole = list(n) == tries
    texts = [str(k) if whole else f"{k} of {of}" for k, of in zip(n, tries, strict=True)]
    noun = "seed" if set(tries) == {1} else "seeds"
    if len(texts) > 1 and len(set(texts)) == 1:
        return f"{texts[0]} {noun} each"
    if len(texts) > 3:
        lost = "" if whole else f" ({plural(sum(tries) - sum(n), 'run')} without a value)"
        spread = str(min(n)) if min(n) == max(n) else f"{min(n)} to {max(n)}"
        return f"{spread} {noun} each{lost}"
    return f"{listed(texts) or 'no'} {noun}"


def share_held(claim: ClaimRecord, verdict: Verdict) -> str:
    """`2 of 3 steps go as claimed`, by the means alone; empty where nothing was compared."""
    known = [part.estimate for part in verdict.parts if part.estimate is not None]
    if not known:
        return ""
    number = sum(estimate > 0 for estimate in known)
    first, _, rest = COMPARISONS.get(claim.kind, "comparison").partition(" ")
    noun = plural(len(known), first) + (f" {rest}" if rest else "")
    return f"{number} of {noun} {'goes' if number == 1 else 'go'} as claimed"


def target_of(claim: ClaimRecord, verdict: Verdict) -> str:
    """The printed number as printed; a score to be reached; or a printed difference with its sign."""
    if claim.kind == "value":
        return claim.printed[0] if claim.printed else digits.points(verdict.target)
    if claim.kind in ("convergence", "complexity"):
        return digits.points(verdict.target)
    return digits.signed(verdict.target)


def pair(names: Sequence[str]) -> tuple[str, str]:
    """The first two names."""
    return (names[0] if names else digits.ABSENT), (names[1] if len(names) > 1 else digits.ABSENT)


def _beyond(verdict: Verdict) -> str:
    """Against what the statement holds: the spread of the seeds, or, where nothing is random, no doubt."""
    exact = verdict.p_reproduced is None and verdict.outcome != "inconclusive"
    return "in every run" if exact else "beyond the spread of the seeds"


def _range(level: str, of: str, bounds: tuple[float, float] | None, marks: Sequence[float]) -> str:
    if bounds is None:
        return ""
    return f" ({level}% interval of the {of} {digits.interval(bounds, beside=marks)})"


def medians(verdict: Verdict) -> tuple[str, ...]:
    """`11.49`, `not reached`: the medians of a convergence claim; none without."""
    return tuple("not reached" if it is None else f"{round(it, 2):g}" for it in verdict.medians)


def _medians(verdict: Verdict) -> str:
    held = medians(verdict)
    return f": {' against '.join(held)}, by the medians" if held else ""


def _place(verdict: Verdict) -> str:
    """`0.62 points below`, for a value against its printed number."""
    if verdict.estimate is None or verdict.target is None:
        return "beside"
    return _apart(verdict.estimate - verdict.target, verdict.margin, level="exactly")


def _gap(verdict: Verdict) -> str:
    """`1.66 points above`, for the first arm against the second."""
    return _apart(verdict.estimate or 0.0, verdict.margin, level="level with")


def _apart(difference: float, margin: float | None, *, level: str) -> str:
    size = digits.distance(difference, margin=margin)
    return level if size == "0.00" else f"{size} points {'below' if difference < 0 else 'above'}"
