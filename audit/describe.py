"""What is said of an audit as a whole beside its verdicts: descriptions, which decide nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from audit.record import ClaimRecord, Share, TableDegree, Verdict, comparison
from audit.stats.cv_star import cv_star, cv_star_of_errors
from audit.stats.printed import printed
from audit.stats.share import wilson

#: Printed values above this are described as errors too: near the top CV* hides all difference.
_NEAR_THE_TOP = 90.0


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


def degrees(claims: Sequence[ClaimRecord], verdicts: Sequence[Verdict]) -> tuple[TableDegree, ...]:
    """CV* of each table that a value claim was judged in, in the order of the claims.

    Of each judged value, the printed number and our runs together (QRA++ type I; Belz 2022); of a table the
    mean over its values. Raises nothing: values that have no CV* (a mean of 0) are left out.
    """
    of_table: dict[str, list[tuple[ClaimRecord, Verdict]]] = {}
    for claim, verdict in zip(claims, verdicts, strict=True):
        if claim.cells and _is_judged_value(claim, verdict):
            of_table.setdefault(claim.cells[0].split(".")[0], []).append((claim, verdict))
    return tuple(it for table, held in of_table.items() if (it := _degree(table, held)))


def _is_judged_value(claim: ClaimRecord, verdict: Verdict) -> bool:
    """On the paper's own data: elsewhere the printed number and ours are of different things."""
    judged = verdict.p_reproduced is not None or verdict.outcome != "inconclusive"
    return claim.kind == "value" and verdict.scope == "same_data" and judged


def _degree(table: str, held: Sequence[tuple[ClaimRecord, Verdict]]) -> TableDegree | None:
    values = [(float(printed(claim.printed[0]).value), *verdict.values[0]) for claim, verdict in held]
    found = [cv_star(it).cv_star for it in values if sum(it) > 0.0]
    if not found:
        return None
    sizes = [len(it) for it in values]
    errors = list(_of_errors(values))
    return TableDegree(
        table=table,
        values=len(found),
        n=(min(sizes), max(sizes)),
        cv_star=sum(found) / len(found),
        range=(min(found), max(found)),
        errors=sum(errors) / len(errors) if errors else None,
    )


def _of_errors(values: Sequence[tuple[float, ...]]) -> Iterator[float]:
    for it in values:
        if it[0] > _NEAR_THE_TOP and sum(100.0 - v for v in it) > 0.0:
            yield cv_star_of_errors(it).cv_star
