"""Finds the folder of reference data that lies beside a development checkout; tests skip without it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


def shared(relative: str) -> Path:
    """Path of a file or folder of the reference data, or skip the calling test with the reason."""
    root = Path(os.environ.get("XMTC_SHARED", Path(__file__).resolve().parents[2] / "shared"))
    path = root / relative
    if not path.exists():
        pytest.skip(f"reference data not here: {relative} (set XMTC_SHARED to the folder that holds it)")
    return path
