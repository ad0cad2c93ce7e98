"""Claims and findings as pytest's items; `audit.pytest_plugin` loads it where `--audit` is given.

    contradicted, inconsistent                    failed, with the sentence of the page
    inconclusive, not tested, cannot be tested    skipped, with the reason
    reproduced, consistent                        passed

Runs come from the store and are only read: nothing is trained, no look and no margin is written.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from audit.claims.load import Paper, load
from audit.claims.papers import claim_paths, findings_about
from audit.errors import AuditError, ClaimFileError
from audit.pipeline.session import Session
from audit.storage.margins import claim_lines

if TYPE_CHECKING:
    from audit.record import Audit, Finding
    from audit.storage.manifest import KeptPlan


_SUFFIXES = (".yaml", ".yml")


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
        store, here = Path(config.getoption("audit_store")), config.invocation_params.dir
        words = ("pytest", *(f"--audit={name}" for name in config.getoption("audit")))
        found = cls(
            tuple(dict.fromkeys(_paths(config.getoption("audit"), here))),
            Session(here / store, config.getoption("audit_evidence"), shlex.join(words), on_record=False),
        )
        given = [] if _by_default(config) else list(config.args)
        named = {(here / arg.split("::")[0]).resolve() for arg in given}
        config.args = [*given, *(str(path) for path in found.paths if path not in named)]
        # Worker processes get the options as they stand here, and need not have the same folder.
        config.option.audit = [str(path) for path in found.paths]
        return found

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
        return findings_about([it for it in self.papers.values() if isinstance(it, Paper)])

    def findings_of(self, path: Path, paper: Paper) -> list[Finding]:
        """Its own; those across papers belong to the first file."""
        first = next(path for path, it in self.papers.items() if isinstance(it, Paper))
        mine = (paper.paper.key, "across") if path == first else (paper.paper.key,)
        return [it for it in self.findings if it.id.split(":")[0] in mine]

    def plans(self, paper: Paper) -> list[KeptPlan]:
        """None where there is no store: then nothing was run."""
        return self.session.plans(paper) if self.session.store.is_dir() else []

    def audit(self, path: Path, paper: Paper, plan: KeptPlan) -> Audit:
        """Judged once a session and process."""
        if (path, plan.report) not in self.audits:
            grown = self.session.grown(paper, path)
            self.audits[path, plan.report] = self.session.judge(paper, plan, grown)
        return self.audits[path, plan.report]


class ClaimFile(pytest.File):
    """One claim file; its items are claims by runs and findings without any."""

    def __init__(self, *, claims: Claims, **rest: Any) -> None:
        super().__init__(**rest)
        self.claims = claims

    def collect(self) -> Iterator[pytest.Item]:
        path = self.path.resolve()
        paper = self.claims.papers[path]
        if isinstance(paper, ClaimFileError):
            raise self.CollectError(str(paper))
        try:
            plans: list[KeptPlan | None] = [*self.claims.plans(paper)]
            findings = self.claims.findings_of(path, paper)
        except AuditError as err:
            raise self.CollectError(str(err)) from err
        lines = claim_lines(path)
        for claim in paper.claim_records():
            for plan in plans or [None]:
                report = f"[{plan.report}]" if plan and len(plans) > 1 else ""
                name, line = f"{claim.id}{report}", lines.get(claim.claim, 1)
                yield ClaimItem.from_parent(
                    self, name=name, line=line, paper=paper, claim=claim.id, plan=plan
                )
        for finding in findings:
            name = f"check:{finding.id.removeprefix(f'{paper.paper.key}:')}"
            line = lines.get((finding.claim or "").split(":")[0], 1)
            yield FindingItem.from_parent(self, name=name, line=line, finding=finding)


class _Item(pytest.Item):
    def __init__(self, *, line: int, **rest: Any) -> None:
        super().__init__(**rest)
        self.line = line

    def reportinfo(self) -> tuple[Path, int, str]:
        # Not the name alone, of which pytest would show the dots as colons.
        return self.path, self.line - 1, f"claim file, {self.name}"

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, _Told | AuditError):
            return f"{self.path}:{self.line}: {excinfo.value}"
        return super().repr_failure(excinfo)


class ClaimItem(_Item):
    """One claim and metric, by the runs of one report; by none where nothing was run."""

    def __init__(self, *, paper: Paper, claim: str, plan: KeptPlan | None, **rest: Any) -> None:
        super().__init__(**rest)
        self.paper, self.claim, self.plan = paper, claim, plan

    def runtest(self) -> None:
        from audit.api import sentence
        from reports.sentences import status_of

        claims = self.parent.claims  # type: ignore[union-attr]
        if self.plan is None:
            key, store = self.paper.paper.key, claims.session.store
            _skip(f"not tested: no run of {key} is in {store}; `audit run` or `audit import` makes some")
        audit = claims.audit(self.path.resolve(), self.paper, self.plan)
        said = sentence(audit, self.claim)
        status = status_of(next(it for it in audit.verdicts if it.claim == self.claim))
        if status == "contradicted":
            raise _Told(said)
        if status != "reproduced":
            _skip(said)


class FindingItem(_Item):
    """What one check without any run found."""

    def __init__(self, *, finding: Finding, **rest: Any) -> None:
        super().__init__(**rest)
        self.finding = finding

    def runtest(self) -> None:
        from reports.findings import finding_place, finding_sentence

        if self.finding.result == "consistent":
            return
        place = finding_place(self.finding)
        said = f"{place}: {finding_sentence(self.finding)}" if place else finding_sentence(self.finding)
        if self.finding.result == "inconsistent":
            raise _Told(said)
        _skip(said)


def _skip(why: str) -> None:
    """At the place of the claim, not of this line."""
    raise pytest.skip.Exception(why, _use_item_location=True)


def _by_default(config: pytest.Config) -> bool:
    """Whether nothing was named to collect, so that pytest took the usual folders."""
    return config.args_source is not config.ArgsSource.ARGS


def _paths(names: Sequence[str], here: Path) -> Iterator[Path]:
    """Raises `pytest.UsageError` in one sentence."""
    for name in names:
        where = here / name
        if where.is_dir():
            files = sorted(it for it in where.rglob("*") if it.suffix in _SUFFIXES)
            if not files:
                raise pytest.UsageError(f"--audit {name}: no claim file (*.yaml) is in that folder")
            yield from (it.resolve() for it in files)
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
