"""Sentences about one claim and its verdict, for its card and for the first screen."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from audit.record import ClaimRecord, Deviation, Scope, Settling, Verdict
from reports import digits
from reports.conclusions import (
    AGREED,
    CONCLUSIONS,
    LEANING,
    ONE_SIDE,
    SIZE_NOT_JUDGED,
    SIZE_UNKNOWN,
    SIZES_UNKNOWN,
)
from reports.fields import (
    COMPARISONS,
    DIFFERENCES,
    PRINTED_KINDS,
    coverage,
    edges,
    field_seeds,
    fields_of,
    pair,
    reading_to_settle,
    target_of,
)
from reports.lookup import Lookup
from reports.notes import unjudged
from reports.text import capital, listed, plural
from reports.words import KIND_WORDS, MORE_SEEDS, REASONS, STATUS_WORDS, STATUSES, Status, reason, status_of

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
    fields = {**fields_of(claim, verdict, names), "more": in_a_sentence(settling, verdict.scope)}
    missing = unrun(verdict, [f"“{name}”" for name in names])
    word = verdict_word(claim, verdict)
    sentences = (
        alternatives(claim, departures) if status == "contradicted" else "",
        verdicts_measured(claim, verdict, fields) if status != "not_tested" else "",
        f"{word}: {missing or conclusion(claim.kind, verdict, fields)}.",
        _size(claim, verdict) if status == "reproduced" else _leaning(claim, verdict, fields),
        _agreed(verdict),
        on_one_side(claim, verdict),
    )
    return " ".join(sentence for sentence in sentences if sentence)


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


def over_metrics(marks: Sequence[tuple[str, Status]]) -> str:
    """How one claim of the file came out over its metrics.

    >>> over_metrics([("P@1", "reproduced"), ("P@3", "inconclusive"), ("P@5", "reproduced")])
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
        parts.append(f"{named} {target_of(claim, verdict)}")
    if verdict.margin is not None:
        unit = "" if power else " points"
        parts.append(f"margin {digits.margin_size(verdict.margin)}{unit} either way")
    if verdict.estimate is not None:
        label = "difference of the means" if difference else _ESTIMATES.get(claim.kind, "mean")
        parts.append(f"{label} {show(verdict.estimate, beside=marks)} from {field_seeds(verdict.n)}")
    for label, bounds in (
        (f"{coverage(verdict)[0]}%", verdict.ci90),
        (f"{coverage(verdict)[1]}%", verdict.ci95),
        ("prediction", verdict.pi95),
    ):
        if bounds is not None:
            parts.append(f"{label} interval {digits.interval(bounds, beside=marks)}")
    if not parts:
        parts.append(f"every seed of {len(verdict.values)} experiments, {field_seeds(verdict.n)}")
    return capital("; ".join(parts)) + "."


def no_plot(claim: ClaimRecord, verdict: Verdict | None) -> str:
    """Why a claim has no interval plot."""
    if verdict is not None and verdict.scope == "other_data" and claim.kind in PRINTED_KINDS:
        return "Not drawn: the runs used other data than the paper, so its number and ours share no axis."
    if verdict is not None and verdict.parts:
        return "Not drawn: the comparisons share no axis; the table below has each."
    if verdict is not None and verdict.values and claim.kind == "convergence":
        return "Not drawn: what counts is the epoch at which a run reaches the score, listed below."
    return "Not drawn: there is no number to show."


def verdicts_measured(claim: ClaimRecord, verdict: Verdict, fields: dict[str, str]) -> str:
    """What the runs gave; empty for a printed number on other data, which is not to be compared with ours."""
    stand_in = claim.kind in PRINTED_KINDS and verdict.scope == "other_data"
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
        return REASONS.get(code, reason(verdict.reason)).replace("{more}", fields["more"])
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


_MOST_NAMES = 3
_MOST_LINES = 3
_SOME = "one side was run and the other was not, as in {claim}: {why}"


def unrun(verdict: Verdict | None, names: Sequence[str]) -> str | None:
    """`no run of A; the other arm has 1 seed`; None where no arm was run, or the verdict is another.

    `names` are those of the claim's experiments, in its order, as they are to stand in the sentence.
    """
    if verdict is None or verdict.reason != "not_run" or not any(verdict.attempts):
        return None
    arms = {it[0]: it[1:] for it in zip(names, verdict.n, verdict.attempts, strict=False)}
    never = [name for name, (_, attempts) in arms.items() if not attempts]
    barren = [name for name, (n, attempts) in arms.items() if attempts and not n]
    there = [n for n, _ in arms.values() if n]
    if not never and not barren:
        return None
    parts = [f"no run of {_some(never)}"] if never else []
    parts += [f"no run of {_some(barren)} gives this number"] if barren else []
    return "; ".join([*parts, *([_unrun_others(there)] if there else [])])


def unrun_lines(
    pairs: Iterable[tuple[ClaimRecord, Verdict | None]], names: Callable[[ClaimRecord], Sequence[str]]
) -> Iterator[str]:
    """How many claims were not run at all, and what is missing of the others: of a few each, of many one."""
    told = [
        (claim, unrun(verdict, names(claim)))
        for claim, verdict in pairs
        if verdict is None or verdict.reason == "not_run"
    ]
    partly = [(claim, why) for claim, why in told if why is not None]
    if whole := len(told) - len(partly):
        yield unjudged(whole, code="not_run")
    counts = Counter(why for _, why in partly)
    if len(counts) > _MOST_LINES:
        claim, why = partly[0]
        yield unjudged(len(partly), code="not_run", why=_SOME.format(claim=claim.id, why=why))
    else:
        yield from (unjudged(number, code="not_run", why=why) for why, number in counts.items())


def _some(names: Sequence[str]) -> str:
    if len(names) <= _MOST_NAMES:
        return listed(names, word="or")
    return f"{', '.join(names[: _MOST_NAMES - 1])} or {len(names) - _MOST_NAMES + 1} others"


def _unrun_others(seeds: Sequence[int]) -> str:
    number = plural(max(seeds), "seed")
    if len(seeds) == 1:
        return f"the other arm has {number}"
    spread = number if min(seeds) == max(seeds) else f"{min(seeds)} to {number}"
    return f"the other {len(seeds)} arms have {spread}{' each' if min(seeds) == max(seeds) else ''}"


SETTLE_HEAD = "What would settle the open claims"
#: Of runs on other data than the paper's.
SETTLE_ON_STAND_IN = "on this stand-in"
NEVER_PRINTED = "a stand-in can never settle the printed number, which is about the paper’s own data"
SETTLE_STAND_IN_NOTE = (
    "What runs on a stand-in settle holds for the stand-in: those claims stand last, and what is printed for "
    "the paper’s own data stays open."
)


def is_on_stand_in(scope: Scope | None) -> bool:
    return scope == "other_data"


def settle_to_settle(found: Settling, scope: Scope | None = None, verdict: Verdict | None = None) -> str:
    """`6 seeds, 0.4 GPU-hours: to reproduce it 6 (7), to contradict it none`, or why there is no number.

    Of a claim that was judged on other data it says that this is about the stand-in alone; `verdict` tells
    of one whose readings differ which way they point.
    """
    needed = reading_to_settle(verdict) or _needed(found)
    return f"{SETTLE_ON_STAND_IN}: {needed}; {NEVER_PRINTED}" if is_on_stand_in(scope) else needed


def short(found: Settling, scope: Scope | None, verdict: Verdict | None = None) -> str:
    """`6 seeds, 0.4 GPU-hours`, and on whose data."""
    text = reading_to_settle(verdict) or found.text
    return f"{SETTLE_ON_STAND_IN}: {text}" if is_on_stand_in(scope) else text


def in_a_sentence(found: Settling | None, scope: Scope | None) -> str:
    """`; to settle it: 6 seeds`, in place of `MORE_SEEDS`."""
    if not is_on_stand_in(scope):
        return f"; to settle it: {found.text}" if found else MORE_SEEDS
    if found is None:
        return f"{MORE_SEEDS} {SETTLE_ON_STAND_IN}"
    return f"; to settle it {SETTLE_ON_STAND_IN}: {found.text} ({NEVER_PRINTED})"


def _needed(found: Settling) -> str:
    if found.seeds is None or (found.reproduce, found.contradict) == (_SETTLE_NONE, _SETTLE_NONE):
        return found.text
    parts = (("reproduce", found.reproduce), ("contradict", found.contradict))
    needed = ", ".join(f"to {word} it {_settle_seeds(numbers)}" for word, numbers in parts)
    return f"{found.text}: {needed}"


def time(seconds: float | None, device: str | None) -> str:
    """`24.0 min on a GPU`, as far as it is known."""
    if seconds is None:
        return "not known"
    return digits.duration(seconds) + (f" on a {device}" if device else "")


def chance(found: Settling, scope: Scope | None = None) -> str:
    """`To reproduce it: 80% with 6 seeds, 90% with 7. To contradict it: none.`, or why there is no number."""
    of = f"{capital(SETTLE_ON_STAND_IN)}. " if is_on_stand_in(scope) else ""
    return f"{of}{_chance(found)}"


def _chance(found: Settling) -> str:
    pairs = (("reproduce", found.reproduce), ("contradict", found.contradict))
    if (found.reproduce, found.contradict) == (_SETTLE_NONE, _SETTLE_NONE):
        return f"{capital(found.text).rstrip('.')}."
    return " ".join(f"To {word} it: {_chances(*numbers)}." for word, numbers in pairs)


def _chances(fewest: int | None, more: int | None) -> str:
    if fewest is None:
        return "no number of seeds"
    return f"80% with {fewest} seeds, 90% with {'more than 100' if more is None else more}"


_SETTLE_NONE = (None, None)


def _settle_seeds(numbers: tuple[int | None, int | None]) -> str:
    """`6 (7)`: for 80 and for 90%."""
    fewest, more = numbers
    if fewest is None:
        return "none"
    return f"{fewest} ({'more than 100' if more is None else more})"


_CHANCE = "chance alone does not explain it"
_ORDERED = ("order", "gap", "significant")
#: A difference of less points is no side.
_LEVEL = 0.005
_SEEN = "with {seeds}, {who} {lead} in {metric}"
PRINTED_DIFFERENCE = "The paper prints a difference of {target}."
#: What follows, by kind and reason code; `*` is any kind.
_FOLLOWS = {
    ("value", "tost"): "with chance allowed for, that is within the margin of {margin} points",
    ("value", "minimum_effect"): (
        "that is beyond the margin of {margin} points, even if the paper’s was an unusual run"
    ),
    ("value", "within_seed_spread"): (
        "one lucky run may explain it; it would be reproduced from a margin of {from_margin} points on"
    ),
    ("value", "straddles_margin"): (
        "with chance allowed for, that may lie within the margin of {margin} points, or beyond it"
    ),
    ("order", "direction"): _CHANCE,
    ("order", "reversed"): f"here it is the other way round, and {_CHANCE}",
    ("order", "undecided"): "chance alone may explain it",
    ("gap", "tost"): "with chance allowed for, that is within the margin of {margin} points",
    ("gap", "straddles_margin"): (
        "with chance allowed for, that may lie within the margin of {margin} points, or beyond it"
    ),
    ("significant", "direction"): f"that is more than {{margin}} points, and {_CHANCE}",
    ("significant", "exceeds_margin"): f"that is more than {{margin}} points, and {_CHANCE}",
    ("significant", "reversed"): f"here it is the other way round, and {_CHANCE}",
    ("equivalent", "tost"): "with chance allowed for, that is within the margin of {margin} points",
    ("equivalent", "no_loss"): "with chance allowed for, that is no loss of {margin} points",
    ("equivalent", "loss"): f"that is a loss of more than {{margin}} points, and {_CHANCE}",
    ("equivalent", "minimum_effect"): f"that is beyond the margin of {{margin}} points, and {_CHANCE}",
    ("equivalent", "straddles_margin"): (
        "with chance allowed for, that may lie within the margin of {margin} points, or beyond it"
    ),
    ("*", "multiplicity"): "alone it would be {alone}, but of so many claims some come out so by chance",
}


def brief_sentence(
    claim: ClaimRecord,
    verdict: Verdict | None,
    *,
    names: Sequence[str],
    departures: int = 0,
    settling: Settling | None = None,
    others: Sequence[tuple[ClaimRecord, Verdict]] = (),
) -> str:
    """What a reader in a hurry is told of a claim; the arguments are those of `verdict_sentence`.

    `others` are the claim's other metrics: those that point another way are named in the same sentence.
    """
    status = status_of(verdict)
    if verdict is None or status == "not_tested":
        return verdict_sentence(claim, verdict, names=names)
    plain = fields_of(claim, verdict, names)
    fields = {**plain, "more": ""} if settling else plain
    direction = claim.kind == "order" and status == "reproduced"
    seen = _but(_seen(claim, verdict, fields), claim, verdict, others)
    follows = _follows(claim, verdict, fields) if seen else conclusion(claim.kind, verdict, fields)
    if settling and conclusion(claim.kind, verdict, plain) != conclusion(claim.kind, verdict, fields):
        follows = f"{follows}{in_a_sentence(settling, verdict.scope)}"
    sentences = (
        alternatives(claim, departures) if status == "contradicted" else "",
        seen,
        f"{verdict_word(claim, verdict)}: {follows}.",
        PRINTED_DIFFERENCE.format(target=digits.points(verdict.target))
        if direction and verdict.target is not None
        else "",
        on_one_side(claim, verdict) if status != "reproduced" else "",
    )
    return " ".join(sentence for sentence in sentences if sentence)


def _seen(claim: ClaimRecord, verdict: Verdict, fields: dict[str, str]) -> str:
    """What the runs gave: of two arms, how far the one that is said to be better is ahead."""
    if claim.kind not in (*_ORDERED, "equivalent") or verdict.estimate is None:
        return verdicts_measured(claim, verdict, fields)
    if not verdicts_measured(claim, verdict, fields):  # not to be compared with what the paper prints
        return ""
    size = digits.distance(verdict.estimate, margin=verdict.margin)
    said = _SEEN.format_map({**fields, **_lead(claim, verdict.estimate, size)})
    printed = f"; the paper prints {fields['target']}" if claim.kind == "gap" else ""
    return capital(SCOPE_PREFIX[verdict.scope] + said + printed) + "."


def _but(
    seen: str, claim: ClaimRecord, verdict: Verdict, others: Sequence[tuple[ClaimRecord, Verdict]]
) -> str:
    """What was seen, and `, but 0.50 points behind in P@3` of metrics that point another way."""
    side = _brief_side(claim, verdict)
    turned = [(it, v) for it, v in others if side * _brief_side(it, v) < 0 or _opposed(verdict, v)]
    if not seen or not turned:
        return seen
    return f"{seen.removesuffix('.')}, but {listed([_turned(it, v) for it, v in turned])}."


def _brief_side(claim: ClaimRecord, verdict: Verdict) -> float:
    """Above (+) or below (-) what the estimate is read against; 0 where that is not known, or no matter."""
    if verdict.estimate is None or (claim.kind == "equivalent" and not claim.details.get("no_loss")):
        return 0.0
    if claim.kind in DIFFERENCES:
        return 0.0 if abs(verdict.estimate) < _LEVEL else verdict.estimate
    known = claim.kind == "value" and verdict.target is not None and verdict.scope != "other_data"
    return verdict.estimate - verdict.target if known and verdict.target is not None else 0.0


def _opposed(first: Verdict, second: Verdict) -> bool:
    return {first.outcome, second.outcome} == {"reproduced", "contradicted"}


def _turned(claim: ClaimRecord, verdict: Verdict) -> str:
    side = _brief_side(claim, verdict)
    if not side:
        return f"{verdict.outcome} in {claim.metric}"
    above, below = ("ahead", "behind") if claim.kind in DIFFERENCES else ("above", "below")
    size = digits.distance(side, margin=verdict.margin)
    return f"{size} points {above if side > 0 else below} in {claim.metric}"


def _lead(claim: ClaimRecord, estimate: float, size: str) -> dict[str, str]:
    if claim.kind == "equivalent" and not claim.details.get("no_loss"):
        return {"who": "the two", "lead": "are level" if size == "0.00" else f"are {size} points apart"}
    who = "the one said to lose nothing" if claim.kind == "equivalent" else "the one said to be better"
    side = "ahead" if estimate > 0 else "behind"
    return {"who": who, "lead": "is level" if size == "0.00" else f"is {size} points {side}"}


def _follows(claim: ClaimRecord, verdict: Verdict, fields: dict[str, str]) -> str:
    """The plain pattern, unless it asks for a number that is not there, or nothing is left to chance."""
    exact = verdict.p_reproduced is None and verdict.outcome != "inconclusive"
    pattern = _FOLLOWS.get((claim.kind, verdict.reason)) or _FOLLOWS.get(("*", verdict.reason))
    if pattern is None or exact:
        return conclusion(claim.kind, verdict, fields)
    if any(f"{{{name}}}" in pattern for name, text in fields.items() if text == digits.ABSENT):
        return conclusion(claim.kind, verdict, fields)
    return pattern.format_map(fields)


def sentence(claim: ClaimRecord, found: Lookup) -> str:
    """The verdict on `claim` in a sentence or two; a claim without a verdict is not tested."""
    return _said_of(verdict_sentence, claim, found)


def brief(claim: ClaimRecord, found: Lookup) -> str:
    """The same for the first screen, without intervals; its other metrics where they point another way."""
    others = [
        (it, found.verdicts[it.id])
        for it in found.audit.claims
        if it.claim == claim.claim and it.id != claim.id and it.id in found.verdicts
    ]
    return _said_of(partial(brief_sentence, others=others), claim, found)


def _said_of(how: Callable[..., str], claim: ClaimRecord, found: Lookup) -> str:
    return how(
        claim,
        found.verdicts.get(claim.id),
        names=found.names(claim),
        departures=len(departures(claim, found)),
        settling=found.audit.settling.get(claim.id),
    )


def departures(claim: ClaimRecord, found: Lookup) -> list[Deviation]:
    """The departures from the paper behind the claim's runs, each once."""
    records = (found.experiments[key] for key in claim.experiments if key in found.experiments)
    return list(dict.fromkeys(deviation for record in records for deviation in record.deviations))
