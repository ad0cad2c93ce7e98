"""`import audit`: what the commands do, from Python, with the same numbers and the same sentences."""

from __future__ import annotations

import base64
import doctest
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

import audit
from audit import api, cli
from audit.record import Audit, RunSpec, audit_from_json
from tests.importing.rows import COLUMNS, ROWS, write_rows
from tests.runner.papers import write_corpus, write_paper
from tests.stand_ins import train_at_once

VALUES = {"words": {"P@1": [80.1, 80.3, 80.2]}, "letters": {"P@1": {0: 40.1, 1: 40.3, 2: 40.2, 3: None}}}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_paper(tmp_path)
    return tmp_path


@pytest.fixture
def by_command(folder: Path) -> Audit:
    write_rows(folder / "r.csv")
    assert cli.main(["import", "r.csv", "--paper", "toy.yaml", "--store", "s"]) == 0
    assert cli.main(["judge", "toy.yaml", "--store", "s", "--out", "o"]) == 0
    return audit_from_json((folder / "o/toy2024/audit.json").read_text())


def rows() -> list[dict[str, Any]]:
    """As a program holds them: numbers, and None for the failed seed."""
    found = [dict(zip(COLUMNS, row, strict=True)) for row in ROWS]
    return [it | {"value": None if it["value"] == "failed" else float(it["value"])} for it in found]


SHAPES: dict[str, Any] = {
    "rows": rows(),
    "by experiment": VALUES,
    "arrays": {"words": {"P@1": np.array([80.1, 80.3, 80.2])}, "letters": VALUES["letters"]},
}


def test_a_notebook_shows_audits_and_verdicts(by_command: Audit) -> None:
    """Counts, a plot that needs no style sheet, a row a verdict; of a verdict its plot. All is escaped."""
    shown = by_command._repr_html_() or ""
    plot = base64.b64decode(shown.partition("base64,")[2].partition('"')[0]).decode()
    assert plot.startswith("<svg xmlns=") and "--paper:" in plot
    judged = [verdict for verdict in by_command.verdicts if verdict.tested]
    assert str(by_command) in shown and shown.count("<tr>") == 1 + len(judged)
    verdict = replace(by_command.verdicts[0], claim="<script>:P@1")
    assert "&lt;script&gt;:P@1" in (verdict._repr_html_() or "")


def test_the_examples_of_the_interface_are_so() -> None:
    found = doctest.testmod(api)
    assert found.attempted >= 7
    assert not found.failed


@pytest.mark.parametrize("shape", SHAPES)
def test_results_in_any_shape_get_the_verdicts_of_the_commands(shape: str, by_command: Audit) -> None:
    found = audit.judge("toy.yaml", SHAPES[shape], dataset="corpus")
    assert found.verdicts == by_command.verdicts
    for part in ("claims", "findings", "settling"):
        assert getattr(found, part) == getattr(by_command, part)
    assert found.verdicts[0].outcome == "reproduced"


def test_a_real_data_frame(by_command: Audit) -> None:
    frame = pandas.DataFrame(rows())
    with pytest.raises(audit.ImportFileError, match="row 7: value 'nan' is not a number"):
        audit.judge("toy.yaml", frame)  # pandas turns None into NaN, and NaN can be a bug of the program
    frame["value"] = frame["value"].map(repr).replace("nan", "failed")
    assert audit.judge("toy.yaml", frame).verdicts == by_command.verdicts


def test_nothing_is_written_unless_a_store_is_named(folder: Path) -> None:
    before = sorted(folder.rglob("*"))
    audit.judge("toy.yaml", VALUES, dataset="corpus")
    assert sorted(folder.rglob("*")) == before
    audit.judge("toy.yaml", VALUES, dataset="corpus", store="kept")
    assert len(list(folder.glob("kept/*.json"))) == 7
    assert audit.judge("toy.yaml", store="kept").verdicts[0].outcome == "reproduced"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"other_split": "resplit 1"}, {"other_split": "resplit 2"}),
        ({"same_data": "theirs"}, {"other_split": "resplit 2"}),
        ({"same_data": "theirs"}, {}),
        ({"fingerprint": "a" * 64}, {"fingerprint": "b" * 64}),
    ],
)
def test_two_sides_of_other_data_are_not_compared(one: dict[str, Any], other: dict[str, Any]) -> None:
    audit.judge("toy.yaml", {"words": VALUES["words"]}, dataset="corpus", store="s", **one)
    letters = {"letters": {"P@1": [40.1, 40.3, 40.2]}}
    found = audit.judge("toy.yaml", letters, dataset="corpus", store="s", **other)
    assert found.verdicts[0].reason == "different_data"


def test_what_an_earlier_judgement_decided_otherwise_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    """Values that come later undo it; then an import from another file is no first look again."""

    def seeds(first: int, *values: float) -> dict[str, Any]:
        return {"words": {"P@1": {first + k: value for k, value in enumerate(values)}}}

    said: dict[str, Any] = {"same_data": "theirs", "authors_code": "x@1", "dataset": "corpus", "store": "s"}
    before = audit.judge("toy.yaml", seeds(5, 80.1, 80.3, 80.2), **said)
    assert [it.outcome for it in before.verdicts[1:2]] == ["reproduced"]
    after = audit.judge("toy.yaml", seeds(0, 70.1, 70.3, 70.2), **said)
    verdict = after.verdicts[1]
    assert (verdict.outcome, verdict.reason, verdict.n) == ("inconclusive", "undone", (6,))
    assert "reproduced at an earlier judgement" in verdict.badges
    assert [(it.seeds, it.level) for it in after.looks] == [(3, 0.04), (6, 0.005)]
    assert audit.judge("toy.yaml", store="s").verdicts == after.verdicts


def test_what_is_declared_decides_what_the_values_may_say() -> None:
    """Data stated to be the paper's own, by the authors' code: a value far off contradicts."""
    off = {"words": {"P@1": [70.1, 70.3, 70.2, 70.2]}}
    said = {"same_data": "their download", "authors_code": "github.com/x@1"}
    verdict = audit.judge("toy.yaml", off, dataset="corpus", **said).verdicts[1]  # type: ignore[arg-type]
    assert (verdict.outcome, verdict.scope) == ("contradicted", "same_data")
    assert audit.judge("toy.yaml", off, dataset="corpus").verdicts[1].reason == "other_data"


BAD: list[tuple[Any, dict[str, Any], str]] = [
    ({"words": {"P@1": [0.8, 0.81]}}, {}, 'percentage or a fraction?.*add unit="percent" or unit="fraction"'),
    ({"word": {"P@1": [80.0]}}, {}, r"\['word'\]\['P@1'\], seed 0: 'word' is not an experiment of toy2"),
    ({"words": {"P@1": 80.0}}, {}, "80.0 is not a list; give one value for each seed"),
    ({"words": {"P@1": [float("nan")]}}, {}, "value 'nan' is not a number"),
    (7, {}, "7 is not a table of results"),
    ({"words": {"P@1": [80.0]}}, {"authors_code": True}, "authors_code=True: describe it in a few words"),
    (VALUES, {"same_data": "x", "other_split": "y"}, "same_data= and other_split= exclude each other"),
]


@pytest.mark.parametrize(("results", "options", "said"), BAD, ids=[it[2][:30] for it in BAD])
def test_what_is_unclear_is_asked_in_the_words_of_python(
    results: Any, options: dict[str, Any], said: str
) -> None:
    with pytest.raises(audit.AuditError, match=said) as caught:
        audit.judge("toy.yaml", results, **{"dataset": "corpus", **options})
    assert "--" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_papers_and_stores_that_are_not_there() -> None:
    with pytest.raises(audit.AuditError, match="'nobody' is neither a file nor a built-in paper"):
        audit.load("nobody")
    with pytest.raises(audit.AuditError, match="nowhere: no such folder"):
        audit.judge("toy.yaml", store="nowhere")
    Path("empty").mkdir()
    with pytest.raises(audit.AuditError, match=r"empty: no run of toy2024 is there; audit\.run makes runs"):
        audit.judge("toy.yaml", store="empty")
    Path("bad.yaml").write_text("format: 2\n")
    with pytest.raises(audit.ClaimFileError, match=r"bad.yaml:1: format: "):
        audit.check("bad.yaml")


# --------------------------------------------------------------------------- our own runs


def test_run_trains_what_the_command_would_and_judges_it_alike(folder: Path) -> None:
    write_corpus(folder / "corpus")
    options = {"data": "corpus", "seeds": 2, "only": ["words"], "device": "cpu"}
    found = audit.run("toy.yaml", **options)  # type: ignore[arg-type]
    command = "run toy.yaml --data corpus --seeds 2 --only words --device cpu --jobs 1 --out o"
    assert cli.main(command.split()) == 0
    there = audit_from_json(next(folder.glob("o/*/audit.json")).read_text())
    assert found.verdicts == there.verdicts
    assert [it.runs for it in found.experiments] == [it.runs for it in there.experiments]
    assert audit.judge("toy.yaml").verdicts == there.verdicts  # and from the store
    assert audit.report(found, "there/page.html").read_text().startswith("<!DOCTYPE html>")
    assert audit.report(found, "folder") == Path("folder/report.html")
    assert Path("folder/audit.json").exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"seeds": 0}, "seeds=0: give a whole number"),
        ({"device": "tpu"}, "device= 'tpu' is unknown"),
        ({"vectors": "glove"}, 'vectors="glove": synthetic words have no vectors; give data= too'),
        ({"only": ["nobody"]}, "only= 'nobody' is not an experiment"),
        ({"only": "nobody"}, "only= 'nobody' is not an experiment"),
        ({"models": "nowhere"}, 'models="nowhere": it has no model file'),
        ({"separator": ";"}, "separator=: says how data= is read; give that too"),
        ({"base": 2}, "base=2: give 0 or 1"),
        ({"untuned": True, "tuned_on": "x"}, 'untuned=True and tuned_on="x" exclude each other'),
        ({"readings": True}, "readings=True: toy2024 declares none"),
    ],
)
def test_run_refuses_what_the_command_refuses(options: dict[str, Any], said: str) -> None:
    with pytest.raises(audit.AuditError, match=said):
        audit.run("toy.yaml", **options)


def test_tables_of_verdicts_runs_and_findings(by_command: Audit) -> None:
    """For whoever goes on in pandas."""
    verdicts, runs = by_command.to_frame(), by_command.runs_frame()
    assert list(verdicts["outcome"]) == ["reproduced", "not_tested"]
    words = runs[(runs.experiment == "words") & (runs.metric == "P@1")]
    assert list(words.sort_values("seed")["value"]) == VALUES["words"]["P@1"]
    assert set(runs["origin"]) == {"imported"}
    assert {"id", "result", "cells"} <= set(audit.check("toy.yaml").to_frame().columns)


@pytest.fixture
def untrained(monkeypatch: pytest.MonkeyPatch) -> list[RunSpec]:
    """What would be trained."""
    made: list[RunSpec] = []
    train_at_once(monkeypatch, lambda job, _: made.append(job.spec) or 75.0)  # type: ignore[func-returns-value]
    return made


def test_run_takes_models_of_a_folder_and_says_so_where_one_is_unknown(
    folder: Path, untrained: list[RunSpec], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XMTC_AUDIT_MODELS", raising=False)
    write_paper(folder, ("model: xml_cnn, variant: chen2022-kim-words", "model: mine, variant: paper"))
    Path("own").mkdir()
    assert cli.main(["add", "model", "mine", "--to", "own"]) == 0
    said = "experiments.words: model 'mine' is not known; .*; `models=DIR` adds those of a folder"
    with pytest.raises(audit.PlanError, match=said):
        audit.run("toy.yaml", only="words", seeds=1)
    audit.run("toy.yaml", only="words", seeds=1, models="own")
    assert [spec.model for spec in untrained] == ["mine"]
    assert "XMTC_AUDIT_MODELS" not in os.environ


# --------------------------------------------------------------------------- what is shown


def test_importing_audit_loads_nothing_of_weight() -> None:
    script = (
        "import sys, audit; dir(audit); "
        "heavy = {'torch', 'numpy', 'scipy', 'pydantic', 'typer', 'audit.api'} & set(sys.modules); "
        "sys.exit(str(heavy) if heavy else 0)"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr


def test_every_public_name_is_there_and_documented() -> None:
    for name in audit.__all__:
        assert getattr(audit, name).__doc__, name
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        audit.nothing  # noqa: B018
