"""`audit add model`: a model of one's own, in one's own package, that runs as it is written."""

from __future__ import annotations

import keyword
import re
from importlib import resources
from pathlib import Path
from string import Template
from typing import Annotated

import typer

from audit.cli.app import add_app, say
from audit.cli.editing import DryRun
from audit.errors import AuditError, Exit

#: Templates -> names of the files that come of them.
_FILES = {"model.py.txt": "$name.py", "test_model.py.txt": "test_$name.py"}


@add_app.command("model")
def model_command(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What claim files say under `model:`.")],
    to: Annotated[Path, typer.Option(metavar="DIR", help="Folder of your package.")] = Path(),
    dry_run: DryRun = False,
) -> int:
    """Write a model file with its configuration, a toy test, and the fidelity checks to fill in.

    As written it is a small linear model on a bag of words, which runs. A file that is there is never
    overwritten.
    """
    from audit.claims.schema import MODULE, PATTERNS
    from audit.storage.files import explained, write
    from reimpl.models import sources_of_models

    if not re.fullmatch(MODULE, name) or keyword.iskeyword(name):
        raise AuditError(f"{name!r} cannot be a model's name; give {PATTERNS[MODULE]}")
    if (source := sources_of_models().get(name)) is not None:
        raise AuditError(f"there is a model {name!r} already, of {source}; choose another name")
    if not to.is_dir():
        raise AuditError(f"{to}: no such folder; make it, or choose another with --to DIR")
    files: dict[Path, str] = {}
    for template, target in _FILES.items():
        text = (resources.files("audit") / "templates" / template).read_text(encoding="utf-8")
        files[to / Template(target).substitute(name=name)] = Template(text).substitute(name=name)
    if there := [path for path in files if path.exists()]:
        raise AuditError(f"{there[0]}: there is such a file, and it is kept; choose another name or --to DIR")
    if dry_run:
        say("\n".join(f"--- {path}\n{text}" for path, text in files.items()))
        return Exit.OK
    for path, text in files.items():
        with explained(path):
            write(path, text.encode())
    say("\n".join(f"{path}: written" for path in files))
    say(_next(name, to))
    return Exit.OK


def _next(name: str, to: Path) -> str:
    # Packages are the folders above the file that have an `__init__.py`.
    module, folder = name, to.resolve()
    while (folder / "__init__.py").exists():
        module, folder = f"{folder.name}.{module}", folder.parent
    return (
        f"\nIn a claim file:\n\n    experiments:\n      mine: {{title: ..., model: {name}, variant: paper, "
        "protocol: small, recipe: study2022, dataset: ...}\n"
        f"\nRuns as it is:     audit run CLAIMS --models {to}\n"
        f"Tests:             python -m pytest {to / f'test_{name}.py'}\n"
        f"\nOnce your package is installed with these lines in its pyproject.toml, without --models:\n"
        f'\n    [project.entry-points."xmtc_audit.models"]\n    {name} = "{module}"\n'
        "\nThe fidelity check against the public code is yours to fill in; until then its runs contradict "
        "nothing."
    )
