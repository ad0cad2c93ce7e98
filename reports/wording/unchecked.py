"""Sentences about what was not checked, and about how much of the paper was."""

from __future__ import annotations

from collections.abc import Sequence

from reports import digits
from reports.wording.words import listed, plural

HEAD = "What was not checked, and why"
NOTE = (
    "What is silently absent reads as if it were fine, so that it stands here at the rank of what was found."
)
CLAIMS = "Claims"
EXPERIMENTS = "Experiments"
EXTRACTION = "Tables and figures"
NUMBERS = "Printed numbers"
CHECKS = "Checks without a run"
FURTHER = "Further"
UNKNOWN_TRANSCRIPTION = "How the numbers came into the claim file is not on record."


def of_claims(tested: int, total: int) -> str:
    """`10 of 168 claims were tested.`"""
    if not total:
        return "The claim file states no claim."
    if total == 1:
        return f"The one claim was {'' if tested else 'not '}tested."
    if tested == total:
        return f"All {plural(total, 'claim')} were tested."
    return f"{digits.count(tested)} of {plural(total, 'claim')} {'was' if tested == 1 else 'were'} tested."


def of_experiments(run: int, total: int) -> str:
    """`10 of 62 experiments were run.`"""
    if not total:
        return "The claim file describes no experiment."
    if total == 1:
        return f"The one experiment was {'' if run else 'not '}run."
    if run == total:
        return f"All {plural(total, 'experiment')} were run."
    return f"{digits.count(run)} of {plural(total, 'experiment')} {'was' if run == 1 else 'were'} run."


def not_run(number: int, why: str) -> str:
    """`42 experiments: A baseline of the paper; this toolkit has no implementation of it.`"""
    return f"{plural(number, 'experiment')}: {why.rstrip('.')}."


def extraction(tables: int, numbers: int, missing: int) -> str:
    """How much of the paper is in the claim file: the recall of the extraction, as far as it is known."""
    are = "is" if tables == 1 else "are"
    held = f"{plural(tables, 'table')} with {plural(numbers, 'printed number')} {are} in the claim file"
    if not missing:
        return f"{held}, and it names none that it leaves out."
    others = "table or figure" if missing == 1 else "tables and figures"
    are = "is" if missing == 1 else "are"
    return f"{held}; {digits.count(missing)} further {others} of the paper {are} not:"


def unverified(cells: int, total: int, tables: int) -> str:
    """How many printed numbers nobody held against the page."""
    if not total:
        return ""
    if not cells:
        return "Every printed number was held against the printed page."
    tell = f"held against the printed page ({plural(tables, 'table')})."
    if cells == total:
        return f"None of the {plural(total, 'printed number')} was {tell}"
    was = "was" if cells == 1 else "were"
    return f"{digits.count(cells)} of the {plural(total, 'printed number')} {was} not yet {tell}"


def read_by(transcription: str) -> str:
    return f"How they were read: {transcription.rstrip('.')}." if transcription else UNKNOWN_TRANSCRIPTION


def silent(own: int, copied: int) -> str:
    """How many numbers no claim speaks of, and how many are copies."""
    parts = []
    if own:
        has, them = ("has", "it") if own == 1 else ("have", "them")
        parts.append(f"{plural(own, 'printed number')} {has} no claim about {them}")
    if copied:
        are = "is" if copied == 1 else "are"
        parts.append(f"{digits.count(copied)} {are} copied from other papers, and not judged as this paper’s")
    return f"{listed(parts)}." if parts else ""


def by_table(table: str, own: int, copied: int) -> str:
    """`Table 3: 24 without a claim, 3 copied`"""
    parts = [f"{digits.count(own)} without a claim"] if own else []
    parts += [f"{digits.count(copied)} copied"] if copied else []
    return f"{table}: {', '.join(parts)}"


def untestable(title: str, number: int) -> str:
    return f"{title}: {plural(number, 'check')} could not tell from what is printed."


def papers(keys: Sequence[str]) -> str:
    """Which other papers it was held against."""
    if not keys:
        return "No other paper was at hand: copies and test sizes were not held against their source."
    others = f"{plural(len(keys), 'other paper')}: {listed(list(keys))}"
    return f"Held against {others}. Copies from any other one were not followed."
