"""Small records for tests: a run with one metric, an experiment of such runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from audit.record import DataInfo, ExperimentRecord, Run, RunSpec, Scope, Status

DATA = DataInfo(name="toy", fingerprint="f", recipe="r", n_train=100, n_test=50, n_labels=10)


def make_run(
    seed: int, value: float | None, *, key: str | None = None, status: Status = "done", **more: Any
) -> Run:
    spec = RunSpec(model="xml_cnn", variant="v", config={}, protocol={}, data="f", seed=seed)
    metrics = {} if value is None else {"P@1": value}
    return Run(key=key or f"k{seed}", spec=spec, status=status, metrics=metrics, **{"data": DATA, **more})


def make_experiment(
    name: str, runs: Sequence[Run], *, scope: Scope = "same_data", dataset: str = "toy"
) -> ExperimentRecord:
    return ExperimentRecord(
        id=name,
        title=name,
        model="xml_cnn",
        variant="v",
        dataset=dataset,
        protocol="p",
        config={},
        runs=tuple(runs),
        scope=scope,
    )
