"""Runs on a Ray cluster of two nodes, which loses nodes, workers and its head under them. python -m pytest -m
cluster tests/runner/test_ray.py"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from audit.claims.load import load
from audit.cli import main
from audit.errors import AuditError, Exit
from audit.record import audit_from_json
from audit.runner.channel import pulses
from audit.runner.engines import engine_of, resources_of
from audit.runner.execute import Outcome, running_in
from audit.runner.plan import Job
from audit.runner.progress import new_console
from audit.runner.resolve import questions
from audit.runner.search import Search, carry_on
from audit.settings import RunSettings
from audit.storage.runs import Store
from reimpl.machine import load_checkpoint
from tests.runner.jobs import Counted, Heard, carry_out_all, check_undisturbed, make_jobs, trouble
from tests.runner.papers import write_corpus, write_paper
from tests.runner.test_execute import wait_for
from tests.runner.test_tuning_runs import PLACE
from tests.stand_ins import pass_the_gate

pytestmark = [pytest.mark.cluster, pytest.mark.filterwarnings("default")]
pytest.importorskip("ray", reason="needs the extra ray")

from ray.cluster_utils import Cluster  # noqa: E402

NODE = {"num_cpus": 2, "object_store_memory": 80 * 2**20}
LONG = 400  # Epochs of a run that takes some seconds.


@contextmanager
def two_nodes() -> Iterator[Any]:
    cluster = Cluster(initialize_head=True, head_node_args={**NODE, "include_dashboard": False})
    try:
        cluster.add_node(**NODE)
        yield cluster
    finally:
        cluster.shutdown()


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join(sys.path))  # its workers import this folder, too
        with two_nodes() as made:
            yield made


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def counted(folder: Path, runs: int, *, together: int = 0, **changes: Any) -> list[Job]:
    more = {"log": folder / "begun", "together": together}
    jobs = make_jobs(folder, runs, **{"epochs": LONG, **changes})
    return [replace(job, data=Counted(**vars(job.data), **more)) for job in jobs]


def begun(folder: Path) -> int:
    return len((folder / "begun").read_text().splitlines())


def on(cluster: Any, jobs: Sequence[Job], store: Store, more: str = "", **how: Any) -> Outcome:
    how = {"workers": None, "threads": 1, "checkpoint_every": 0.0, "heard": Heard(), **how}
    return carry_out_all(jobs, store, on="ray", resources=f"address={cluster.address}{more}", **how)


def node_of(process: int) -> int:
    """The process of Ray that started a worker."""
    return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])


def kept(store: Store, keys: Iterable[str]) -> dict[str, list[Any]]:
    """The epochs in the checkpoints of those runs."""
    found = {}
    for key in keys:
        path = store.root / "checkpoints" / key / "state.pt"
        with load_checkpoint(path, torch.device("cpu")) as checkpoint:
            found[key] = checkpoint["state"]["curve"]
    return found


def check(folder: Path, store: Store, jobs: Sequence[Job], went_on: Mapping[str, list[Any]]) -> None:
    """Runs that went on did not make an epoch anew: the seconds that it took are those of the checkpoint."""
    check_undisturbed(folder, store, jobs)
    assert went_on and all(curve for curve in went_on.values())
    for key, curve in went_on.items():
        run = store.get(key)
        assert run is not None and [dict(row) for row in run.curve[: len(curve)]] == curve


def test_runs_of_a_node_that_is_lost_go_on_elsewhere(tmp_path: Path, store: Store, cluster: Any) -> None:
    jobs, lost = counted(tmp_path, 6, together=6), cluster.add_node(**NODE)
    raylet = lost.all_processes["raylet"][0].process.pid

    def remove(at_work: dict[str, int]) -> dict[str, list[Any]]:
        there = [key for key, process in at_work.items() if node_of(process) == raylet]
        cluster.remove_node(lost, allow_graceful=False)
        return kept(store, there)

    with trouble(store, 6, remove) as said:
        outcome = on(cluster, jobs, store)
    assert len(outcome.runs) == 6 and not outcome.interrupted
    assert len(said[0]) == 2 and begun(tmp_path) == 6 + 2
    check(tmp_path, store, jobs, *said)


def test_a_run_whose_worker_is_killed_goes_on(tmp_path: Path, store: Store, cluster: Any) -> None:
    jobs, heard = counted(tmp_path, 4, together=4), Heard()

    def kill(at_work: dict[str, int]) -> dict[str, list[Any]]:
        key, process = next(iter(at_work.items()))
        os.kill(process, signal.SIGKILL)
        return kept(store, [key])

    with trouble(store, 4, kill) as said:
        on(cluster, jobs, store, heard=heard)
    assert begun(tmp_path) == 5 and heard.again_ == []
    check(tmp_path, store, jobs, *said)


def test_without_its_head_the_command_ends_and_goes_on_with_another(tmp_path: Path, store: Store) -> None:
    jobs = counted(tmp_path, 4, together=4, epochs=6 * LONG)  # longer than the patience of the command
    with two_nodes() as first:

        def kill(at_work: dict[str, int]) -> dict[str, list[Any]]:
            first.head_node.kill_all_processes(check_alive=False, allow_graceful=False)
            return kept(store, at_work)

        lost = r"^--on ray: the cluster can no longer be reached; the same command continues from there$"
        with trouble(store, 4, kill) as said, pytest.raises(AuditError, match=lost):
            on(first, jobs, store)
    left = 4 - len(list(store.runs()))  # the other node may have come to the end of its own
    with two_nodes() as second:
        assert len(on(second, jobs, store).runs) == 4
    # Ray may begin the two of the head's node on the other one before the command ends
    assert left >= 2 and 4 + left <= begun(tmp_path) <= 6 + left
    check(tmp_path, store, jobs, *said)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_keeps_what_is_at_work(tmp_path: Path, store: Store, cluster: Any, number: int) -> None:
    """Runs write no checkpoint in their first minute but for the one as they stop."""
    jobs = counted(tmp_path, 7, together=4)
    with trouble(store, 4, lambda _: os.kill(os.getpid(), number)):
        outcome = on(cluster, jobs, store, checkpoint_every=60.0)
    assert outcome.interrupted and outcome.runs == {} and begun(tmp_path) == 4
    went_on = kept(store, [job.spec.key for job in jobs if store.has_checkpoint(job.spec.key)])
    assert len(went_on) == 4
    assert len(on(cluster, jobs, store).runs) == 7
    check(tmp_path, store, jobs, went_on)


def test_a_failed_run_ends_no_other_and_no_node_is_given_more_than_it_has(
    tmp_path: Path, store: Store, cluster: Any
) -> None:
    """Runs of two CPUs on nodes of two: one at a time on each."""
    jobs = counted(tmp_path, 1, learning_rate=1e30) + counted(tmp_path, 5)
    seen, over = list[Counter[int]](), threading.Event()

    def watch() -> None:
        while not over.wait(0.02):
            seen.append(Counter(node_of(pulse.pid) for pulse in pulses(running_in(store)).values()))

    watcher = threading.Thread(target=watch)
    watcher.start()
    outcome = on(cluster, jobs, store, ",cpus=2")
    over.set()
    watcher.join()
    assert max(map(len, seen)) == 2 and {count for nodes in seen for count in nodes.values()} == {1}
    assert [outcome.runs[job.spec.key].status for job in jobs] == ["failed", *["done"] * 5]
    assert begun(tmp_path) == 6


def test_verdicts_are_those_of_one_machine(
    tmp_path: Path, cluster: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Through the command, given with relative paths."""
    monkeypatch.chdir(tmp_path)
    pass_the_gate(monkeypatch)
    write_paper(tmp_path)
    write_corpus(tmp_path / "corpus")
    found = []
    for on, more in (("local", ()), ("ray", ("--resources", f"address={cluster.address}"))):
        command = ["run", "toy.yaml", "--data", "corpus", "--seeds", "3", "--store", on, "--out", f"out-{on}"]
        assert main([*command, "--on", on, *more]) == Exit.OK
        audited = audit_from_json(Path(f"out-{on}/toy2024-corpus/audit.json").read_text())
        found.append(audited.verdicts)
    assert found[0] == found[1] != ()


def test_workers_share_a_search_and_make_the_trial_of_a_killed_one_again(
    tmp_path: Path, cluster: Any
) -> None:
    said = f"tuning: {{protocol: chen2022, epochs: {LONG}, patience: {LONG}}}, {PLACE}"
    corpus, paper = write_corpus(tmp_path / "corpus"), load(write_paper(tmp_path, (PLACE, said)))
    (question,) = questions(paper, RunSettings(device="cpu", data=corpus, store=tmp_path))
    running, killed = tmp_path / "studies" / question.spec.key / "running", set[int]()

    def kill() -> None:
        wait_for(lambda: any(pulse.done > 5 for pulse in pulses(running).values()))
        name, pulse = next(item for item in pulses(running).items() if item[1].done > 5)
        os.kill(pulse.pid, signal.SIGKILL)
        killed.add(int(name))

    killer = threading.Thread(target=kill)
    killer.start()
    made = []
    for folder, engine in (
        (tmp_path, engine_of("ray", 2, resources_of(f"address={cluster.address}"))),
        (tmp_path / "alone", engine_of("local", 1, resources_of(None))),
    ):
        study = carry_on(question, folder, new_console(quiet=True), engine, trials=5, threads=1)
        assert study is not None
        made.append([(trial.number, trial.values, trial.state, trial.score) for trial in study.trials])
    killer.join()
    assert made[0] == made[1] and len(made[0]) == 5 and killed
    search = Search(running.parent, question.spec.space, question.spec.sampler, question.spec.pruner)
    times = {trial.number: trial.user_attrs["begun"] for trial in search.study().get_trials()}
    assert times == {number: 1 + (number in killed) for number in range(5)}
