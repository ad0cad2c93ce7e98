"""Papers by the words that a user names them with: keys of built-in ones, and claim files."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from audit.checks import all_findings
from audit.checks.tables import Sheet, sheet_of
from audit.claims.load import Paper, builtin_claims, load
from audit.errors import AuditError, ClaimFileError
from audit.record import Finding


def own_file(name: str) -> Path | None:
    """NAME, claims/NAME.yaml or NAME.yaml, the first that is a file; a path is taken as it is."""
    by_key = () if {"/", "."} & set(name) else (Path("claims") / f"{name}.yaml", Path(f"{name}.yaml"))
    return next((path for path in (Path(name), *by_key) if path.is_file()), None)


def claim_paths(claims: Sequence[str] | None) -> list[Path]:
    """The claim files by path or key: a built-in paper first, then `own_file`. Raises `AuditError` for
    neither."""
    builtin = {path.stem: path for path in builtin_claims()}
    if not claims:
        return list(builtin.values())
    paths = []
    for name in claims:
        path: Path | None = Path(name)
        if not {"/", "."} & set(name) and not Path(name).exists():
            path = builtin.get(name) or own_file(name)
        if path is None:
            known = ", ".join(builtin)
            raise AuditError(f"{name!r} is no file and no built-in paper; built-in are {known}")
        paths.append(path)
    return paths


def papers_of(claims: Sequence[str] | None) -> list[Paper]:
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


@cache
def _builtin_sheet(path: Path) -> Sheet:
    return sheet_of(load(path))


def sheets_beside(paper: Paper, others: Sequence[Paper] = ()) -> tuple[Sheet, ...]:
    """What the numbers of `paper` are held against: the built-in papers, and the others that the user named,
    which go before built-in ones of their keys."""
    named = {other.paper.key: sheet_of(other) for other in others}
    sheets = {path.stem: named.get(path.stem) or _builtin_sheet(path) for path in builtin_claims()} | named
    return tuple(sheet for key, sheet in sheets.items() if key != paper.paper.key)


def findings_about(papers: Sequence[Paper]) -> list[Finding]:
    """What the checks that need no run find about these papers, and between them and the built-in ones."""
    keys = {paper.paper.key for paper in papers}
    others = [_builtin_sheet(path) for path in builtin_claims() if path.stem not in keys]
    return list(all_findings([sheet_of(paper) for paper in papers], others))
