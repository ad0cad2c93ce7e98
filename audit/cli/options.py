"""Commands take dataclasses of options (`audit.settings`): each option is declared once."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import fields, is_dataclass
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, get_args, get_type_hints

import typer

from audit.runner.models import models_of
from audit.settings import Option, RunSettings

Out = Annotated[Path, typer.Option(help="Folder for the report.")]
Command = Callable[..., int]


def command(app: typer.Typer, name: str) -> Callable[[Command], Command]:
    """Registers a function as a command; of a parameter that is a dataclass, each field is an option."""

    def register(function: Command) -> Command:
        app.command(name)(_expanded(function))
        return function

    return register


def option(name: str) -> Any:
    """The annotation of one field of the settings, for a command that takes it alone."""
    return _annotation(name, get_type_hints(RunSettings, include_extras=True)[name])


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


Models = option("models")
