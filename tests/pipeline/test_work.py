"""Runs made by others than the command that asked: plans are submitted, worked off, and their runs
counted."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch

from audit import cli
from audit.errors import Exit
from audit.pipeline.work import plans_in
from audit.record import audit_from_json
from audit.runner import execute
from audit.runner.channel import Stop, Telling
from audit.runner.engines import Died, Listener, Work, fitting
from audit.runner.execute import Means, device_here, running_in
from audit.runner.plan import Job
from audit.storage.runs import Store
from reimpl.training import Result
from tests.runner.jobs import Deadly, Heard, make_jobs
from tests.runner.papers import write_corpus, write_paper

RUN = ["run", "toy.yaml", "--data", "corpus", "--seeds", "2", "--only", "words-win"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_paper(tmp_path)
    write_corpus(tmp_path / "corpus")
    return tmp_path


def told(capsys: pytest.CaptureFixture[str]) -> str:
    out, err = capsys.readouterr()
    return out + err


def outcomes(folder: Path) -> list[tuple[str, str, float | None]]:
    audit = audit_from_json((folder / "toy2024-corpus" / "audit.json").read_text())
    return [(verdict.claim, verdict.outcome, verdict.estimate) for verdict in audit.verdicts]


def test_a_submitted_plan_is_worked_off_counted_and_judged_as_if_run_here(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cli.main([*RUN, "--submit", "--store", "s", "--out", "o"]) == Exit.OK
    assert "4 runs to make by `audit work --store s`" in told(capsys)
    assert not list(Store(Path("s")).runs()) and not Path("o/toy2024-corpus/audit.json").exists()
    assert cli.main(["status", "--store", "s"]) == Exit.OK
    assert told(capsys) == "toy2024-corpus: 4 runs: 4 waiting\n"
    away = folder / "away"
    away.mkdir()
    monkeypatch.chdir(away)  # another place on another machine; the store is where it was
    assert cli.main(["work", "--store", "../s", "--jobs", "1"]) == Exit.OK
    monkeypatch.chdir(folder)
    assert not Path("o/toy2024-corpus/audit.json").exists()
    assert cli.main(["status", "--store", "s"]) == Exit.OK
    assert told(capsys).startswith("toy2024-corpus: 4 runs: 4 done\n")
    made = [run.key for run in Store(Path("s")).runs()]
    assert cli.main([*RUN, "--store", "s", "--out", "o"]) in (Exit.OK, Exit.CONTRADICTED)
    assert cli.main([*RUN, "--store", "here", "--out", "o2", "--jobs", "1"]) in (Exit.OK, Exit.CONTRADICTED)
    assert [run.key for run in Store(Path("here")).runs()] == made
    assert outcomes(Path("o")) == outcomes(Path("o2"))


def test_what_a_run_lacks_for_a_verdict_is_told_and_judge_sees_it_mended(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The corpus is the paper's own once the claim file names its content: no run is made again."""
    run = ["run", "toy.yaml", "--data", "corpus", "--only", "words", "--store", "s", "--jobs", "1"]
    assert cli.main([*run, "--out", "o"]) == Exit.OK
    needed = "1 printed value on corpus cannot be judged on this corpus: if it is the paper's Corpus, "
    said = told(capsys)
    assert needed + "`audit data describe corpus` prints its content for datasets.corpus" in said
    assert "a printed number is judged only on the paper’s own data" in said
    (plan,) = plans_in(Path("s"))
    content = next(record.data.content for record in plan.experiments if record.data)
    write_paper(folder, ("content: null", f"content: {content}"))
    assert cli.main(["judge", "toy.yaml", "--store", "s", "--out", "o"]) in (Exit.OK, Exit.CONTRADICTED)
    assert "the runs used other data than the paper" not in told(capsys)


def test_work_leaves_a_run_to_whoever_is_at_work_on_it_and_status_says_who(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main([*RUN, "--submit", "--store", "s"]) == Exit.OK
    store, other = Store(Path("s")), Store(folder / "s")
    key = plans_in(Path("s"))[0].asked[0]
    with other.claim(key), Telling(running_in(other), key, "words seed 0") as telling:
        telling.written_at = 0.0
        telling.progress(3, 12, 0.5)
        assert cli.main(["work", "--store", "s", "--jobs", "1"]) == Exit.OK
        assert store.get(key) is None and len(list(store.runs())) == 3
        told(capsys)
        assert cli.main(["status", "--store", "s"]) == Exit.OK
        first, second = told(capsys).splitlines()
        assert first == "toy2024-corpus: 4 runs: 3 done, 1 running"
        assert re.match(r"  words seed 0: 25% done, after \d+ s on ", second)  # a busy machine takes longer
    assert cli.main(["work", "--store", "s", "--jobs", "1"]) == Exit.OK
    assert len(list(store.runs())) == 4


def test_a_changed_claim_file_ends_the_work_with_one_sentence(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["work", "--store", "s"]) == Exit.BAD_INPUT
    assert told(capsys) == "audit: s: no runs are planned there; `audit run --submit` writes a plan\n"
    assert cli.main([*RUN, "--submit", "--store", "s"]) == Exit.OK
    write_paper(folder, ("title: Words, ", "title: Words, training: {batch_size: 4}, "))
    told(capsys)
    assert cli.main(["work", "--store", "s"]) == Exit.BAD_INPUT
    assert "so 2 of its runs are others now; give `audit run` again" in told(capsys)


def test_runs_on_gpus_are_planned_where_there_is_none(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if torch.cuda.is_available():
        pytest.skip("a GPU is here")
    assert cli.main([*RUN, "--device", "cuda", "--protocol", "small", "--store", "s"]) == Exit.BAD_INPUT
    assert "finds 0 CUDA devices" in told(capsys)
    gpu = [*RUN, "--device", "cuda", "--protocol", "small", "--store", "s"]
    assert cli.main([*gpu, "--submit"]) == Exit.OK
    assert "4 runs to make" in told(capsys)
    assert cli.main(["work", "--store", "s"]) == Exit.BAD_INPUT
    assert "finds 0 CUDA devices" in told(capsys)
    assert not list(Store(Path("s")).runs())


# --------------------------------------------------------------------------- memory and devices


def test_workers_take_gpus_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    assert [device_here("cuda", seat) for seat in range(4)] == ["cuda:0", "cuda:1", "cuda:0", "cuda:1"]
    assert [device_here(device, 3) for device in ("cpu", "cuda:0")] == ["cpu", "cuda:0"]


def test_as_many_workers_as_the_memory_of_the_smallest_gpu_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    """By hand: 0.9 x 80 GiB / (10 + 0.6) GiB = 6.8; a GPU of 24 GiB holds 2."""
    sizes = {0: 80 * 2**30, 1: 24 * 2**30}

    class Card:
        def __init__(self, number: int) -> None:
            self.total_memory = sizes[number]

    monkeypatch.setattr(torch.cuda, "get_device_properties", Card)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    assert fitting("cuda", 10 * 2**30) == 6
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    assert fitting("cuda", 10 * 2**30) == 4
    assert fitting("cuda", 0) == 2  # nothing is known: one a GPU


class Crowded:
    """An engine that says that several runs are on one device."""

    at_once = 2

    def __init__(self) -> None:
        self.asked: list[tuple[list[int], bool]] = []

    def run(self, tasks: Sequence[Job], work: Work, listener: Listener, *, alone: bool = False) -> None:
        self.asked.append(([task.spec.seed for task in tasks], alone))
        for task in tasks:
            listener.began(task)
            dies = isinstance(task.data, Deadly)
            listener.ended(task, Died("its worker process was ended") if dies else work(task))


@pytest.mark.parametrize("times", [1, 2])
def test_a_run_short_of_memory_is_tried_once_more_alone_and_then_failed_with_its_peak(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    jobs, store, heard, engine = make_jobs(tmp_path, 2), Store(tmp_path / "s"), Heard(), Crowded()
    train, tries = execute.train_job, list[int]()

    def lacking(job: Job, *arguments: Any) -> Result:
        tries.append(job.spec.seed)
        if job.spec.seed == 0 and tries.count(0) <= times:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return train(job, *arguments)

    monkeypatch.setattr(execute, "train_job", lacking)
    screen: Any = heard
    outcome = execute.execute(jobs, Means(store), screen, engine)
    assert engine.asked == [([0, 1], False), ([0], True)]
    assert (heard.again_, tries) == ([0], [0, 1, 0])
    first = outcome.runs[jobs[0].spec.key]
    assert first.status == ("done" if times == 1 else "failed")
    assert (first.peak_memory_bytes or 0) > 0
    assert outcome.runs[jobs[1].spec.key].status == "done"


def test_a_stop_reaches_other_processes_by_the_store(tmp_path: Path) -> None:
    here = Stop(tmp_path)
    there: Callable[[], bool] = pickle.loads(pickle.dumps(here))
    assert not here() and not there()
    here.set()
    there._looked = 0.0  # type: ignore[attr-defined]
    assert here() and there()
    here.clear()
    assert list(tmp_path.iterdir()) == []
