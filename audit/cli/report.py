"""`audit judge`, `report`, `explain`, `plan`: verdicts from the store, the page, changes, what is open."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from audit.claims.load import claim_paths, papers_of
from audit.cli.app import Folder, Words, app, command, say, say_json, say_on_stderr, verdict_code
from audit.errors import AuditError, Exit
from audit.names import counted, first_of, wrapped
from audit.record import Audit, SplitStudy, to_json
from audit.storage.files import explained, read_audit, write, write_texts

if TYPE_CHECKING:
    from audit.judging.plan import Outlook

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
    """Write the HTML page again from audit.json, or compare two records."""
    from reports.compare import changes, changes_text
    from reports.figures import FORMATS
    from reports.page import changes_html

    names = also_of(also)
    formats = _known("--figure-format", figure_format, FORMATS)
    if diff:
        if records or also or figures:
            raise AuditError("--diff only compares two records; leave out the other options")
        before, after = map(read_audit, diff)
        if before.paper.key != after.paper.key:
            keys = f"is an audit of {before.paper.key!r}, and {diff[1]} one of {after.paper.key!r}"
            raise AuditError(f"{diff[0]}: {keys}; give two records of one paper")
        changed = changes(before, after)
        (page,) = write_texts(diff[1].parent, {"changes.html": changes_html(changed)})
        say(f"{changes_text(changed)}\n\npage: {page}", fold=True)
        return Exit.CONTRADICTED if changed.worse else Exit.OK
    worst, paths = Exit.OK, records or records_in(out)
    audits = {path: read_sound(path) for path in paths}
    for path, audit in audits.items():
        write_report(audit, path.parent, names)
        if figures:
            own = figures if len(audits) == 1 else figures / path.parent.name
            say(f"figures: {write_figures(audit, own, formats)} in {own}")
        worst = max(worst, verdict_code(audit))
    return worst


@command(app, "explain")
def explain_command(
    claim: str, records: list[Path] | None = None, *, out: Path = Path("audit-report")
) -> int:
    """Show how a verdict was derived: every number with its formula, and what would change the verdict."""
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
            f"{path}: its verdicts differ from those of its runs; another version of this tool wrote it: "
            "`audit judge` makes it again from the runs in the store"
        )
    return audit


def write_report(audit: Audit, folder: Path, also: Sequence[str] = ()) -> None:
    """Page, record and what is wanted beside them into the folder, the verdicts to the screen."""
    from reports.exports import summary

    page, record, *beside = write_files(audit, folder, also)
    lines = [f"report: {page}", f"record: {record}", *(f"also: {path}" for path in beside)]
    say(f"{summary(audit)}\n", fold=True)
    say("\n".join(lines), fold=False)


def write_figures(audit: Audit, folder: Path, formats: Sequence[str]) -> int:
    """Every figure of the audit in every format; how many files that are."""
    from reports.figures import draw_figure, drawn_figures

    drawn = [(figure, kind) for figure in drawn_figures(audit) for kind in formats]
    with explained(folder):
        folder.mkdir(parents=True, exist_ok=True)
        for figure, kind in drawn:
            write(folder / f"{figure.name}.{kind}", draw_figure(figure, kind))  # type: ignore[arg-type]
    return len(drawn)


def write_files(audit: Audit, folder: Path, also: Sequence[str] = ()) -> list[Path]:
    """Page, record, the exports asked for, and those already there: none is older than the page."""
    from reports.exports import EXPORTS as WRITERS
    from reports.page import html

    texts = {"report.html": html(audit), "audit.json": to_json(audit)}
    for name, (file, written) in WRITERS.items():
        if name in also or (folder / file).exists():
            texts[file] = written(audit)
    return write_texts(folder, texts)


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
    """Judge the claims by the runs in the store, ours and imported ones, and write the reports."""
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
            how = "`audit run` makes runs, `audit import` takes yours"
            raise AuditError(f"{store}: it holds no run of {paper.paper.key}; {how}")
        for plan in plans:
            audit = session.judge(paper, path, plan)
            column = column_of(plan.report)
            of_study = column is not None and column[0] in studies  # all columns have one table on the screen
            if len(papers) + len(plans) > 2 and not of_study:
                say(f"{plan.report}:")
            (write_files if of_study else write_report)(audit, out / plan.report, names)
            for text in audit.about_looks:
                say_on_stderr(text)
            worst, judged = max(worst, verdict_code(audit)), judged + 1
        for report, study in studies.items():
            tell_study(study, out / report)
    if not judged:
        none = "it holds no run of a built-in paper"
        raise AuditError(f"{store}: {none}; name a claim file, or `audit run` first")
    return worst


def command_line(context: typer.Context) -> str:
    """The command as typed, but no path of this machine goes into a report: `~/runs`, `/path/to/runs`."""

    def shown(word: str) -> str:
        for folder, short in ((Path.cwd(), ""), (Path.home(), "~/")):
            word = word.replace(f"{folder}/", short) if folder.name else word
        return re.sub(r"(^'?|[=:])/(?!/).*/(?=.)", r"\1/path/to/", word)

    return " ".join(["audit", *(shown(shlex.quote(word)) for word in context.obj)])


def tell_study(study: SplitStudy, folder: Path) -> None:
    """The table of a study of split columns to the screen."""
    from reports.tables import split_table

    say(f"{split_table(study)}\n\nreports: {folder}@N, one a column; each record has the study as `splits`")


@command(app, "plan")
def plan_command(
    names: Words = None, *, out: Path = Path("audit-report"), as_json: bool = False, everything: bool = False
) -> int:
    """List the open claims by the cost of settling them: seeds, and their time by the run records."""
    from audit.judging.plan import TEXTS, cost, outlooks, settling

    audits, ours = list(_audits(names, out)), False
    some = set[bool]()  # whether what seeds can settle is imported
    if as_json:
        said = []
        for audit, where in audits:
            claims = [{"claim": name, **asdict(found)} for name, found in settling(audit).items()]
            paper, judgements = audit.paper.key, len(audit.claims)
            said.append({"paper": paper, "record": where, "claims": judgements, "open": claims})
        say_json(said)
        return Exit.OK
    for audit, where in audits:
        open_claims = sorted(outlooks(audit), key=cost)  # the cheapest first
        _print(audit, where, open_claims, everything)
        some |= {claim.imported for claim in open_claims if claim.seeds is not None}
        runs = [run for record in audit.experiments for run in record.runs]
        ours |= not runs or any(not run.imported for run in runs)
    if some:
        say("\n".join(wrapped(" ".join([TEXTS["legend"], *[TEXTS["looks"]] * (ours and False in some)]))))
    return Exit.OK


def _audits(names: Sequence[str] | None, out: Path) -> Iterator[tuple[Audit, str]]:
    for name in names or ():
        if name.endswith(".json"):
            yield read_sound(Path(name)), name
            continue
        (key,) = [paper.paper.key for paper in papers_of([name])]
        audits = [(read_sound(path), str(path)) for path in records_in(out)]
        if not any(audit.paper.key == key for audit, _ in audits):
            raise AuditError(f"{out}: it holds no audit of {key}; `audit run {name}` makes one")
        yield from (of for of in audits if of[0].paper.key == key)
    if not names:
        yield from ((read_sound(path), str(path)) for path in records_in(out))


def _print(audit: Audit, where: str, open_claims: Sequence[Outlook], everything: bool) -> None:
    from audit.judging.plan import TEXTS, RunTimes, seeds_needed, sentence

    lacking = [claim for claim in open_claims if claim.imported and claim.reason == "not_run"]
    by_seeds = [claim for claim in open_claims if claim.seeds is not None and claim not in lacking]
    of = f"{len(open_claims)} of {counted(len(audit.claims), 'judgement')} open"
    if not open_claims:
        say(f"{audit.paper.key} ({where}): nothing is open\n", fold=True)
        return
    say(f"{audit.paper.key} ({where}): {of}; more seeds can settle {len(by_seeds)} of them\n", fold=True)
    if by_seeds:
        rows: dict[tuple[str, str], list[str]] = {}
        for claim in by_seeds:
            name, _, metric = claim.claim.partition(":")
            rows.setdefault((name, seeds_needed(claim)), []).append(metric)  # with the same plan in one line
        for (name, plan), metrics in rows.items():
            say("\n".join(wrapped(f"{' '.join(filter(None, (name, *metrics)))}: {plan}", 0, 4)))
        every = {name for claim in by_seeds for name in claim.missing}
        runs = {name: max(claim.missing.get(name, 0) for claim in by_seeds) for name in every}
        time = RunTimes(audit.experiments).of(runs)
        total = f"{sum(runs.values())} runs" + (f", {time}" if time else "")
        say(f"\nall these together, shared runs counted once: {total}\n", fold=True)
        if any(claim.imported for claim in by_seeds):
            say(f"{TEXTS['imports']}\n")
    hopeless: dict[str, list[str]] = {}
    for claim in open_claims:
        if claim not in by_seeds:
            hopeless.setdefault(sentence(claim), []).append(claim.claim)
    for text, names in sorted(
        hopeless.items(), key=lambda it: (it[0].startswith("cannot be run"), -len(it[1]))
    ):
        say(f"{counted(len(names), 'judgement')}: {text}", fold=True)
        say("\n".join(wrapped(first_of(sorted(names), len(names) if everything else 3), 4)))
    say("" if everything else "`audit plan --all` names all of them.\n")
