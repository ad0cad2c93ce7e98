"""Sentences about one claim and its verdict."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from audit.record import ClaimRecord, Scope, Settling, Verdict
from reports import digits
from reports.wording.conclusions import (
    AGREED,
    CONCLUSIONS,
    LEANING,
    ONE_SIDE,
    SIZE_NOT_JUDGED,
    SIZE_UNKNOWN,
    SIZES_UNKNOWN,
)
from reports.wording.fields import (
    COMPARISONS,
    DIFFERENCES,
    PRINTED,
    coverage,
    edges,
    fields_of,
    pair,
    seeds,
    target,
)
from reports.wording.settling import MORE_SEEDS, in_a_sentence
from reports.wording.unrun import unrun
from reports.wording.words import (
    KIND_WORDS,
    STATUS_WORDS,
    STATUSES,
    UNTESTED,
    Status,
    capital,
    listed,
    reason,
)

_SEVERAL = "with {seeds}, {held} by the means"
_MEASURED = {
    "value": "{seeds} of “{first}” {give} {mean} {metric}, {place} the printed {printed}",
    "order": "with {seeds}, “{first}” is {gap} “{second}” in {metric}{range_deciding}",
    "gap": "with {seeds}, “{first}” is {gap} “{second}” in {metric}{range90}; the paper prints {target}",
    "equivalent": "with {seeds}, “{first}” is {gap} “{second}” in {metric}{range90}",
    "significant": "with {seeds}, “{first}” is {gap} “{second}” in {metric}{range95}",
    "cost": "with {seeds}, “{second}” needs {ratio} times the {subject} of “{first}”{ratio_deciding}",
    "convergence": (
        "with {seeds}, the epochs of “{first}” and “{second}” to {target} {metric} on held-out documents are "
        "compared{medians}"
    ),
    "complexity": "over {sizes} sizes, the {cost} grows by the power {power} of it; claimed is {target}",
    **dict.fromkeys(COMPARISONS, _SEVERAL),
}

#: What the plot's estimate is, where it is neither a mean nor a difference of two.
_ESTIMATES = {"cost": "ratio", "complexity": "exponent"}

_FIELD = re.compile(r"\{(\w+)\}")

SCOPE_PREFIX: dict[Scope | None, str] = {
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


def judged_on(verdict: Verdict | None) -> Scope | None:
    """On whose data a claim was judged, or begun to be; None where its runs do not speak to it."""
    return verdict.scope if verdict is not None and verdict.reason != "other_data" else None


def verdict_sentence(
    claim: ClaimRecord,
    verdict: Verdict | None,
    *,
    names: Sequence[str],
    departures: int = 0,
    settling: Settling | None = None,
) -> str:
    """What was measured and what follows from it, with the other explanations first where it contradicts.

    `names` are the titles of the claim's experiments, in its order; `departures` counts those from the paper.
    `settling` says how many seeds would settle it, where it is open.
    """
    status = status_of(verdict)
    if verdict is None:
        return f"{STATUS_WORDS[status]}: {CONCLUSIONS['*', 'not_run']}."
    fields = fields_of(claim, verdict, names)
    missing = unrun(verdict, [f"“{name}”" for name in names])
    word = verdict_word(claim, verdict)
    sentences = (
        alternatives(claim, departures) if status == "contradicted" else "",
        measured(claim, verdict, fields) if status != "not_tested" else "",
        f"{word}: {missing or conclusion(claim.kind, verdict, fields)}.",
        _size(claim, verdict) if status == "reproduced" else _leaning(claim, verdict, fields),
        _agreed(verdict),
        on_one_side(claim, verdict),
    )
    text = " ".join(sentence for sentence in sentences if sentence)
    return text.replace(MORE_SEEDS, in_a_sentence(settling, verdict.scope))


def _agreed(verdict: Verdict) -> str:
    """That a decision holds under every reading of what the paper leaves open, where there are several."""
    agree = verdict.readings and len(verdict.readings) == verdict.readings_declared
    if not agree or verdict.outcome == "inconclusive":
        return ""
    return AGREED.format(declared=verdict.readings_declared)


def on_one_side(claim: ClaimRecord, verdict: Verdict) -> str:
    """Where the means of all readings lie on one side of a printed value: the side, and the nearest."""
    means = [it.estimate for it in verdict.readings if it.estimate is not None]
    target = verdict.target
    if claim.kind != "value" or target is None or len(means) < 2 or verdict.scope == "other_data":
        return ""
    below, above = all(it < target for it in means), all(it > target for it in means)
    if not (below or above):
        return ""
    nearest = min(means, key=lambda it: abs(it - target))
    return ONE_SIDE.format(
        number=len(means),
        side="below" if below else "above",
        printed=claim.printed[0] if claim.printed else digits.points(target),
        nearest=digits.points(nearest, beside=(target,)),
    )


def verdict_word(claim: ClaimRecord, verdict: Verdict) -> str:
    """`Reproduced, as to direction`: an order is judged without its size; with the level of a look."""
    status = status_of(verdict)
    direction = claim.kind == "order" and status == "reproduced"
    return STATUS_WORDS[status] + (", as to direction" if direction else "") + at_level(verdict)


def at_level(verdict: Verdict) -> str:
    """The level, where it is the share of one look."""
    usual = verdict.level == Verdict("", "inconclusive", "").level
    return "" if usual or verdict.p_reproduced is None else f", at the level of {100.0 * verdict.level:.3g} %"


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
    first, second = pair(names)
    if claim.kind in ("order", "gap", "significant"):
        return f"“{first}” is above “{second}”"
    if claim.kind == "equivalent":
        return f"“{first}” and “{second}” are alike"
    if claim.kind == "value":
        return f"“{first}” scores {' / '.join(claim.printed) or digits.ABSENT}"
    named = listed([f"“{name}”" for name in names])
    return capital(f"{KIND_WORDS.get(claim.kind, claim.kind)} of {named or digits.ABSENT}")


def headline(marks: Sequence[tuple[str, Status]]) -> str:
    """How one claim of the file came out over its metrics.

    >>> headline([("P@1", "reproduced"), ("P@3", "inconclusive"), ("P@5", "reproduced")])
    'Reproduced at P@1 and P@5; inconclusive at P@3.'
    """
    parts = []
    for status in STATUSES:
        found = [metric for metric, its in marks if its == status]
        metrics = listed([metric for metric in found if metric])
        if found:
            parts.append(STATUS_WORDS[status].lower() + (f" at {metrics}" if metrics else ""))
    return capital("; ".join(parts)) + "." if parts else ""


def margin_band(verdict: Verdict) -> str:
    """The margins that would give a verdict, the claim taken alone: `reproduced from 1.05 on; ...`."""
    margin = verdict.margin
    ends = (
        ("reproduced", verdict.margin_reproduced_from, verdict.margin_reproduced_up_to),
        ("contradicted", verdict.margin_contradicted_from, verdict.margin_contradicted_up_to),
    )
    parts = []
    for word, start, end in ends:
        if start is None and end is None:
            continue
        if end == 0.0:
            parts.append(f"{word} by none")
            continue
        low = "" if start is None else f"from {digits.smallest_reproducing(start, margin=margin)}"
        high = "" if end is None else f"up to {digits.largest_contradicting(end, margin=margin)}"
        if start == 0.0:
            parts.append(f"{word} {high}" if high else f"{word} at any margin")
        else:
            parts.append(" ".join(it for it in (word, low, high or "on") if it))
    return "; ".join(parts)


def plot_description(claim: ClaimRecord, verdict: Verdict) -> str:
    """What the interval plot shows, for those who do not see it."""
    difference, power = claim.kind in DIFFERENCES, claim.kind == "complexity"
    show = digits.signed if difference else digits.points
    marks = edges(claim, verdict)
    parts = []
    if verdict.target is not None:
        named = "claimed exponent" if power else "printed difference" if difference else "printed"
        parts.append(f"{named} {target(claim, verdict)}")
    if verdict.margin is not None:
        unit = "" if power else " points"
        parts.append(f"margin {digits.margin_size(verdict.margin)}{unit} either way")
    if verdict.estimate is not None:
        label = "difference of the means" if difference else _ESTIMATES.get(claim.kind, "mean")
        parts.append(f"{label} {show(verdict.estimate, beside=marks)} from {seeds(verdict.n)}")
    for label, bounds in (
        (f"{coverage(verdict)[0]}%", verdict.ci90),
        (f"{coverage(verdict)[1]}%", verdict.ci95),
        ("prediction", verdict.pi95),
    ):
        if bounds is not None:
            parts.append(f"{label} interval {digits.interval(bounds, beside=marks)}")
    if not parts:
        parts.append(f"every seed of {len(verdict.values)} experiments, {seeds(verdict.n)}")
    return capital("; ".join(parts)) + "."


def no_plot(claim: ClaimRecord, verdict: Verdict | None) -> str:
    """Why a claim has no interval plot."""
    if verdict is not None and verdict.scope == "other_data" and claim.kind in PRINTED:
        return "Not drawn: the runs used other data than the paper, so its number and ours share no axis."
    if verdict is not None and verdict.parts:
        return "Not drawn: the comparisons share no axis; the table below has each."
    if verdict is not None and verdict.values and claim.kind == "convergence":
        return "Not drawn: what counts is the epoch at which a run reaches the score, listed below."
    return "Not drawn: there is no number to show."


# --------------------------------------------------------------------------- parts of sentences


def measured(claim: ClaimRecord, verdict: Verdict, fields: dict[str, str]) -> str:
    """What the runs gave; empty for a printed number on other data, which is not to be compared with ours."""
    stand_in = claim.kind in PRINTED and verdict.scope == "other_data"
    known = verdict.parts or verdict.estimate is not None
    if claim.kind == "convergence":
        known = verdict.target is not None
    if not known or claim.kind not in _MEASURED or stand_in:
        return ""
    return capital(SCOPE_PREFIX[verdict.scope] + _MEASURED[claim.kind].format_map(fields)) + "."


def conclusion(kind: str, verdict: Verdict, fields: dict[str, str]) -> str:
    """The sentence for a kind and reason; the reason's few words where a number that it needs is absent."""
    code = verdict.reason if verdict.reason != "deterministic" else f"deterministic {verdict.outcome}"
    pattern = CONCLUSIONS.get((kind, code)) or CONCLUSIONS.get(("*", code))
    if pattern is None or any(fields[name] == digits.ABSENT for name in _FIELD.findall(pattern)):
        return reason(verdict.reason)
    return pattern.format_map(fields)


def hangs_on(claim: ClaimRecord, verdict: Verdict) -> list[tuple[str, str]]:
    """What the verdict hangs on, a term and its words each: spread and its prior, the scatter, the look."""
    found = [("Spread", text) for text in _spreads(claim, verdict)]
    if verdict.look:
        level = f"{100.0 * verdict.level:.3g}%"
        found.append(("Look", f"number {verdict.look} at these runs, at the level of {level}"))
    if verdict.by_own_spread is not None:
        same = verdict.by_own_spread == verdict.outcome
        said = "without moderation the same" if same else f"without moderation {verdict.by_own_spread}"
        found.append(("Own spread", said))
    if verdict.kappa is not None:
        times = digits.points(verdict.kappa)
        found.append(
            ("Would vanish", f"if the paper’s runs scatter {times} times as much as ours; 2 is assumed")
        )
    return found


def _spreads(claim: ClaimRecord, verdict: Verdict) -> Iterator[str]:
    """`kim: sd 0.24, moderated 0.28 (common sd 0.30 with 6 df)`; nothing where no variance is moderated."""
    for name, it in zip(claim.experiments, verdict.scatter, strict=False):
        if it.sd is None or it.moderated is None or it.prior_sd is None:
            continue
        own, moderated, common = (digits.points(sd) for sd in (it.sd, it.moderated, it.prior_sd))
        who = f"{name}: " if len(verdict.scatter) > 1 else ""
        yield f"{who}sd {own}, moderated {moderated} (common sd {common} with {it.prior_df:.3g} df)"


def _size(claim: ClaimRecord, verdict: Verdict) -> str:
    """That comparisons are judged by direction alone, with the printed difference where there is one."""
    if claim.kind in COMPARISONS:
        return SIZES_UNKNOWN
    if claim.kind != "order":
        return ""
    if verdict.target is None:
        return SIZE_UNKNOWN
    return SIZE_NOT_JUDGED.format(target=digits.points(verdict.target))


def _leaning(claim: ClaimRecord, verdict: Verdict, fields: dict[str, str]) -> str:
    """Which side of zero an undecided likeness lies on, where its whole outer interval is on one side.

    Other reasons say themselves why the seeds do not show a direction, or that the margin is passed.
    """
    open_size = claim.kind == "equivalent" and verdict.reason in ("straddles_margin", "multiplicity")
    if not open_size or verdict.outcome != "inconclusive" or verdict.ci95 is None:
        return ""
    low, high = verdict.ci95
    if low <= 0 <= high:
        return ""
    side, higher = ("above", "higher") if low > 0 else ("below", "lower")
    return LEANING.format(
        ci95=fields["ci95"], outer=fields["outer"], side=side, first=fields["first"], higher=higher
    )
