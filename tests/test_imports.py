"""Imports run one way, and what reads, judges or reports starts without torch."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OURS = ("audit", "claims", "reimpl", "reports")
PATHS = [path for top in OURS for path in sorted((ROOT / top).rglob("*.py"))]
MODULES = {".".join(it.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): it for it in PATHS}

#: Start of a module's name -> what of ours, and of torch, it may import anywhere. The longest start counts.
MAY_IMPORT = {
    "audit": ("audit",),
    "audit.api": ("audit", "reports.lookup", "reports.page"),
    "audit.pytest_plugin": ("audit", "reports.findings", "reports.sentences"),
    "audit.expression": ("audit.expression", "audit.stats", "audit.names", "audit.errors"),
    "audit.stats": ("audit.stats",),
    "audit.authoring": ("audit", "reimpl.data.catalogue"),
    "audit.importing": ("audit", "reimpl.data", "reimpl.metric_names", "reimpl.metrics"),
    "audit.judging.documents": ("audit", "reimpl.errors", "reimpl.metrics"),
    "audit.errors": ("audit", "reimpl.errors"),
    "audit.names": ("audit", "reimpl.errors"),
    "audit.claims.links": ("audit", "reimpl"),
    "audit.claims.schema": ("audit", "reimpl.metric_names"),
    "audit.pipeline": ("audit", "reimpl"),
    "audit.runner": ("audit", "reimpl", "torch"),
    "audit.cli": (*OURS, "torch"),
    "claims": (),
    "reimpl": ("reimpl", "torch"),
    "reimpl.data": ("reimpl",),
    "reimpl.errors": (),
    "reimpl.metrics": ("reimpl",),
    "reports": ("reports", "audit.record"),
}
#: Importing these must not bring torch in by any road. The rest of `reimpl` are models and their training.
LIGHT = ("audit", "claims", "reports", "reimpl.data", "reimpl.errors", "reimpl.metrics")


def under(name: str, *starts: str) -> bool:
    return any(name == start or name.startswith(f"{start}.") for start in starts)


def imports(path: Path) -> Iterator[str]:
    """The full names of all that a file imports, in functions too."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{'.' * node.level}{node.module or ''}.{name.name}" for name in node.names)


def test_imports_run_one_way() -> None:
    wrong = []
    for module, path in MODULES.items():
        allowed = MAY_IMPORT[max((start for start in MAY_IMPORT if under(module, start)), key=len)]
        names = (name for name in imports(path) if under(name, *OURS, "torch") or name.startswith("."))
        wrong += [f"{module} imports {name}" for name in names if not under(name, *allowed)]
    assert not wrong


def test_what_reads_judges_or_reports_starts_without_torch() -> None:
    """In a fresh interpreter, one module after another, so that the one that brings torch in is named."""
    script = (
        "import importlib, sys\n"
        "for name in sys.argv[1:]:\n"
        "    importlib.import_module(name)\n"
        "    heavy = {'torch', 'optuna', 'ray'} & set(sys.modules)\n"
        "    if heavy: sys.exit(f'importing {name} imports {heavy}')\n"
    )
    extras = ("audit.runner.engines.ray", "audit.runner.engines.slurm")  # imported where they are asked for
    light = [module for module in MODULES if under(module, *LIGHT) and not under(module, *extras)]
    ran = subprocess.run([sys.executable, "-c", script, *light], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr


def test_there_is_no_circle_of_imports() -> None:
    """Imports inside functions counted; those for types alone are not."""
    reads = {name: set(modules_imported(name, path)) for name, path in MODULES.items()}
    done: set[str] = set()
    while ready := {name for name in reads.keys() - done if not reads[name] - done}:
        done |= ready
    left = reads.keys() - done
    circles = sorted(name for name in left if reaches(name, name, reads))
    assert not circles


def modules_imported(name: str, path: Path) -> Iterator[str]:
    """Modules of ours that a file imports, but for types."""
    tree = ast.parse(path.read_bytes())
    types = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and id(node) not in types:
            for it in node.names:
                module = f"{node.module}.{it.name}"
                found = module if module in MODULES else str(node.module)
                if found in MODULES and found != name:
                    yield found


def reaches(start: str, goal: str, reads: Mapping[str, set[str]]) -> bool:
    seen: set[str] = set()
    todo = set(reads[start])
    while todo:
        module = todo.pop()
        if module == goal:
            return True
        seen.add(module)
        todo |= reads[module] - seen
    return False


#: Lines of Python: a new feature takes the place of another, or says in its commit what it is worth.
BUDGET = {"product": 38_860, "tests": 30_980}


def test_the_project_stays_small() -> None:
    product = sum(path.read_text("utf-8").count("\n") for path in PATHS)
    tests = sum(path.read_text("utf-8").count("\n") for path in (ROOT / "tests").rglob("*.py"))
    assert product <= BUDGET["product"]
    assert tests <= BUDGET["tests"]
