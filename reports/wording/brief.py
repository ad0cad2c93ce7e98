"""The verdict of a primary claim on the first screen: one sentence of what was seen, one of what follows.

No interval and no p-value stands in it, and chance is called chance; the claim's own card has the numbers.
Where there is no plainer pattern here, what follows is said as in the card.
"""

from __future__ import annotations

from collections.abc import Sequence

from audit.record import ClaimRecord, Settling, Verdict
from reports import digits
from reports.wording.fields import DIFFERENCES, fields_of
from reports.wording.settling import MORE_SEEDS, in_a_sentence
from reports.wording.verdicts import (
    SCOPE_PREFIX,
    alternatives,
    conclusion,
    measured,
    on_one_side,
    status_of,
    verdict_sentence,
    verdict_word,
)
from reports.wording.words import capital, listed

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
    fields = fields_of(claim, verdict, names)
    direction = claim.kind == "order" and status == "reproduced"
    seen = _but(_seen(claim, verdict, fields), claim, verdict, others)
    follows = _follows(claim, verdict, fields) if seen else conclusion(claim.kind, verdict, fields)
    if settling and MORE_SEEDS in conclusion(claim.kind, verdict, fields):
        follows = f"{follows.replace(MORE_SEEDS, '')}{in_a_sentence(settling, verdict.scope)}"
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
        return measured(claim, verdict, fields)
    if not measured(claim, verdict, fields):  # not to be compared with what the paper prints
        return ""
    size = digits.distance(verdict.estimate, margin=verdict.margin)
    said = _SEEN.format_map({**fields, **_lead(claim, verdict.estimate, size)})
    printed = f"; the paper prints {fields['target']}" if claim.kind == "gap" else ""
    return capital(SCOPE_PREFIX[verdict.scope] + said + printed) + "."


def _but(
    seen: str, claim: ClaimRecord, verdict: Verdict, others: Sequence[tuple[ClaimRecord, Verdict]]
) -> str:
    """What was seen, and `, but 0.50 points behind in P@3` of metrics that point another way."""
    side = _side(claim, verdict)
    turned = [(it, v) for it, v in others if side * _side(it, v) < 0 or _opposed(verdict, v)]
    if not seen or not turned:
        return seen
    return f"{seen.removesuffix('.')}, but {listed([_turned(it, v) for it, v in turned])}."


def _side(claim: ClaimRecord, verdict: Verdict) -> float:
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
    side = _side(claim, verdict)
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
