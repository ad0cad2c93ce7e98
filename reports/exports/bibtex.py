"""The audited paper as a BibTeX entry: what the claim file says of it, under the claim file's key."""

from __future__ import annotations

import re

from audit.record import Audit, PaperInfo
from reports.exports.tex import escape
from reports.strings import visible

_JOURNAL = re.compile(
    r"\b(journal|transactions|letters|tacl|jmlr|tmlr|tpami|tkde|plos|nature)\b", re.IGNORECASE
)
_PREPRINT = re.compile(r"\b(arxiv|preprint|corr)\b", re.IGNORECASE)


def bibtex(audit: Audit) -> str:
    """One entry. A claim file names a venue and no type of it, which is read off the venue's name."""
    paper = audit.paper
    kind, venue = _kind(paper.venue)
    fields = {
        "title": f"{{{escape(paper.title)}}}",  # a second pair of braces keeps the capitals
        "author": " and ".join(_author(name) for name in paper.authors),
        venue: escape(paper.venue or ""),
        "year": "" if paper.year is None else str(paper.year),
        "url": _address(paper.url or ""),
        "note": escape(_note(paper)),
    }
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    return "\n".join([f"@{kind}{{{_key(paper.key)},", *lines, "}"]) + "\n"


def _kind(venue: str | None) -> tuple[str, str]:
    """Type of the entry, and the field that holds the venue."""
    if venue and _JOURNAL.search(venue):
        return "article", "journal"
    if not venue or _PREPRINT.search(venue):
        return "misc", "howpublished"
    return "inproceedings", "booktitle"


def _author(name: str) -> str:
    """A name with a comma or a lone `and` in it is one name all the same."""
    text = escape(name)
    return f"{{{text}}}" if re.search(r",|\band\b", text, re.IGNORECASE) else text


def _key(key: str) -> str:
    return re.sub(r"[^A-Za-z0-9:_.+/-]+", "-", key).strip("-") or "paper"


def _note(paper: PaperInfo) -> str:
    code = " at commit ".join(part for part in (paper.code_url, paper.code_commit) if part)
    return f"Code: {code}" if code else ""


def _address(url: str) -> str:
    """As it is, but for what would end the field or the line."""
    signs = {"{": "%7B", "}": "%7D", "\\": "%5C"}
    return "".join(signs.get(sign, sign) for sign in visible(url) if not sign.isspace())
