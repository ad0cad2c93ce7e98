"""The audit engine: claim files, runs, verdicts. Importing it loads no large package, and never torch.

import audit

paper = audit.load("chen2022")          # or the path of a claim file
audit.check(paper)                      # findings that need no run
audit.judge(paper, results, ...)        # verdicts on others' results: a DataFrame, a mapping, a file
audit.run(paper, seeds=3)               # our runs, and verdicts on them
audit.report(found, "page.html")"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from audit.api import check, judge, load, report, run, sentence
    from audit.errors import AuditError, ClaimFileError, ImportFileError, PlanError, StoreError
    from audit.settings import RunSettings

__version__ = "0.1.0"

__all__ = [
    "AuditError",
    "ClaimFileError",
    "ImportFileError",
    "PlanError",
    "RunSettings",
    "StoreError",
    "check",
    "judge",
    "load",
    "report",
    "run",
    "sentence",
]


def __getattr__(name: str) -> Any:
    """A public name, from the module that has it (PEP 562)."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module("audit.errors" if name.endswith("Error") else "audit.api")
    value = globals()[name] = getattr(module, name)
    return value
