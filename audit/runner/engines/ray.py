"""One Ray task a run: on this machine, or on the cluster whose address is given. All its machines see the
store, the corpora and the folder in which the command was given under the same paths."""

from __future__ import annotations

import math
import os
import platform
import signal
import socket
import sys
import threading
import time
from collections import deque
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path
from typing import Any

import ray

from audit.errors import AuditError, option
from audit.runner.engines import Died, Listener, Resources, Work
from reimpl.models import FOLDERS

#: Times that Ray makes a task again whose machine or process was lost, before it is told.
RETRIES = 3
_POLL = 0.5
#: Seconds for an answer of a cluster, and between two looks whether it is there. After 60 s without its head
#: Ray ends the process that asks.
_PATIENCE = 20.0
_LOOK = 5.0


class OnRay:
    TAKES = ("address",)

    def __init__(self, at_once: int | None, resources: Resources) -> None:
        self.at_once, self.resources = at_once, resources

    def run(self, tasks: Sequence[Any], work: Work, listener: Listener, *, alone: bool = False) -> None:
        if ours := not ray.is_initialized():
            try:
                self._connect()
            except AuditError:
                if listener.stop():  # interrupted meanwhile
                    return
                raise
        try:
            with redirect_stdout(sys.stderr):  # for Ray's messages, beside our progress
                self._run(tasks, ray.put(work), listener, alone)
        except (ray.exceptions.RaySystemError, ConnectionError) as err:
            listener.stop.set()
            lost = "the cluster can no longer be reached"
            raise AuditError(f"{option('on', 'ray')}: {lost}; the same command continues from there") from err
        finally:
            if ours:
                ray.shutdown()

    def _connect(self) -> None:
        address, handler = self.resources.more.get("address", "local"), signal.getsignal(signal.SIGTERM)
        quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
        try:
            host, colon, port = address.removeprefix("ray://").rpartition(":")
            if colon:  # Ray itself tries for minutes
                socket.create_connection((host, int(port)), timeout=_PATIENCE).close()
            ray.init(address, **quiet)
        except (OSError, RuntimeError, ValueError) as err:
            where = option("resources", f"address={address}")
            said = getattr(err, "strerror", None) or str(err).splitlines()[0]
            why = f"no Ray cluster there accepts the connection ({said})"
            check = "check the address with `ray status` there, and RAY_AUTH_TOKEN where it asks for a token"
            raise AuditError(f"{where}: {why}; {check}") from err
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, handler)  # Ray's own ends the command at once

    def _run(self, tasks: Sequence[Any], work: Any, listener: Listener, alone: bool) -> None:
        waiting, at_work, cancelled = deque(tasks), dict[Any, Any](), False
        remote = ray.remote(_perform).options(**self._demand(alone))
        most = 1 if alone else self.at_once or len(tasks)
        here, cluster = (str(Path.cwd()), os.environ.get(FOLDERS)), _Cluster()
        while waiting or at_work:
            while waiting and len(at_work) < most and not listener.stop():
                task = waiting.popleft()
                at_work[remote.remote(work, task, *here)] = task
            if not at_work:
                return
            if listener.stop() and not cancelled:  # those that have not begun never do
                cancelled = True
                for reference in at_work:
                    ray.cancel(reference, force=False)
            over, _ = ray.wait(list(at_work), timeout=_POLL)
            listener.tick()
            cluster.check()
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
        return {"max_retries": RETRIES} | {name: it for name, it in demand.items() if it is not None}


class _Cluster:
    """Whether the cluster is there, which Ray does not tell: it waits for ever, or ends this process."""

    def __init__(self) -> None:
        context = ray.get_runtime_context()
        host, _, port = context.gcs_address.rpartition(":")
        self.head = host.strip("[]"), int(port)
        # Of the process of Ray on this machine; a cluster that was started anew has another.
        nodes = {node["NodeID"]: node["RayletSocketName"] for node in ray.nodes()}
        self.here = nodes.get(context.get_node_id(), "")
        self.looked = self.seen = time.monotonic()

    def check(self) -> None:
        """Raises `ConnectionError`."""
        if (now := time.monotonic()) - self.looked < _LOOK:
            return
        self.looked = now
        try:
            socket.create_connection(self.head, timeout=_LOOK).close()
            if self.here:
                with socket.socket(socket.AF_UNIX) as made:
                    made.connect(self.here)
            self.seen = now
        except OSError as err:
            if now - self.seen > _PATIENCE:
                raise ConnectionError from err


def _perform(work: Work, task: Any, folder: str, models: str | None) -> Any:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # by which Ray cancels; a task at work sees it in the store
    try:
        os.chdir(folder)
    except OSError as err:
        return AuditError(f"{platform.node()}: {err}; each machine of the cluster needs the same folders")
    if models is not None:
        os.environ[FOLDERS] = models
    return work(task)
