"""The checks find a good part of the slips that are planted in the papers' tables, one digit at a time."""

from __future__ import annotations

import pytest

from audit.checks import Sheet
from tests.checks import planted
from tests.checks.made import Of, paper, table
from tests.checks.planted import Slip

#: Of a hundred; a change of the checks that finds fewer must say why. 49 were found when this was written.
FLOOR = 42


def toy() -> list[Sheet]:
    rows = {"a": ["76.38", "62.81", "76.38"], "b": ["70.00", None, "70.00"]}
    return [
        paper(table(["P@1", "P@3", "nDCG@1"], rows), key="one"),
        paper(table([Of(id="n", quantity="train")], {Of(id="a"): ["15,449"]}), key="two"),
    ]


def slip(address: str, wrong: str, *, key: str = "one") -> Slip:
    sheet = next(it for it in toy() if it.paper.key == key)
    return Slip(key, sheet.numbers[address], wrong, 0)


def test_a_slip_that_breaks_an_identity_is_caught_by_it_and_one_that_breaks_nothing_is_not() -> None:
    before = planted.names(planted.inconsistent(toy()))
    assert planted.caught(toy(), slip("t.a.P@1", "76.88"), before).checks == ("identity",)
    assert planted.caught(toy(), slip("t.a.P@1", "76.39"), before).checks == ()
    assert planted.caught(toy(), slip("t.a.P@3", "12.81"), before).checks == ("bounds",)
    assert planted.caught(toy(), slip("t.a.n", "15,440", key="two"), before).checks == ()


@pytest.mark.slow
def test_of_a_hundred_planted_slips_no_fewer_are_caught_than_before(
    capsys: pytest.CaptureFixture[str],
) -> None:
    results = planted.tried(100)
    with capsys.disabled():
        print(f"\n{planted.shown(results)}")
    assert sum(bool(it.checks) for it in results) >= FLOOR
