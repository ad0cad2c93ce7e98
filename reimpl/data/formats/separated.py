"""Lists of labels that are one string: whether what is said to part them stands in any."""

from __future__ import annotations

from reimpl.data.formats.inputs import File
from reimpl.errors import DataError

#: What usually parts labels.
USUAL = (";", "|", ",", "\t")


class Separated:
    """The lists of one file, met one after another; only how many hold what is kept."""

    def __init__(self, separator: str) -> None:
        self._separator = separator
        self._lists = 0
        self._hold = dict.fromkeys((separator, *USUAL), 0)

    def add(self, text: str) -> None:
        """The next list, as it is written."""
        if text.strip():
            self._lists += 1
            for it in self._hold:
                self._hold[it] += it in text

    def check(self, file: File) -> None:
        """Raises `DataError` where no list holds the separator and half of them or more hold a usual one.

        Read on, each list would be one label with an odd name.
        """
        other = max(USUAL, key=lambda it: self._hold[it])
        n = self._hold[other]
        if self._separator.isspace() or self._hold[self._separator] or not n or 2 * n < self._lists:
            return
        raise DataError(
            f"{file}: no list of labels holds {self._separator!r}, and {n:,} of {self._lists:,} hold "
            f"{other!r}; is the separator {other!r}?"
        )
