"""The command line's application: how a function becomes a command, and how lines and tables are printed. A
command is a function: its positional parameters are arguments and its keyword-only ones options; a dataclass
(`audit.settings`) stands for an option for each of its fields. `options.toml` says what each means, and what
the help of a command has below its first line."""

from __future__ import annotations

import inspect
import json
import os
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import fields, is_dataclass
from functools import wraps
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer
import typer.core

from audit.errors import AuditError, Exit
from audit.names import WIDTH, folded
from audit.record import Audit
from audit.runner.models import models_of

Command = Callable[..., int]
Words = list[str] | None
"""An option or argument that may be given several times."""
Folder = Path | None
"""A folder or file that may be left out."""

app = typer.Typer(
    help="Do the numbers in this paper hold? Runs a paper's claims, judges them, and writes a report.",
    epilog="Exit codes: 0 nothing contradicted, 1 something contradicted or inconsistent, 2 bad input, "
    "3 runs failed, 70 a fault of this tool, 130 interrupted.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
data_app = typer.Typer(name="data", help="Look at corpora and prepare them.", no_args_is_help=True)
app.add_typer(data_app)
add_app = typer.Typer(name="add", help="Write claim files, part by part, and models.", no_args_is_help=True)
app.add_typer(add_app)


# --------------------------------------------------------------------------- commands and their options


class _Command(typer.core.TyperCommand):
    """A command whose help names arguments alone, without Python's types (`FILE... <list[Path]>`)."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        for parameter in self.params:
            if isinstance(parameter, typer.core.TyperArgument):
                parameter.display_type_rich = lambda ctx: None  # type: ignore[method-assign]


def command(typer_app: typer.Typer, name: str) -> Callable[[Command], Command]:
    """Registers a function as a command."""

    def register(function: Command) -> Command:
        whole = f"{typer_app.info.name} {name}" if typer_app.info.name else name
        hints: dict[str, Any] = get_type_hints(function)
        groups = {key: hint for key, hint in hints.items() if is_dataclass(hint)}
        own = inspect.signature(function).parameters.values()
        arguments = [parameter.name for parameter in own if _is_argument(parameter)]
        signature = [_declared(whole, each) for parameter in own for each in _each(parameter, hints)]

        @wraps(function)
        def wrapped(**values: Any) -> int:
            for key, group in groups.items():
                given = {field.name: values.pop(field.name) for field in fields(group)}
                chosen = {name: value for name, value in given.items() if value is not None}
                values[key] = group(**chosen)  # type: ignore[operator]
            return function(*[values.pop(argument) for argument in arguments], **values)

        wrapped.__signature__ = inspect.Signature(signature)  # type: ignore[attr-defined]
        wrapped.__annotations__ = {parameter.name: parameter.annotation for parameter in signature}
        said = inspect.cleandoc(function.__doc__ or "")
        short, help = said.partition("\n\n")[0].replace("\n", " "), OPTIONS["commands"].get(whole, "")
        typer_app.command(name, cls=_Command, short_help=short, help=f"{said}\n\n{help}")(wrapped)
        return function

    return register


def _is_argument(parameter: inspect.Parameter) -> bool:
    return parameter.kind is not inspect.Parameter.KEYWORD_ONLY


def _each(parameter: inspect.Parameter, hints: dict[str, Any]) -> Iterator[inspect.Parameter]:
    """The parameter, with its type; of a dataclass, its fields."""
    hint = hints[parameter.name]
    if not is_dataclass(hint):
        yield parameter.replace(annotation=hint)
        return
    types = get_type_hints(hint)
    for field in fields(hint):
        default = None if field.default == () else field.default
        kind = list[str] | None if "Sequence" in str(types[field.name]) else types[field.name]
        yield inspect.Parameter(field.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)


OPTIONS = tomllib.loads((resources.files("audit.cli") / "options.toml").read_text(encoding="utf-8"))


#: What stands for the value of an option that says nothing else, by a part of its type.
_VALUES = {"Path": "PATH", "int": "N", "float": "NUMBER", "str": "TEXT"}


def _declared(command_name: str, parameter: inspect.Parameter) -> inspect.Parameter:
    """With what `options.toml` says of it."""
    name, kind = parameter.name, parameter.annotation
    if kind is not typer.Context:
        table = OPTIONS["arguments" if _is_argument(parameter) else "options"]
        said = dict(table.get(f"{command_name}.{name}") or table[name])
        flag = said.pop("flag", f"--{name.replace('_', '-')}")
        how = typer.Argument(**said)
        if not _is_argument(parameter):
            value = next((value for word, value in _VALUES.items() if word in str(kind)), None)
            said.setdefault("metavar", value)  # none for a switch
            how = typer.Option(flag, callback=_use_models if name == "models" else None, **said)
        kind = Annotated[kind, how]
    return parameter.replace(annotation=kind, kind=inspect.Parameter.KEYWORD_ONLY)


def _use_models(context: typer.Context, folder: Path | None) -> Path | None:
    """Models of the folder are known until the command is over."""
    with ExitStack() as opened:  # a command whose options are refused is never closed
        opened.enter_context(models_of(folder))
        context.call_on_close(opened.pop_all().close)
    return folder


# --------------------------------------------------------------------------- what is printed


def say(text: str, *, fold: bool | None = None) -> None:
    """Print to stdout, in lines of `WIDTH` with `fold` (None: on a terminal); ends where it cannot write."""
    try:
        print(folded(text) if (sys.stdout.isatty() and fold is None) or fold else text, flush=True)
    except OSError as err:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise AuditError(f"standard output: {os.strerror(err.errno or 0)}; send it elsewhere") from err


def say_json(content: object, indent: int = 1) -> None:
    say(json.dumps(content, indent=indent, ensure_ascii=False), fold=False)


def say_on_stderr(text: str) -> None:
    """Wrapped on a terminal; whole elsewhere, where programs read it."""
    print(folded(text) if sys.stderr.isatty() else text, file=sys.stderr)


def say_table(
    heads: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    right: Iterable[int] = (),
    ruled: bool = False,
    spaced: bool = False,
) -> None:
    """A table as wide as the terminal; in a file or a pipe as COLUMNS says, or `WIDTH`. `right` are columns
    of numbers; `ruled` draws a line below the heads, `spaced` leaves one free below each row. What is too
    long for its column goes on in the next line."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    padding = (0, 1, 1, 0) if spaced else (0, 2, 0, 0)
    table = Table(box=box.SIMPLE_HEAD if ruled else None, padding=padding, pad_edge=False, show_edge=False)
    for k, head in enumerate(heads):
        table.add_column(Text(head), justify="right" if k in right else "left", overflow="fold")
    if spaced:
        table.columns[0].no_wrap = True
    for row in rows:
        table.add_row(*map(Text, row))
    console = Console(highlight=False)
    if not console.is_terminal:
        columns = os.environ.get("COLUMNS", "")
        console = Console(highlight=False, width=int(columns) if columns.isdecimal() else WIDTH)
    with console.capture() as captured:
        console.print(table)
    say("\n".join(line.rstrip() for line in captured.get().splitlines()).rstrip() + "\n", fold=False)


def verdict_code(audit: Audit) -> Exit:
    contradicted = any(verdict.outcome == "contradicted" for verdict in audit.verdicts)
    return Exit.CONTRADICTED if contradicted else Exit.OK
