"""Errors of data, models and training: one sentence each, saying what, where and what to do."""

from __future__ import annotations


class ReimplError(Exception):
    """Base of every error of this package that is meant for the user."""


class DataError(ReimplError):
    """A corpus, a vector file or a prepared data set that cannot be read; names file and line."""


class ConfigError(ReimplError):
    """A model or protocol configuration that cannot work; names the key and the value."""
