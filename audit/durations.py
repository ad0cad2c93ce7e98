"""Spans of time as they are typed: 90s, 30m, 2h, 1h30m."""

from __future__ import annotations

import re

from audit.errors import AuditError

_SPAN = re.compile(r"(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?", re.ASCII)

#: Ten years of 365 days; whoever means for ever leaves the option out.
LONGEST = 10 * 365 * 24 * 3600.0


def seconds_of(text: str, *, option: str) -> float:
    """Seconds of `1h30m`. Raises `AuditError` naming the option for anything else, for none and for ages."""
    found = _SPAN.fullmatch(text)
    if found is None or not text:
        raise AuditError(f"{option} {text[:40]!r} is no span of time; write it as 90s, 30m, 2h or 1h30m")
    hours, minutes, seconds = (float(part or 0) for part in found.groups())
    total = 3600.0 * hours + 60.0 * minutes + seconds
    if not total:
        raise AuditError(f"{option} {text[:40]!r} is no time at all; write some, as 90s, 30m, 2h or 1h30m")
    if total > LONGEST:
        raise AuditError(f"{option} {text[:40]!r} is more than ten years; write less, or leave {option} out")
    return total


def span(seconds: float) -> str:
    """Rounded to what matters: `45 s`, `12 min`, `1 h 30 min`."""
    if seconds < 90.0:
        return f"{max(0, round(seconds))} s"
    hours, minutes = divmod(round(seconds / 60.0), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"
