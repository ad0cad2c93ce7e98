"""The words of an experiment's own command: placeholders, where its results are, and its time limit.

    ["python", "train.py", "--seed", "{seed}", "--out", "{out}"]

{seed} is the number of the seed, {out} an empty folder for whatever the program writes; {{ is a brace. No
shell reads the words, so that nothing in them is expanded.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath
from string import Formatter

from audit.errors import AuditError
from audit.names import seconds_of

PLACEHOLDERS = ("seed", "out")


def filled(words: Sequence[str], *, seed: int, out: str) -> list[str]:
    """The command as it is run."""
    return [word.format(seed=seed, out=out) for word in words]


def sound_word(word: str) -> str:
    """Raises `ValueError` for a brace that is no placeholder."""
    try:
        parts = list(Formatter().parse(word))
    except ValueError as err:
        raise ValueError(f"{word!r} has a single brace; write {{{{ or }}}} for one") from err
    for _, name, spec, conversion in parts:
        if name is not None and (name not in PLACEHOLDERS or spec or conversion):
            known = " and ".join(f"{{{it}}}" for it in PLACEHOLDERS)
            raise ValueError(f"{word!r} has {{{name}}}, and placeholders are {known}; write {{{{ for a brace")
    return word


def sound_command(words: Sequence[str]) -> Sequence[str]:
    """Raises `ValueError` where seeds would be alike, or nobody could tell where results are."""
    if not words[0].strip():
        raise ValueError("begins with no program; name it first, as in python")
    named = {name for word in words for _, name, _, _ in Formatter().parse(word)}
    for name, why in (("seed", "every run would be the same"), ("out", "its results would be anywhere")):
        if name not in named:
            raise ValueError(f"has no {{{name}}}, so {why}; add it where the program takes it")
    return words


def inside(path: str) -> str:
    """A path within {out}. Raises `ValueError`."""
    parts = PurePosixPath(path)
    if parts.is_absolute() or ".." in parts.parts or "\\" in path or not parts.name:
        raise ValueError(f"{path!r} is no file under {{out}}; give its name there, as in metrics.json")
    return path


def span_of_time(text: str) -> str:
    """Raises `ValueError`."""
    try:
        seconds_of(text, option="time_limit")
    except AuditError as err:
        raise ValueError(str(err).removeprefix("time_limit ")) from err
    return text
