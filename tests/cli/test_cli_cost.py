"""What `audit run` says before its first run: what it costs, or that nothing is run."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import audit.runner.plan
from audit import cli
from audit.errors import Exit
from tests.cli.test_cli_readings import CLAIMS as WITH_READINGS
from tests.stand_ins import train_at_once

RUN = ("run", "toy.yaml", "--data", "corpus", "--jobs", "1", "--only", "words")


@pytest.fixture(autouse=True)
def trained(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every run takes ten minutes, as its record says."""
    train_at_once(monkeypatch, lambda job, _: 70.0 + job.spec.seed, seconds=600.0)


def err(capsys: pytest.CaptureFixture[str], *words: str, code: Exit | None = None) -> list[str]:
    found = cli.main(list(words))
    assert found in (Exit.OK, Exit.CONTRADICTED) if code is None else found == code
    return [line.strip() for line in capsys.readouterr().err.splitlines()]


def test_before_the_first_run_the_time_is_not_known_and_after_it_it_is(
    capsys: pytest.CaptureFixture[str],
) -> None:
    told = err(capsys, *RUN, "--seeds", "3")
    assert "3 runs to do, duration unknown until the first one ends" in told
    assert told[-5].startswith("[1/3] words seed 0")
    assert "about 20 min for the other 2 runs at that pace" in told
    assert sum("at that pace" in line for line in told) == 1


def test_readings_say_what_they_cost(capsys: pytest.CaptureFixture[str]) -> None:
    Path("toy.yaml").write_text(WITH_READINGS)
    run = ("run", "toy.yaml", "--jobs", "1", "--seeds", "2")
    err(capsys, *run)
    told = err(capsys, *run, "--readings")
    # a and b under two and one other reading, two seeds each, of 600 s
    assert "4 runs on record, 6 to do, about 1 h 0 min by the runs on record" in told
    assert "toy: all 10 runs are on record" in err(capsys, *run, "--readings")


@pytest.mark.parametrize("command", ["run", "tune"])
def test_a_store_that_cannot_be_written_is_told_before_anything_is_prepared(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As for somebody who may not write here, whoever runs the tests."""
    usual = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: mode == os.R_OK and usual(path, mode))
    monkeypatch.setattr(audit.runner.plan, "resolved", lambda *_: pytest.fail("prepared"))
    where = ["--data", "corpus", "--store", "there/runs"]
    [told] = err(capsys, command, "toy.yaml", *where, code=Exit.BAD_INPUT)
    assert told == "audit: there/runs: Permission denied; make it accessible or choose another folder"
    assert not Path("there").exists()


def test_that_few_seeds_decide_nothing_is_said_before_the_first_run(
    capsys: pytest.CaptureFixture[str],
) -> None:
    line = "2 seeds: fewer than three seeds cannot decide a claim"
    assert line in err(capsys, *RUN, "--seeds", "2")
    assert "decided by fewer" not in "".join(err(capsys, *RUN, "--seeds", "3"))
