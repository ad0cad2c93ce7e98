"""The reference vectors that lie beside these tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "reference"


def reference(name: str) -> Any:
    """Content of a reference file."""
    return json.loads((FOLDER / name).read_text("utf-8"))
