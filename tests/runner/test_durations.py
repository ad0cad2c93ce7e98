"""Spans of time as they are typed."""

from __future__ import annotations

import pytest

from audit.errors import AuditError
from audit.names import seconds_of, span


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90s", 90), ("30m", 1800), ("2h", 7200), ("1h30m", 5400), ("1h1m1s", 3661), ("0h5m", 300)],
)
def test_hours_minutes_and_seconds(text: str, seconds: float) -> None:
    assert seconds_of(text, option="--budget") == seconds


@pytest.mark.parametrize(
    "text", ["", "30", "m", "-5m", "1.5h", "30min", "30M", "5m1h", "1h1h", " 5m", "5m ", "٣m", "1e3s"]
)
def test_anything_else_is_one_sentence(text: str) -> None:
    with pytest.raises(
        AuditError, match=r"^--budget .* is not a time span; write it as 90s, 30m, 2h or 1h30m$"
    ):
        seconds_of(text, option="--budget")


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(-3, "0 s"), (4, "4 s"), (89.4, "89 s"), (90, "2 min"), (720, "12 min"), (5400, "1 h 30 min")],
)
def test_spans_are_rounded_to_what_matters(seconds: float, text: str) -> None:
    assert span(seconds) == text
