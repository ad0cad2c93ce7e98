"""Reference cases of the statistics: computed with scipy and statsmodels, kept beside the tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

FILE = Path(__file__).resolve().parents[1] / "golden" / "stats.json"
ALL: list[dict[str, Any]] = json.loads(FILE.read_text(encoding="utf-8"))


def cases(kind: str) -> Any:
    """Decorator: run the test once for each case of `kind`, as `case`."""
    chosen = [case for case in ALL if case["kind"] == kind]
    assert chosen, f"no golden case of kind {kind!r}"
    return pytest.mark.parametrize("case", chosen, ids=[case["id"] for case in chosen])


def close(got: Any, expected: Any, tol: float) -> bool:
    """Absolute tolerance; below 1e-4 (small p-values) to 1e-3 of itself; lists and mappings by item."""
    if isinstance(expected, dict):
        return set(got) == set(expected) and all(close(got[k], e, tol) for k, e in expected.items())
    if isinstance(expected, list):
        return len(got) == len(expected) and all(close(g, e, tol) for g, e in zip(got, expected, strict=True))
    if expected is None or isinstance(expected, (str, bool)):
        return bool(got == expected)
    if got is None:
        return False
    if 0.0 < abs(expected) < 1e-4:
        return abs(got - expected) <= 1e-3 * abs(expected)
    return abs(got - expected) <= tol


def check(case: dict[str, Any], **got: Any) -> None:
    """Every number of `case["expected"]` named here agrees; every one of them must be named."""
    expected, tol = case["expected"], case["tol"]
    assert set(expected) == set(got), f"{case['id']}: compare all of {sorted(expected)}"
    for name, value in expected.items():
        assert close(got[name], value, tol), f"{case['id']}: {name} should be {value!r}, is {got[name]!r}"
