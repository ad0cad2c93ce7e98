"""The words of tables, from `words.toml`: commands of LaTeX, metrics, quantities, units."""

from __future__ import annotations

import tomllib
from importlib import resources

_WORDS = tomllib.loads((resources.files("audit.authoring") / "words.toml").read_text(encoding="utf-8"))


def of(part: str, table: str) -> dict[str, str]:
    """Word -> what it stands for."""
    return {word: value for value, listed in _WORDS[part][table].items() for word in listed.split()}


def counts(part: str, table: str) -> dict[str, int]:
    """Command -> number of its arguments."""
    return {word: int(value) for word, value in of(part, table).items()}
