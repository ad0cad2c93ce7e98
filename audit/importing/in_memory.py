"""Results that a program holds already, as rows like those of a file: nothing about them is guessed either.

    [{"experiment": "words", "dataset": "EUR-Lex", "metric": "P@1", "seed": 0, "value": 76.4}, ...]
    {"words": {"P@1": [76.4, 76.1, 76.6]}}                a value for each of the seeds 0, 1, 2
    {"words": {"P@1": {0: 76.4, 7: 76.1, 9: None}}}       by seed; None is a failed run

or a table with those columns: a pandas DataFrame, a mapping of columns, a NumPy array with named fields.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from audit.errors import ImportFileError
from audit.importing.result import Source
from audit.importing.table import COLUMNS, Row

#: Stands in records where others have the name of a file.
NAME = "values given in Python"

_FORMS = (
    'a table with the columns experiment, dataset, metric, seed and value, or {"experiment": {"P@1": [76.4, '
    "76.1]}}"
)
_NEEDED = [name for name in COLUMNS if name != "dataset"]


def rows_of(results: object, *, wanted: Sequence[str]) -> tuple[list[Row], Source]:
    """The rows, with what they are known by. Raises `ImportFileError` for what is no table of results."""
    rows = [Row(place, cells) for place, cells in _rows(results)]
    if not rows:
        raise _refused(f"there are no rows; give {_FORMS}")
    for row in rows:
        if missing := [name for name in wanted if name not in row.cells]:
            absent, there = ", ".join(map(repr, missing)), ", ".join(map(repr, list(row.cells)[:8]))
            add = ", or say dataset=NAME" if missing == ["dataset"] else ""
            raise _refused(f"no column {absent}, only {there}; give it{add}", row.place)
    content = json.dumps([row.cells for row in rows], ensure_ascii=True)
    return rows, Source(NAME, hashlib.sha256(content.encode()).hexdigest())


def _rows(results: object) -> Iterator[tuple[str, dict[str, str]]]:
    if hasattr(results, "columns") and hasattr(results, "to_dict"):  # a pandas DataFrame, without pandas
        results = results.to_dict("records")
    if (names := getattr(getattr(results, "dtype", None), "names", None)) is not None:
        results = {name: results[name] for name in names}  # type: ignore[index]
    if isinstance(results, Mapping) and set(_NEEDED) <= set(results):
        results = _from_columns(results)
    if isinstance(results, Mapping):
        yield from _by_experiment(results)
    elif isinstance(results, Iterable) and not isinstance(results, str | bytes):
        for number, item in enumerate(results, 1):
            place = f"row {number}"
            if not isinstance(item, Mapping):
                raise _refused(f"{_brief(item)} is no row of a table; give {_FORMS}", place)
            yield place, {str(name).strip().casefold(): _text(value) for name, value in item.items()}
    else:
        raise _refused(f"{_brief(results)} is no table of results; give {_FORMS}")


def _from_columns(columns: Mapping[Any, Any]) -> list[dict[str, Any]]:
    lists = {name: list(column) for name, column in columns.items()}
    if len(lengths := {len(it) for it in lists.values()}) > 1:
        raise _refused(f"the columns have {' and '.join(map(str, sorted(lengths)))} rows; give as many each")
    return [dict(zip(lists, cells, strict=True)) for cells in zip(*lists.values(), strict=True)]


def _by_experiment(results: Mapping[Any, Any]) -> Iterator[tuple[str, dict[str, str]]]:
    for experiment, metrics in results.items():
        place = f"[{experiment!r}]"
        if not isinstance(metrics, Mapping):
            raise _refused(f"{_brief(metrics)} are no metrics; give {_FORMS}", place)
        for metric, values in metrics.items():
            for seed, value in _by_seed(values, f"[{experiment!r}][{metric!r}]"):
                cells = {"experiment": experiment, "metric": metric, "seed": seed, "value": value}
                yield (
                    f"[{experiment!r}][{metric!r}], seed {seed}",
                    {name: _text(cell) for name, cell in cells.items()},
                )


def _by_seed(values: Any, place: str) -> Iterable[tuple[Any, Any]]:
    if isinstance(values, Mapping):
        return values.items()
    dimensions = getattr(values, "ndim", 1)
    if isinstance(values, str | bytes) or not isinstance(values, Iterable) or dimensions != 1:
        raise _refused(
            f"{_brief(values)} is no list; give one value for each seed, as in [76.4, 76.1]", place
        )
    return enumerate(values)


def _text(value: Any) -> str:
    """As it would stand in a file: the shortest decimal that is the same number; None is an empty cell."""
    if hasattr(value, "item") and getattr(value, "ndim", 0) == 0:
        value = value.item()  # NumPy's numbers
    if value is None:
        return ""
    return repr(value) if isinstance(value, float) else str(value).strip()


def _brief(value: object) -> str:
    shown = " ".join(repr(value).split())
    return shown if len(shown) <= 60 else f"{shown[:57]}..."


def _refused(what: str, place: str = "") -> ImportFileError:
    return ImportFileError([f"{NAME}{f', {place}' if place else ''}: {what}"])
