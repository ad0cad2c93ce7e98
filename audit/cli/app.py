"""The command line's application and what all its commands share."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from audit.errors import AuditError
from audit.exit_codes import Exit

if TYPE_CHECKING:
    from audit.claim import KnownNames, Paper
    from audit.record import Audit

app = typer.Typer(
    help="Do the numbers in this paper hold? Runs a paper's claims, judges them, and writes a report.",
    epilog="Exit codes: 0 nothing contradicted, 1 something contradicted or inconsistent, 2 bad input, "
    "3 runs failed, 70 a fault of this tool, 130 interrupted.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
data_app = typer.Typer(help="Look at corpora, download and prepare them.", no_args_is_help=True)
app.add_typer(data_app, name="data")

Claims = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[CLAIMS]...", help="Claim files or keys of built-in ones; default: all built-in ones."
    ),
]


def say(text: str) -> None:
    """Print to stdout. Who reads may have had enough (`audit list | head`): the exit code still counts."""
    try:
        print(text, flush=True)
    except OSError as err:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(err, BrokenPipeError):
            raise AuditError(f"standard output: {os.strerror(err.errno or 0)}; send it elsewhere") from err


def verdict_code(audit: Audit) -> Exit:
    return Exit.CONTRADICTED if any(v.outcome == "contradicted" for v in audit.verdicts) else Exit.OK


def known_names() -> KnownNames:
    """What a claim file may name, found without loading torch."""
    from audit.claim import KnownNames
    from reimpl.data.recipe import RECIPES
    from reimpl.models import known_models, known_variants
    from reimpl.protocol import PROTOCOLS
    from reimpl.training_changes import problem
    from reimpl.tuning import problem as tuning_problem

    models = {name: known_variants(name) for name in known_models()}
    return KnownNames(models, tuple(PROTOCOLS), tuple(RECIPES), problem, tuning_problem)


def claim_paths(claims: Sequence[str] | None) -> list[Path]:
    from audit.claim import builtin_claims

    builtin = {path.stem: path for path in builtin_claims()}
    if not claims:
        return list(builtin.values())
    paths = []
    for name in claims:
        if name in builtin and not Path(name).exists():
            paths.append(builtin[name])
        elif "/" not in name and "." not in name and not Path(name).exists():
            raise AuditError(f"{name!r} is no file and no built-in paper; built-in are {', '.join(builtin)}")
        else:
            paths.append(Path(name))
    return paths


def papers_of(claims: Sequence[str] | None) -> list[Paper]:
    """All claim files; raises one error with the problems of all of them."""
    from audit.claim import load
    from audit.errors import ClaimFileError

    papers, problems = [], []
    for path in claim_paths(claims):
        try:
            papers.append(load(path))
        except ClaimFileError as err:
            problems += err.problems
    if problems:
        raise ClaimFileError(problems)
    return papers


def check_keys(papers: Sequence[Paper]) -> None:
    """Raises `AuditError` where two claim files have one key: they would be taken for one paper."""
    keys = [paper.paper.key for paper in papers]
    twice = [key for key in dict.fromkeys(keys) if keys.count(key) > 1]
    if twice:
        raise AuditError(f"{twice[0]!r} is the key of two claim files, and so of two reports; change one key")


def background(papers: Sequence[Paper]) -> list[Paper]:
    """The built-in papers that these copy numbers from, directly or not, and that are not among them."""
    from audit.claim import builtin_claims, load

    builtin = {path.stem: path for path in builtin_claims()}
    held = {paper.paper.key: paper for paper in papers}
    asked = list(papers)
    for paper in asked:
        for table in paper.table_records():
            for cell in (cell for row in table.rows for cell in row.cells):
                key = cell.copied_from
                if key and key not in held and key in builtin:
                    held[key] = load(builtin[key])
                    asked.append(held[key])
    return [paper for paper in held.values() if paper not in papers]
