"""Spans of time as they are typed: 90s, 30m, 2h, 1h30m."""

from __future__ import annotations

import re

from audit.errors import AuditError

_SPAN = re.compile(r"(?:(\d{1,6})h)?(?:(\d{1,6})m)?(?:(\d{1,6})s)?", re.ASCII)


def seconds_of(text: str, *, option: str) -> float:
    """Seconds of `1h30m`. Raises `AuditError` naming the option for anything else, and for no time at all."""
    found = _SPAN.fullmatch(text)
    hours, minutes, seconds = (int(part or 0) for part in found.groups()) if found else (0, 0, 0)
    total = 3600.0 * hours + 60.0 * minutes + seconds
    if not total:
        raise AuditError(f"{option} {text!r} is no span of time; write it as 90s, 30m, 2h or 1h30m")
    return total


def span(seconds: float) -> str:
    """Rounded to what matters: `45 s`, `12 min`, `1 h 30 min`."""
    if seconds < 90.0:
        return f"{max(0, round(seconds))} s"
    hours, minutes = divmod(round(seconds / 60.0), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"
