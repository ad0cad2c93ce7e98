"""The figure that explains the three verdicts shows what the statistics say."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from tests.docs import verdicts_figure as drawn


@pytest.mark.parametrize("verdict", drawn.ROWS)
def test_each_row_has_the_verdict_that_it_is_drawn_for(verdict: str) -> None:
    assert drawn.tested(drawn.ROWS[verdict]).decide().outcome == verdict


def test_the_file_is_that_of_the_script() -> None:
    """Renew it with `python -m tests.docs.verdicts_figure`, and look at it."""
    assert drawn.FILE.read_text() == drawn.figure()
    ET.fromstring(drawn.figure())
