"""What a user chooses for runs: the same fields for the commands, where they are options, and for Python."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from audit.errors import AuditError


class Option:
    """What a field means, and how it is called on the command line where that is not its name."""

    def __init__(self, help: str, *flags: str, metavar: str | None = None, **bounds: Any) -> None:
        self.help, self.flags, self.metavar, self.bounds = help, flags, metavar, bounds


@dataclass(frozen=True, kw_only=True)
class CorpusSettings:
    """How a corpus is read, where its files do not say."""

    data_file: Annotated[
        Path | None, Option("The data file of split columns, where it lies elsewhere.", metavar="FILE")
    ] = None
    base: Annotated[int | None, Option("0 or 1: what label and feature ids count from.", min=0, max=1)] = None
    format: Annotated[str | None, Option("Name of the format, where two of them fit.")] = None
    text_field: Annotated[
        Sequence[str],
        Option(
            "The field of JSON lines or CSV that holds the text; more than once: joined by a space.",
            metavar="NAME",
        ),
    ] = ()
    labels_field: Annotated[
        str | None, Option("The field of JSON lines or CSV with the labels.", metavar="NAME")
    ] = None
    separator: Annotated[str | None, Option("What parts the labels where they are one string.")] = None
    ids: Annotated[bool, Option("The first column of LibMultiLabel text holds ids.", "--ids")] = False
    raw: Annotated[
        bool | None, Option("Which of both, where texts are there twice.", "--raw/--tokenised")
    ] = None

    def __post_init__(self) -> None:
        if self.base is not None and (isinstance(self.base, bool) or self.base not in (0, 1)):
            raise AuditError(f"base={self.base!r}: give 0 or 1, what label and feature ids count from")
        _set(self, text_field=_several(self.text_field), data_file=_path(self.data_file))


@dataclass(frozen=True, kw_only=True)
class TrainingSettings(CorpusSettings):
    """On what models are trained, how, and where the records go."""

    data: Annotated[
        Path | None,
        Option(
            "A corpus in any format that `audit data add` reads; DIR@N is split column N of DIR; "
            "default: a synthetic corpus."
        ),
    ] = None
    only: Annotated[
        Sequence[str], Option("An experiment, claim, table or data set; may be repeated.", metavar="ID")
    ] = ()
    protocol: Annotated[
        str,
        Option(
            "claimed: the paper's; auto: that on a GPU, and on a CPU its reduced form (NAME-small), or "
            "small; or a name that `audit list` shows."
        ),
    ] = "auto"
    vectors: Annotated[
        str | None,
        Option("Word vectors: a file (text, .bin or .npy), glove (the extra), or random:E; default: random."),
    ] = None
    device: Annotated[str, Option("auto, cpu or cuda.")] = "auto"
    precision: Annotated[str, Option("float32, tf32 or bf16; recorded with each run.")] = "float32"
    jobs: Annotated[
        int | None,
        Option("Worker processes; default: one a core (1 on a GPU); of `audit tune`, 1.", min=1),
    ] = None
    store: Annotated[Path, Option("Folder of the run records.")] = Path("audit-runs")
    models: Annotated[
        Path | None,
        Option(
            "Folder of model files of your own; they are code, and what trains, counts or validates runs "
            "them.",
            metavar="DIR",
        ),
    ] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        _set(
            self,
            data=_path(self.data),
            store=Path(self.store),
            models=_path(self.models),
            only=_several(self.only),
        )


@dataclass(frozen=True, kw_only=True)
class RunSettings(TrainingSettings):
    """What `audit run` and `audit.run` take."""

    seeds: Annotated[int, Option("Seeds 0 .. N-1; seeds that were run are kept.", min=1, max=1000)] = 3
    retry_failed: Annotated[bool, Option("Run failed seeds again.", "--retry-failed")] = False
    rerun_changed: Annotated[
        bool, Option("Run again what was run by other code than today's.", "--rerun-changed")
    ] = False
    untuned: Annotated[
        bool,
        Option("Run what asks for tuning with the claim file's settings; the report says so.", "--untuned"),
    ] = False
    tuned_on: Annotated[
        Path | None,
        Option("Use the studies that `audit tune --data DIR` made; default: those of --data.", metavar="DIR"),
    ] = None
    allow_commands: Annotated[
        bool,
        Option(
            "Start the programs that experiments bring as their own command: read them first.",
            "--allow-commands",
        ),
    ] = False
    readings: Annotated[
        bool,
        Option("Run every declared reading of what the paper leaves open; all must agree.", "--readings"),
    ] = False
    evidence: Annotated[
        str,
        Option(
            "Which runs judge an experiment that has both; the others are shown.", metavar="ours|imported"
        ),
    ] = "ours"

    def __post_init__(self) -> None:
        super().__post_init__()
        seeds = self.seeds
        if not isinstance(seeds, int) or isinstance(seeds, bool) or not 1 <= seeds <= 1000:
            raise AuditError(f"seeds={seeds!r}: give a whole number from 1 to 1000")
        _set(self, tuned_on=_path(self.tuned_on))


def _set(settings: object, **values: object) -> None:
    """Of a frozen dataclass, as it is made."""
    for name, value in values.items():
        object.__setattr__(settings, name, value)


def _path(value: Path | str | None) -> Path | None:
    return None if value is None else Path(value)


def _several(value: Sequence[str] | str) -> tuple[str, ...]:
    """One name is one name, and not one of its letters each."""
    return (value,) if isinstance(value, str) else tuple(value)
