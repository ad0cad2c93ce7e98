"""The looks that were taken at a paper's runs, kept beside the run records.

    STORE/looks/PAPER.json    every look, with the runs of seed 0 of the experiments that it judged

A look belongs to what is judged now if it saw one of its experiments: whatever corpus, protocol, precision or
configuration makes other runs begins with no look taken, and renamed experiments do not lose theirs.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock

from audit.errors import StoreError
from audit.files import explained, write
from audit.record import Look


@dataclass(frozen=True)
class _Entry:
    look: Look
    runs: frozenset[str]
    """Key of seed 0 of each experiment that was judged."""


@dataclass(frozen=True)
class Ledger:
    """Of one paper in one store."""

    store: Path
    paper: str

    @property
    def path(self) -> Path:
        return self.store / "looks" / f"{self.paper}.json"

    def looks(self, runs: Iterable[str]) -> tuple[Look, ...]:
        """Those that saw one of the runs, each once, in the order in which they were taken last."""
        wanted = set(runs)
        found = {entry.look: None for entry in self._read() if entry.runs & wanted}
        return tuple(found)

    def take(self, look: Look, runs: Iterable[str]) -> tuple[Look, ...]:
        """Put the look on record, as the newest; returns all looks at these runs.

        The same look at the same runs is one look, however often it is taken. Raises `StoreError`.
        """
        new = _Entry(look, frozenset(runs))
        with explained(self.path):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(self.path.with_suffix(".lock")):
                kept = []
                for entry in self._read():
                    if _same(entry.look, look) and entry.runs & new.runs:
                        new = _Entry(look, new.runs | entry.runs)
                    else:
                        kept.append(entry)
                write(self.path, _json([*kept, new]).encode())
        return self.looks(new.runs)

    def _read(self) -> list[_Entry]:
        with explained(self.path):
            try:
                content = self.path.read_bytes()
            except FileNotFoundError:
                return []
        try:
            return [_entry(it) for it in json.loads(content)["looks"]]
        except (ValueError, KeyError, TypeError, AttributeError) as err:
            raise StoreError(
                f"{self.path}: no whole record of the looks taken; without it nobody knows what level is "
                "left: restore it, or choose another --store"
            ) from err


def _same(one: Look, other: Look) -> bool:
    """Looks may have been declared further since."""
    return (one.seeds, one.level, one.split) == (other.seeds, other.level, other.split)


def _json(entries: Sequence[_Entry]) -> str:
    content = [{**asdict(it.look), "runs": sorted(it.runs)} for it in entries]
    return json.dumps({"format": 1, "looks": content}, indent=1) + "\n"


def _entry(content: dict[str, Any]) -> _Entry:
    seeds, level, split = content["seeds"], content["level"], content["split"]
    declared, runs = content["declared"], content["runs"]
    sound = type(seeds) is int and seeds > 0 and isinstance(level, float) and 0.0 < level <= 1.0
    if not (sound and split in (None, "equal", "halving") and all(type(n) is int for n in declared)):
        raise ValueError(f"{content!r} is no look")
    return _Entry(Look(seeds, level, split, tuple(declared)), frozenset(map(str, runs)))
