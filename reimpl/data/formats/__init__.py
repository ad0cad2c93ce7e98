"""The formats in which corpora are passed around: `sniff` says what it is, `open_corpus` reads it."""

from reimpl.data.formats.base import Ambiguous, Format, Options, TextSource
from reimpl.data.formats.registry import (
    COLUMN,
    READERS,
    check_columns,
    open_corpus,
    readers,
    sniff,
    split_name,
)

__all__ = [
    "COLUMN",
    "READERS",
    "Ambiguous",
    "Format",
    "Options",
    "TextSource",
    "check_columns",
    "open_corpus",
    "readers",
    "sniff",
    "split_name",
]
