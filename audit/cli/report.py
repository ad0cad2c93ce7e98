"""`audit judge` and `audit report`: verdicts from the store; the page, its siblings, what changed."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

import typer

from audit.claims.papers import claim_paths, papers_of
from audit.cli.app import Folder, Words, app, command, say, say_on_stderr, verdict_code
from audit.errors import AuditError, Exit
from audit.record import Audit, SplitStudy, to_json
from audit.storage.files import explained, read_audit, write, write_texts

#: What is written beside a page on demand.
EXPORTS = ("csv", "markdown", "junit", "latex")


@command(app, "report")
def report_command(
    records: list[Path] | None = None,
    *,
    out: Path = Path("audit-report"),
    also: str | None = None,
    figures: Folder = None,
    figure_format: str = "svg",
    diff: tuple[Path, Path] | None = None,
) -> int:
    """Write the HTML page again from audit.json, beside it; needs no data, no GPU and no torch.

    --diff tells verdicts, claims and findings that changed, with what differs behind each, and writes
    changes.html beside NEW. Its exit code is 1 if something became contradicted or
    inconsistent, else 0.
    """
    from reports.figures import FORMATS, draw_figure, drawn_figures

    names = also_of(also)
    formats = _known("--figure-format", figure_format, FORMATS)
    if diff:
        if records or also or figures:
            raise AuditError("--diff compares two records and writes no report; leave out the other options")
        return _tell_changes(*diff)
    worst, paths = Exit.OK, records or records_in(out)
    audits = {path: read_sound(path) for path in paths}
    for path, audit in audits.items():
        write_report(audit, path.parent, names)
        if figures:
            own = figures if len(audits) == 1 else figures / path.parent.name
            drawn = [(figure, kind) for figure in drawn_figures(audit) for kind in formats]
            with explained(own):
                own.mkdir(parents=True, exist_ok=True)
                for figure, kind in drawn:
                    write(own / f"{figure.name}.{kind}", draw_figure(figure, kind))  # type: ignore[arg-type]
            say(f"figures: {len(drawn)} in {own}")
        worst = max(worst, verdict_code(audit))
    if len({path.resolve().parent.parent for path in audits}) == 1:
        write_index(next(iter(audits)).parent.parent)
    return worst


@command(app, "explain")
def explain_command(
    claim: str,
    records: list[Path] | None = None,
    *,
    out: Path = Path("audit-report"),
) -> int:
    """Show how a verdict came about: every number, with the formula that gives it, and what would change it.

    Needs no data, no GPU and no torch.
    """
    from audit.cli.explanation import explained

    audits = [(path, read_sound(path)) for path in records or records_in(out)]
    say("\n\n".join(explained(claim, audits)))
    return Exit.OK


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
    """Of one paper, to the screen, and as a page beside the newer record."""
    from reports.compare import changes, changes_text
    from reports.page import changes_html

    before, after = read_audit(old), read_audit(new)
    if before.paper.key != after.paper.key:
        keys = f"is an audit of {before.paper.key!r}, and {new} one of {after.paper.key!r}"
        raise AuditError(f"{old}: {keys}; give two of one paper")
    changed = changes(before, after)
    (page,) = write_texts(new.parent, {"changes.html": changes_html(changed)})
    say(f"{changes_text(changed)}\n\npage: {page}")
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

    audit = read_audit(path)
    if not is_judged_by(audit):
        raise AuditError(
            f"{path}: its verdicts are not those that its runs give; another version of this tool wrote it: "
            "`audit judge` makes it again from the runs in the store"
        )
    return audit


def write_report(audit: Audit, folder: Path, also: Sequence[str] = ()) -> None:
    """Page, record and what is wanted beside them into the folder, the verdicts to the screen."""
    from reports.exports import summary

    page, record, *beside = write_files(audit, folder, also)
    lines = [f"report: {page}", f"record: {record}", *(f"beside: {path}" for path in beside)]
    say("\n".join([summary(audit), "", *lines]))


def write_files(audit: Audit, folder: Path, also: Sequence[str] = ()) -> list[Path]:
    """Page, record, the exports that are asked for, and those that an earlier command wrote there: none is
    older than the page beside it."""
    from reports.exports import EXPORTS as WRITERS
    from reports.page import html

    texts = {"report.html": html(audit), "audit.json": to_json(audit)}
    for name, export in WRITERS.items():
        if name in also or (folder / export.file).exists():
            texts[export.file] = export.write(audit)
    return write_texts(folder, texts)


def write_index(out: Path) -> None:
    """`index.html` over the reports in `out`; nothing where there is one only. A record beside them that is
    none is named on the page: it does not keep the others from being shown."""
    from reports.page import index_html

    audits, unread = [], []
    for path in sorted(out.glob("*/audit.json")):
        try:
            audits.append((path.parent.name, read_audit(path)))
        except AuditError:
            unread.append(path.parent.name)
    if len(audits) > 1:
        (page,) = write_texts(out, {"index.html": index_html(audits, unread)})
        say(f"index: {page}")


# --------------------------------------------------------------------------- judge


@command(app, "judge")
def judge_command(
    claims: Words = None,
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
    from audit.judging.assemble import column_of
    from audit.pipeline.session import Session

    session = Session(store, evidence, command_line(context), say_on_stderr)
    paths = claim_paths(claims)  # a paper that there is not is told before a store that there is not
    _ = session.runs
    papers = session.context = papers_of(claims)
    for paper, path in zip(papers, paths, strict=True):
        session.grown(paper, path)  # what was changed after the runs is told before anything is judged
    worst, judged, names = Exit.OK, 0, also_of(also)
    for paper, path in zip(papers, paths, strict=True):
        plans, studies = session.plans(paper), session.studies(paper)
        if claims and not plans:
            how = "`audit run` makes some, `audit import` takes others'"
            raise AuditError(f"{store}: no run of {paper.paper.key} is there; {how}")
        for plan in plans:
            audit = session.judge(paper, path, plan)
            column = column_of(plan.report)
            of_study = column is not None and column[0] in studies  # all columns have one table on the screen
            (write_files if of_study else write_report)(audit, out / plan.report, names)
            for text in audit.about_looks:
                say_on_stderr(text)
            worst, judged = max(worst, verdict_code(audit)), judged + 1
        for report, study in studies.items():
            tell_study(study, out / report)
    if not judged:
        raise AuditError(
            f"{store}: no run of a built-in paper is there; name a claim file, or `audit run` first"
        )
    write_index(out)
    return worst


def command_line(context: typer.Context) -> str:
    """The command as it is typed."""
    return shlex.join(["audit", *context.obj])


def tell_study(study: SplitStudy, folder: Path) -> None:
    """The record of a study of split columns into the folder, its table to the screen."""
    from reports.tables import split_table

    (path,) = write_texts(folder, {"columns.json": to_json(study)})
    say(f"{split_table(study)}\n\nrecord: {path}, with the value of each run")
    say(f"reports: {folder}@N, one a column")
