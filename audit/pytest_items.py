"""Claims and findings as pytest's items; `audit.pytest_plugin` loads it where `--audit` is given.

    contradicted, inconsistent                    failed, with the sentence of the page
    inconclusive, not tested, cannot be tested    skipped, with the reason
    reproduced, consistent                        passed

Runs come from the store and are only read: nothing is trained, no look and no margin is written.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import pytest

from audit.claims.load import Paper, load
from audit.claims.papers import claim_paths, findings_about
from audit.errors import AuditError, ClaimFileError
from audit.pipeline.session import Session
from audit.record import Audit, Finding
from audit.storage.manifest import KeptPlan
from audit.storage.margins import claim_lines

Outcome = tuple[str, str]
"""The status of a claim or the result of a finding, and its sentence."""


class _Told(Exception):  # noqa: N818 - a verdict, no error
    """What a failed item shows, instead of a traceback."""


@dataclass
class Claims:
    """The plugin of one session: which files are claim files, and what is known of them."""

    paths: tuple[Path, ...]
    session: Session
    audits: dict[tuple[Path, str], Audit] = field(default_factory=dict)

    @classmethod
    def of(cls, config: pytest.Config) -> Claims:
        """Tells pytest to collect the files: alone, unless tests are named beside them."""
        names, here = config.getoption("audit"), config.invocation_params.dir
        store, evidence = here / config.getoption("audit_store"), config.getoption("audit_evidence")
        command = shlex.join(("pytest", *(f"--audit={name}" for name in names)))
        paths = tuple(dict.fromkeys(path for name in names for path in _paths(name, here)))
        # Where nothing was named, pytest took the usual folders.
        given = list(config.args) if config.args_source is config.ArgsSource.ARGS else []
        named = {(here / arg.split("::")[0]).resolve() for arg in given}
        config.args = [*given, *(str(path) for path in paths if path not in named)]
        # Worker processes get the options as they stand here, and need not have the same folder.
        config.option.audit = [str(path) for path in paths]
        return cls(paths, Session(store, evidence, command, on_record=False))

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

    @cached_property
    def papers(self) -> Mapping[Path, Paper | ClaimFileError]:
        found: dict[Path, Paper | ClaimFileError] = {}
        for path in self.paths:
            try:
                found[path] = load(path)
            except ClaimFileError as err:
                found[path] = err
        return found

    @cached_property
    def findings(self) -> Sequence[Finding]:
        """Of all papers that can be read, also those that hold one against another."""
        return findings_about([paper for paper in self.papers.values() if isinstance(paper, Paper)])

    def findings_of(self, path: Path, paper: Paper) -> list[Finding]:
        """Its own; those across papers belong to the first file."""
        first = next(path for path, paper in self.papers.items() if isinstance(paper, Paper))
        mine = (paper.paper.key, "across") if path == first else (paper.paper.key,)
        return [finding for finding in self.findings if finding.id.split(":")[0] in mine]

    def verdict(self, path: Path, paper: Paper, claim: str, plan: KeptPlan | None) -> Outcome:
        """Of one claim and metric, by the runs of one report, judged once a session and process."""
        from audit.api import sentence
        from reports.sentences import status_of

        if plan is None:
            none = f"not tested: no run of {paper.paper.key} is in {self.session.store}"
            return "untested", f"{none}; `audit run` or `audit import` makes some"
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
        path, claims = self.path.resolve(), self.claims
        paper = claims.papers[path]
        if isinstance(paper, ClaimFileError):
            raise self.CollectError(str(paper))
        try:
            there = claims.session.store.is_dir()
            plans: Sequence[KeptPlan | None] = claims.session.plans(paper) if there else ()
            findings = claims.findings_of(path, paper)
        except AuditError as err:
            raise self.CollectError(str(err)) from err
        lines, plans = claim_lines(path), plans or (None,)
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
        status, said = self.outcome()
        if status in ("contradicted", "inconsistent"):
            raise _Told(said)
        if status not in ("reproduced", "consistent"):
            raise pytest.skip.Exception(said, _use_item_location=True)  # at the claim, not at this line

    def reportinfo(self) -> tuple[Path, int, str]:
        # Not the name alone, of which pytest would show the dots as colons.
        return self.path, self.line - 1, f"claim file, {self.name}"

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, _Told | AuditError):
            return f"{self.path}:{self.line}: {excinfo.value}"
        return super().repr_failure(excinfo)


def _paths(name: str, here: Path) -> Iterator[Path]:
    """Raises `pytest.UsageError` in one sentence."""
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
