"""Errors of data, models and training: one sentence each, saying what, where and what to do."""

from __future__ import annotations

from collections.abc import Iterable


class ReimplError(Exception):
    """Base of every error of this package that is meant for the user."""


class DataError(ReimplError):
    """A corpus, a vector file or a prepared data set that cannot be read; names file and line."""


class ConfigError(ReimplError):
    """A model or protocol configuration that cannot work; names the key and the value.

    `place` leads to the key, as in ("base_config", "maps"); empty where no single key is at fault. `alone`:
    whether what stands there cannot be, whatever the other keys are.
    """

    def __init__(self, why: str, place: Iterable[str | int] = (), *, alone: bool = False) -> None:
        super().__init__(why)
        self.place, self.alone = tuple(place), alone
