"""All that is wrong with the files of one import, told together."""

from __future__ import annotations

from audit.errors import ImportFileError

#: More lines than this help nobody; the first ones show the pattern.
SHOWN = 20


class Problems:
    """Collects sentences, each with its place and what to do; what is said of many rows is said once."""

    def __init__(self) -> None:
        self._first: dict[str, str] = {}
        self._count: dict[str, int] = {}
        self._further = 0

    def add(self, place: str, what: str) -> None:
        if what in self._first or len(self._first) < SHOWN:
            self._first.setdefault(what, place)
            self._count[what] = self._count.get(what, 0) + 1
        else:
            self._further += 1  # a file of many millions of bad rows must not fill the memory

    def __bool__(self) -> bool:
        return bool(self._first)

    def settle(self) -> None:
        """Raises `ImportFileError` if there is anything to tell: nothing of the import is kept then."""
        if not self:
            return
        lines = [f"{place}: {what}{self._more(what)}" for what, place in self._first.items()]
        raise ImportFileError([*lines, *([f"and {self._further} more"] if self._further else [])])

    def _more(self, what: str) -> str:
        more = self._count[what] - 1
        return f" ({more} more such {'row' if more == 1 else 'rows'})" if more else ""
