"""`audit judge` and `audit report`: verdicts from the store; the page, its siblings, what changed."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from audit.cli.app import app, claim_paths, papers_of, say, verdict_code
from audit.cli.options import command
from audit.errors import AuditError, Exit

if TYPE_CHECKING:
    from audit.record import Audit, SplitStudy

#: What is written beside a page on demand.
EXPORTS = ("csv", "markdown", "junit", "latex")


@command(app, "report")
def report_command(
    records: list[Path] | None = None,
    *,
    out: Path = Path("audit-report"),
    also: str | None = None,
    figures: Path | None = None,
    figure_format: str = "svg",
    diff: tuple[Path, Path] | None = None,
) -> int:
    """Write the HTML page again from audit.json, beside it; needs no data, no GPU and no torch.

    --diff tells verdicts, claims and findings that changed, with what differs behind each, and writes
    changes.html and changes.md beside NEW. Its exit code is 1 if something became contradicted or
    inconsistent, else 0.
    """
    from reports.figures import FORMATS

    names = also_of(also)
    formats = _known("--figure-format", figure_format, FORMATS)
    if diff:
        if records or also or figures:
            raise AuditError("--diff compares two records and writes no report; leave out the other options")
        return _tell_changes(*diff)
    worst, paths = Exit.OK, records or records_in(out)
    audits = {path: read_sound(path) for path in paths}
    for path, audit in audits.items():
        with numbers_explained(path):
            write_report(audit, path.parent, names)
        if figures:
            own = figures if len(audits) == 1 else figures / path.parent.name
            say(f"figures: {_draw_figures(audit, own, formats)} in {own}")
        worst = max(worst, verdict_code(audit))
    if len({path.resolve().parent.parent for path in audits}) == 1:
        write_index(next(iter(audits)).parent.parent)
    return worst


def also_of(text: str | None) -> tuple[str, ...]:
    """The names in `csv,junit`, each once; raises for one that is unknown."""
    if text is None:
        return ()
    return EXPORTS if text.strip() == "all" else _known("--also", text, EXPORTS, ", and all")


def _known(option: str, text: str, known: Sequence[str], more: str = "") -> tuple[str, ...]:
    names = [name.strip() for name in text.split(",")]
    if unknown := [name for name in names if name not in known]:
        raise AuditError(f"{option} {unknown[0]!r} is unknown; known are {', '.join(known)}{more}")
    return tuple(dict.fromkeys(names))


def _tell_changes(old: Path, new: Path) -> Exit:
    """Of one paper, to the screen, and as a page and as Markdown beside the newer record."""
    from audit.judging.assemble import is_judged_by
    from audit.storage.files import explained, read_audit, write
    from reports.compare import changes, changes_markdown, changes_text
    from reports.render import changes_html

    before, after = read_audit(old), read_audit(new)
    if before.paper.key != after.paper.key:
        keys = f"is an audit of {before.paper.key!r}, and {new} one of {after.paper.key!r}"
        raise AuditError(f"{old}: {keys}; give two of one paper")
    for path, audit in ((old, before), (new, after)):
        try:
            sound = is_judged_by(audit)
        except (ValueError, ArithmeticError, LookupError):
            sound = False
        if not sound:  # of an older record it may be no more than that rules changed since
            said = "its verdicts are not those that its runs give in this version; compared as they are"
            print(f"{path}: {said}", file=sys.stderr)
    changed = changes(before, after)
    page, text = new.parent / "changes.html", new.parent / "changes.md"
    with explained(new.parent):
        write(page, changes_html(changed).encode())
        write(text, changes_markdown(changed).encode())
    say(f"{changes_text(changed)}\n\npage: {page}\ntext: {text}")
    return Exit.CONTRADICTED if changed.worse else Exit.OK


def records_in(out: Path) -> list[Path]:
    """All that `audit run` wrote there; raises where it wrote nothing."""
    paths = sorted(out.glob("*/audit.json"))
    if not paths:
        raise AuditError(f"{out}: no audit.json there; `audit run` makes one")
    return paths


def read_sound(path: Path) -> Audit:
    """The audit in a file; raises where its verdicts are not those that its own runs give."""
    from audit.judging.assemble import is_judged_by
    from audit.storage.files import read_audit

    audit = read_audit(path)
    with numbers_explained(path):
        sound = is_judged_by(audit)
    if not sound:
        raise AuditError(
            f"{path}: its verdicts are not those that its runs give; it was changed, or another version "
            "of this tool wrote it: `audit judge` makes it again from the runs in the store"
        )
    return audit


@contextmanager
def numbers_explained(path: Path) -> Iterator[None]:
    """Numbers that no run of ours gives are a fault of the file."""
    try:
        yield
    except (ValueError, ArithmeticError, LookupError) as err:
        problem = " ".join(str(err).split())[:200]
        raise AuditError(
            f"{path}: holds what cannot be judged ({problem}); `audit judge` makes it again"
        ) from err


def write_report(audit: Audit, folder: Path, also: Sequence[str] = ()) -> None:
    """Page, record and what is wanted beside them into the folder, the verdicts to the screen."""
    from reports.exports import summary

    page, record, *beside = write_files(audit, folder, also)
    lines = [f"report: {page}", f"record: {record}", *(f"beside: {path}" for path in beside)]
    say("\n".join([summary(audit), "", *lines]))


def write_files(audit: Audit, folder: Path, also: Sequence[str] = ()) -> list[Path]:
    """Page, record, the exports that are asked for, and those that an earlier command wrote there: none is
    older than the page beside it."""
    from audit.record import to_json
    from audit.storage.files import explained, write
    from reports.exports import EXPORTS as WRITERS
    from reports.render import html

    contents = {folder / "report.html": html(audit), folder / "audit.json": to_json(audit)}
    for name, export in WRITERS.items():
        path = folder / export.file
        if name in also or path.exists():
            contents[path] = export.write(audit)
    with explained(folder):
        folder.mkdir(parents=True, exist_ok=True)
        for path, text in contents.items():
            write(path, text.encode())
    return list(contents)


def write_index(out: Path) -> None:
    """`index.html` over the reports in `out`; nothing where there is one only.

    A record beside them that is none is named on the page: it does not keep the others from being shown.
    """
    from audit.storage.files import explained, read_audit, write
    from reports.render import index_html

    audits, unread = [], []
    for path in sorted(out.glob("*/audit.json")):
        try:
            audits.append((path.parent.name, read_audit(path)))
        except AuditError:
            unread.append(path.parent.name)
    page = out / "index.html"
    if len(audits) > 1:
        with explained(page):
            write(page, index_html(audits, unread).encode())
        say(f"index: {page}")


def _draw_figures(audit: Audit, folder: Path, formats: Sequence[str]) -> int:
    """The audit's figures in the folder, each in each format, and how many; other files there stay."""
    from audit.storage.files import explained, write
    from reports.figures import draw_figure, paper_figures

    figures = [(figure, kind) for figure in paper_figures(audit) for kind in formats]
    with explained(folder):
        folder.mkdir(parents=True, exist_ok=True)
        for figure, kind in figures:
            write(folder / f"{figure.name}.{kind}", draw_figure(figure, kind))  # type: ignore[arg-type]
    return len(figures)


# --------------------------------------------------------------------------- judge


@command(app, "judge")
def judge_command(
    claims: list[str] | None = None,
    *,
    context: typer.Context,
    store: Path = Path("audit-runs"),
    out: Path = Path("audit-report"),
    evidence: str = "ours",
    also: str | None = None,
) -> int:
    """Judge the claims by the runs in the store, ours and imported ones, and write the reports.

    Ours are those that the newest `audit run` of each corpus planned, with all their seeds. Needs no data, no
    GPU and no torch.
    """
    from audit.judging.splits import column_of
    from audit.pipeline.session import Session, command_line

    session = Session(store, evidence, command_line(context.obj), _on_stderr)
    paths = claim_paths(claims)  # a paper that there is not is told before a store that there is not
    _ = session.runs
    papers = session.context = papers_of(claims)
    grown = [session.grown(paper, path) for paper, path in zip(papers, paths, strict=True)]
    worst, judged, names = Exit.OK, 0, also_of(also)
    for paper, added in zip(papers, grown, strict=True):
        plans, studies = session.plans(paper), session.studies(paper)
        undecided: dict[str, list[int]] = {}
        if claims and not plans:
            key = paper.paper.key
            how = "`audit run` makes some, `audit import` takes others'"
            raise AuditError(f"{store}: no run of {key} is there; {how}")
        for plan in plans:
            audit = session.judge(paper, plan, added)
            column = None if _decides(audit) else column_of(plan.report)
            if column is not None and column[0] in studies:
                write_files(audit, out / plan.report, names)
                undecided.setdefault(column[0], []).append(column[1])
            else:
                write_report(audit, out / plan.report, names)
            for text in audit.about_looks:
                _on_stderr(text)
            worst, judged = max(worst, verdict_code(audit)), judged + 1
        for report, study in studies.items():
            if columns := undecided.get(report):
                say(undecided_line(columns, out / f"{report}@{columns[0]}"))
            tell(study, out / report)
    if not judged:
        raise AuditError(
            f"{store}: no run of a built-in paper is there; name a claim file, or `audit run` first"
        )
    write_index(out)
    return worst


def _decides(audit: Audit) -> bool:
    """Whether any claim could be judged, or is decided without a test."""
    decided = ("reproduced", "contradicted")
    return any(it.p_reproduced is not None or it.outcome in decided for it in audit.verdicts)


def _on_stderr(text: str) -> None:
    print(text, file=sys.stderr)


def undecided_line(columns: Sequence[int], folder: Path) -> str:
    """One line of columns that decide nothing when each is judged alone; `folder` is that of the first."""
    several = len(columns) > 1
    which = f"column{'s' if several else ''} {', '.join(map(str, columns))}"
    each, more = (", each by its own runs", " and so on") if several else (" by its own runs", "")
    return f"{which}: judged alone{each}, nothing decided; {folder}{more}"


def tell(study: SplitStudy, folder: Path) -> None:
    """The record of the study into the folder, its table to the screen."""
    from audit.record import to_json
    from audit.storage.files import explained, write
    from reports.splits import split_table

    path = folder / "columns.json"
    with explained(folder):
        folder.mkdir(parents=True, exist_ok=True)
        write(path, to_json(study).encode())
    say(f"{split_table(study, values=False)}\n\nrecord: {path}, with the value of each run")
