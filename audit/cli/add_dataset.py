"""`audit add dataset`: a data set of the paper, by the catalogue's name where it has one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from audit.cli.adding import DryRun, Paper, check_free, finish_entry, needed, open_file
from audit.cli.app import add_app, say
from audit.cli.editing import ask
from audit.cli.model_folder import Models
from audit.errors import AuditError

if TYPE_CHECKING:
    from audit.claim_source import Plain


@add_app.command("dataset")
def dataset_command(
    id: Annotated[str, typer.Argument(metavar="ID", help="Its short name, as in eurlex.")],
    paper: Paper,
    name: Annotated[str | None, typer.Option(help="As the paper writes it; asked for when left out.")] = None,
    catalogue: Annotated[
        str | None, typer.Option(metavar="ENTRY", help="Of `audit data list`; entries are proposed by name.")
    ] = None,
    printed: Annotated[
        list[str] | None, typer.Option(metavar="NAME=NUMBER", help="As printed: train=15,449; once for each.")
    ] = None,
    content: Annotated[
        str | None, typer.Option(metavar="SHA-256", help="Of the very data, if known.")
    ] = None,
    models: Models = None,
    dry_run: DryRun = False,
) -> int:
    """Add a data set that the paper reports on, by the catalogue's name where it has one."""
    file = open_file(paper)
    check_free(id, "data set", list(file.paper.datasets))
    asks = name is None
    name = name or needed("Name as the paper writes it")
    alike = _alike(name)
    if asks and catalogue is None:
        words = ", ".join(alike) or "none has a name like it"
        catalogue = ask(f"Entry of the catalogue ({words}; Enter for none):") or None
    if catalogue is not None:
        _check_entry(catalogue)
    held: dict[str, Plain] = {"name": name, **({"catalogue": catalogue} if catalogue else {})}
    numbers = _numbers(printed or (_asked_numbers() if asks else ()))
    held |= ({"printed": numbers} if numbers else {}) | {"content": content}
    file.put(("datasets", id), held)
    code = finish_entry(file, asks=asks, dry_run=dry_run)
    if catalogue is None and alike:
        say(f"the catalogue has {', '.join(alike)}: if that is it, write catalogue: {alike[0]}")
    return code


def _alike(name: str) -> list[str]:
    """Entries of the catalogue with that name, or one that is spelled much like it; the likest first."""
    from difflib import SequenceMatcher

    from audit.importing.naming import bare
    from reimpl.data.catalogue import catalogue

    wanted = bare(name)
    likeness = {
        key: max(SequenceMatcher(None, wanted, bare(it)).ratio() for it in (key, held.name))
        for key, held in catalogue().entries.items()
        if not held.stand_in_for
    }
    return sorted((key for key, it in likeness.items() if it >= 0.7), key=lambda key: -likeness[key])[:4]


def _check_entry(name: str) -> None:
    from reimpl.data.catalogue import catalogue

    catalogue().find(name)


def _asked_numbers() -> list[str]:
    given = ask("Sizes as printed (train=15,449 test=3,865; Enter for none):")
    return given.split()


def _numbers(given: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in given:
        name, equals, number = text.partition("=")
        if not (equals and name and number) or name in found:
            why = "it is said twice" if name in found and number else "write NAME=NUMBER, as in train=15,449"
            raise AuditError(f"--printed {text!r}: {why}")
        found[name] = number
    return found
