"""What a user chooses for runs, as options and as fields; `audit/cli/options.toml` says what each means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from audit.errors import AuditError, option

#: In place of a number or a name: whatever fits.
AUTO = "auto"


@dataclass(frozen=True, kw_only=True)
class CorpusSettings:
    """How a corpus is read, where its files leave it open."""

    data_file: Path | None = None
    base: int | None = None
    format: str | None = None
    text_field: Sequence[str] = ()
    labels_field: str | None = None
    separator: str | None = None
    ids: bool = False
    raw: bool | None = None

    def __post_init__(self) -> None:
        if self.base is not None and (isinstance(self.base, bool) or self.base not in (0, 1)):
            raise AuditError(f"base={self.base!r}: give 0 or 1, what label and feature ids count from")
        _set(self, text_field=_several(self.text_field), data_file=_path(self.data_file))


@dataclass(frozen=True, kw_only=True)
class TrainingSettings(CorpusSettings):
    """On what models are trained, how, and where the records go."""

    data: Path | None = None
    only: Sequence[str] = ()
    protocol: str = "auto"
    vectors: str | None = None
    device: str = "auto"
    precision: str = "float32"
    on: str = "local"
    resources: str | None = None
    jobs: str | None = None
    store: Path = Path("audit-runs")
    models: Path | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        _set(self, data=_path(self.data), store=Path(self.store), models=_path(self.models))
        _set(self, only=_several(self.only), jobs=None if self.jobs is None else str(self.jobs))
        if self.jobs not in (None, AUTO) and not (str(self.jobs).isdecimal() and int(str(self.jobs)) > 0):
            raise AuditError(f"{option('jobs', self.jobs)}: give a whole number from 1, or auto")


@dataclass(frozen=True, kw_only=True)
class RunSettings(TrainingSettings):
    """What `audit run` and `audit.run` take."""

    seeds: int = 3
    retry_failed: bool = False
    rerun_changed: bool = False
    untuned: bool = False
    tuned_on: Path | None = None
    allow_commands: bool = False
    readings: bool = False
    evidence: str = "ours"
    submit: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        seeds = self.seeds
        if not isinstance(seeds, int) or isinstance(seeds, bool) or not 1 <= seeds <= 1000:
            raise AuditError(f"seeds={seeds!r}: give a whole number from 1 to 1000")
        _set(self, tuned_on=_path(self.tuned_on))

    def as_json(self) -> dict[str, Any]:
        """The settings that make the same runs elsewhere; paths are absolute."""
        given = {name: _plain(value) for name, value in asdict(self).items() if name not in _HERE}
        if self.vectors is not None and Path(self.vectors).exists():
            given["vectors"] = str(Path(self.vectors).absolute())
        return {name: value for name, value in given.items() if value is not None}


#: What decides only how this command does its work.
_HERE = ("store", "on", "resources", "jobs", "submit", "evidence", "allow_commands")


def _plain(value: object) -> object:
    if isinstance(value, Path):
        return str(value.absolute())
    return list(value) if isinstance(value, tuple) else value


def _set(settings: object, **values: object) -> None:
    for name, value in values.items():
        object.__setattr__(settings, name, value)


def _path(value: Path | str | None) -> Path | None:
    return None if value is None else Path(value)


def _several(value: Sequence[str] | str) -> tuple[str, ...]:
    """One name is one name, and not one of its letters each."""
    return (value,) if isinstance(value, str) else tuple(value)
