"""Engines: where tasks are carried out, each a module beside this file. An engine starts `work(task)`
somewhere that sees the store, and hands back what it returns. It neither judges nor writes. How far a task
is, and that it should stop, goes through the store (`audit.runner.channel`)."""

from __future__ import annotations

import importlib
import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from audit.errors import AuditError, option
from audit.names import known_names
from audit.runner.channel import Stop

OURS = {"local": "Local", "ray": "OnRay", "slurm": "OnSlurm"}
#: 8G, 500M, 1.5T.
_BYTES = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*([KMGT]?)i?B?", re.IGNORECASE)


class Work(Protocol):
    """Must survive pickling. `seat` is the worker's number on its machine, which decides between several
    GPUs; `tell` gets steps done, steps in all and the loss, where the caller's own process does the work."""

    def __call__(self, task: Any, *, seat: int = 0, tell: Any = None) -> Any: ...


@dataclass(frozen=True)
class Died:
    """The answer for a task whose process ended under it."""

    how: str


class Listener(Protocol):
    """What an engine reports, in the thread that called it."""

    stop: Stop  # Once it says so, no further task is begun; tasks at work see it themselves.

    def began(self, task: Any) -> None: ...
    def progress(self, task: Any, done: int, total: int, loss: float | None) -> None: ...
    def ended(self, task: Any, answer: Any) -> None: ...  # What it raises ends the engine.
    def tick(self) -> None: ...  # Called about twice a second while others work.


class Engine(Protocol):
    """`at_once`: tasks at one time, None for as many as the resources allow."""

    at_once: int | None

    def run(self, tasks: Sequence[Any], work: Work, listener: Listener, *, alone: bool = False) -> None:
        """Have every task's answer, whatever becomes of the others, until `listener.stop`. `alone`: with no
        other task of ours on the same device. Raises `AuditError` where the engine itself cannot go on."""


@dataclass(frozen=True)
class Resources:
    """Of one task. `more` is what only one engine knows."""

    gpus: float | None = None
    cpus: int | None = None
    memory: int | None = None  # Bytes.
    more: Mapping[str, str] = field(default_factory=dict)


def resources_of(text: str | None) -> Resources:
    """`gpus=0.5,memory=8G`. Raises `AuditError`."""
    given: dict[str, str] = {}
    for part in filter(None, (text or "").split(",")):
        key, equals, value = map(str.strip, part.partition("="))
        if not (key and equals and value) or key in given:
            how = "write KEY=VALUE, each key once, as in gpus=1,memory=8G"
            raise AuditError(f"{option('resources', text)}: {how}")
        given[key] = value
    found: dict[str, Any] = {}
    for key, (read, how) in _READ.items():
        if key in given:
            try:
                found[key] = read(given.pop(key))
                if not 0 <= found[key] < math.inf or (key == "cpus" and not found[key]):
                    raise ValueError
            except ValueError as err:
                raise AuditError(f"{option('resources', text)}: {key} is {how}") from err
    return Resources(**found, more=given)


def bytes_of(text: str) -> int:
    """Of 8G, 500M, 1.5T. Raises `ValueError`."""
    if (match := _BYTES.fullmatch(text)) is None:
        raise ValueError(text)
    return int(float(match[1]) * 1024 ** " KMGT".index(match[2].upper() or " "))


_READ: Mapping[str, tuple[Any, str]] = {
    "gpus": (float, "a number from 0, as 1 or 0.5"),
    "cpus": (int, "a whole number from 1"),
    "memory": (bytes_of, "an amount, as 8G or 500M"),
}


def fitting(device: str, peak: int) -> int:
    """Workers of this machine: one per core or GPU, or as many as fit with `peak` bytes of memory each."""
    if device == "cpu":
        cores = os.cpu_count() or 1
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 0
        return max(1, min(cores, int(0.8 * memory / peak))) if peak and memory else cores
    import torch

    gpus = torch.cuda.device_count() if device == "cuda" else 1
    memory = min(torch.cuda.get_device_properties(gpu).total_memory for gpu in range(gpus))
    # 0.6 GiB of each process are torch's own, which no record counts
    each = max(1, int(0.9 * memory / (peak + 0.6 * 2**30))) if peak else 1
    return gpus * each


def engine_of(name: str, at_once: int | None, resources: Resources, device: str = "cpu") -> Engine:
    """The engine of that name. Raises `AuditError` for an unknown one, for resources that it does not know,
    and where the package that it needs is not installed."""
    if name != "local" and device != "cpu" and resources.gpus is None:
        resources = replace(resources, gpus=1.0)
    if name not in OURS:
        raise AuditError(f"{option('on', name)}: no such engine; {known_names(name, OURS)}")
    try:
        made = getattr(importlib.import_module(f"{__name__}.{name}"), OURS[name])
    except ImportError as err:
        how = f"`pip install 'xmtc-audit[{name}]'`"
        raise AuditError(f"{option('on', name)}: {err}; {how}") from err
    takes: Sequence[str] = made.TAKES
    if unknown := [key for key in resources.more if key not in takes]:
        raise AuditError(
            f"{option('resources')} {unknown[0]}=...: {name} does not know it; "
            f"{known_names(unknown[0], ['gpus', 'cpus', 'memory', *takes])}"
        )
    if name == "local" and (resources.gpus or resources.memory):
        what = "on this machine runs take what they need, and --jobs sets how many run at once"
        raise AuditError(f"{option('resources')}: {what}; leave gpus and memory out")
    engine: Engine = made(at_once, resources)
    return engine
