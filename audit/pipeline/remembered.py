"""A command that was given before, and whose runs are all on record, plans nothing and needs no torch.

What decides a plan is put into one digest, which is kept with the plan: what the user chose, the claim file,
this tool's own files, model files of the user's, studies, corpus and word vectors (as the file system dates
them), and whether this machine has a GPU. Where it is the same again, the plan is the same.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import asdict, replace
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from audit.record import digest
from audit.storage.manifest import kept_plans

if TYPE_CHECKING:
    from audit.claims.load import Paper
    from audit.pipeline.session import Session
    from audit.settings import RunSettings
    from audit.storage.manifest import KeptPlan

#: What does not change which runs a command plans, or is looked at anew.
_IDLE = {"jobs": None, "retry_failed": False, "allow_commands": False, "evidence": "ours"}


def request_of(paper: Paper, chosen: RunSettings) -> str:
    """Digest of all that decides which runs the command plans for the paper."""
    from reimpl.data.formats import split_name

    settings = {name: str(value) for name, value in asdict(replace(chosen, **_IDLE)).items()}  # type: ignore[arg-type]
    places = [chosen.tuned_on, chosen.data, chosen.data_file, chosen.models, chosen.store / "studies"]
    places += [Path(chosen.vectors)] if chosen.vectors else []
    dated = [[str(it), _dated(split_name(it)[0])] for it in places if it is not None]
    content: list[Any] = [paper.model_dump(mode="json"), settings, dated, _tool(), _machine()]
    return digest(content)


def remembered_plan(session: Session, paper: Paper, request: str, report: str) -> KeptPlan | None:
    """The newest plan of the report, if it is of this very request and all of its runs are done."""
    plan = next((it for it in kept_plans(session.store, paper.paper.key) if it.report == report), None)
    if plan is None or plan.request != request or not plan.asked:
        return None
    done = {run.key for run in session.runs if run.status == "done"}
    return plan if done.issuperset(plan.asked) else None


def _dated(place: Path) -> list[tuple[str, int, int]]:
    """Name, size and date of a file, or of all files below a folder."""
    files: Iterator[Path] = (Path(at, name) for at, _, names in os.walk(place) for name in names)
    stats = ((path, path.stat()) for path in ([place] if place.is_file() else sorted(files)))
    return [(str(path), it.st_size, it.st_mtime_ns) for path, it in stats]


@cache
def _tool() -> list[Any]:
    """The files of this tool, and the libraries that decide numbers."""
    root = Path(__file__).resolve().parents[2]
    folders = [root / "audit", root / "reimpl"]
    files = sorted(path for folder in folders for path in folder.rglob("*.py"))
    return [[(path.name, digest(path.read_text("utf-8"))) for path in files], _version("torch")]


def _machine() -> list[Any]:
    """What decides which device `auto` is, without loading torch."""
    driver = any(Path("/dev", name).exists() for name in ("nvidiactl", "kfd", "dxg"))
    return [driver, os.environ.get("CUDA_VISIBLE_DEVICES")]


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
