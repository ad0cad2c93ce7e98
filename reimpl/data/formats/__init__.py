"""Readers of the formats in which corpora are passed around: `sniff` says what it is, `read` reads it."""

from reimpl.data.formats.base import Ambiguous, Format, Options, TextSource
from reimpl.data.formats.bow import BowDataset, BowSplit
from reimpl.data.formats.registry import READERS, find_reader, read, sniff

__all__ = [
    "READERS",
    "Ambiguous",
    "BowDataset",
    "BowSplit",
    "Format",
    "Options",
    "TextSource",
    "find_reader",
    "read",
    "sniff",
]
