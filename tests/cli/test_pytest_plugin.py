"""`pytest --audit`: claims as tests, by the runs in the store."""

from __future__ import annotations

from importlib.metadata import entry_points
from pathlib import Path

import pytest

import audit
from audit import cli
from audit.record import audit_from_json
from tests.importing.rows import ROWS, write_rows
from tests.runner.papers import write_paper

pytest_plugins = ["pytester"]

#: A checkout that was installed before the plugin was there has no entry point for it.
_INSTALLED = any(it.value == "audit.pytest_plugin" for it in entry_points(group="pytest11"))
PLUGIN = () if _INSTALLED else ("-p", "audit.pytest_plugin")

TURNED = [("letters" if row[0] == "words" else "words", *row[1:]) for row in ROWS]
WITHOUT = ("-p", "no:cacheprovider", "-p", "no:hypothesispytest")


@pytest.fixture(scope="module", autouse=True)
def loaded(tmp_path_factory: pytest.TempPathFactory) -> None:
    """A session in this process drops what it imports, and NumPy cannot be imported twice."""
    paper = audit.load(write_paper(tmp_path_factory.mktemp("loaded")))
    found = audit.judge(paper, {"words": {"P@1": [80.0, 80.1, 80.2]}}, dataset="corpus")
    audit.sentence(found, "words-win:P@1")


@pytest.fixture(autouse=True)
def folder(pytester: pytest.Pytester) -> Path:
    """Every session runs in a folder of its own with claims/toy.yaml."""
    (pytester.path / "claims").mkdir()
    write_paper(pytester.path / "claims")
    return pytester.path


def imported(*options: str, rows: list[tuple[object, ...]] | None = None) -> None:
    write_rows(Path("r.csv"), rows or ROWS)
    assert cli.main(["import", "r.csv", "--paper", "claims/toy.yaml", *options]) == 0


def session(pytester: pytest.Pytester, *options: str) -> pytest.RunResult:
    return pytester.runpytest_inprocess(*PLUGIN, *WITHOUT, "-ra", *options)


def test_without_runs_claims_are_skipped_and_findings_are_tested(pytester: pytest.Pytester) -> None:
    found = session(pytester, "--audit", "claims", "-v")
    found.assert_outcomes(passed=3, skipped=3)
    found.stdout.fnmatch_lines(
        [
            "audit: toy.yaml; judged by the runs in *audit-runs",
            "claims/toy.yaml::words-win:P@1 SKIPPED*",
            "claims/toy.yaml::check:bounds:t1.words.P@1 PASSED*",
            "SKIPPED [[]1[]] claims/toy.yaml:42: not tested: no run of toy2024 is in *`audit run` or*",
        ]
    )
    assert not Path("audit-runs").exists()


def test_what_is_reproduced_passes_and_the_rest_is_skipped_with_its_reason(pytester: pytest.Pytester) -> None:
    imported()
    found = session(pytester, "--audit", "claims/toy.yaml", "-v")
    found.assert_outcomes(passed=4, skipped=2)
    found.stdout.fnmatch_lines(
        [
            "claims/toy.yaml::words-win:P@1 PASSED*",
            "SKIPPED [[]1[]] claims/toy.yaml:44: Not tested: a printed number is judged only on*",
        ]
    )


def test_what_is_contradicted_fails_with_the_sentence_of_the_page(pytester: pytest.Pytester) -> None:
    imported("--authors-code", "github.com/x@1", "--other-split", "theirs", rows=TURNED)
    found = session(pytester, "--audit", "claims")
    found.assert_outcomes(passed=3, skipped=2, failed=1)
    said = audit.sentence(audit.judge("claims/toy.yaml"), "words-win:P@1")
    assert "Contradicted" in said
    lines = found.outlines
    assert f"{Path('claims/toy.yaml').resolve()}:42: {said}" in lines
    assert not any("Traceback" in line or "runtest" in line for line in lines)


def test_a_broken_claim_file_is_one_error_with_its_lines_and_the_others_are_collected(
    pytester: pytest.Pytester,
) -> None:
    write_paper(
        Path("claims"), ("better: t1.words", "better: t1.word"), ("key: toy2024", "key: b"), name="b.yaml"
    )
    found = session(pytester, "--audit", "claims", "--continue-on-collection-errors")
    found.assert_outcomes(errors=1, passed=3, skipped=3)
    found.stdout.fnmatch_lines(
        ["*claims/b.yaml:42: claims?0?.better: table 't1' has no row 'word'; did you mean 'words'*"]
    )
    assert sum("Traceback" in line for line in found.outlines) == 0


def test_the_store_is_only_read(pytester: pytest.Pytester) -> None:
    """No look, no margin and no record: sessions in CI count as no look at the runs."""
    imported()
    before = {it: it.read_bytes() for it in Path("audit-runs").rglob("*") if it.suffix == ".json"}
    session(pytester, "--audit", "claims").assert_outcomes(passed=4, skipped=2)
    after = {it: it.read_bytes() for it in Path("audit-runs").rglob("*") if it.suffix == ".json"}
    assert after == before


def test_a_session_without_audit_loads_nothing_of_it(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(
        "import sys\n"
        "def pytest_sessionfinish():\n"
        "    ours = [it for it in sys.modules if it.split('.')[0] in ('audit', 'reimpl', 'reports')]\n"
        "    print('loaded', sorted(ours), 'torch' in sys.modules)\n"
    )
    pytester.makepyfile("def test_own(): pass")
    found = pytester.runpytest_subprocess(*PLUGIN, *WITHOUT, "-s")
    assert any(line.endswith("loaded ['audit', 'audit.pytest_plugin'] False") for line in found.outlines)


# --------------------------------------------------------------------------- three roads to one verdict


@pytest.mark.parametrize("rows", [ROWS, TURNED], ids=["as claimed", "turned round"])
def test_command_python_and_pytest_give_the_same_verdicts_and_numbers(
    pytester: pytest.Pytester, rows: list[tuple[object, ...]]
) -> None:
    """Every number of every verdict, from one table of results."""
    options = ["--authors-code", "github.com/x@1", "--same-data", "their download", "--by", "them"]
    imported(*options, rows=rows)
    pytester.makeconftest(
        "from audit.record import to_json\n"
        "def pytest_sessionfinish(session):\n"
        "    (found,) = session.config.pluginmanager.get_plugin('audit-claims').audits.values()\n"
        "    open('by_pytest.json', 'w').write(to_json(found))\n"
    )
    outcomes = session(pytester, "--audit", "claims").parseoutcomes()
    by_pytest = audit_from_json(Path("by_pytest.json").read_text())
    table = audit.judge(
        "claims/toy.yaml", "r.csv", authors_code="github.com/x@1", same_data="their download", by="them"
    )
    stored = audit.judge("claims/toy.yaml")
    cli.main(["judge", "claims/toy.yaml"])
    by_command = audit_from_json(Path("audit-report/toy2024/audit.json").read_text())
    assert by_command.verdicts == stored.verdicts == table.verdicts == by_pytest.verdicts
    assert by_command.findings == stored.findings == table.findings == by_pytest.findings
    assert by_command.settling == table.settling == by_pytest.settling
    contradicted = sum(it.outcome == "contradicted" for it in by_command.verdicts)
    assert outcomes.get("failed", 0) == contradicted == (0 if rows is ROWS else 2)
    assert [(look.seeds, look.level, look.declared) for look in by_pytest.looks] == [(4, 0.04, ())]
    assert set(by_pytest.looks[0].runs) == {"imported words", "imported letters"}
