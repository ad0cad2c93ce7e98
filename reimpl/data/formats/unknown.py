"""What can be said of files that no reader takes: one is empty, or its first line is not as expected."""

from __future__ import annotations

from reimpl.data.formats.base import by_split
from reimpl.data.formats.inputs import File, head, shown
from reimpl.data.formats.tree import Tree

_SPLIT = r"{prefix}{split}(?:\.\w+)?"


def why_unknown(where: Tree) -> str | None:
    """One sentence about the file of a split, or the one file given, that is amiss; None where none is plain.

    Raises `DataError` for a file that cannot be read.
    """
    files = list(by_split(where, _SPLIT).values()) or [it for (it, *_) in where.files.values()]
    return next((why for file in files[:3] if (why := _amiss(file))), None)


def _amiss(file: File) -> str | None:
    start = head(file)
    line = start.split(b"\n")[0].decode("utf-8", "replace").strip()
    name = file.stem.lower()
    if not start.strip():
        return f"{file}: the file is empty; give one with documents"
    if name.endswith((".jsonl", ".ndjson", ".json")) and not line.startswith("{"):
        seen = "an array" if line.startswith("[") else shown(line)
        return f"{file}:1: {seen} where an object a line is expected; write each document as one line {{...}}"
    if (
        name.endswith(".csv")
        and "," not in line
        and (mark := next((it for it in ";\t|" if it in line), None))
    ):
        return (
            f"{file}:1: {shown(line)}: columns are parted by {mark!r}, and by ',' in .csv or tabs in .tsv; "
            "write it so"
        )
    return None
