"""Studies on disk, beside the run records.

    STORE/studies/KEY.json       a study whose budget was spent
    STORE/studies/KEY/           what the search works with: Optuna's journal, and locks of trials at work

A record is written in one step and carries a seal, as a run's.
"""

from __future__ import annotations

from pathlib import Path

from audit.errors import StoreError
from audit.json_errors import RecordError
from audit.storage.files import explained, read_sealed, write_sealed
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
    with explained(path):
        write_sealed(path, study)
    sealed = get(store, study.key)
    assert sealed is not None
    return sealed


def get(store: Path, key: str) -> Study | None:
    """The study of that key, or None. Raises `StoreError` for a file that is not as it was written."""
    path = path_of(store, key)
    try:
        study: Study | None = read_sealed(path, Study, STUDY_FORMAT)
        if study is not None and not key == study.key == study.spec.key:
            raise RecordError(f"holds the study {study.key!r}")
    except RecordError as err:
        raise StoreError(
            f"{path}: no whole study ({err}); restore it, or move it away and `audit tune` writes it again"
        ) from err
    return study


def any_there(store: Path) -> bool:
    """Whether a search was ever finished in this store."""
    return bool(_paths(store))


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


def _paths(store: Path) -> list[Path]:
    return sorted((store / "studies").glob("*.json"))
