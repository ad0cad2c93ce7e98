"""Single cells of a table of results: which text is a seed, a value, a failure, and which is none of them."""

from __future__ import annotations

import re
from decimal import Decimal

from audit.claim_text import is_visible
from audit.importing.table import Row

COLUMNS = ("experiment", "dataset", "metric", "seed", "value")
OPTIONAL = ("fingerprint",)

#: A longer text of a column that we do not know is cut: a record is no log file.
_NOTE = 200
#: No name and no number is longer than this.
_CELL = 200
MOST_SEED = 2**63 - 1

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?", re.ASCII | re.IGNORECASE)
_SEED = re.compile(r"[+-]?\d+(\.0+)?", re.ASCII)
_NO_VALUES = ("nan", "inf", "infinity", "none", "null", "na", "n/a")

Value = Decimal | None
"""None for a failed run."""


def check_cells(row: Row) -> None:
    """Names and numbers stand in reports and on terminals. Raises `ValueError` for what is neither."""
    for name in (*COLUMNS, *OPTIONAL):
        cell = row.cells.get(name, "")
        if len(cell) > _CELL:
            raise ValueError(f"{name} has {len(cell)} characters; is this the right column?")
        if not is_visible(cell) or _encodable(cell) != cell:
            raise ValueError(f"{name} {cell!a} holds characters that cannot be shown; take them out")


def note_of(name: str, text: str) -> str:
    """What a column that we do not know says of a run, on one line that can be shown."""
    return " ".join(it if is_visible(it) else "?" for it in _encodable(f"{name}: {text}"[:_NOTE]).split())


def _encodable(text: str) -> str:
    """With a question mark for each half of a surrogate pair, which JSON can hold and UTF-8 cannot."""
    return text.encode("utf-8", "replace").decode()


def seed_of(row: Row) -> int:
    """Raises `ValueError` for what is no seed; 3.0, as some programs write 3, is one."""
    text = row.cells["seed"]
    if not _SEED.fullmatch(text):
        raise ValueError(f"seed {text[:40]!r} is no whole number; number the seeds 0, 1, 2, ...")
    return sound_seed(int(text.partition(".")[0]))


def sound_seed(seed: int) -> int:
    """The seed. Raises `ValueError` for a number that no generator of random numbers takes."""
    if not 0 <= seed <= MOST_SEED:
        said = "below 0" if seed < 0 else f"above {MOST_SEED}, the largest of 63 bits"
        raise ValueError(f"seed {seed} is {said}; number the seeds 0, 1, 2, ...")
    return seed


def value_of(row: Row) -> Value:
    """Raises `ValueError` for what is neither a number nor `failed` or nothing."""
    text = row.cells["value"]
    if text.casefold() in ("", "failed"):
        return None
    if text.casefold().lstrip("+-") in ("", *_NO_VALUES):
        raise ValueError(f"{text!r} is no value; did the run fail? then write failed there")
    if not _NUMBER.fullmatch(text):
        raise ValueError(f"value {text[:40]!r} is no number; write it plainly, as 76.38, or failed")
    return Decimal(text)
