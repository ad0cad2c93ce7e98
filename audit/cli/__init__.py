"""The command line: parses, calls, prints, and returns a named exit code. The only part that knows all."""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from typing import Any

import typer

from audit.cli import add, check, data, imports, report, work
from audit.cli import run as run_module
from audit.cli.app import app, say_on_stderr
from audit.errors import AuditError, Exit, in_data, lacking, on_the_command_line
from reimpl.errors import ReimplError, spelled

#: The modules of the commands, in the order of the help.
_ORDER = [module.__name__ for module in (run_module, imports, report, check, add, data, work)]
app.registered_commands.sort(key=lambda it: _ORDER.index(it.callback.__module__) if it.callback else 0)

#: click's base of all usage errors; typer carries click under a name that changes between releases.
_UsageProblem: type[Exception] = next(
    it for it in typer.BadParameter.__mro__ if it.__name__ == "ClickException"
)


def main(arguments: Sequence[str]) -> int:
    """Carry out one command; what is wrong with the input becomes sentences on stderr."""
    try:
        for argument in arguments:
            try:
                argument.encode()  # reports and records are text, and they name their files
            except UnicodeEncodeError as err:
                raise AuditError(f"{argument!r} is not text in UTF-8; rename the file or folder") from err
        code = app(list(arguments), prog_name="audit", standalone_mode=False, obj=list(arguments))
    except _UsageProblem as err:
        _show(err, arguments)
        return Exit.BAD_INPUT
    except (typer.Abort, KeyboardInterrupt):
        code = Exit.INTERRUPTED
    except ReimplError as err:
        say_on_stderr(f"audit: {spelled(spelled(err.message, in_data), on_the_command_line)}")
        return Exit.BAD_INPUT
    except AuditError as err:
        say_on_stderr(f"audit: {err}" if "\n" not in str(err) else str(err))
        return Exit.BAD_INPUT
    except BaseException as err:  # also where a library ends the process: 1 would say contradicted
        said = lacking(err)
        say_on_stderr(f"audit: {said}") if said else traceback.print_exc()
        return Exit.BAD_INPUT if said else Exit.FAULT
    if code == Exit.INTERRUPTED:  # some releases of typer turn Ctrl-C into this code themselves
        kept = arguments[:1] in (["run"], ["work"], ["tune"], ["data"])
        more = "; the same command continues from there" if kept else ""
        say_on_stderr(f"audit: interrupted{more}")
    return int(code or Exit.OK)


def _show(err: Any, arguments: Sequence[str]) -> None:
    """What is wrong with the words of a command, on one line like all else; help where nothing was said."""
    if type(err).__name__ == "NoArgsIsHelpError":
        err.show()
        return
    said = " ".join(err.format_message().split()).rstrip(".")
    if said.startswith("Missing") and (about := getattr(getattr(err, "param", None), "help", None)):
        said += f" ({about.rstrip('.')})"
    command = " ".join(("audit", *(word for word in arguments[:1] if word.isalpha())))
    command = err.ctx.command_path if getattr(err, "ctx", None) else command
    say_on_stderr(f"audit: {said[:1].lower()}{said[1:]}; `{command} --help` shows what there is")
