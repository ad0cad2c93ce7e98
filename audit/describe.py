"""What is said of an audit as a whole beside its verdicts: descriptions, which decide nothing."""

from __future__ import annotations

from collections.abc import Sequence

from audit.record import ClaimRecord, Share, Verdict, comparison
from audit.stats.documents import wilson


def share(claims: Sequence[ClaimRecord], verdicts: Sequence[Verdict]) -> Share | None:
    """Of the claims that were decided, how many were reproduced; None where none was decided.

    Its interval (Wilson 1927) takes claims for independent draws, which they are not: they share runs and
    tables. The same comparison twice is counted once in it; the rest makes it narrower than the truth.
    """
    decided = [
        (claim, it) for claim, it in zip(claims, verdicts, strict=True) if it.outcome != "inconclusive"
    ]
    if not decided:
        return None
    reproduced = sum(it.outcome == "reproduced" for _, it in decided)
    distinct = {(comparison(claim, it), it.outcome) for claim, it in decided}
    once = sum(outcome == "reproduced" for _, outcome in distinct), len(distinct)
    return Share(reproduced, len(decided), wilson(*once), once)
