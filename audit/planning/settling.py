"""What it would take to settle each open claim, as a part of the audit's record."""

from __future__ import annotations

from audit.planning.outlook import Outlook, outlooks
from audit.planning.wording import sentence
from audit.record import Audit, Settling


def settling(audit: Audit) -> dict[str, Settling]:
    """By claim, the cheapest first; at the level of the look that is to come."""
    return {it.claim: _settling(it) for it in sorted(outlooks(audit), key=cost)}


def cost(outlook: Outlook) -> tuple[bool, bool, float, int]:
    """Without a number of seeds last, without a known time before them."""
    seconds = outlook.time.seconds if outlook.time else 0.0
    return outlook.seeds is None, outlook.time is None, seconds, sum(outlook.missing.values())


def _settling(it: Outlook) -> Settling:
    return Settling(
        text=sentence(it),
        reproduce=(it.reproduce.seeds_80, it.reproduce.seeds_90),
        contradict=(it.contradict.seeds_80, it.contradict.seeds_90),
        seeds=it.seeds,
        missing=dict(it.missing) if it.seeds is not None else {},
        seconds=it.time.seconds if it.time else None,
        device=it.time.device if it.time else None,
    )
