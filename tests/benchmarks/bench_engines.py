"""What an engine costs a run: 200 runs of a tiny model by two workers, beside joblib's.

    pytest tests/benchmarks/bench_engines.py -m benchmark -s

All call the same `carry_out`, which reads the data, trains, and writes a record. A run's cost is what two
workers spent on it beyond the seconds of its training, the start of their processes among it.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from joblib import Parallel, delayed
from joblib.externals.loky import get_reusable_executor

from audit.runner.channel import Stop
from audit.runner.engines import Engine, engine_of, resources_of
from audit.runner.execute import Means, carry_out, execute, running_in
from audit.runner.plan import Job
from audit.storage.runs import Store
from tests.runner.jobs import Heard, make_jobs

pytestmark = [pytest.mark.benchmark, pytest.mark.filterwarnings("default")]

RUNS, WORKERS = 200, 2
Made = Callable[[Sequence[Job], Store], None]


def by(name: str) -> Made:
    engine: Engine = engine_of(name, WORKERS, resources_of(None))

    def make(jobs: Sequence[Job], store: Store) -> None:
        heard: Any = Heard()
        assert len(execute(jobs, Means(store, 1), heard, engine).runs) == len(jobs)

    return make


def _one(job: Job, store: Store) -> None:
    carry_out(job, Means(store, 1), progress=lambda *_: None, stop=Stop(running_in(store)))


def by_joblib(jobs: Sequence[Job], store: Store) -> None:
    Parallel(n_jobs=WORKERS)(delayed(_one)(job, store) for job in jobs)


def cost(folder: Path, name: str, make: Made) -> float:
    """Seconds a run."""
    jobs, store = make_jobs(folder, RUNS), Store(folder / name)
    get_reusable_executor().shutdown()  # joblib's processes start anew, as those of the others do
    began = time.perf_counter()
    make(jobs, store)
    taken = time.perf_counter() - began
    trained = sum(run.seconds or 0.0 for run in store.runs())
    each = (WORKERS * taken - trained) / RUNS
    print(f"{name}: {RUNS} runs in {taken:.1f} s, {trained:.1f} s of training;", end=" ")
    print(f"{1000 * each:.0f} ms a run beyond")
    return each


@pytest.mark.parametrize("name", ["local", "ray"])
def test_a_run_costs_little_more_than_by_joblib(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    joblib = cost(tmp_path, "joblib", by_joblib)
    if name == "ray":
        ray = pytest.importorskip("ray", reason="needs the extra ray")
        ray.init("local", num_cpus=WORKERS, log_to_driver=False, logging_level="ERROR")
    try:
        assert cost(tmp_path, name, by(name)) / joblib < 2
    finally:
        if name == "ray":
            ray.shutdown()
