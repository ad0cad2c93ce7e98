"""`audit explain`: one verdict with every number of its derivation."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from audit import cli
from audit.cli.explanation import explanation
from audit.errors import Exit
from audit.judging.verdicts import judge_of
from audit.record import Audit, Deviation, FidelityCheck, Finding, to_json
from reports.lookup import Lookup
from tests.explaining.cases import CASES, audited
from tests.reports.every_kind import claims, experiments


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, "kinds", audited(claims(), experiments(), margins_hash="0" * 32))
    return tmp_path


def written(folder: Path, name: str, audit: Audit) -> Path:
    path = folder / "audit-report" / name / "audit.json"
    path.parent.mkdir(parents=True)
    path.write_text(to_json(audit))
    return path


def explain(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = cli.main(["explain", *arguments])
    return code, *capsys.readouterr()


def lines(audit: Audit, claim: str) -> str:
    (record,) = [it for it in audit.claims if it.id == claim]
    return "\n".join(explanation(audit, record))


def told(text: str, term: str) -> str:
    """What stands beside a term, its further lines joined."""
    rows = iter(text.splitlines())
    found = next(row for row in rows if row.startswith(term))
    parts = [found[13:]]
    for row in rows:
        if not row.startswith(" " * 13):
            break
        parts.append(row.strip())
    return " ".join(parts)


def test_one_verdict_with_its_derivation(capsys: pytest.CaptureFixture[str]) -> None:
    """Printed number, margin, seeds, formulas with their numbers, family, band, and what would change it."""
    code, out, _ = explain(capsys, "the-value")
    assert code == Exit.OK
    assert out.splitlines()[0] == "kinds (audit-report/kinds/audit.json)"
    assert told(out, "claim") == "the-value:P@1, printed value"
    assert told(out, "said in") == "section 3.2, page 7"
    assert told(out, "verdict").startswith("REPRODUCED 5 seeds of “Method A” give a mean of 78.54")
    assert told(out, "printed").startswith("78.60, ±0.005 by rounding; of m = 1 run")
    assert told(out, "margin").startswith("D = 0.50 points, by rule field: usual Margins 000000000000: 0 of")
    runs = "seed 0: 78.6; seed 1: 78.1; seed 2: 78.9; seed 3: 78.4; seed 4: 78.7"
    assert told(out, "runs") == f"a (Method A), in points: {runs}"
    assert "  s~ = sqrt((d0 v0 + (n - 1) s^2) / (d0 + n - 1))" in out
    assert "  its standard error\n      se = sqrt(s^2 / n) = sqrt(" in out
    assert "(0.5 - 0.005 + -0.06) / " in out
    assert told(out, "family").startswith("12 judgements can be tested, 0 of them primary")
    assert "no correction for other claims: reproduced with 0.30 or more" in told(out, "verdict")
    assert told(out, "to change it").startswith("a margin below 0.299 more seeds, if")


def test_an_unknown_claim_is_answered_with_the_known_ones(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = explain(capsys, "the-valeu")
    assert (code, out) == (Exit.BAD_INPUT, "")
    assert err.startswith("audit: no claim 'the-valeu' in audit-report/kinds/audit.json; did you mean 'the")


def test_a_claim_about_printed_numbers_alone_is_left_to_the_check(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = Finding("sentence", "consistent", (), "", id="kinds:sentence:sum", claim="sum")
    written(tmp_path, "checked", replace(audited(claims(), experiments()), findings=(found,)))
    assert "`audit check kinds --explain kinds:sentence:sum`" in explain(capsys, "sum")[2]


DEPARTURES = (
    Deviation("epochs", "50", "20", "a smaller corpus"),
    Deviation("stride", "", "see the experiment's configuration", "net.py:7", "2", as_set=True),
    Deviation("data", "EUR-Lex", "synthetic", ""),
)


def departing(name: str, *departures: Deviation) -> Audit:
    """The audit of a case whose experiments depart from the paper, the first of them in one point more."""
    claim, records, more = CASES[name]
    departed = [replace(it, deviations=departures[min(k, 1) :]) for k, it in enumerate(records)]
    return audited([claim], departed, **more)


@pytest.mark.parametrize("name", [name for name in CASES if "seed" not in name])
def test_the_sentence_is_that_of_the_page(name: str) -> None:
    audit = departing(name, *DEPARTURES)
    on_page = Lookup(audit).sentence(audit.claims[0])
    assert told(lines(audit, audit.claims[0].id), "verdict").endswith(f" {on_page}")
    named = re.search(r"explanations: one of the [23] departures listed under “Protocol”, ", on_page)
    assert bool(named) == (audit.verdicts[0].outcome == "contradicted")


def test_departures_stand_below_a_contradiction_that_points_at_them() -> None:
    """Each once, though both sides have it."""
    audit = departing("order, flipped", *DEPARTURES)
    text = lines(audit, audit.claims[0].id)
    assert "CONTRADICTED" in text
    assert told(text, "protocol") == (
        "3 departures from the paper "
        "epochs: the paper: 50; here: 20 (a smaller corpus) "
        "stride: the paper: nothing; its public code: 2; here: as configured (net.py:7) "
        "data: the paper: EUR-Lex; here: synthetic"
    )


def test_what_seeds_would_settle_an_open_claim() -> None:
    """For an open claim: the number of seeds, or why there is none."""
    claim, records, _ = CASES["value, two seeds"]
    assert "2 seeds now, 3 needed first" in told(lines(audited([claim], records), claim.id), "to change it")


def test_a_closed_gate_names_the_checks() -> None:
    """A contradiction that our own checks forbid says which."""
    claim, records, _ = CASES["value, flipped"]
    audit = audited([claim], records)
    closed = (FidelityCheck("xml_cnn", "shapes", True, ""), FidelityCheck("xml_cnn", "vectors", False, ""))
    audit = replace(audit, fidelity=closed)
    verdicts = judge_of(audit)({it.id: it for it in records}, 0.05)
    text = lines(replace(audit, verdicts=verdicts), claim.id)
    assert "INCONCLUSIVE" in text
    assert "failed checks of our implementation: xml_cnn: vectors" in told(text, "to change it")


def test_a_changed_record_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A verdict that its own runs do not give is not explained away."""
    path = folder / "audit-report" / "kinds" / "audit.json"
    path.write_text(path.read_text().replace('"reason": "tost"', '"reason": "direction"', 1))
    code, _, err = explain(capsys, "the-value")
    assert code == Exit.BAD_INPUT
    assert "it was changed after this tool wrote it" in err
