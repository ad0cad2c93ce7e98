"""`audit tune`: what it prints and returns, how it is interrupted, and what `audit run` makes of it."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from audit import cli
from audit.errors import Exit
from audit.runner import execute, search
from reimpl.training import Interrupted, Result, Watch
from tests.cli import record, refused
from tests.runner.papers import write_paper

TUNE = ("tune", "toy.yaml", "--data", "corpus")
RUN = ("run", "toy.yaml", "--data", "corpus", "--jobs", "1", "--only", "words", "--seeds", "1")


@pytest.fixture(autouse=True)
def paper(folder: Path) -> Path:
    place = "title: Words, model"
    return write_paper(folder, (place, f"tuning: {{protocol: chen2022, trials: 3}}, {place}"))


class Trained:
    """Training that takes no time: its score is 60 with a dropout of 0.4 behind, and 50 with another."""

    def __init__(self) -> None:
        self.trials = 0
        self.interrupt_at: int | None = None

    def __call__(self, job: Any, data: Any, threads: Any, watch: Watch) -> Result:
        self.trials += 1
        if self.trials == self.interrupt_at:
            os.kill(os.getpid(), signal.SIGINT)
            while not watch.stop():
                pass
            raise Interrupted
        value = 60.0 if job.spec.config["dropout_output"] == 0.4 else 50.0
        watch.evaluated({"epoch": 1.0, "P@1": value})
        n = data.test.size
        ids, scores = np.zeros((n, 1), dtype=np.int32), np.zeros((n, 1), dtype=np.float32)
        return Result({"P@1": value, "P@3": value}, (), 1.0, None, 9, ids, scores)


@pytest.fixture
def trained(monkeypatch: pytest.MonkeyPatch) -> Trained:
    found = Trained()
    monkeypatch.setattr(execute, "train_job", found)
    monkeypatch.setattr(search, "train_job", found)
    return found


def study() -> dict[str, Any]:
    (path,) = Path("audit-runs/studies").glob("*.json")
    found: dict[str, Any] = json.loads(path.read_text())
    return found


def test_a_search_tells_of_every_trial_and_of_the_best(
    trained: Trained, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main([*TUNE, "--trials", "8"]) == Exit.OK
    out, err = capsys.readouterr()
    lines = err.splitlines()
    assert lines[0].startswith("words: chen2022, 8 trials of up to 20 epochs, random; P@1 on documents")
    assert "  dropout_output: one of 0.2, 0.4, 0.6" in lines
    told = [line for line in lines if line.startswith("[")]
    assert [line.partition("]")[0] for line in told] == [f"[{k}/8" for k in range(1, 9)]
    assert "best P@1 60.00" in told[-1]
    assert out.startswith("tuned: 8 trials, best P@1 60.00 with learning_rate ")
    assert f"study: audit-runs/studies/{study()['key']}.json" in out
    assert trained.trials == 8


def test_the_same_command_makes_no_trial_twice_and_more_trials_are_added(trained: Trained) -> None:
    assert cli.main(list(TUNE)) == Exit.OK
    first = study()["trials"]
    assert cli.main(list(TUNE)) == Exit.OK
    assert trained.trials == len(first) == 3
    assert cli.main([*TUNE, "--trials", "5"]) == Exit.OK
    assert trained.trials == 5
    assert study()["trials"][:3] == first


@pytest.mark.skipif(os.name == "nt", reason="needs signals")
def test_an_interrupted_search_says_so_and_the_same_command_goes_on(
    trained: Trained, capsys: pytest.CaptureFixture[str]
) -> None:
    trained.interrupt_at = 2
    assert cli.main(list(TUNE)) == Exit.INTERRUPTED
    err = capsys.readouterr().err
    assert err.splitlines()[-1] == "audit: interrupted; the same command continues from there"
    assert not list(Path("audit-runs/studies").glob("*.json"))
    assert cli.main(list(TUNE)) == Exit.OK
    assert trained.trials == 4
    states = [it["state"] for it in study()["trials"]]
    assert states == ["done", "done", "done"]
    assert "tuned: 3 trials, best P@1" in capsys.readouterr().out


def test_runs_after_it_use_the_best_values_and_their_report_says_so(
    trained: Trained, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main([*TUNE, "--trials", "8"]) == Exit.OK
    key = study()["key"]
    assert cli.main(list(RUN)) == Exit.OK
    words = next(it for it in record().experiments if it.id == "words")
    (run,) = words.runs
    assert run.spec.study == key
    assert run.spec.config["dropout_output"] == 0.4
    assert words.study is not None
    assert len(words.study.trials) == 8
    page = Path("audit-report/toy2024-corpus/report.html").read_text()
    assert "<h3>Tuning: <bdi>Words</bdi></h3>" in page
    assert "tuned: 8 trials, best P@1 60.00" in page
    assert page.count("<bdi>done</bdi></td></tr>") >= 8
    capsys.readouterr()
    assert cli.main(["explain", "words-value"]) == Exit.OK
    said = " ".join(capsys.readouterr().out.split())
    assert "tuned: 8 trials, best P@1 60.00 with" in said
    assert f"study file studies/{key}.json" in said


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (("--only", "letters"), "toy2024: none of these experiments asks for tuning in the claim file"),
        (("--only", "wrods"), "toy2024: --only 'wrods' is not an experiment, claim, table or data set; d"),
        (("--timeout", "soon"), "--timeout 'soon' is not a time span"),
        (("--protocol", "big"), "--protocol 'big' is unknown"),
        (("--data", "nowhere"), "nowhere: no such file or folder"),
        (("--trials", "0"), "invalid value for '--trials': Input should be greater than or equal to 1"),
    ],
)
def test_input_that_cannot_be_used_is_told_in_one_sentence(
    trained: Trained, capsys: pytest.CaptureFixture[str], more: tuple[str, str], told: str
) -> None:
    assert told in refused(capsys, *TUNE, *more)
    assert trained.trials == 0
