"""The bar of preparation: on a terminal, once something is done, and gone afterwards."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from audit.runner.progress import bytes_bar


def written(terminal: bool, calls: int) -> str:
    out = io.StringIO()
    console = Console(file=out, force_terminal=terminal, width=100)
    with bytes_bar("corpus [x]", console) as progress:
        for done in range(calls):
            progress((done + 1) * 1000, 4000)
    return out.getvalue()


def test_a_terminal_sees_name_and_bytes() -> None:
    seen = written(terminal=True, calls=4)
    assert "corpus [x]" in seen and "4.0/4.0 kB" in seen


@pytest.mark.parametrize(("terminal", "calls"), [(False, 4), (True, 0)])
def test_elsewhere_and_without_work_nothing_is_written(terminal: bool, calls: int) -> None:
    """What is in the cache is read without a word."""
    assert "corpus" not in written(terminal, calls)
