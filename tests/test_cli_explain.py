"""`audit explain`: one verdict with every number of its derivation."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from audit import cli
from audit.cli.app import papers_of
from audit.cli.explanation import explanation
from audit.cli.report import write_files
from audit.errors import Exit
from audit.judging.assemble import assemble, judge_of
from audit.judging.documents import with_instances
from audit.record import Audit, Deviation, ExperimentRecord, FidelityCheck, Look, to_json
from audit.storage.runs import Store
from reports.lookup import lookup
from reports.verdicts import sentence
from tests.explaining.cases import CASES, audited, made
from tests.reports.every_kind import claims, experiments
from tests.test_cli import NO_TORCH, python
from tests.test_instances import Suite, drawn, stored


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
    assert told(out, "verdict").startswith("REPRODUCED (tost) 5 seeds of “Method A” give 78.54 ± 0.30 P@1")
    assert told(out, "printed") == "v = 78.60, rounded: h = 0.005; 1 run of the paper behind it, m = 1"
    assert told(out, "margin").startswith("D = 0.5, by rule field: usual Margins 000000000000: 0 of 5 runs")
    assert told(out, "runs") == (
        "a (Method A): seed 0: 78.6; seed 1: 78.1; seed 2: 78.9; seed 3: 78.4; seed 4: 78.7"
    )
    assert "  s~ = sqrt((d0 v0 + (n - 1) s^2) / (d0 + n - 1))" in out
    assert "  se = sqrt(s^2 / n)\n" in out
    assert "(0.5 - 0.005 + -0.06) / " in out
    assert told(out, "spread") == "sd 0.30, moderated 0.29 (common sd 0.28 with 6 df)"
    assert told(out, "own spread") == "without moderation the same"
    assert told(out, "family").startswith(
        "12 claims of the paper can be tested, 0 of them primary (level 0.05)"
    )
    assert told(out, "band").endswith("contradicted by none, taken alone")
    assert told(out, "at D") == (
        "0.2 (rule field on a large test set): inconclusive in this paper's family; inconclusive "
        "(within_seed_spread) taken alone "
        "0.25 (half of it): inconclusive in this paper's family; inconclusive (within_seed_spread) "
        "taken alone "
        "0.5 (as fixed, by rule field): reproduced in this paper's family; reproduced (tost) taken alone "
        "1 (rule lenient): reproduced in this paper's family; reproduced (tost) taken alone"
    )
    assert told(out, "would change").startswith("a margin below 0.29899266 further seeds, if")


def test_all_metrics_of_a_claim(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A claim of several metrics shows all of them; with its metric it shows one."""
    pair = [made("order"), replace(made("order"), id="the-order:P@3", metric="P@3")]
    runs = [
        replace(
            it,
            runs=tuple(
                replace(run, metrics={"P@1": 50.0, **run.metrics, "P@3": 40.0 + run.spec.seed})
                for run in it.runs
            ),
        )
        for it in experiments()
    ]
    path = written(tmp_path, "pair", audited(pair, runs))
    _, out, _ = explain(capsys, "the-order", str(path))
    assert [row[13:] for row in out.splitlines() if row.startswith("claim ")] == [
        "the-order:P@1, comparison",
        "the-order:P@3, comparison",
    ]
    _, out, _ = explain(capsys, "the-order:P@3", str(path))
    assert out.count("\nclaim ") == 1


def test_every_record_in_the_folder_is_searched(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without a file, each corpus's audit is shown under its own name; --out names the folder."""
    written(tmp_path, "kinds-corpus", audited(claims(), experiments("other_data")))
    _, out, _ = explain(capsys, "the-value")
    assert "kinds (audit-report/kinds/audit.json)" in out
    assert "\n\nkinds (audit-report/kinds-corpus/audit.json)" in out
    assert out.count("NOT TESTED (other_data)") == 1
    code, _, err = explain(capsys, "the-value", "--out", "nowhere")
    assert code == Exit.BAD_INPUT
    assert "nowhere: no audit.json there" in err


def test_an_unknown_claim_is_answered_with_the_known_ones(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = explain(capsys, "the-valeu")
    assert (code, out) == (Exit.BAD_INPUT, "")
    assert err.startswith(
        "audit: no claim 'the-valeu' in audit-report/kinds/audit.json; did you mean 'the-value'?"
    )


def test_a_metric_that_the_claim_is_not_about_is_answered_with_its_own(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, _, err = explain(capsys, "the-value:P@7")
    assert code == Exit.BAD_INPUT
    assert err.startswith("audit: 'the-value' is not about 'P@7' in audit-report/kinds/audit.json; ")
    assert "nown: P@1" in err


def test_a_claim_about_printed_numbers_alone_is_pointed_at_the_check(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """`audit list` names it among the claims; no run speaks to it."""
    (paper,) = papers_of(["chen2022"])
    experiment = ExperimentRecord("kim_words", "Kim", "xml_cnn", "", "eurlex", "small", {}, not_run="not yet")
    audit = assemble(paper, {"kim_words": experiment}, fidelity=(), command="")
    write_files(audit, Path("audit-report/chen2022"))
    code, _, err = explain(capsys, "progress-smaller-than-claimed", "audit-report/chen2022/audit.json")
    assert code == Exit.BAD_INPUT
    assert err.startswith(
        "audit: 'progress-smaller-than-claimed' is a claim about printed numbers alone, which no run tests; "
        "`audit check chen2022 --explain chen2022:sentence:progress-smaller-than-claimed:nDCG@1` shows it"
    )
    command = re.search(r"`audit (.*)`", err)
    assert command is not None
    assert cli.main(command[1].split()) in (Exit.OK, Exit.CONTRADICTED)
    code, _, err = explain(capsys, "zzz", "audit-report/chen2022/audit.json")
    assert re.search(r"and \d+ more; `audit list` shows all$", err.strip())


@pytest.mark.parametrize("name", [name for name in CASES if not name.endswith("seed")])
def test_every_case_can_be_shown(name: str) -> None:
    """Whatever the kind and however many seeds there are: head, evidence and verdict, within the width."""
    claim, records, more = CASES[name]
    text = lines(audited([claim], records, **more), claim.id)
    assert text.startswith("claim ")
    assert "\nverdict " in text
    assert max(map(len, text.splitlines())) <= 120
    assert "None" not in text
    assert not re.search(r"\bnan\b|\binf\b", text)


DEPARTURES = (
    Deviation("epochs", "50", "20", "a smaller corpus"),
    Deviation("stride", "", "see the configuration of the experiment", "net.py:7", "2", as_set=True),
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
    on_page = sentence(audit.claims[0], lookup(audit))
    assert told(lines(audit, audit.claims[0].id), "verdict").endswith(f") {on_page}")
    named = re.match(r"One of the [23] departures listed under “Protocol”, ", on_page)
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


def test_departures_are_counted_where_nothing_is_contradicted() -> None:
    audit, none = departing("order", DEPARTURES[0]), departing("order")
    said = told(lines(audit, "the-order:P@1"), "protocol")
    assert said == "1 departure from the paper; the page lists it under “Protocol”"
    assert "\nprotocol" not in lines(none, "the-order:P@1")


def printing(spread: str, reading: str | None, runs: int = 5) -> str:
    held = {"spread": {"size": spread, "reading": reading}}
    return lines(audited([made("value", runs_behind=runs, details=held)], experiments()), "the-value:P@1")


def test_a_printed_spread_is_shown_as_it_is_used() -> None:
    """0.24 may be 0.245 before rounding; five runs with a standard error of that have an SD of 0.547837.

    As half of a 95 % interval: 0.245 sqrt(5) / 2.7764451 (scipy, t of 4 degrees of freedom) = 0.19731586.
    """
    text = printing("0.24", "sd")
    assert "printed spread 0.24 (sd), used as 0.245, the most that rounds to it" in text
    assert "  s_paper, “±” read as sd = x, x the printed spread and half a unit of its last digit\n" in text
    assert "      = (0.24 + 0.005) = 0.245\n" in text
    assert re.search(r"se_pred, “±” read as sd = .*\n +.* \+ 0\.245\^2 / 5\)", text)
    open_text = printing("0.24", None)
    for reading, sd in (("sd", "0.245"), ("se", "0.54783665"), ("ci95", "0.19731586")):
        assert re.search(rf"s_paper, “±” read as {reading} = .*\n(?:.*\n)?.*= {re.escape(sd)}\n", open_text)
        assert f"+ {sd}^2 / 5" in open_text


def test_a_printed_spread_that_is_not_used_is_said_to_be_so() -> None:
    text = printing("0.24", "sd", runs=1)
    assert "0.24 (sd), not used: no second run of the paper is on record behind it" in text
    assert "s_paper" not in text


def test_parts_and_several_arms() -> None:
    """A ranking has a line for each comparison, and the means of an arm stand once."""
    text = lines(audited([made("ranking")], experiments()), "the-ranking:P@1")
    assert told(text, "parts").startswith("a > b: 1.66, p 5.2613914e-09, of the reverse 1 b > c: 6.66")
    assert text.count("  mean b = ") == 1


def test_failed_runs_are_shown_with_their_reason() -> None:
    (first, *_) = experiments()
    lost = replace(first.runs[2], status="failed", metrics={}, reason="loss became NaN")
    records = [replace(first, runs=(*first.runs[:2], lost, *first.runs[3:]))]
    text = lines(audited([made("value")], records), "the-value:P@1")
    assert "seed 2: ended early: loss became NaN" in told(text, "runs")
    assert told(text, "note").startswith("4 of 5 seeds")


def test_what_seeds_would_settle_an_open_claim() -> None:
    """For an open claim: the number of seeds, or why there is none."""
    claim, records, _ = CASES["value, two seeds"]
    assert "3 seeds first" in told(lines(audited([claim], records), claim.id), "would change")


def test_a_closed_gate_names_the_checks() -> None:
    """A contradiction that our own checks forbid says which."""
    claim, records, _ = CASES["value, flipped"]
    audit = audited([claim], records)
    closed = (FidelityCheck("xml_cnn", "shapes", True, ""), FidelityCheck("xml_cnn", "vectors", False, ""))
    audit = replace(audit, fidelity=closed)
    verdicts = judge_of(audit)({it.id: it for it in records}, 0.05)
    text = lines(replace(audit, verdicts=verdicts), claim.id)
    assert "INCONCLUSIVE (unverified_reimplementation)" in text
    assert "checks of our implementation that it does not pass: xml_cnn: vectors" in told(
        text, "would change"
    )


def test_a_look_names_its_seeds_and_level() -> None:
    looks = [Look(n, 0.025, (3, 5)) for n in (3, 5)]
    text = lines(audited([made("order")], experiments(), looks=looks), "the-order:P@1")
    assert "(look at 3 seeds, level 0.025)" in told(text, "family")
    assert "seed 3" not in told(text, "runs")


def test_primaries_are_told(tmp_path: Path) -> None:
    """Where some claims are primary, the share of the level is said."""
    some: Sequence[Any] = [replace(it, primary=it.kind == "order") for it in claims()]
    text = lines(audited(some, experiments()), "the-order:P@1")
    assert told(text, "claim") == "the-order:P@1, comparison, primary"
    assert "1 of them primary" in told(text, "family")
    assert "half of the level each" in told(text, "family")


def test_explain_needs_no_torch(folder: Path) -> None:
    ran = python("-c", NO_TORCH, "explain", "the-order")
    assert ran.returncode == 0, ran.stderr
    assert "derivation" in ran.stdout


def test_a_changed_record_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A verdict that its own runs do not give is not explained away."""
    path = folder / "audit-report" / "kinds" / "audit.json"
    path.write_text(path.read_text().replace('"reason": "tost"', '"reason": "direction"', 1))
    code, _, err = explain(capsys, "the-value")
    assert code == Exit.BAD_INPUT
    assert "it was changed after it was written" in err


def test_what_single_documents_say_is_read_from_the_store(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where the audit does not hold it, the store of its runs does; without one the rest is shown."""
    audit = stored(Suite(a=drawn(0.8, 3, 1), b=drawn(0.6, 3, 2)), Store(tmp_path / "records"))
    path = written(tmp_path, "documents", audit)
    _, without, _ = explain(capsys, "the-order", str(path))
    assert "single documents" not in without
    _, out, _ = explain(capsys, "the-order", str(path), "--store", "records")
    assert "single documents, beside the verdict, which is about these documents" in out
    assert "se, new documents = sqrt(se^2 + s_d^2 / N)" in out
    assert "McNemar's p of seeds 2 and 2" in out
    kept = with_instances(audit, Store(tmp_path / "records"))
    written(tmp_path, "kept", kept)
    _, again, _ = explain(capsys, "the-order", "audit-report/kept/audit.json")
    assert again.splitlines()[1:] == out.splitlines()[1:]
