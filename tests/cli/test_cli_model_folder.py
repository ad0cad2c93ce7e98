"""`--models`: a model from a folder is known to every command that looks models up by name."""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from audit import cli
from audit.errors import Exit
from audit.runner import Job
from audit.runner.models import check_unchanged
from tests.cli import refused
from tests.stand_ins import train_at_once

FILE = """\
format: 1
paper: {key: toy, title: A paper}
datasets:
  eurlex: {name: EUR-Lex}
tables:
  t1:
    where: {label: Table 1, page: 3}
    caption: scores
    dataset: eurlex
    source: own_run
    columns: [P@1]
    rows:
      - {id: mine, label: Mine, experiment: mine, values: ["75.10"]}
      - {id: rest, label: "Mine, no pooling", experiment: rest, values: ["70.10"]}
experiments:
  mine: {title: Mine, dataset: eurlex, model: mine, variant: paper, protocol: small, recipe: study2022}
  rest: {title: Rest, dataset: eurlex, unavailable: toy}
margins:
  default: {value: 0.5, rule: field, why: usual}
claims:
  - {id: reaches, kind: value, of: t1.mine, metric: P@1, says: it does, where: {page: 3}}
"""
MODELS = ("--models", "own")

#: What the folder makes possible, each command from the same file.
COMMANDS: Sequence[Sequence[str]] = (
    ("validate", "toy.yaml"),
    ("add", "claim", "order", "--paper", "toy", "--kind", "order", "--set", "better=mine",
     "--set", "worse=rest", "--metric", "P@1", "--says", "it is", "--set", "page=3",
     "--dry-run"),
    ("add", "dataset", "wiki", "--paper", "toy", "--name", "Wiki", "--dry-run"),
    ("add", "experiment", "more", "--paper", "toy", "--title", "More", "--dataset", "eurlex",
     "--model", "mine", "--set", "variant=paper", "--set", "protocol=small", "--set", "recipe=study2022",
     "--dry-run"),
    ("add", "table", "t.csv", "--paper", "toy", "--set", "dataset=eurlex", "--dry-run"),
    ("suggest", "toy", "--accept", "t1-mine-over-rest-eurlex", "--dry-run"),
    ("verify", "toy", "--against", "t.csv", "--by", "B. Reader", "--dry-run"),
)  # fmt: skip


@pytest.fixture(autouse=True)
def file(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    monkeypatch.delenv("XMTC_AUDIT_MODELS", raising=False)
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    path = Path("toy.yaml")
    path.write_text(FILE)
    Path("t.csv").write_text('Method,P@1\nMine,75.10\n"Mine, no pooling",70.10\n')
    Path("own").mkdir()
    assert cli.main(["add", "model", "mine", "--to", "own"]) == Exit.OK
    capsys.readouterr()
    return path


@pytest.mark.parametrize("command", COMMANDS, ids=lambda it: " ".join(it[:2]))
def test_a_claim_file_with_a_model_from_a_folder_is_read_by_every_command(
    command: Sequence[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main([*command]) == Exit.BAD_INPUT
    assert "there is no model 'mine'" in capsys.readouterr().err
    assert cli.main([*command, *MODELS]) == Exit.OK, capsys.readouterr().err


@pytest.mark.parametrize("place", [".", "nowhere"])
def test_a_folder_without_a_model_is_refused_by_all(place: str, capsys: pytest.CaptureFixture[str]) -> None:
    for command in (["validate"], ["list"], ["run"], ["tune", "toy.yaml"]):
        said = f"--models {place}: it has no model file; `audit add model NAME` writes one"
        assert said in refused(capsys, *command, "--models", place)


def test_runs_of_such_a_model_are_judged_and_explained_without_the_folder(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Judging looks no model up."""
    train_at_once(monkeypatch, lambda *_: 75.0)
    run = ("run", "toy.yaml", "--data", "corpus", "--seeds", "1", "--jobs", "1")
    assert cli.main(run) == Exit.BAD_INPUT
    assert cli.main([*run, *MODELS]) == Exit.OK, capsys.readouterr().err
    for command in (["judge", "toy.yaml"], ["explain", "reaches:P@1"], ["report"], ["check", "toy.yaml"]):
        assert cli.main(command) == Exit.OK, capsys.readouterr().err


# --------------------------------------------------------------------------- files that are edited


@pytest.fixture
def trained(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What each training that was made is called."""
    made: list[str] = []

    def value(job: Job, _: object) -> float:
        check_unchanged(job.spec, job.sources)
        made.append(job.title)
        return 75.0

    train_at_once(monkeypatch, value)
    return made


RUN = ("run", "toy.yaml", "--data", "corpus", "--seeds", "2", "--jobs", "1", *MODELS)


def test_runs_of_an_edited_file_are_told_and_made_again_on_demand(
    trained: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(RUN) == Exit.OK
    assert "other code" not in capsys.readouterr().err
    Path("own/test_mine.py").write_text("# edited, and no part of the model\n")
    assert cli.main(RUN) == Exit.OK and "other code" not in capsys.readouterr().err
    path = Path("own/mine.py")
    path.write_text(path.read_text() + "\n\nclass Rectified: ...\n")
    assert cli.main(RUN) == Exit.OK
    assert "other code" in capsys.readouterr().err
    assert len(trained) == 2
    assert cli.main([*RUN, "--rerun-changed"]) == Exit.OK
    assert len(trained) == 4
    for command in (["judge", "toy.yaml"], ["explain", "reaches:P@1"], ["report"]):
        assert cli.main(command) == Exit.OK, capsys.readouterr().err


# --------------------------------------------------------------------------- files with a fault

SCORES = "scores: Tensor = self.output(self.dropout(mean))"


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ('raise ValueError("oops, my bug")', "ValueError: oops, my bug ({file}:{line})"),
        ("return self.output(mean[:, :2])", "cannot be multiplied .* ({file}:{line})"),
        ("return self.output(mean)[:, :-1]", "the network gives (.*, 5); it must give scores .* 6)"),
    ],
)  # fmt: skip
def test_a_fault_in_a_model_of_ones_own_is_told_with_its_place(
    fault: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = Path("own/mine.py")
    text = path.read_text()
    line = next(n for n, it in enumerate(text.splitlines(), start=1) if SCORES in it)
    path.write_text(text.replace(SCORES, fault))
    assert cli.main([*RUN, "--seeds", "1"]) == Exit.RUNS_FAILED
    shown = " ".join("".join(capsys.readouterr()).split())
    expected = re.escape(said.format(file=path, line=line)).replace(re.escape(".*"), ".*")
    assert re.search(r"1 of 1 run failed \(.*" + expected, shown)
    (record,) = (json.loads(it.read_text()) for it in Path("audit-runs").glob("*.json"))
    assert re.search(expected, record["reason"])
