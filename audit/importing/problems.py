"""All that is wrong with the files of one import, told together."""

from __future__ import annotations

from audit.errors import ImportFileError

#: More lines than this help nobody; the first ones show the pattern.
SHOWN = 20


class Problems:
    """Collects sentences, each of which names its place and what to do."""

    def __init__(self) -> None:
        self.found: dict[str, None] = {}
        self.further = 0

    def add(self, place: str, what: str) -> None:
        message = f"{place}: {what}"
        if len(self.found) < SHOWN:
            self.found.setdefault(message)
        elif message not in self.found:
            self.further += 1

    def __bool__(self) -> bool:
        return bool(self.found)

    def settle(self) -> None:
        """Raises `ImportFileError` if there is anything to tell: nothing of the import is kept then."""
        if self.found:
            more = [f"and {self.further} more"] if self.further else []
            raise ImportFileError([*self.found, *more])
