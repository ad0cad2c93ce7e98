"""The checks find a good part of the slips that are planted in the papers' tables, one digit at a time."""

from __future__ import annotations

import numpy as np
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


def test_a_slip_changes_one_digit_and_leaves_a_number() -> None:
    texts = {(sheet.paper.key, it.address): it.text for sheet in toy() for it in sheet.numbers.values()}
    for seed in range(50):
        made = planted.slips(toy(), 6, np.random.default_rng(seed))
        assert len({(it.paper, it.number.address) for it in made}) == 6
        for it in made:
            text = texts[it.paper, it.number.address]
            differing = [(old, new) for old, new in zip(text, it.wrong, strict=True) if old != new]
            assert len(differing) == 1 and "".join(differing[0]).isdigit()
            assert not it.wrong.startswith("0") or text.startswith("0")


def test_the_place_of_a_digit_is_counted_from_the_point() -> None:
    """15,449 has the places -4 to 0, and 76.38 has -1, 0, 1 and 2."""
    places = {
        (it.number.text, it.place)
        for seed in range(200)
        for it in planted.slips(toy(), 6, np.random.default_rng(seed))
    }
    assert {place for text, place in places if text == "15,449"} == {-4, -3, -2, -1, 0}
    assert {place for text, place in places if text == "76.38"} == {-1, 0, 1, 2}


def test_the_same_seed_plants_the_same_slips() -> None:
    first, again, other = (planted.slips(toy(), 6, np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert first == again != other


def test_a_slip_that_breaks_an_identity_is_caught_by_it_and_one_that_breaks_nothing_is_not() -> None:
    before = planted.names(planted.inconsistent(toy()))
    assert planted.caught(toy(), slip("t.a.P@1", "76.88"), before).checks == ("identity",)
    assert planted.caught(toy(), slip("t.a.P@1", "76.39"), before).checks == ()
    assert planted.caught(toy(), slip("t.a.P@3", "12.81"), before).checks == ("bounds",)
    assert planted.caught(toy(), slip("t.a.n", "15,440", key="two"), before).checks == ()


def test_what_was_inconsistent_before_is_no_catch() -> None:
    sheets = [paper(table(["P@1", "nDCG@1"], {"a": ["76.38", "70.00"]}), key="one")]
    before = planted.names(planted.inconsistent(sheets))
    made = Slip("one", sheets[0].numbers["t.a.P@1"], "76.48", 0)
    assert planted.caught(sheets, made, before).checks == ()


def test_of_some_planted_slips_a_good_part_is_caught() -> None:
    results = planted.tried(25)
    assert sum(bool(it.checks) for it in results) >= 0.25 * len(results)


@pytest.mark.slow
def test_of_a_hundred_planted_slips_no_fewer_are_caught_than_before(
    capsys: pytest.CaptureFixture[str],
) -> None:
    results = planted.tried(100)
    with capsys.disabled():
        print(f"\n{planted.shown(results)}")
    assert sum(bool(it.checks) for it in results) >= FLOOR
