"""What the margin slider is given: the record's bands, which claims they move, where it begins and ends."""

from __future__ import annotations

from dataclasses import replace

import pytest

from audit.record import ClaimRecord, Margin, ReadingVerdict, Verdict
from reports.cards import chips
from reports.lookup import lookup
from reports.page import build
from reports.slider import band_of, label_rows, movable, slider
from tests.reports import sample

VERDICT = Verdict(
    "c",
    "inconclusive",
    "straddles_margin",
    margin=0.5,
    margin_reproduced_from=1.25,
    margin_contradicted_up_to=0.0,
)


def claim(**changes: object) -> ClaimRecord:
    (found,) = sample.tiny().claims
    return replace(found, **changes)  # type: ignore[arg-type]


def test_band_as_the_page_reads_it() -> None:
    """Margin, reproduced from, up to, contradicted from, up to, to the last digit; a dash for none."""
    third = replace(VERDICT, margin_reproduced_from=1 / 3)
    assert band_of(claim(), VERDICT) == "0.5 1.25 - - 0"
    assert float(band_of(claim(), third).split()[1]) == 1 / 3
    assert band_of(claim(), None) == ""


def test_runs_that_may_contradict_nothing_are_marked() -> None:
    assert band_of(claim(), replace(VERDICT, barred="stand_in")).endswith(" u")


@pytest.mark.parametrize(
    ("one", "verdict", "moves"),
    [
        (claim(), VERDICT, True),
        (claim(kind="complexity"), VERDICT, False),  # its margin is one of an exponent
        (claim(), replace(VERDICT, margin=None), False),
        (claim(), replace(VERDICT, margin_reproduced_from=None, margin_contradicted_up_to=None), False),
        (
            claim(),
            replace(VERDICT, readings=(ReadingVerdict({}, "reproduced", "tost"),), readings_declared=2),
            False,
        ),
        (
            claim(),
            replace(VERDICT, readings=(ReadingVerdict({}, "reproduced", "tost"),), readings_declared=1),
            True,
        ),
        (claim(), replace(VERDICT, readings_declared=2), True),
    ],
)
def test_which_claims_a_margin_moves(one: ClaimRecord, verdict: Verdict, moves: bool) -> None:
    """Those with a band in points; none of which readings are still to be run, which no margin decides."""
    assert movable(one, verdict) is moves


def test_slider_reaches_twice_the_largest_margin_and_shows_all_that_were_fixed() -> None:
    """It begins at the margin of most claims; each fixed margin is a mark with its number of claims."""
    audit = sample.tiny()
    (verdict,) = audit.verdicts
    names = [f"c{k}" for k in range(5)]
    margins = [Margin(0.5, "field", "usual")] * 3 + [Margin(1.5, "lenient", "")] * 2
    claims = tuple(claim(id=name, margin=it) for name, it in zip(names, margins, strict=True))
    verdicts = tuple(replace(verdict, claim=name) for name in names)
    view = slider(lookup(replace(audit, claims=claims, verdicts=verdicts)))
    assert (view.movable, view.start, view.top, view.step) == (5, "0.5", "5", "0.025")
    assert [(tick.value, tick.label, tick.place, tick.row) for tick in view.ticks] == [
        # (0.5 - 0.025) / (5 - 0.025); 15 characters reach to 0.503, beyond the mark of the second
        ("0.5", "0.50 (3 claims)", "0.095477", 1),
        ("1.5", "1.50 (2 claims)", "0.296482", 0),
    ]
    assert view.rows == 2
    assert view.fixed == (
        "0.50 points, rule “field”, 3 claims: usual",
        "1.50 points, rule “lenient”, 2 claims",
    )
    assert view.sentence == "5 verdicts hang on it."


@pytest.mark.parametrize(
    ("labels", "rows"),
    [
        ([], []),
        ([(0.1, 0.3)], [0]),
        ([(0.1, 0.3), (0.5, 0.3)], [0, 0]),
        ([(0.1, 0.3), (0.2, 0.3), (0.3, 0.3)], [2, 1, 0]),
        # the first ends before the second begins, which hangs below the third
        ([(0.0, 0.1), (0.2, 0.3), (0.3, 0.3)], [0, 1, 0]),
        # the first ends before the third begins, but the mark of the second passes through that row
        ([(0.0, 0.25), (0.2, 0.3), (0.3, 0.3)], [2, 1, 0]),
    ],
)
def test_labels_hang_in_rows_in_which_they_do_not_meet(
    labels: list[tuple[float, float]], rows: list[int]
) -> None:
    assert label_rows(labels) == rows


def test_nothing_to_move() -> None:
    """Without a margin that decides there is no slider, and that is said."""
    view = slider(lookup(sample.untested()))
    assert view.movable == 0
    assert view.sentence == "No verdict of this audit hangs on a margin in points."


def test_chips_count_what_there_is() -> None:
    """One for each verdict that occurs, for kinds and data sets where there are several, for primary ones."""
    built = build(sample.study())
    by_key = {(chip.key, chip.value): chip.count for chip in built.chips}
    assert sum(count for (key, _), count in by_key.items() if key == "v") == 40
    assert sum(count for (key, _), count in by_key.items() if key == "kind") == 40
    assert ("d", "eurlex") not in by_key  # the only one
    assert by_key["", "primary"] == sum(claim.primary for claim in sample.study().claims)
    assert chips(()) == ()
