"""The machine of a search, on functions whose highest point is known: nothing is trained here."""

from __future__ import annotations

import math
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from audit.runner import search as module
from audit.runner.search import Objective, Outcome, Search, TrialStopped
from audit.study import SearchRange, Trial

X = SearchRange("config.x", -1.0, 1.0)
RATE = SearchRange("training.rate", 1e-4, 1.0, log=True)
KIND = SearchRange("config.kind", choices=("a", "b", 3))
Report = Callable[[float, float], None]


def search(folder: Path, *, space: tuple[SearchRange, ...] = (X,), **changes: Any) -> Search:
    return Search(folder / "s", space, **{"sampler": "random", "pruner": "none", **changes})


def hill(number: int, values: Mapping[str, Any], report: Report) -> Outcome:
    """100 at x = 0.3."""
    return Outcome(100.0 - 50.0 * (values["config.x"] - 0.3) ** 2)


def work(it: Search, objective: Objective, wanted: int) -> None:
    while True:
        with it.next(wanted) as number:
            if number is None:
                return
            it.make(number, objective)


def proposals(trials: tuple[Trial, ...]) -> list[Mapping[str, Any]]:
    return [it.values for it in trials]


@pytest.mark.parametrize("sampler", ["random", "tpe"])
def test_a_seed_gives_its_trials_and_another_seed_others(tmp_path: Path, sampler: str) -> None:
    found = []
    for name, seed in (("one", 0), ("same", 0), ("other", 1)):
        it = search(tmp_path / name, sampler=sampler, seed=seed)
        work(it, hill, 13)
        found.append(proposals(it.trials()))
    assert found[0] == found[1] != found[2]
    assert len({values["config.x"] for values in found[0]}) == 13


# --------------------------------------------------------------------------- going on


@pytest.mark.parametrize("sampler", ["random", "tpe"])
def test_an_interrupted_search_goes_on_as_if_it_had_not_been(tmp_path: Path, sampler: str) -> None:
    """Stopped within trial 5 and after trial 11: the proposals are those of one go, each made once."""
    whole = search(tmp_path / "whole", sampler=sampler)
    work(whole, hill, 14)
    parts = search(tmp_path / "parts", sampler=sampler)
    made: list[float] = []

    def stopped(number: int, values: Mapping[str, Any], report: Report) -> Outcome:
        if len(made) == 5:
            raise TrialStopped
        made.append(values["config.x"])
        return hill(number, values, report)

    with pytest.raises(TrialStopped):
        work(parts, stopped, 14)
    assert [it.state for it in parts.trials()] == ["done"] * 5
    made.append(math.nan)
    work(parts, stopped, 11)
    work(parts, stopped, 14)
    assert proposals(parts.trials()) == proposals(whole.trials())
    assert sorted(made[:5] + made[6:]) == sorted(it.values["config.x"] for it in whole.trials())


KILLED = """
import os, signal, sys
from pathlib import Path
from audit.runner.search import Search
from tests.runner.test_search import X, hill, work
def objective(number, values, report):
    if number == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return hill(number, values, report)
work(Search(Path(sys.argv[1]), (X,), "random", "none"), objective, 6)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_a_killed_trial_is_made_again_and_given_up_after_three_deaths(tmp_path: Path) -> None:
    it = search(tmp_path)
    paths = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}  # it imports this file too
    command = [sys.executable, "-c", KILLED, str(it.folder)]
    ended = subprocess.run(command, env=paths, capture_output=True, check=False)
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    assert len(it.trials()) == 2
    whole = search(tmp_path / "whole")
    work(whole, hill, 6)
    subprocess.run(command, env=paths, capture_output=True, check=False)
    shutil.copytree(it.folder, tmp_path / "twice" / it.folder.name)
    work(twice := search(tmp_path / "twice"), hill, 6)
    assert twice.trials()[2].state == "done" and proposals(twice.trials()) == proposals(whole.trials())
    subprocess.run(command, env=paths, capture_output=True, check=False)
    work(it, hill, 6)
    assert (it.trials()[2].state, it.trials()[2].reason) == ("failed", "its process ended 3 times")


def test_workers_share_a_search_and_take_over_none_that_is_at_work(tmp_path: Path) -> None:
    it = search(tmp_path)

    def elsewhere() -> AbstractContextManager[int | None]:
        module._locks_of.cache_clear()  # locks of one process nest
        return it.next(3)

    with elsewhere() as first, elsewhere() as second:
        assert (first, second) == (0, 1)
    with elsewhere() as left, elsewhere() as again:  # begun, and nobody works on them any more
        assert (left, again) == (0, 1)
        with elsewhere() as third, elsewhere() as none:
            assert (third, none) == (2, None)


def test_a_line_that_a_killed_writer_left_unfinished_does_not_spoil_the_journal(tmp_path: Path) -> None:
    it = search(tmp_path)
    work(it, hill, 2)
    with (it.folder / "journal.log").open("ab") as file:
        file.write(b'{"op_code": 5, "worker_id": "x", "tri')
    work(it, hill, 4)
    assert [trial.state for trial in it.trials()] == ["done"] * 4


# --------------------------------------------------------------------------- ended early, and failures


def climbing(number: int, values: Mapping[str, Any], report: Report) -> Outcome:
    """A curve of ten epochs whose height is that of the hill."""
    top = hill(number, values, report).score
    assert top is not None
    for epoch in range(1, 11):
        report(float(epoch), top - 10 + epoch)
    return Outcome(top)


def test_the_median_rule_ends_trials_below_the_median_at_the_same_epoch(tmp_path: Path) -> None:
    """By hand: from the sixth trial on, one ends at epoch 2 that is below the median of the finished ones."""
    it = search(tmp_path, pruner="median", epochs=10)
    work(it, climbing, 20)
    heights: list[float] = []
    for trial in it.trials():
        top = hill(0, trial.values, lambda *_: None).score
        assert top is not None
        ordered = sorted(heights)
        middle = (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2 if ordered else -math.inf
        if len(heights) >= 5 and top < middle:
            assert (trial.state, trial.epochs) == ("pruned", 2.0)
            assert trial.score == top - 8
        else:
            assert (trial.state, trial.score, trial.epochs) == ("done", top, 10.0)
            heights.append(top)
    assert {trial.state for trial in it.trials()} == {"done", "pruned"}


def test_a_failed_trial_is_kept_with_its_reason_and_the_search_goes_on(tmp_path: Path) -> None:
    def objective(number: int, values: Mapping[str, Any], report: Report) -> Outcome:
        if number == 1:
            return Outcome(reason="the training loss became nan in epoch 1 of 3")
        return hill(number, values, report)

    it = search(tmp_path, sampler="tpe")
    work(it, objective, 4)
    assert [trial.state for trial in it.trials()] == ["done", "failed", "done", "done"]
    assert it.trials()[1].reason == "the training loss became nan in epoch 1 of 3"
    assert it.trials()[1].score is None
