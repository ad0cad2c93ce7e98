r"""Free text of a claim file is one line of characters that a terminal shows and does not obey.

An escape in `says` would otherwise colour, move or blank what stands beside it in a terminal, and a
bidirectional control would show the words in another order than that of the file (bidirectional spoofing,
Unicode TR 36).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeVar

_Plain = TypeVar("_Plain")

#: C0, DEL, C1, line and paragraph separator, bidirectional embeddings, overrides and isolates: the inside
#: of a character class that Python, Rust and ECMAScript read alike.
UNSEEN = r"\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069"

_UNSEEN = re.compile(f"[{UNSEEN}]")
_LINE_ENDS = frozenset("\n\v\f\r\x85\u2028\u2029")
_MOST_SHOWN = 5


def visible(text: str) -> str:
    """The text itself; raises `ValueError` naming the characters, escaped, and what to do about them."""
    unseen = list(dict.fromkeys(_UNSEEN.findall(text)))
    if not unseen:
        return text
    shown = ", ".join(ascii(character) for character in unseen[:_MOST_SHOWN])
    more = f" and {len(unseen) - _MOST_SHOWN} more" if len(unseen) > _MOST_SHOWN else ""
    raise ValueError(f"holds {shown}{more}; {_remedy(unseen)}")


def visible_throughout(value: _Plain) -> _Plain:
    """Plain data itself; raises `ValueError` as `visible` does for the first such text or key in it."""
    if isinstance(value, str):
        visible(value)
    elif isinstance(value, Mapping):
        for key, held in value.items():
            visible_throughout(key)
            visible_throughout(held)
    elif isinstance(value, list | tuple):
        for held in value:
            visible_throughout(held)
    return value


def is_visible(text: str) -> bool:
    return _UNSEEN.search(text) is None


def _remedy(unseen: list[str]) -> str:
    if all(character in _LINE_ENDS for character in unseen):
        return "write it on one line, or over several lines of the file after >-"
    if unseen == ["\t"]:
        return "write a blank for the tab"
    return "take out control characters: a terminal obeys or hides them"
