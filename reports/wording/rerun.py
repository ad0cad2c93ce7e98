"""Sentences about running it again, and about what the verdicts rest on: margins, tool, machine."""

from __future__ import annotations

from collections.abc import Sequence

from reports import digits
from reports.wording.words import listed, plural

HEAD = "Rerun"
NOTE = "Runs that are on record are not made again: in an empty folder all is run, elsewhere what is missing."
THIS_CLAIM = "Rerun this claim"
BEHIND = "What runs one claim again stands below it, short of the beginning, which all of them share:"
COPY = "Copy"
COPIED = "Copied"
MARKED = "Marked: copy with Ctrl+C"
EACH = "One experiment at a time"
PROVENANCE = "Provenance"
MARGINS = "Margins"
MARGINS_HASH = "Their hash"
FIRST_RUN = "First run began"
SEEDS = "Seeds"
TIME = "Time"
READINGS = "Readings"
FILES = "Imported files, SHA-256"
MEMORY = "Peak memory"
DATA = "Data"
CODE = "Our code"
TOOL = "Tool"
ENVIRONMENT = "Environment"
HARDWARE = "Hardware"
NO_RUN = "no run"
MISMATCH = "Other margins than the runs began under."


def cost(seconds: float, runs: int) -> str:
    """`12.4 min for 9 runs, one after another`"""
    if not runs:
        return NO_RUN
    each = "" if runs == 1 else ", one after another"
    return f"{digits.duration(seconds)} for {plural(runs, 'run')}{each}"


def seeds(numbers: Sequence[int]) -> str:
    """`0, 1, 2`; many that follow each other as `0 to 9`."""
    if len(numbers) > 3 and list(numbers) == list(range(numbers[0], numbers[-1] + 1)):
        return f"{numbers[0]} to {numbers[-1]}"
    return ", ".join(str(it) for it in numbers) or digits.ABSENT


def readings(runs: int, seeds: int) -> str:
    """Why there is a command in front of the one that the page was made by."""
    are = "is" if runs == 1 else "are"
    them = "it" if runs == 1 else "them"
    return (
        f"{digits.count(runs)} of the runs {are} of other readings: the first command makes {them}, "
        f"with {plural(seeds, 'seed')} each"
    )


def code(commits: Sequence[str | None], changed: int, runs: int) -> str:
    """`commit 12f0f591b0; 3 of 9 runs with changes that are in no commit`"""
    known = [it[:10] for it in commits if it]
    said = f"{'commit' if len(known) == 1 else 'commits'} {listed(known)}" if known else "no commit on record"
    if not changed:
        return said
    which = (
        "the one run"
        if runs == 1
        else "all runs"
        if changed == runs
        else f"{digits.count(changed)} of {plural(runs, 'run')}"
    )
    return f"{said}; {which} with changes that are in no commit"


def superseded(mark: str, why: str) -> str:
    return f"Earlier margins {mark} are taken over: {why.rstrip('.')}."


def grown(mark: str, claims: Sequence[str]) -> str:
    """Claims that were stated after runs had begun under earlier margins."""
    was = "was" if len(claims) == 1 else "were"
    names = listed(list(claims))
    return f"{plural(len(claims), 'claim')} {was} added after runs under the margins {mark}: {names}."


def data(name: str, recipe: str, fingerprint: str) -> str:
    return f"{name}, recipe {recipe}: {fingerprint}"


def versions(held: Sequence[str]) -> str:
    return "; ".join(held) or "no versions on record"
