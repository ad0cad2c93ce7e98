"""The one vocabulary of metric names."""

from __future__ import annotations

import re
from dataclasses import dataclass

from reimpl.errors import ConfigError

#: The one vocabulary of metric names: with @ and a whole number if the value is True.
METRICS = {
    "P": True,
    "R": True,
    "RP": True,
    "nDCG": True,
    "PSP": True,
    "PSnDCG": True,
    "Micro-F1": False,
    "Macro-F1": False,
    "Another-Macro-F1": False,
}


@dataclass(frozen=True)
class Metric:
    """A parsed metric name: `nDCG@5` is family nDCG at k 5; `Micro-F1` has no k."""

    family: str
    k: int | None = None

    def __str__(self) -> str:
        return self.family if self.k is None else f"{self.family}@{self.k}"


def parse(name: str) -> Metric:
    """The metric of that name, as `nDCG@5`. Raises `ConfigError` with the known ones."""
    family, at, k = name.partition("@")
    has_number = re.fullmatch(r"[1-9][0-9]*", k, re.ASCII) is not None
    if METRICS.get(family) is (at == "@") and (not at or has_number):
        return Metric(family, int(k) if at else None)
    known = ", ".join(f"{family}@k" if has_k else family for family, has_k in METRICS.items())
    raise ConfigError(f"unknown metric {name!r}; known: {known} (k from 1)")
