"""Sentences about running it again, and about what the verdicts rest on: margins, tool, machine."""

from __future__ import annotations

from collections.abc import Sequence

from reports import digits
from reports.wording.words import capital, listed, plural

HEAD = "Rerun"
NOTE = "Runs that are on record are not made again: in an empty folder all is run, elsewhere what is missing."
COPY = "Copy"
EACH = "One experiment at a time"
PROVENANCE = "Provenance"
MARGINS = "Margins"
FIRST_RUN = "First run"
SEEDS = "Seeds"
TIME = "Time"
MEMORY = "Peak memory"
DATA = "Data"
CODE = "Our code"
TOOL = "Tool"
ENVIRONMENT = "Environment"
HARDWARE = "Hardware"
NO_RUN = "no run"
MISMATCH = "margins differ"
AGREE = "margins as fixed"


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


def before_first(mark: str, first: str, *, same: int, known: int) -> str:
    """Whether the margins stood before the first run; `same` of `known` runs carry their hash."""
    if not known:
        return f"hash {mark}: no run carries it"
    carry = "the one run carries" if known == 1 else f"all {plural(known, 'run')} carry"
    if same == known:
        when = (
            f", the first of which began {first}"
            if first and known > 1
            else f", which began {first}"
            if first
            else ""
        )
        return f"hash {mark}, fixed before the first run: {carry} it{when}"
    return (
        f"hash {mark}: {digits.count(same)} of {plural(known, 'run')} carry it, the others began under other "
        "margins"
    )


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


def sentence(text: str) -> str:
    return f"{capital(text.rstrip('.'))}."
