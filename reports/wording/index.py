"""Words of the page that lists the audits of several papers."""

from __future__ import annotations

from collections.abc import Sequence

from reports import digits
from reports.wording.words import listed, plural

TITLE = "Reproducibility audits"
NOTE = (
    "Each number counts claims, out of all of a paper’s claims; a claim that no run spoke to is not tested. "
    "There is no score of a paper, and papers are not ranked: they stand in the order of their keys."
)
PAPER = "Paper and corpus"
FINDINGS = "Printed numbers"
NEWEST = "Newest run"
NO_RUN = "none"


def summary(papers: int, audits: int) -> str:
    """`3 audits of 2 papers`"""
    return f"{plural(audits, 'audit')} of {plural(papers, 'paper')}"


def findings(inconsistent: int, total: int) -> str:
    """What the checks that need no run found."""
    if not total:
        return "not checked"
    return f"{digits.count(inconsistent)} of {plural(total, 'finding')} inconsistent"


def unread(names: Sequence[str]) -> str:
    """Records beside the others that could not be read; empty where all could."""
    if not names:
        return ""
    them = "it" if len(names) == 1 else "them"
    return f"Not shown, as no audit could be read from {them}: {listed(list(names))}."
