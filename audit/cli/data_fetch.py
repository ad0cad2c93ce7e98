"""`audit data get`: a corpus from the network, or the way to it by hand; `audit data vectors`."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from audit.cli.app import data_app, say
from audit.cli.data import Column, recognised
from audit.cli.options import command
from audit.errors import AuditError, Exit
from audit.pipeline.suite import options_of
from audit.settings import CorpusSettings

if TYPE_CHECKING:
    from reimpl.data.catalogue import Place
    from reimpl.data.download import Fetched

#: Words of a vector file that are shown.
_FIRST = 8
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
    from audit.runner.progress import bytes_bar
    from reimpl.data.catalogue import catalogue
    from reimpl.data.download import NotReachedError, Remote, fetch, user_cache

    options = options_of(settings, column=column)
    known = catalogue()
    entry = known.find(key)
    by_hand = entry.by_hand or _by_hand(key, [known.places[it] for it in entry.places])
    remotes = [Remote.parse(it) for it in addresses or ()]
    if not remotes:
        raise AuditError(
            f"{key}: no address of its files is on record; {by_hand}; if you know one, give --from URL"
        )
    names = [it.name for it in remotes]
    if twice := [name for name in names if names.count(name) > 1]:
        raise AuditError(f"two addresses end in {twice[0]!r}; tell them apart, as in URL#name=train.txt")
    folder = to or user_cache() / key
    say(f"{key}: {entry.name}; licence: {entry.licence}")
    files: list[Fetched] = []
    for remote in remotes:
        try:
            with bytes_bar(remote.name, speed=True) as progress:
                files.append(fetch(remote, folder, timeout=timeout, progress=progress))
        except NotReachedError as err:
            raise AuditError(f"{err}; {by_hand}") from err
        say(_came(files[-1]))
    path = files[0].path if len(files) == 1 else folder
    add = f"audit data add {shlex.quote(str(path))}"
    try:
        _, why_not = recognised(path, key, options, settings.format)
    except AuditError as err:
        raise AuditError(_with_a_way_out(str(err), files)) from err
    if why_not:
        raise AuditError(f"{path}: this is not {key}; it is kept, and to use it for what it is: {add}")
    say(f"to prepare it for all runs: {add} --as {key}")
    return Exit.OK


def _by_hand(key: str, places: Sequence[Place]) -> str:
    """Where else it is to be had, and the command that takes it then."""
    named = [f"{it.name} ({it.url})" if it.url else it.name for it in places]
    listed = " or ".join(it for it in (", ".join(named[:-1]), *named[-1:]) if it)
    how = f"get it by hand from {listed}" if named else "nor is a place that has it; get it elsewhere"
    return f"{how}, then `audit data add PATH --as {key}`"


def _came(it: Fetched) -> str:
    if it.verified:
        checked = "verified: it has the checksum that was stated"
    else:
        same = "" if it.downloaded else "; the same as at its first download"
        checked = f"not verified: no published checksum known{same}"
    how, name = "downloaded" if it.downloaded else "there already", it.path.name
    return f"{name}: {how}, {it.size:,} bytes, {it.path}\n{name}: SHA-256 {it.sha256}; {checked}"


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


@data_app.command("vectors")
def vectors_command(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="Text (GloVe, word2vec, fastText), word2vec's .bin, or NAME.npy with words in NAME.txt; "
            "packed too. Of a .zip with several: FILE.zip/MEMBER.",
        ),
    ],
    dimension: Annotated[
        int | None,
        typer.Option(min=1, help="What it must be; of GloVe's .zip files it chooses the member."),
    ] = None,
    store: Annotated[Path, typer.Option(help="Folder of the run records, where converted files lie.")] = Path(
        "audit-runs"
    ),
) -> int:
    """Say what a file of word vectors holds, and convert it once for all runs with --vectors FILE."""
    from audit.runner.progress import bytes_bar
    from reimpl.data.vectors import converted

    with bytes_bar(file.name) as show:

        def progress(what: str, done: int, total: int) -> None:
            show(done, total or None, what)

        found = converted(file, store / "data" / "vectors", dimension=dimension, progress=progress)
    tally = found.tally
    differ = tally.lines - tally.bad - tally.duplicates
    words = f"{differ:,} word{'s' * (differ != 1)}"
    say(f"{file}: {tally.form}, {words} of {tally.dimension} {tally.stored} numbers")
    for note in tally.notes(file.name)[1:]:
        say(f"    {note.removeprefix('Word vectors: ')}")
    first = ", ".join(repr(word.decode("utf-8", "backslashreplace")) for word in found.first_words(_FIRST))
    say(f"    first words: {first}\nkept: {found.folder}, {found.size / 1e6:,.1f} MB")
    return Exit.OK
