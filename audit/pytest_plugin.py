"""`pytest --audit claims/`: claims and findings of claim files as tests, judged by the runs in the store.

    contradicted, inconsistent                    failed, with the sentence of the page
    inconclusive, not tested, cannot be tested    skipped, with the reason
    reproduced, consistent                        passed

Runs are only read: nothing is trained, no look and no margin is written. Every run of pytest loads this
module, and the rest of the package only where `--audit` is."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from audit.claims.load import Paper
    from audit.record import Audit, Finding
    from audit.storage.manifest import KeptPlan

Outcome = tuple[str, str]
"""The status of a claim or the result of a finding, and its sentence."""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("audit", "claims of papers as tests")
    group.addoption(
        "--audit",
        action="append",
        default=[],
        metavar="CLAIMS",
        help="A claim file, a folder of them, or the key of a built-in one; may be repeated. Contradicted "
        "and inconsistent fail; inconclusive and not tested are skipped. Nothing is run.",
    )
    group.addoption(
        "--audit-store", default="audit-runs", metavar="DIR", help="Folder of the run records to judge by."
    )
    group.addoption(
        "--audit-evidence",
        default="ours",
        choices=["ours", "imported"],
        help="Which runs judge an experiment that has both.",
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("audit"):
        config.pluginmanager.register(Claims(config), "audit-claims")


class Claims:
    """The plugin of one session: which files are claim files, and what is known of them."""

    def __init__(self, config: pytest.Config) -> None:
        """Tells pytest to collect the files: alone, unless tests are named beside them."""
        from audit.pipeline.session import Session

        names, here = config.getoption("audit"), config.invocation_params.dir
        store, evidence = here / config.getoption("audit_store"), config.getoption("audit_evidence")
        command = shlex.join(("pytest", *(f"--audit={name}" for name in names)))
        self.paths = list(dict.fromkeys(path for name in names for path in _paths(name, here)))
        # Where nothing was named, pytest took the usual folders.
        given = list(config.args) if config.args_source is config.ArgsSource.ARGS else []
        named = {(here / arg.split("::")[0]).resolve() for arg in given}
        config.args = [*given, *(str(path) for path in self.paths if path not in named)]
        # Worker processes get the options as they stand here, and need not have the same folder.
        config.option.audit = [str(path) for path in self.paths]
        self.session = Session(store, evidence, command, on_record=False)
        self.audits: dict[tuple[Path, str], Audit] = {}
        self._papers: dict[Path, Paper] | None = None

    @pytest.hookimpl
    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> ClaimFile | None:
        if file_path.resolve() not in self.paths:
            return None
        root = parent.config.rootpath
        # Of a file elsewhere, such as a built-in one, pytest would leave the name out.
        name = file_path if not file_path.is_relative_to(root) else file_path.relative_to(root)
        return ClaimFile.from_parent(parent, path=file_path, nodeid=name.as_posix(), claims=self)

    @pytest.hookimpl
    def pytest_report_header(self) -> str:
        files = ", ".join(path.name for path in self.paths)
        return f"audit: {files}; judged by the runs in {self.session.store}"

    def findings_of(self, path: Path) -> list[Finding]:
        """Of a paper; those that hold papers against each other belong to the first file that can be read."""
        from audit.checks import findings_about
        from audit.claims.load import load
        from audit.errors import ClaimFileError

        if self._papers is None:
            self._papers = {}
            for each in self.paths:
                try:
                    self._papers[each] = load(each)
                except ClaimFileError:  # it is told where that file is collected
                    continue
            self.findings = findings_about(list(self._papers.values()))
        mine = [self._papers[path].paper.key, *(["across"] if path == next(iter(self._papers)) else [])]
        return [finding for finding in self.findings if finding.id.split(":")[0] in mine]

    def verdict(self, path: Path, paper: Paper, claim: str, plan: KeptPlan | None) -> Outcome:
        """Of one claim and metric, by the runs of one report, judged once a session and process."""
        from audit.api import sentence
        from reports.sentences import status_of

        if plan is None:
            none = f"not tested: no run of {paper.paper.key} is in {self.session.store}"
            return "untested", f"{none}; use `audit run` or `audit import` first"
        if (path, plan.report) not in self.audits:
            self.audits[path, plan.report] = self.session.judge(paper, path, plan)
        audit = self.audits[path, plan.report]
        status = status_of(next(verdict for verdict in audit.verdicts if verdict.claim == claim))
        return status, sentence(audit, claim)


def _finding(finding: Finding) -> Outcome:
    from reports.findings import finding_place, finding_sentence

    if finding.result == "consistent":
        return finding.result, ""
    place, said = finding_place(finding), finding_sentence(finding)
    return finding.result, f"{place}: {said}" if place else said


class ClaimFile(pytest.File):
    """One claim file; its items are claims by runs and findings without any."""

    def __init__(self, *, claims: Claims, **rest: Any) -> None:
        super().__init__(**rest)
        self.claims = claims

    def collect(self) -> Iterator[pytest.Item]:
        from audit.claims.load import load
        from audit.errors import AuditError
        from audit.storage.manifest import claim_lines

        path, claims, session = self.path.resolve(), self.claims, self.claims.session
        try:
            paper = load(path)
            plans = [None, *(session.plans(paper) if session.store.is_dir() else [])]
            findings = claims.findings_of(path)
        except AuditError as err:
            raise self.CollectError(str(err)) from err
        lines, plans = claim_lines(path), plans[1:] or plans
        for claim in paper.claim_records():
            for plan in plans:
                report = f"[{plan.report}]" if plan and len(plans) > 1 else ""
                outcome = partial(claims.verdict, path, paper, claim.id, plan)
                line = lines.get(claim.claim, 1)
                yield Item.from_parent(self, name=f"{claim.id}{report}", line=line, outcome=outcome)
        for finding in findings:
            name = f"check:{finding.id.removeprefix(f'{paper.paper.key}:')}"
            line = lines.get((finding.claim or "").split(":")[0], 1)
            yield Item.from_parent(self, name=name, line=line, outcome=partial(_finding, finding))


class Item(pytest.Item):
    """One claim, or one finding."""

    def __init__(self, *, line: int, outcome: Callable[[], Outcome], **rest: Any) -> None:
        super().__init__(**rest)
        self.line, self.outcome = line, outcome

    def runtest(self) -> None:
        from audit.errors import AuditError

        try:
            status, said = self.outcome()
        except AuditError as err:
            pytest.fail(f"{self.path}:{self.line}: {err}", pytrace=False)
        if status in ("contradicted", "inconsistent"):
            pytest.fail(f"{self.path}:{self.line}: {said}", pytrace=False)
        if status not in ("reproduced", "consistent"):
            raise pytest.skip.Exception(said, _use_item_location=True)  # at the claim, not at this line

    def reportinfo(self) -> tuple[Path, int, str]:
        # Not the name alone, of which pytest would show the dots as colons.
        return self.path, self.line - 1, f"claim file, {self.name}"


def _paths(name: str, here: Path) -> Iterator[Path]:
    from audit.claims.load import claim_paths
    from audit.errors import AuditError

    where = here / name
    if where.is_dir():
        files = sorted(path for path in where.rglob("*") if path.suffix in (".yaml", ".yml"))
        if not files:
            raise pytest.UsageError(f"--audit {name}: no claim file (*.yaml) is in that folder")
        yield from (path.resolve() for path in files)
    elif where.is_file():
        yield where.resolve()
    else:
        try:
            (path,) = claim_paths([name])
        except AuditError as err:
            raise pytest.UsageError(f"--audit {err}") from err
        if not path.is_file():
            raise pytest.UsageError(f"--audit {name}: no such file; give a claim file or a folder")
        yield path.resolve()
