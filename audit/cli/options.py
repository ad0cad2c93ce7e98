"""Options and arguments of the commands, from one table (`options.toml`); claim files that commands change.

A command is a function: its positional parameters are arguments and its keyword-only ones options. One that
is a dataclass (`audit.settings`) stands for an option for each of its fields.
"""

from __future__ import annotations

import inspect
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import fields, is_dataclass
from functools import cache, wraps
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, get_type_hints

import typer

from audit.cli.app import known_names, say
from audit.errors import AuditError, Exit
from audit.names import counted
from audit.names import known_names as offered
from audit.runner.models import models_of

if TYPE_CHECKING:
    from audit.authoring.edit import ClaimFile

T = TypeVar("T")
Command = Callable[..., int]


def command(app: typer.Typer, name: str) -> Callable[[Command], Command]:
    """Registers a function as a command."""

    def register(function: Command) -> Command:
        whole = f"{app.info.name} {name}" if app.info.name else name
        hints: dict[str, Any] = get_type_hints(function)
        groups: dict[str, Any] = {key: hint for key, hint in hints.items() if is_dataclass(hint)}
        own = inspect.signature(function).parameters.values()
        arguments = [it.name for it in own if _is_argument(it)]
        signature = [_declared(whole, it) for parameter in own for it in _each(parameter, hints)]

        @wraps(function)
        def wrapped(**values: Any) -> int:
            for key, group in groups.items():
                given = {it.name: values.pop(it.name) for it in fields(group)}
                values[key] = group(**{name: value for name, value in given.items() if value is not None})
            return function(*[values.pop(it) for it in arguments], **values)

        wrapped.__signature__ = inspect.Signature(signature)  # type: ignore[attr-defined]
        wrapped.__annotations__ = {it.name: it.annotation for it in signature}
        app.command(name)(wrapped)
        return function

    return register


def _is_argument(parameter: inspect.Parameter) -> bool:
    return parameter.kind is not inspect.Parameter.KEYWORD_ONLY


def _each(parameter: inspect.Parameter, hints: Mapping[str, Any]) -> Iterator[inspect.Parameter]:
    """The parameter, with its type; of a dataclass, its fields."""
    hint = hints[parameter.name]
    if not is_dataclass(hint):
        yield parameter.replace(annotation=hint)
        return
    types = get_type_hints(hint)
    for it in fields(hint):
        default = None if it.default == () else it.default
        kind = list[str] | None if "Sequence" in str(types[it.name]) else types[it.name]
        yield inspect.Parameter(it.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)


def _declared(command: str, parameter: inspect.Parameter) -> inspect.Parameter:
    """With what the table says of it."""
    name, kind = parameter.name, parameter.annotation
    if kind is not typer.Context:
        table = _tables()["arguments" if _is_argument(parameter) else "options"]
        said = dict(table.get(f"{command}.{name}") or table[name])
        flag = said.pop("flag", f"--{name.replace('_', '-')}")
        how = typer.Argument(**said)
        if not _is_argument(parameter):
            how = typer.Option(flag, callback=use_models if name == "models" else None, **said)
        kind = Annotated[kind, how]
    return parameter.replace(annotation=kind, kind=inspect.Parameter.KEYWORD_ONLY)


@cache
def _tables() -> dict[str, dict[str, dict[str, Any]]]:
    return tomllib.loads((resources.files("audit.cli") / "options.toml").read_text(encoding="utf-8"))


def use_models(context: typer.Context, folder: Path | None) -> Path | None:
    """Models of the folder are known until the command is over."""
    with ExitStack() as opened:  # a command whose options are refused is never closed
        opened.enter_context(models_of(folder))
        context.call_on_close(opened.pop_all().close)
    return folder


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
