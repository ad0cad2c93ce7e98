"""What other packages offer to claim files, by name and without loading it; `reimpl.plugins` finds it."""

from __future__ import annotations

import re
from functools import cache
from typing import Any


def metric_families() -> tuple[str, ...]:
    """Families of metrics of other packages; a claim file writes Family@k."""
    from reimpl.metric_names import METRICS as OWN
    from reimpl.metric_names import family_problem
    from reimpl.plugins import METRICS, offered

    return tuple(name for name in offered(METRICS, own=OWN).there if family_problem(name) is None)


def statistic_names() -> tuple[str, ...]:
    """Of other packages; there are none of ours, which decide and so are no matter of choice."""
    from reimpl.plugins import STATISTICS, offered

    return tuple(offered(STATISTICS).there)


def is_offered_metric(name: str) -> bool:
    """Whether it is `Family@k` of such a family."""
    family, _, k = name.partition("@")
    return re.fullmatch(r"[1-9][0-9]*", k, re.ASCII) is not None and family in metric_families()


def with_plugins(schema: Any, pattern: str) -> Any:
    """The JSON Schema with the metrics of other packages in each `pattern` of metrics."""
    families = metric_families()
    return _replaced(schema, pattern, _widened(pattern, families)) if families else schema


@cache
def _widened(pattern: str, families: tuple[str, ...]) -> str:
    return f"{pattern}|^({'|'.join(map(re.escape, families))})@[1-9][0-9]*$"


def _replaced(part: Any, old: str, new: str) -> Any:
    if isinstance(part, dict):
        return {key: _replaced(value, old, new) for key, value in part.items()}
    if isinstance(part, list):
        return [_replaced(value, old, new) for value in part]
    return new if part == old else part
