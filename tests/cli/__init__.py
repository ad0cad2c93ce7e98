"""What the tests of the commands share."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from audit import cli
from audit.errors import Exit
from audit.record import Audit, audit_from_json


def record(report: str = "toy2024-corpus") -> Audit:
    return audit_from_json(Path(f"audit-report/{report}/audit.json").read_text())


def told(capsys: pytest.CaptureFixture[str]) -> str:
    """What was said on stderr, which holds no traceback."""
    err = capsys.readouterr().err
    assert "Traceback" not in err
    return err


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The one line that a command says of what it cannot use."""
    assert cli.main([*arguments]) == Exit.BAD_INPUT == 2
    err = told(capsys)
    assert err.startswith("audit: ") and err.count("\n") == 1, err
    return err


def python(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, timeout=120, **options
    )
