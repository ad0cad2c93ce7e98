"""Sentences about one claim and its verdict."""

from __future__ import annotations

import re
from collections.abc import Sequence

from audit.record import ClaimRecord, Scope, Verdict
from reports import digits
from reports.wording.conclusions import CONCLUSIONS, LEANING, SIZE_NOT_JUDGED, SIZE_UNKNOWN
from reports.wording.words import STATUS_WORDS, STATUSES, UNTESTED, Status, capital, listed, reason

_MEASURED = {
    "value": "{seeds} of “{first}” {give} {mean} {metric}, {place} the printed {printed}",
    "order": "with {seeds}, “{first}” is {gap} “{second}” in {metric}{range95}",
    "equivalent": "with {seeds}, “{first}” is {gap} “{second}” in {metric}{range90}",
}

_FIELD = re.compile(r"\{(\w+)\}")

_SCOPE_PREFIX: dict[Scope | None, str] = {
    "other_data": "on stand-in data, ",
    "other_split": "on another split, ",
    "same_data": "",
    None: "",
}


def status_of(verdict: Verdict | None) -> Status:
    """The four statuses of a report: what no run spoke to, or only a run on other data, is *not tested*."""
    if verdict is None or verdict.reason in UNTESTED:
        return "not_tested"
    return verdict.outcome


def verdict_sentence(
    claim: ClaimRecord, verdict: Verdict | None, *, names: Sequence[str], departures: int = 0
) -> str:
    """What was measured and what follows from it, with the other explanations first where it contradicts.

    `names` are the titles of the claim's experiments, in its order; `departures` counts those from the paper.
    """
    status = status_of(verdict)
    if verdict is None:
        return f"{STATUS_WORDS[status]}: {CONCLUSIONS['*', 'not_run']}."
    fields = _fields(claim, verdict, names)
    direction = claim.kind == "order" and status == "reproduced"
    word = STATUS_WORDS[status] + (", as to direction" if direction else "")
    sentences = (
        alternatives(claim, departures) if status == "contradicted" else "",
        _measured(claim, verdict, fields) if status != "not_tested" else "",
        f"{word}: {_conclusion(claim.kind, verdict, fields)}.",
        _size(verdict) if direction else _leaning(claim, verdict, fields),
    )
    return " ".join(sentence for sentence in sentences if sentence)


def alternatives(claim: ClaimRecord, departures: int) -> str:
    """What else could be behind a contradiction of this claim."""
    known = f"one of the {departures} departures listed under “Protocol”, "
    if departures < 2:
        known = "the departure listed under “Protocol”, " if departures else ""
    luck = "a slip in printing" if claim.kind == "value" else "a lucky run"
    rest = "a setting that the paper leaves open, another preparation of the data, or"
    return capital(f"{known}{rest} {luck} may be behind what follows.")


def claim_title(claim: ClaimRecord, names: Sequence[str]) -> str:
    """The claim's own short words, or a plain description where the file has none."""
    if claim.says:
        return claim.says
    first, second = _pair(names)
    if claim.kind == "order":
        return f"“{first}” is above “{second}”"
    if claim.kind == "equivalent":
        return f"“{first}” and “{second}” are alike"
    return f"“{first}” scores {' / '.join(claim.printed) or digits.ABSENT}"


def headline(marks: Sequence[tuple[str, Status]]) -> str:
    """How one claim of the file came out over its metrics.

    >>> headline([("P@1", "reproduced"), ("P@3", "inconclusive"), ("P@5", "reproduced")])
    'Reproduced at P@1 and P@5; inconclusive at P@3.'
    """
    parts = []
    for status in STATUSES:
        metrics = [metric for metric, found in marks if found == status]
        if metrics:
            parts.append(f"{STATUS_WORDS[status].lower()} at {listed(metrics)}")
    return capital("; ".join(parts)) + "." if parts else ""


def seeds(n: Sequence[int], attempts: Sequence[int] = ()) -> str:
    """`3 seeds`, `1 seed`, `3 seeds each`, `3 and 5 seeds`, `5 of 6 seeds`."""
    tries = list(attempts) if len(attempts) == len(n) else list(n)
    whole = list(n) == tries
    texts = [str(k) if whole else f"{k} of {of}" for k, of in zip(n, tries, strict=True)]
    noun = "seed" if set(tries) == {1} else "seeds"
    if len(texts) > 1 and len(set(texts)) == 1:
        return f"{texts[0]} {noun} each"
    return f"{listed(texts) or 'no'} {noun}"


def margin_band(verdict: Verdict) -> str:
    """From which margin on the claim would be reproduced, and up to which contradicted, by itself."""
    start, end = verdict.margin_reproduced_from, verdict.margin_contradicted_up_to
    parts = []
    if start is not None:
        parts.append(f"reproduced from {digits.smallest_reproducing(start, margin=verdict.margin)} on")
    if end is not None:
        bound = digits.largest_contradicting(end, margin=verdict.margin)
        parts.append(f"contradicted up to {bound}" if end > 0 else "contradicted by none")
    return f"taken alone, {'; '.join(parts)}" if parts else ""


def plot_description(claim: ClaimRecord, verdict: Verdict) -> str:
    """What the interval plot shows, for those who do not see it."""
    difference = claim.kind != "value"
    show = digits.signed if difference else digits.points
    marks = edges(claim, verdict)
    parts = []
    if verdict.target is not None:
        parts.append(f"printed {'difference ' if difference else ''}{_target(claim, verdict)}")
    if verdict.margin is not None:
        parts.append(f"margin {digits.margin_size(verdict.margin)} points either way")
    if verdict.estimate is not None:
        label = "difference of the means" if difference else "mean"
        parts.append(f"{label} {show(verdict.estimate, beside=marks)} from {seeds(verdict.n)}")
    for label, bounds in (("90%", verdict.ci90), ("95%", verdict.ci95), ("prediction", verdict.pi95)):
        if bounds is not None:
            parts.append(f"{label} interval {digits.interval(bounds, beside=marks)}")
    return capital("; ".join(parts)) + "."


def no_plot(verdict: Verdict | None) -> str:
    """Why a claim has no interval plot."""
    if verdict is not None and verdict.scope == "other_data":
        return "Not drawn: the runs used other data than the paper, so its number and ours share no axis."
    return "Not drawn: there is no number to show."


def edges(claim: ClaimRecord, verdict: Verdict) -> tuple[float, ...]:
    """What an estimate is read against: the target (or no difference) and the margin on either side."""
    centre = 0.0 if claim.kind != "value" else verdict.target
    if centre is None:
        return ()
    return (centre,) if verdict.margin is None else (centre, centre - verdict.margin, centre + verdict.margin)


# --------------------------------------------------------------------------- parts of sentences


def _measured(claim: ClaimRecord, verdict: Verdict, fields: dict[str, str]) -> str:
    """What the runs gave; empty for a printed value on other data, which is not to be compared with ours."""
    stand_in = claim.kind == "value" and verdict.scope == "other_data"
    if verdict.estimate is None or claim.kind not in _MEASURED or stand_in:
        return ""
    return capital(_SCOPE_PREFIX[verdict.scope] + _MEASURED[claim.kind].format_map(fields)) + "."


def _conclusion(kind: str, verdict: Verdict, fields: dict[str, str]) -> str:
    """The sentence for a kind and reason; the reason's few words where a number that it needs is absent."""
    code = verdict.reason if verdict.reason != "deterministic" else f"deterministic {verdict.outcome}"
    pattern = CONCLUSIONS.get((kind, code)) or CONCLUSIONS.get(("*", code))
    if pattern is None or any(fields[name] == digits.ABSENT for name in _FIELD.findall(pattern)):
        return reason(verdict.reason)
    return pattern.format_map(fields)


def _size(verdict: Verdict) -> str:
    """That a comparison is judged by its direction alone, with the printed difference where there is one."""
    if verdict.target is None:
        return SIZE_UNKNOWN
    return SIZE_NOT_JUDGED.format(target=digits.points(verdict.target))


def _leaning(claim: ClaimRecord, verdict: Verdict, fields: dict[str, str]) -> str:
    """Which side of zero an undecided likeness lies on, where its whole 95% interval is on one side.

    Other reasons say themselves why the seeds do not show a direction, or that the margin is passed.
    """
    open_size = claim.kind == "equivalent" and verdict.reason in ("straddles_margin", "multiplicity")
    if not open_size or verdict.outcome != "inconclusive" or verdict.ci95 is None:
        return ""
    low, high = verdict.ci95
    if low <= 0 <= high:
        return ""
    side, higher = ("above", "higher") if low > 0 else ("below", "lower")
    return LEANING.format(ci95=fields["ci95"], side=side, first=fields["first"], higher=higher)


def _fields(claim: ClaimRecord, verdict: Verdict, names: Sequence[str]) -> dict[str, str]:
    """Everything a pattern may ask for, as text."""
    first, second = _pair(names)
    marks = edges(claim, verdict)
    return {
        "first": first,
        "second": second,
        "metric": claim.metric,
        "seeds": seeds(verdict.n, verdict.attempts),
        "mean": digits.mean_sd(verdict.estimate, verdict.sd, beside=marks),
        "give": "gives" if verdict.attempts in ((1,), ()) and verdict.n == (1,) else "give",
        "place": _place(verdict),
        "gap": _gap(verdict),
        "printed": claim.printed[0] if claim.printed else digits.points(verdict.target),
        "target": _target(claim, verdict),
        "margin": digits.margin_size(verdict.margin),
        "negligible": digits.margin_size(claim.negligible),
        "ci90": digits.interval(verdict.ci90, beside=marks),
        "ci95": digits.interval(verdict.ci95, beside=marks),
        "range90": _range("90", verdict.ci90, marks),
        "range95": _range("95", verdict.ci95, marks),
        "from_margin": digits.smallest_reproducing(verdict.margin_reproduced_from, margin=verdict.margin),
        "to_margin": digits.largest_contradicting(verdict.margin_contradicted_up_to, margin=verdict.margin),
    }


def _pair(names: Sequence[str]) -> tuple[str, str]:
    return (names[0] if names else digits.ABSENT), (names[1] if len(names) > 1 else digits.ABSENT)


def _range(level: str, bounds: tuple[float, float] | None, marks: Sequence[float]) -> str:
    if bounds is None:
        return ""
    return f" ({level}% interval of the difference {digits.interval(bounds, beside=marks)})"


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


def _target(claim: ClaimRecord, verdict: Verdict) -> str:
    if claim.kind == "value":
        return claim.printed[0] if claim.printed else digits.points(verdict.target)
    return digits.signed(verdict.target)
