"""Who verified a table, and when, as it stands in the claim file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from audit.authoring.edit import ClaimFile
from audit.claim import Paper
from audit.claim_model import Table, Transcription
from audit.claim_names import counted
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
    has one, the paper's record says so too. `how`: what was compared with what, behind what its author wrote.
    """
    paper = file.paper
    table = paper.tables[name]
    held = table.transcription or paper.transcription or Transcription()
    new = {
        "source": held.source,
        "compared": _compared(held, how),
        "verified_by": by,
        "date": date,
        "fingerprint": fingerprint({name: table}),
    }
    _write(file, ("tables", name, "transcription"), table, new)
    people = {other: verified(other, paper.tables, paper.transcription) for other in paper.tables}
    people[name] = f"{by}, {date}"
    if all(people.values()):
        records = {other: it.transcription for other, it in paper.tables.items()}
        records[name] = Transcription.model_validate(new)
        _record_whole(file, paper, [str(it) for it in people.values()], list(records.values()))


def _compared(held: Transcription, how: str) -> str:
    """In place of what an earlier verification wrote (it has a fingerprint), and behind an author's words."""
    words = held.compared if held.fingerprint is None else None
    return f"{words.rstrip('. ')}; {how}" if words else how


def _record_whole(
    file: ClaimFile, paper: Paper, people: list[str], records: Sequence[Transcription | None]
) -> None:
    held = paper.transcription or Transcription()
    by, dates = zip(*(it.rsplit(", ", 1) for it in people), strict=True)
    days = [it for it in dates if it != "no date"]
    own = held.fingerprint is None  # else what stands there is of an earlier verification
    new = {
        "source": held.source or _sources(records),
        "compared": (held.compared if own else None) or _ways(paper, records) or held.compared,
        "verified_by": ", ".join(dict.fromkeys(by)),
        "date": max(days) if days else None,
        "fingerprint": fingerprint(paper.tables),
    }
    _write(file, ("transcription",), paper, new)


def _sources(records: Sequence[Transcription | None]) -> str | None:
    """Where the numbers of all tables come from; None where that of one is not known."""
    sources = [it.source if it else None for it in records]
    return "; ".join(dict.fromkeys(filter(None, sources))) if all(sources) else None


def _ways(paper: Paper, records: Sequence[Transcription | None]) -> str | None:
    """How all tables were compared; None where one was verified by hand, which says what it says."""
    if not all(it and it.fingerprint for it in records):
        return None
    if len(records) == 1:
        return records[0].compared if records[0] else None
    cells = sum(len(it.rows) * len(it.columns) for it in paper.tables.values())
    return (
        f"{counted(cells, 'cell')} of {len(records)} tables, each table read a second time and compared by "
        "program: no difference"
    )


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
