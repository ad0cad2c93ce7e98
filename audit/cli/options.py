"""Options that several commands have, each declared once; those of runs are fields of `audit.settings`.

A command may take a dataclass of options: each of its fields is an option then.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import fields, is_dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, get_args, get_type_hints

import typer

from audit.cli.app import known_names, say
from audit.errors import AuditError, Exit
from audit.importing.result import Declared
from audit.names import counted
from audit.names import known_names as offered
from audit.runner.models import models_of
from audit.settings import Option, RunSettings

if TYPE_CHECKING:
    from audit.authoring.edit import ClaimFile

T = TypeVar("T")
Command = Callable[..., int]


def command(app: typer.Typer, name: str) -> Callable[[Command], Command]:
    """Registers a function as a command; of a parameter that is a dataclass, each field is an option."""

    def register(function: Command) -> Command:
        app.command(name)(_expanded(function))
        return function

    return register


def option(name: str, of: Any = RunSettings) -> Any:
    """The annotation of one field of a dataclass of options, for a command that takes it alone."""
    return _annotation(name, get_type_hints(of, include_extras=True)[name])


def use_models(context: typer.Context, folder: Path | None) -> Path | None:
    """Models of the folder are known until the command is over."""
    with ExitStack() as opened:  # a command whose options are refused is never closed
        opened.enter_context(models_of(folder))
        context.call_on_close(opened.pop_all().close)
    return folder


def _expanded(function: Command) -> Command:
    hints = get_type_hints(function, include_extras=True)
    parameters = inspect.signature(function).parameters
    groups = {name: hints[name] for name in parameters if is_dataclass(hints[name])}
    signature = []
    for name, parameter in parameters.items():
        if name in groups:
            signature += _options_of(groups[name])
        else:
            signature.append(parameter.replace(annotation=hints[name], kind=parameter.KEYWORD_ONLY))

    @wraps(function)
    def wrapped(**values: Any) -> int:
        for name, group in groups.items():
            given = {it.name: values.pop(it.name) for it in fields(group)}
            values[name] = group(**{key: value for key, value in given.items() if value is not None})
        return function(**values)

    wrapped.__signature__ = inspect.Signature(signature)  # type: ignore[attr-defined]
    wrapped.__annotations__ = {it.name: it.annotation for it in signature}
    return wrapped


def _options_of(group: Any) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(
            it.name,
            inspect.Parameter.KEYWORD_ONLY,
            annotation=_annotation(it.name, hints[it.name]),
            default=None if it.default == () else it.default,
        )
        for it in fields(group)
    ]


def _annotation(name: str, hint: Any) -> Any:
    kind, declared = get_args(hint)
    assert isinstance(declared, Option)
    several = "Sequence" in str(kind)
    flags = declared.flags or (f"--{name.replace('_', '-')}",)
    return Annotated[
        list[str] | None if several else kind,
        typer.Option(
            *flags,
            help=declared.help,
            metavar=declared.metavar,
            callback=use_models if name == "models" else None,
            **declared.bounds,
        ),
    ]


#: What is written beside a page on demand.
EXPORTS = ("csv", "markdown", "junit", "latex")
ALL_EXPORTS = "all"

Models = option("models")
Store = option("store")
Protocol = option("protocol")
Vectors = option("vectors")
Evidence = option("evidence")
By = option("by", Declared)
To = Annotated[Path | None, typer.Option(metavar="PATH", help="Where it is written.")]
Paper = Annotated[
    str, typer.Option(metavar="KEY|FILE", help="The claim file that gets it, or its paper's key.")
]
Out = Annotated[Path, typer.Option(help="Folder of the reports.")]
Also = Annotated[
    str | None,
    typer.Option(
        metavar="NAME,...",
        help=f"Write these beside the page: {', '.join(EXPORTS)}, or {ALL_EXPORTS}. Those that are there are "
        "renewed.",
    ),
]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Any other key, its value as in YAML; once for each."),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would be written.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print it as JSON, and nothing else.")]
Says = Annotated[str | None, typer.Option(help="The paper's sentence in own short words.")]
Kind = Annotated[
    list[str] | None,
    typer.Option(metavar="KIND", help="Of claims, as in order; repeatable to look at several."),
]
OneTable = Annotated[list[str] | None, typer.Option("--table", metavar="ID", help="This one; repeatable.")]


# --------------------------------------------------------------------------- claim files that are changed


def claim_path(name: str) -> Path:
    """The claim file that is to be changed: a path, or KEY for claims/KEY.yaml or KEY.yaml.

    Built-in files are part of the installation and are not changed by their key.
    """
    from audit.claims.load import builtin_claims
    from audit.claims.papers import own_file

    own = own_file(name)
    if own is not None:
        return own
    if name in {path.stem for path in builtin_claims()}:
        raise AuditError(f"{name!r} is a built-in paper; give the path of the file that is to be changed")
    raise AuditError(f"{name!r} is no claim file; give its path, or begin one with `audit add paper {name}`")


def open_file(paper: str, *, configs: bool = False) -> ClaimFile:
    """The claim file that is to be changed; with `configs`, as `audit validate` reads it."""
    from audit.authoring.edit import ClaimFile

    return ClaimFile.open(claim_path(paper), known=known_names(configs=configs))


def sets(given: Sequence[str] | None) -> dict[str, str]:
    """What --set says, by key. Raises `AuditError` for another form, and for a key that is said twice."""
    words: dict[str, str] = {}
    for text in given or ():
        name, equals, value = text.partition("=")
        if not equals or not value.strip():
            raise AuditError(f"--set {text!r}: write KEY=VALUE")
        if name in words:
            raise AuditError(f"--set {name}: it is said twice; say it once, lists with commas")
        words[name] = value.strip()
    return words


def the_one(what: str, name: str, there: Mapping[str, T]) -> T:
    """Raises `AuditError` for a name that is not there, offering those that are."""
    if name not in there:
        raise AuditError(f"there is no {what} {name!r}; {offered(name, there)}")
    return there[name]


def finish(file: ClaimFile, *, dry_run: bool) -> int:
    """Check the changes, show them, and write them."""
    file.check()
    say(file.diff())
    if dry_run:
        say(f"{file.path}: nothing was written (--dry-run); it would be valid")
        return Exit.OK
    paper = file.save()
    say(f"{file.path}: written; {counted(len(paper.tables), 'table')}, {counted(len(paper.claims), 'claim')}")
    return Exit.OK
