"""Words of messages: the known names for an unknown one, counts, and spans of time as 90s or 1h30m."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator

from audit.errors import AuditError
from reimpl.errors import first_of as first_of
from reimpl.errors import known_names as known_names
from reimpl.errors import nearest as nearest

#: Columns of lines that are wrapped, and of tables that go into a file or a pipe.
WIDTH = 80
#: What is said of a model that is not there.
OTHER_MODELS = "`--models DIR` adds those of a folder"
#: Ten years of 365 days.
LONGEST = 10 * 365 * 24 * 3600.0

_SPAN = re.compile(r"(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?", re.ASCII)


def seconds_of(text: str, *, option: str) -> float:
    """Seconds of `1h30m`. Raises `AuditError` naming the option."""
    found = _SPAN.fullmatch(text)
    hours, minutes, seconds = (float(part or 0) for part in (found.groups() if found else ("", "", "")))
    total = 3600.0 * hours + 60.0 * minutes + seconds
    if not 0.0 < total <= LONGEST:
        raise AuditError(f"{option} {text[:40]!r} is not a time span; write it as 90s, 30m, 2h or 1h30m")
    return total


def span(seconds: float) -> str:
    """Rounded to what matters: `45 s`, `12 min`, `1 h 30 min`."""
    if seconds < 90.0:
        return f"{max(0, round(seconds))} s"
    hours, minutes = divmod(round(seconds / 60.0), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


def short(text: str, most: int = 80) -> str:
    return text if len(text) <= most else text[: most - 3] + "..."


def counted(number: int, noun: str) -> str:
    """`1 table`, `2 tables`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def wrapped(text: str, indent: int = 0, further: int | None = None) -> list[str]:
    """Lines of `WIDTH`, the first indented by `indent`, others `further`; `commands` stay whole."""
    after = " " * (indent if further is None else further)
    shape = textwrap.TextWrapper(WIDTH, initial_indent=" " * indent, subsequent_indent=after)
    shape.break_long_words = shape.break_on_hyphens = False
    whole = re.sub(r"`[^`]{1,60}`", lambda one: one[0].replace(" ", "\xa0"), text)
    return [line.replace("\xa0", " ") for line in shape.wrap(whole)]


def under(term: str, texts: Iterable[str], indent: int = 13) -> Iterator[str]:
    """A term and its texts below each other, each wrapped; nothing where there is no text."""
    for k, text in enumerate(filter(None, texts)):
        first, *rest = wrapped(text, indent)
        name = f"{'' if k else term:{indent}}"
        yield from [name + first[indent:]] if len(name.rstrip()) < indent else [name, first]
        yield from rest


def folded(text: str) -> str:
    """The text with its lines of more than `WIDTH` wrapped, each indented as it is and by two more."""
    lines = text.split("\n")
    depth = [len(line) - len(line.lstrip()) for line in lines]
    return "\n".join("\n".join(wrapped(line, 0, k + 2)) for line, k in zip(lines, depth, strict=True))
