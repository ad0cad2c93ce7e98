"""How long further seeds would take, by the runs that are on record."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from audit.record import ExperimentRecord

Device = Literal["CPU", "GPU"]


@dataclass(frozen=True)
class RunTime:
    seconds: float
    device: Device
    similar: bool = False
    """By other experiments, since an experiment has no runs of its own."""

    def __str__(self) -> str:
        """`40 CPU-seconds`, `12 CPU-minutes`, `0.4 GPU-hours`: one process is one CPU or GPU."""
        if self.seconds < 90.0:
            return f"{max(1, round(self.seconds))} {self.device}-seconds"
        if self.seconds < 1200.0:
            return f"{round(self.seconds / 60.0)} {self.device}-minutes"
        hours = self.seconds / 3600.0
        return f"{hours:.1f} {self.device}-hours" if hours < 100.0 else f"{hours:,.0f} {self.device}-hours"


class RunTimes:
    """Mean seconds a run of each experiment."""

    def __init__(self, experiments: Iterable[ExperimentRecord]) -> None:
        self.experiments = {it.id: it for it in experiments}
        self.own = {name: own for name, it in self.experiments.items() if (own := _own(it))}

    def a_run(self, experiment: str) -> RunTime | None:
        """Of the experiment itself, else of those most like it; None where nothing was ever run."""
        if experiment in self.own:
            return self.own[experiment]
        like = self._most_like(experiment)
        if not like:
            return None
        devices = [it.device for it in like]
        mean = sum(it.seconds for it in like) / len(like)
        return RunTime(mean, max(set(devices), key=lambda it: (devices.count(it), it)), similar=True)

    def of(self, runs: Mapping[str, int]) -> RunTime | None:
        """Of so many runs of each experiment; None where one of them has nothing to go by."""
        each = {name: self.a_run(name) for name, number in runs.items() if number > 0}
        known = [it for it in each.values() if it is not None]
        if not known or len(known) < len(each):
            return None
        seconds = sum(it.seconds * runs[name] for name, it in each.items() if it is not None)
        device: Device = "GPU" if any(it.device == "GPU" for it in known) else "CPU"
        return RunTime(seconds, device, similar=any(it.similar for it in known))

    def _most_like(self, experiment: str) -> list[RunTime]:
        """Same model and data set, else same model, else any."""
        record = self.experiments.get(experiment)
        if record is None:
            return list(self.own.values())
        model = {name for name, it in self.experiments.items() if it.model == record.model}
        data = {name for name in model if self.experiments[name].dataset == record.dataset}
        for names in (data, model, set(self.own)):
            if like := [it for name, it in self.own.items() if name in names]:
                return like
        return []


def _own(record: ExperimentRecord) -> RunTime | None:
    timed = [run for run in record.runs if run.status == "done" and run.seconds > 0.0]
    if not timed:
        return None
    device: Device = "CPU" if timed[-1].device.startswith("cpu") else "GPU"
    return RunTime(sum(run.seconds for run in timed) / len(timed), device)
