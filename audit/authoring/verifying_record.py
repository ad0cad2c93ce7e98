"""Who verified a table, and when, as it stands in the claim file."""

from __future__ import annotations

from collections.abc import Mapping

from audit.authoring.edit import ClaimFile
from audit.claim import Paper
from audit.claim_model import Table, Transcription
from audit.claim_source import KeyPath
from audit.claim_verified import fingerprint, is_outdated, verified

#: Keys of `transcription` in the order in which they are written.
_KEYS = ("source", "compared", "verified_by", "date", "fingerprint")


def state(paper: Paper, name: str) -> str:
    """`verified by A. Reader, 2026-11-28`, `not verified`, or that its numbers were changed since."""
    if said := verified(name, paper.tables, paper.transcription):
        return f"verified by {said}"
    own = paper.tables[name].transcription
    of = own or paper.transcription
    if of is not None and is_outdated(of, {name: paper.tables[name]} if own else paper.tables):
        return f"changed since {of.verified_by} verified it on {of.date or 'an unknown day'}"
    return "not verified"


def record(file: ClaimFile, name: str, *, by: str, date: str, how: str) -> None:
    """Note that the numbers of table `name` are those of the page; nothing is written yet.

    The table gets a record of its own, with the fingerprint of its numbers. Once every table of the paper
    has one, the paper's record says so too. `how`: in which way they were compared, where nothing says so.
    """
    paper = file.paper
    table = paper.tables[name]
    held = table.transcription or paper.transcription or Transcription()
    new = {
        "source": held.source,
        "compared": held.compared or how,
        "verified_by": by,
        "date": date,
        "fingerprint": fingerprint({name: table}),
    }
    _write(file, ("tables", name, "transcription"), table, new)
    people = {other: verified(other, paper.tables, paper.transcription) for other in paper.tables}
    people[name] = f"{by}, {date}"
    if all(people.values()):
        _record_whole(file, paper, [str(it) for it in people.values()])


def _record_whole(file: ClaimFile, paper: Paper, people: list[str]) -> None:
    held = paper.transcription or Transcription()
    by, dates = zip(*(it.rsplit(", ", 1) for it in people), strict=True)
    days = [it for it in dates if it != "no date"]
    new = {
        "source": held.source,
        "compared": held.compared,
        "verified_by": ", ".join(dict.fromkeys(by)),
        "date": max(days) if days else None,
        "fingerprint": fingerprint(paper.tables),
    }
    _write(file, ("transcription",), paper, new)


def _write(file: ClaimFile, place: KeyPath, holder: Table | Paper, new: Mapping[str, str | None]) -> None:
    """Key by key where the record is there already, so that what its author wrote stays as it is."""
    if "transcription" not in holder.model_fields_set:
        file.put(place, {key: new[key] for key in _KEYS})
    elif holder.transcription is None:
        file.replace(place, {key: new[key] for key in _KEYS})
    else:
        there = holder.transcription.model_fields_set
        for key in _KEYS:
            if key not in there:
                file.put((*place, key), new[key])
            elif getattr(holder.transcription, key) != new[key]:
                file.replace((*place, key), new[key])
