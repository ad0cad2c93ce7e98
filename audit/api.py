"""The Python interface: what the commands do, with a paper in and records out.

>>> import audit
>>> paper = audit.load("chen2022")
>>> results = {"kim_words": {"P@1": [77.1, 77.4, 76.9]}, "kim_emb": {"P@1": [50.2, 48.8, 49.9]}}
>>> found = audit.judge(paper, results, dataset="EUR-Lex", by="our cluster, PyTorch 2.6")
>>> verdict = next(it for it in found.verdicts if it.claim == "sweep-ruins-kim:P@1")
>>> verdict.outcome, round(verdict.estimate, 2)
('reproduced', 27.5)

Errors are an `audit.AuditError` with the sentence that the commands print, in Python's spelling of the
options. Importing `audit` does not load this module.
"""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from audit.checks import findings_about
from audit.claims.load import Paper, builtin_claims, claim_paths
from audit.claims.load import load as load_file
from audit.errors import AuditError
from audit.importing.records import keep
from audit.importing.results import Declared, from_results, from_tables
from audit.importing.tables import WANTED, table_of
from audit.names import known_names
from audit.pipeline.session import Session
from audit.record import Audit, Finding, Shown
from audit.runner.models import models_of
from audit.runner.progress import new_console
from audit.settings import RunSettings
from audit.storage.files import write_texts
from audit.storage.manifest import keep_fixed
from audit.storage.runs import Store

if TYPE_CHECKING:
    import pandas


def load(paper: str | os.PathLike[str]) -> Paper:
    """The paper of a claim file, by its path or by the key of a built-in one. Raises `ClaimFileError` with
    every problem of the file, `AuditError` if there is no such paper."""
    return _paper(paper)[0]


class Findings(tuple[Finding, ...]):
    """What the checks that need no run found."""

    def __repr__(self) -> str:
        of = Counter(finding.result for finding in self)
        return f"<Findings: {', '.join(f'{number} {result}' for result, number in of.items())}>"

    def to_frame(self) -> pandas.DataFrame:
        """As a pandas table, a row for each finding."""
        import pandas

        names = "id check result weight claim where cells arithmetic alternatives"
        return pandas.DataFrame([asdict(finding) for finding in self], columns=names.split())


def check(paper: Paper | str | os.PathLike[str]) -> Findings:
    """The checks that need no run: printed tables against themselves, the paper's text and other papers.

    >>> sorted({finding.result for finding in check("chen2022")})
    ['consistent', 'inconsistent', 'untestable']
    """
    return Findings(findings_about([_paper(paper)[0]]))


def judge(
    paper: Paper | str | os.PathLike[str],
    results: object = None,
    *,
    store: str | os.PathLike[str] | None = None,
    corpus: str | None = None,
    evidence: Literal["ours", "imported"] = "ours",
    replace: bool = False,
    **declared: Any,
) -> Audit:
    """Judge every claim of the paper, by `results` or by the runs in a store.

    `results` are a table of results (CSV, JSON) by its path, a pandas DataFrame, rows, or a mapping
    `{experiment: {metric: values}}` with one value per seed, as `audit.importing.tables` says. They are
    judged alone and nothing is written, unless `store` names the folder whose runs they are added to.
    Without `results` the runs of `store` are judged, by default of `audit-runs`; `corpus` is the name
    of the report, which is needed if the store has runs on several corpora.

    `declared` has the declarations of `audit import`: by, authors_code, unit, dataset,
    fingerprint, same_data, other_split, test_size. Raises `AuditError`,
    `ImportFileError` with everything that is unclear in the results, and `StoreError`."""
    with _in_python(), ExitStack() as opened:
        read, path = _paper(paper)
        folder = Path(store or "audit-runs")
        if results is not None:
            said = Declared(**declared)
            if isinstance(results, str | os.PathLike):
                taken = from_results(read, [Path(results)], said)
            else:
                taken = from_tables(read, [table_of(results, WANTED)], said)
            if store is None:
                folder = Path(opened.enter_context(tempfile.TemporaryDirectory(prefix="audit-")))
                corpus, replace = None, False
            keep(taken, Store(folder), read, said, replacing=replace)
            keep_fixed(folder, read)
        session = Session(folder, evidence, "audit.judge")
        plans = {plan.report: plan for plan in session.plans(read)}
        if not plans:
            none = f"{folder}: no run of {read.paper.key} is there"
            raise AuditError(f"{none}; audit.run makes runs, and results= takes yours")
        if corpus is None and len(plans) > 1:
            raise AuditError(f"{folder}: runs on several corpora; add corpus= one of {', '.join(plans)}")
        chosen = corpus if corpus is not None else next(iter(plans))
        if chosen not in plans:
            raise AuditError(f"{folder}: corpus={chosen!r} is unknown; known are {', '.join(plans)}")
        return session.judge(read, path, plans[chosen])


def run(paper: Paper | str | os.PathLike[str], settings: RunSettings | None = None, **fields: Any) -> Audit:
    """Run the paper's experiments over seeds and judge its claims, as `audit run`.

    Give `audit.RunSettings`, or its fields as keywords: `audit.run("chen2022", seeds=5)`,
    `audit.run("chen2022", on="ray", resources="cpus=2")`. With `jobs` above 1
    a script needs `if __name__ == "__main__":`, since worker processes import it. Raises `AuditError`,
    `reimpl.errors.ReimplError` for data that cannot be read, and `KeyboardInterrupt` once active runs are
    saved: the same call continues from there."""
    from audit.pipeline.suite import judged_at_once, suites

    if settings is not None and fields:
        raise AuditError(f"run: give settings or keywords, not both (here {', '.join(fields)})")
    if settings is None:
        given = {name: value for name, value in fields.items() if value is not None}
        if unknown := [name for name in given if name not in RunSettings.__dataclass_fields__]:
            raise TypeError(f"run() got an unexpected keyword argument {unknown[0]!r}")
        settings = RunSettings(**{**({} if "on" in given else {"jobs": 1}), **given})
    if settings.submit:
        raise AuditError("run: submit= only writes a plan and returns no audit; use `audit run --submit`")
    with _in_python(), models_of(settings.models):
        read, path = _paper(paper)
        command = f"audit.run({read.paper.key!r}, seeds={settings.seeds})"
        session = Session(settings.store, settings.evidence, command, strict=False)
        out = settings.store / "reports"
        if not settings.rerun_changed and (audit := judged_at_once(read, path, settings, session, out)):
            return audit
        (suite,) = suites([(read, path)], settings, session, new_console(quiet=True), out)
        suite.run_own_commands()
        audit, _ = suite.run_once()
        if audit is None:
            raise KeyboardInterrupt
        return audit


def report(
    audit: Audit, path: str | os.PathLike[str], *, figures: Literal["svg", "pdf", "png"] | None = None
) -> Path:
    """Write the audit's page: to a name that ends in .html, or else with audit.json into that folder, with
    every figure in `figures/` if their format is given. Returns the path of the page. Raises `AuditError`."""
    from audit.cli.report import write_figures, write_files
    from reports.page import html

    where = Path(path)
    alone = where.suffix in (".html", ".htm")
    if figures:
        write_figures(audit, (where.parent if alone else where) / "figures", [figures])
    if not alone:
        return write_files(audit, where)[0]
    return write_texts(where.parent, {where.name: html(audit)})[0]


def sentence(audit: Audit, claim: str) -> str:
    """The verdict on one claim (`sweep-ruins-kim:P@1`) in a sentence or two, as the page has it."""
    from reports.lookup import Lookup

    known = {record.id: record for record in audit.claims}
    if claim not in known:
        raise AuditError(f"{claim!r} is not a claim of {audit.paper.key}; {known_names(claim, known)}")
    return Lookup(audit).sentence(known[claim])


#: What a notebook shows; imported where it is asked for.
Shown.as_html = lambda shown: str(import_module("reports.page").notebook(shown))


def _paper(paper: Paper | str | os.PathLike[str]) -> tuple[Paper, Path]:
    """The paper and its claim file; of one that was handed over, the name that the file would have."""
    if isinstance(paper, Paper):
        builtin = {path.stem: path for path in builtin_claims()}
        return paper, builtin.get(paper.paper.key, Path(f"{paper.paper.key}.yaml"))
    (path,) = claim_paths([os.fspath(paper)])
    return load_file(path), path


@contextmanager
def _in_python() -> Iterator[None]:
    """Messages name options as they are spelled here: `same_data=` in place of `--same-data`."""
    try:
        yield
    except AuditError as err:
        raise err.in_python() from err.__cause__
