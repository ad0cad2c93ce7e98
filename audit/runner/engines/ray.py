"""One Ray task a run: on this machine, or on the cluster whose address is given. All its machines see the
store."""

from __future__ import annotations

import math
import socket
from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import ray

from audit.errors import AuditError, option
from audit.runner.engines import Died, Listener, Resources, Work

#: Times that Ray makes a task again whose machine or process was lost, before it is told.
RETRIES = 3
_POLL = 0.5
#: Seconds for the first answer of a cluster.
_PATIENCE = 20.0


class OnRay:
    TAKES = ("address",)

    def __init__(self, at_once: int | None, resources: Resources) -> None:
        self.at_once, self.resources = at_once, resources

    def run(self, tasks: Sequence[Any], work: Work, listener: Listener, *, alone: bool = False) -> None:
        ours = not ray.is_initialized()
        if ours:
            self._connect()
        try:
            self._run(tasks, ray.put(work), listener, alone)
        except (ray.exceptions.RaySystemError, ConnectionError) as err:
            listener.stop.set()
            lost = "the cluster cannot be reached any more"
            raise AuditError(f"{option('on', 'ray')}: {lost}; the same command goes on where it was") from err
        finally:
            if ours:
                ray.shutdown()

    def _connect(self) -> None:
        address = self.resources.more.get("address", "local")
        quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
        try:
            host, colon, port = address.removeprefix("ray://").rpartition(":")
            if colon:  # Ray itself tries for minutes
                socket.create_connection((host, int(port)), timeout=_PATIENCE).close()
            ray.init(address, **quiet)
        except (OSError, RuntimeError, ValueError) as err:
            where = option("resources", f"address={address}")
            raise AuditError(f"{where}: no Ray cluster answers there ({str(err).splitlines()[0]})") from err

    def _run(self, tasks: Sequence[Any], work: Any, listener: Listener, alone: bool) -> None:
        waiting, at_work = deque(tasks), dict[Any, Any]()
        remote = ray.remote(_perform).options(**self._demand(alone))
        most = 1 if alone else self.at_once or len(tasks)
        while waiting or at_work:
            while waiting and len(at_work) < most and not listener.stop():
                task = waiting.popleft()
                at_work[remote.remote(work, task)] = task
            if not at_work:
                return
            if listener.stop():  # those that have not begun never do
                for reference in at_work:
                    ray.cancel(reference, force=False)
            over, _ = ray.wait(list(at_work), timeout=_POLL)
            listener.tick()
            for reference in over:
                task = at_work.pop(reference)
                try:
                    answer = ray.get(reference)
                except ray.exceptions.TaskCancelledError:
                    answer = "stopped"
                except (ray.exceptions.WorkerCrashedError, ray.exceptions.NodeDiedError) as err:
                    answer = Died(f"its worker process was ended ({type(err).__name__})")
                except ray.exceptions.OutOfMemoryError:
                    answer = Died("its worker process was ended by Ray for lack of memory")
                listener.ended(task, answer)

    def _demand(self, alone: bool) -> dict[str, Any]:
        """What Ray sets aside for a task; a GPU of its own, and twice the memory, for one that is alone."""
        asked = self.resources
        if alone:
            memory = asked.memory and 2 * asked.memory
            asked = replace(asked, gpus=asked.gpus and float(math.ceil(asked.gpus)), memory=memory)
        demand = {"num_gpus": asked.gpus, "num_cpus": asked.cpus, "memory": asked.memory}
        return {
            "max_retries": RETRIES,
            **{name: value for name, value in demand.items() if value is not None},
        }


def _perform(work: Work, task: Any) -> Any:
    return work(task)


ENGINE = OnRay
