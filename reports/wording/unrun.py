"""What is missing of a claim of which some experiments were run and others were not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from audit.record import ClaimRecord, Verdict
from reports.wording.notes import unjudged
from reports.wording.words import listed, plural

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
    return "; ".join([*parts, *([_others(there)] if there else [])])


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


def _others(seeds: Sequence[int]) -> str:
    number = plural(max(seeds), "seed")
    if len(seeds) == 1:
        return f"the other arm has {number}"
    spread = number if min(seeds) == max(seeds) else f"{min(seeds)} to {number}"
    return f"the other {len(seeds)} arms have {spread}{' each' if min(seeds) == max(seeds) else ''}"
