"""Sentences about the protocol: what the paper says, its public code, what was done here."""

from __future__ import annotations

import re
from collections.abc import Sequence

from reports import digits
from reports.wording.words import listed, plural

HEAD = "Protocol: the paper, its public code, and what was done here"
NOTE = (
    "A line for each point on which these are known to differ, or on which the paper is silent: those have a "
    "question mark. Where the settings decide, they are listed below, in full, for each experiment."
)
NONE = "No departure from the paper is on record."
OPEN = "left open"
FOLLOWED = "as the settings below have it"
#: What the record says where the settings themselves are the answer.
SEE_SETTINGS = "see the configuration of the experiment"
SETTINGS = "What was run, in full"
#: Whose a setting is, where training and model have one of the same name.
TRAINING, MODEL = "training", "model"

_SILENT = re.compile(
    r"\b(?:not|nowhere|never|isn['’]t)\s+(?:\w+\s+)?"
    r"(?:mentioned|said|stated|given|described|specified|reported|printed)\b",
    re.IGNORECASE,
)
_NOTHING = ("", "unknown", "silent", "n/a", "none given")


def is_silent(paper: str) -> bool:
    """Whether what stands for the paper says that it says nothing.

    >>> is_silent("Not mentioned"), is_silent("GloVe; which release is not said"), is_silent("50")
    (True, True, False)
    """
    return _SILENT.search(paper) is not None or paper.strip(" \t\n.-–—?()").lower() in _NOTHING


def points(lines: int, unknown: int, code: int) -> str:
    """`22 points: on 9 the paper is silent, for 11 its public code is known`"""
    if not lines:
        return NONE
    parts = []
    if unknown:
        parts.append(f"on {digits.count(unknown)} the paper is silent")
    if code:
        parts.append(f"for {digits.count(code)} its public code is known")
    rest = f": {listed(parts)}" if parts else ""
    return f"{plural(lines, 'point')}{rest}."


def unknown_in_all(unknown: int, lines: int) -> str:
    """The unknowns of the whole paper, counted."""
    if not lines:
        return NONE
    if not unknown:
        return f"On none of {plural(lines, 'point')} is the paper silent, as far as is on record."
    return f"On {digits.count(unknown)} of {plural(lines, 'point')} the paper is silent."


def setting(name: str, value: object) -> tuple[str, str]:
    """A setting as it is shown: `batch_size`, 32 -> `batch size`, `32`."""
    if value is None:
        shown = "none"
    elif isinstance(value, bool):
        shown = "yes" if value else "no"
    elif isinstance(value, list | tuple):
        shown = ", ".join(str(it) for it in value) or "none"
    else:
        shown = str(value)
    return name.replace("_", " "), shown


def declared(choices: Sequence[str]) -> str:
    """The choices that were declared before the runs."""
    return f"declared: {listed([it.replace('_', ' ') for it in choices], word='or')}"
