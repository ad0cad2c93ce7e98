"""The names of labels that have none: their numbers as strings, made one by one as they are asked for."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import overload

#: Up to so many numbers are worth a digest of all of them; it takes seconds then.
MOST_DIGESTED = 10_000_000


class Numerals(Sequence[str]):
    """`0`, `1`, ... as strings, `size` of them, in no more memory than one takes."""

    def __init__(self, size: int) -> None:
        self._range = range(size)

    def __len__(self) -> int:
        return len(self._range)

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[str, ...]: ...
    def __getitem__(self, at: int | slice) -> str | tuple[str, ...]:
        return tuple(map(str, self._range[at])) if isinstance(at, slice) else str(self._range[at])

    def in_text_order(self) -> Iterator[str]:
        """All of them as `sorted` orders them.

        >>> " ".join(Numerals(12).in_text_order())
        '0 1 10 11 2 3 4 5 6 7 8 9'
        """
        if self._range:
            yield "0"
        number = 1
        for _ in self._range[1:]:
            yield str(number)
            number *= 10
            if number >= len(self):
                number //= 10
                while number % 10 == 9 or number + 1 >= len(self):
                    number //= 10
                number += 1

    @property
    def digest(self) -> str:
        """As `identity.label_set_of` them; empty, which is no identity, for more than `MOST_DIGESTED`."""
        if len(self) > MOST_DIGESTED:
            return ""
        digest = hashlib.sha256()
        for name in self.in_text_order():
            digest.update(f"{name}\n".encode())
        return digest.hexdigest()
