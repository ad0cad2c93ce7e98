"""`audit data get`: the files of a corpus from the network, or the way to them by hand."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from audit.cli.app import data_app, say
from audit.cli.data import Column, recognised
from audit.cli.options import command
from audit.errors import AuditError, Exit
from audit.pipeline.corpus_words import options_of
from audit.settings import CorpusSettings

if TYPE_CHECKING:
    from reimpl.data.catalogue import Catalogue, Entry
    from reimpl.data.download import Fetched, Progress, Remote
    from reimpl.data.formats import Options

#: Advice of the readers that does not help whoever has just got a copy.
_DAMAGED = ("get a sound copy", "get a whole copy")


@command(data_app, "get")
def get_command(
    key: Annotated[str, typer.Argument(metavar="ENTRY", help="The entry of the catalogue.")],
    settings: CorpusSettings,
    to: Annotated[
        Path | None,
        typer.Option("--to", metavar="DIR", help="Folder for the files; default: one in your cache."),
    ] = None,
    addresses: Annotated[
        list[str] | None,
        typer.Option(
            "--from",
            metavar="URL",
            help="An address that you know, once a file: URL, URL#sha256=DIGEST or URL#name=NAME.",
        ),
    ] = None,
    timeout: Annotated[
        float, typer.Option(metavar="SECONDS", min=0.1, help="How long to wait for the server.")
    ] = 30.0,
    column: Column = None,
) -> int:
    """Download a corpus once, check it, and recognise it as `audit data add` does.

    A download that was cut off goes on where it was. Nothing is unpacked, and no file is replaced. What came
    and is not that entry is kept and is bad input.
    """
    from reimpl.data.catalogue import catalogue
    from reimpl.data.download import user_cache

    options = options_of(settings, column=column)
    known = catalogue()
    entry = known.find(key)
    remotes = _remotes(key, entry, known, addresses or ())
    folder = to or user_cache() / key
    say(f"{key}: {entry.name}; licence: {entry.licence}")
    found: list[Fetched] = []
    for remote in remotes:
        found.append(_fetched(remote, folder, timeout, _by_hand(key, entry, known)))
        for line in _lines(found[-1]):
            say(line)
    path = found[0].path if len(found) == 1 else folder
    add = f"audit data add {shlex.quote(str(path))}"
    if not _recognise(path, key, options, settings.format, found):
        raise AuditError(f"{path}: this is not {key}; it is kept, and to use it for what it is: {add}")
    say(f"to prepare it for all runs: {add} --as {key}")
    return Exit.OK


def _remotes(key: str, entry: Entry, known: Catalogue, addresses: Sequence[str]) -> list[Remote]:
    """What the user names; raises `AuditError` with the way by hand where nothing is."""
    from reimpl.data.download import Remote

    remotes = [Remote.parse(it) for it in addresses]
    if not remotes:
        by_hand = _by_hand(key, entry, known)
        raise AuditError(
            f"{key}: no address of its files is on record; {by_hand}; if you know one, give --from URL"
        )
    names = [it.name for it in remotes]
    for name in names:
        if names.count(name) > 1:
            raise AuditError(f"two addresses end in {name!r}; tell them apart, as in URL#name=train.txt")
    return remotes


def _by_hand(key: str, entry: Entry, known: Catalogue) -> str:
    """Where else it is to be had, and the command that takes it then."""
    if entry.by_hand:
        return entry.by_hand
    places = [known.places[it] for it in entry.places]
    named = [f"{it.name} ({it.url})" if it.url else it.name for it in places]
    how = f"get it by hand from {_listed(named)}" if named else "nor is a place that has it; get it elsewhere"
    return f"{how}, then `audit data add PATH --as {key}`"


def _listed(names: Sequence[str]) -> str:
    """
    >>> _listed(["a", "b", "c"])
    'a, b or c'
    """
    return " or ".join(it for it in (", ".join(names[:-1]), names[-1]) if it)


def _fetched(remote: Remote, folder: Path, timeout: float, by_hand: str) -> Fetched:
    from reimpl.data.download import NotReachedError, fetch

    try:
        with _bar(remote.name) as progress:
            return fetch(remote, folder, timeout=timeout, progress=progress)
    except NotReachedError as err:
        raise AuditError(f"{err}; {by_hand}") from err


def _lines(it: Fetched) -> Iterator[str]:
    name, digest = it.path.name, f"SHA-256 {it.sha256}"
    yield f"{name}: {'downloaded' if it.downloaded else 'there already'}, {it.size:,} bytes, {it.path}"
    if it.verified:
        yield f"{name}: {digest}; verified: it has the checksum that was stated"
    else:
        same = "" if it.downloaded else "; the same as at its first download"
        yield f"{name}: {digest}; not verified: no published checksum known{same}"


def _recognise(
    path: Path, key: str, options: Options, format: str | None, fetched: Sequence[Fetched]
) -> bool:
    """Says what came; whether it may be the entry."""
    try:
        return recognised(path, key, options, format)[1]
    except AuditError as err:
        raise AuditError(_with_a_way_out(str(err), fetched)) from err


def _with_a_way_out(problem: str, fetched: Sequence[Fetched]) -> str:
    """What has the stated checksum is what was meant; anything else may be a page that says no."""
    files = [it.path for it in fetched if not it.verified]
    if not files:
        return f"{problem} (the download is there, and has its checksum)"
    named = [str(path) for file in files for path in (file, file.with_name(f"{file.name}.sha256"))]
    anew = f"delete {', '.join(named[:-1])} and {named[-1]} and try again"
    damaged = next((it for it in _DAMAGED if problem.endswith(it)), None)
    if damaged:
        return f"{problem.removesuffix(damaged)}{anew}"
    return f"{problem} (the download is there; if it is not what you asked for, {anew})"


@contextmanager
def _bar(name: str) -> Iterator[Progress]:
    """A bar on a terminal; elsewhere nothing."""
    from audit.runner.progress import bytes_bar, new_console

    with bytes_bar(name, new_console(), speed=True) as show:
        yield show
