"""What an experiment's own command left under {out}, as one checked result; `audit.importing` reads it.

{"P@1": 76.38, "P@3": 62.81}          metrics of this run, as one JSON object
metric,value                          a table (CSV, JSON, JSON lines); further columns as in `audit import`
{"document": "d1", "labels": [...]}   with `truth`: predictions of single documents, scored here
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from audit.errors import AuditError
from audit.importing import Declared, Result, from_predictions, from_rows
from audit.importing.table import Row, TableFile

if TYPE_CHECKING:
    from audit.claim import Paper
    from audit.claim_model import Command


def result_of(paper: Paper, experiment: str, command: Command, seed: int, *, out: Path, cwd: Path) -> Result:
    """Of one seed. Raises `AuditError` where the file is not there, or not to be read in one way only."""
    path = out / command.results
    if not path.is_file():
        there = ", ".join(sorted(it.name for it in out.iterdir())[:8]) or "nothing"
        raise AuditError(f"there is no {command.results!r} under {{out}}, only {there}; name what it writes")
    dataset = paper.datasets[paper.single_experiments[experiment].on].name
    declared = Declared(unit=command.unit, dataset=dataset, fingerprint=command.fingerprint)
    if command.truth is not None:
        (found,) = from_predictions(
            paper,
            [path],
            truth=cwd / command.truth,
            experiment=experiment,
            seeds=[seed],
            declared=declared,
        )
        return found
    file = TableFile(path)
    rows = [_completed(row, experiment, seed) for row in _rows(path, file)]
    results = from_rows(paper, rows, declared, source=file.source)
    if [(it.experiment, it.seed) for it in results] != [(experiment, seed)]:
        named = ", ".join(f"{it.experiment!r} seed {it.seed}" for it in results)
        raise AuditError(
            f"{path.name} is of {named}, not of {experiment!r} seed {seed}; write this run alone"
        )
    return results[0]


def _rows(path: Path, file: TableFile) -> Iterator[Row]:
    if path.suffix.casefold() == ".json" and path.read_bytes().lstrip()[:1] == b"{":
        yield from _from_object(path, file)
    else:
        yield from file.rows(wanted=("metric", "value"))


def _from_object(path: Path, file: TableFile) -> Iterator[Row]:
    """Of one JSON object, read as the only item of a list."""
    for _, item in file.objects(single=True):
        for metric, value in item.items():
            shown = value if isinstance(value, str) else json.dumps(value)
            yield Row(f"{path.name}: {metric}", {"metric": str(metric), "value": shown})


def _completed(row: Row, experiment: str, seed: int) -> Row:
    given = {name: cell for name, cell in row.cells.items() if cell or name == "value"}
    return Row(row.place, {"experiment": experiment, "seed": str(seed), "metric": "", **given})
