"""The figure that explains the three verdicts, docs/verdicts.svg, shows what the statistics say."""

from __future__ import annotations

import re

import pytest

from audit.kinds.value import value
from audit.stats.printed import printed
from tests.docs.guides import DOCS

FIGURE = (DOCS / "verdicts.svg").read_text()


def percent(x: str) -> float:
    """Of a place in pixels: the axis goes from 73 at 130 to 77.5 at 620."""
    return round(73 + (float(x) - 130) / (620 - 130) * (77.5 - 73), 2)


@pytest.mark.parametrize("verdict", ["reproduced", "contradicted", "inconclusive"])
def test_each_row_has_the_runs_and_the_interval_of_its_verdict(verdict: str) -> None:
    row = FIGURE.partition(f">{verdict}</text>")[2].partition("<text")[0]
    test = value(
        [percent(x) for x in re.findall(r'cx="([^"]+)"', row)], reported=printed("75.73"), margin=0.5
    )
    ends = re.findall(r"M(\S+) \d+H([^\"]+)\"", row)[0]
    assert test.decide().outcome == verdict
    assert tuple(map(percent, ends)) == pytest.approx(test.ci90, abs=0.011)
