"""The statistics start fast: numpy and scipy are imported by what computes with them, when it does."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import audit.stats


def test_no_module_of_the_statistics_imports_numpy_or_scipy_when_it_is_imported() -> None:
    names = [path.stem for path in Path(audit.stats.__file__).parent.glob("*.py") if path.stem != "__init__"]
    script = (
        "import importlib, sys\n"
        "for name in sys.argv[1:]:\n"
        "    importlib.import_module(f'audit.stats.{name}')\n"
        "    heavy = {'numpy', 'scipy'} & set(sys.modules)\n"
        "    if heavy: sys.exit(f'importing {name} imports {heavy}')\n"
    )
    ran = subprocess.run([sys.executable, "-c", script, *sorted(names)], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
