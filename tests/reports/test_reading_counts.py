"""Readings of a claim counted with why each came out as it did, and what would settle those that are open."""

from __future__ import annotations

from dataclasses import replace

import pytest

from audit.record import ClaimRecord, Outcome, ReadingVerdict, Settling, Verdict, Where
from reports import wording
from reports.wording import reading_counts

VALUE = ClaimRecord(
    "v:P@1", "v", "value", "A scores 69.26", "P@1", Where(), printed=("69.26",), experiments=("a",)
)


def reading(
    name: str, outcome: Outcome, reason: str, estimate: float, p: float | None = 1.0
) -> ReadingVerdict:
    return ReadingVerdict({name: "other"}, outcome, reason, (3,), estimate, 0.4, p_reproduced=p)


DEFAULT = replace(reading("", "contradicted", "minimum_effect", 62.4), reading={})
NEAREST = reading("divisor", "inconclusive", "other_split", 66.93)
WIDE = reading("output", "inconclusive", "other_split", 61.99)
ALONE = reading("rate", "inconclusive", "multiplicity", 63.92)
SEEDS = reading("batch", "inconclusive", "straddles_margin", 68.5)
HOLDS = reading("norm", "reproduced", "tost", 69.2, 0.001)
HOLDS_ALONE = reading("loss", "inconclusive", "multiplicity", 69.1, 0.01)


def verdict(*readings: ReadingVerdict, declared: int | None = None) -> Verdict:
    return Verdict(
        "v:P@1", "inconclusive", "ambiguous_description", "other_split", (5,), (5,), estimate=62.4,
        target=69.26, margin=0.5, readings=readings, readings_declared=declared or len(readings),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("readings", "said"),
    [
        (
            (DEFAULT, ALONE, ALONE, WIDE, NEAREST),
            "none of its 5 declared readings of what the paper leaves open reproduces it: 1 contradicts it, "
            "2 would if taken alone, 1 is open for want of seeds and 1 is open by the noise of two test sets",
        ),
        (
            (DEFAULT, DEFAULT, SEEDS, SEEDS),
            "none of its 4 declared readings of what the paper leaves open reproduces it: 2 contradict it "
            "and 2 are open for want of seeds",
        ),
        (
            (DEFAULT, HOLDS_ALONE),
            "none of its 2 declared readings of what the paper leaves open reproduces it: 1 contradicts it "
            "and 1 would reproduce it if taken alone",
        ),
        (
            (HOLDS, HOLDS_ALONE, SEEDS),
            "none of its 3 declared readings of what the paper leaves open contradicts it: 1 reproduces it, "
            "1 would if taken alone and 1 is open for want of seeds",
        ),
        (
            (HOLDS, DEFAULT, ALONE, HOLDS_ALONE),
            "it hangs on what the paper leaves open, as not all of its 4 declared readings come to the same "
            "verdict (1 reproduces it, 1 contradicts it, 1 would reproduce it if taken alone and 1 would "
            "contradict it if taken alone)",
        ),
        (
            (DEFAULT, reading("x", "inconclusive", "within_seed_spread", 68.0)),
            "none of its 2 declared readings of what the paper leaves open reproduces it: 1 contradicts it "
            "and 1 is as far off as one lucky run explains",
        ),
        (
            (DEFAULT, reading("x", "inconclusive", "margins_changed", 68.0)),
            "none of its 2 declared readings of what the paper leaves open reproduces it: 1 contradicts it "
            "and 1 is open (the margins were changed after the runs)",
        ),
    ],
)
def test_each_reading_is_counted_once_with_why(readings: tuple[ReadingVerdict, ...], said: str) -> None:
    """On the card and on the first screen alike."""
    for tell in (wording.verdict_sentence, wording.brief_sentence):
        assert f"Inconclusive: {said}." in tell(VALUE, verdict(*readings), names=("A",))


def test_readings_that_were_not_run_are_set_apart() -> None:
    text = wording.verdict_sentence(VALUE, verdict(DEFAULT, SEEDS, declared=9), names=("A",))
    assert "none of the 2 that were run of its 9 declared readings" in text


def test_the_side_of_all_means_is_on_the_first_screen() -> None:
    """The telling line; of runs on stand-in data nothing is held against a printed number."""
    held = verdict(DEFAULT, NEAREST)
    line = "The means under all 2 readings that were run lie below the printed 69.26; the nearest is 66.93."
    assert wording.brief_sentence(VALUE, held, names=("A",)).endswith(line)
    stand_in = replace(held, scope="other_data", reason="other_data")
    assert "lie below" not in wording.verdict_sentence(VALUE, stand_in, names=("A",))


def test_what_would_settle_it_says_which_way_the_readings_point() -> None:
    """Only where none reproduces and some contradict: elsewhere what the record says stands."""
    found = Settling("as the record has it")
    settle = reading_counts.TO_SETTLE
    assert wording.to_settle(found, None, verdict(DEFAULT, SEEDS)) == settle
    assert wording.to_settle(found, None, verdict(DEFAULT, NEAREST)) == (
        f"{settle}{reading_counts.TO_SETTLE_SPLIT}"
    )
    assert (
        wording.to_settle(found, None, verdict(DEFAULT, SEEDS, declared=3))
        == f"{settle}; 1 of them was not run"
    )
    assert wording.to_settle(found, None, verdict(DEFAULT, HOLDS, SEEDS)) == "as the record has it"
    assert wording.to_settle(found, None, verdict(HOLDS, SEEDS)) == "as the record has it"


def test_the_few_words_beside_the_status_say_it_too() -> None:
    assert reading_counts.few_words(verdict(DEFAULT, SEEDS)) == reading_counts.NONE_REPRODUCES
    assert reading_counts.few_words(verdict(HOLDS, SEEDS)) == reading_counts.NONE_CONTRADICTS
    assert reading_counts.few_words(verdict(HOLDS, DEFAULT)) == ""
    assert reading_counts.few_words(replace(verdict(DEFAULT, SEEDS), reason="some_readings")) == ""
    assert reading_counts.few_words(None) == ""
