"""Nothing that a user sees changes unnoticed: a change stands in the diff of `tests/golden/*.txt`."""

from __future__ import annotations

import difflib

import pytest

from tests.golden.freeze import FOLDER, FROZEN, text


@pytest.mark.parametrize("name", FROZEN)
def test_what_a_user_sees_is_what_is_on_record(name: str) -> None:
    before, now = (FOLDER / f"{name}.txt").read_text(), text(name)
    if before != now:
        diff = list(difflib.unified_diff(before.splitlines(), now.splitlines(), "frozen", "now", "", "", n=0))
        more = [f"... {len(diff) - 40} more"] if len(diff) > 40 else []
        pytest.fail("\n".join([*diff[:40], *more, "python -m tests.golden.freeze renews"]), pytrace=False)
