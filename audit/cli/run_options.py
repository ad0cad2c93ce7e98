"""What `audit run`, `audit tune` and `audit.run` are told of corpus and training, and what is checked."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from audit.cli.corpus_options import IN_RUN, options_of
from audit.errors import AuditError

if TYPE_CHECKING:
    from audit.claim import Paper
    from audit.runner import Settings
    from reimpl.data.formats import Options

Only = Annotated[
    list[str] | None,
    typer.Option("--only", metavar="ID", help="An experiment, claim, table or data set; may be repeated."),
]


def settings_of(
    *,
    data: Path | None,
    data_file: Path | None,
    base: int | None,
    format: str | None,
    text_field: Sequence[str] | None,
    labels_field: str | None,
    separator: str | None,
    ids: bool,
    raw: bool | None,
    protocol: str,
    vectors: str | None,
    seeds: int,
    device: str,
    precision: str,
    store: Path,
    untuned: bool = False,
    tuned_on: Path | None = None,
    readings: bool = False,
) -> Settings:
    """The settings of all experiments of a command; raises `AuditError` where they cannot be had together."""
    from audit.runner import Settings
    from audit.runner.devices import check_precision, device_of

    chosen = device_of(device)
    check_precision(precision, chosen)
    options = options_of(
        words=IN_RUN,
        column=None,
        base=base,
        data=data_file,
        text=list(text_field) if text_field else None,
        labels=labels_field,
        separator=separator,
        ids=ids,
        raw=raw,
    )
    check_made(data, options, format=format, vectors=vectors)
    if untuned and tuned_on:
        raise AuditError(f"--untuned and --tuned-on {tuned_on} are opposites; give one of them")
    if tuned_on:
        _check_tuned_on(tuned_on)
    return Settings(
        data=data,
        options=options,
        format=format,
        protocol=protocol,
        vectors=vectors,
        seeds=seeds,
        device=chosen,
        precision=precision,
        cache=store / "data",
        untuned=untuned,
        tuned_on=tuned_on,
        readings=readings,
    )


def _check_tuned_on(corpus: Path) -> None:
    """Raises `AuditError` where there is no such corpus; which columns it has is seen when it is read."""
    from reimpl.data.formats import split_name

    if not split_name(corpus)[0].exists():
        raise AuditError(f"--tuned-on {corpus}: no such folder; name the corpus that `audit tune --data` had")


def check_made(data: Path | None, options: Options, *, format: str | None, vectors: str | None) -> None:
    """Raises `AuditError` where something is said of a corpus, and there is none but the made one."""
    if data is not None:
        return
    if given := [*options.stated, *(["format"] if format else [])]:
        raise AuditError(f"{IN_RUN.names[given[0]]}: says how --data is read; give that too")
    if vectors:
        raise AuditError(f"--vectors {vectors}: made words have no vectors; give --data too, or leave it out")


def check_readings(papers: Sequence[Paper]) -> None:
    """Raises `AuditError` for a paper that leaves nothing open."""
    for paper in papers:
        if paper.readings is None:
            raise AuditError(f"--readings: {paper.paper.key} declares none; leave it out, or add readings")
