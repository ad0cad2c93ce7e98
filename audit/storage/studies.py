"""Studies on disk, beside the run records.

    STORE/studies/KEY.json       a study whose budget was spent
    STORE/studies/KEY/           what the search works with: Optuna's journal, and locks of trials at work

A record is written in one step and carries a seal, as a run's.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path
from typing import Any

from audit.errors import StoreError
from audit.json_errors import RecordError, first_problem, refuse_non_finite, unread
from audit.record import seal_of
from audit.storage.files import explained, write
from audit.study import STUDY_FORMAT, Study, StudySpec


def folder_of(store: Path, key: str) -> Path:
    """Where the search of that study works."""
    return store / "studies" / key


def path_of(store: Path, key: str) -> Path:
    """The study's record."""
    return store / "studies" / f"{key}.json"


def put(store: Path, study: Study) -> Study:
    """Write the record, in place of an earlier one with fewer trials; returned with its seal."""
    path = path_of(store, study.key)
    content = json.loads(json.dumps(asdict(replace(study, seal="")), allow_nan=False))
    sealed = replace(study, seal=seal_of(content))
    with explained(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(asdict(sealed), indent=1, ensure_ascii=False, allow_nan=False)
        write(path, f"{text}\n".encode())
    return sealed


def get(store: Path, key: str) -> Study | None:
    """The study of that key, or None. Raises `StoreError` for a file that is not as it was written."""
    path = path_of(store, key)
    with explained(path):
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            return None
    return _parsed(path, content)


def any_there(store: Path) -> bool:
    """Whether a search was ever finished in this store."""
    return any(_paths(store))


def answering(store: Path, spec: StudySpec) -> Study | None:
    """The study that answers the spec's question: of most epochs a trial, then of the lowest seed.

    Raises `StoreError` for a record that is not as it was written.
    """
    found = []
    for path in _paths(store):
        study = get(store, path.stem)
        if study is not None and study.spec.question == spec.question and study.best is not None:
            found.append(study)
    return min(found, key=lambda it: (-it.spec.training.get("epochs", 0), it.spec.seed), default=None)


def _paths(store: Path) -> Iterator[Path]:
    return iter(sorted((store / "studies").glob("*.json")))


@cache
def _adapter() -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(Study)


def _parsed(path: Path, content: bytes) -> Study:
    from pydantic import ValidationError

    try:
        found = json.loads(content.decode())
        version = found.get("format_version") if isinstance(found, dict) else None
        if isinstance(version, int) and version > STUDY_FORMAT:
            raise StoreError(f"{path}: a newer version of this tool wrote it; update the tool")
        study: Study = _adapter().validate_json(content, strict=True)
        refuse_non_finite(found)
    except ValidationError as err:
        raise _unsound(path, first_problem(err)) from err
    except (ValueError, RecursionError, RecordError) as err:
        raise _unsound(path, unread(err)) from err
    if study.seal != seal_of(found):
        raise _unsound(path, "it was changed after it was written")
    if not path.stem == study.key == study.spec.key:
        raise _unsound(path, f"holds the study {study.key!r}")
    return study


def _unsound(path: Path, why: str) -> StoreError:
    return StoreError(
        f"{path}: no whole study ({why}); restore it, or move it away and `audit tune` writes it again"
    )
