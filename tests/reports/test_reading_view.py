"""What stands beside a verdict about its readings: words, table, and what the curve is drawn from."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Literal

import pytest

from audit.record import ClaimRecord, Margin, OpenChoice, Readings, ReadingVerdict, Verdict, Where
from reports.cards import card
from reports.lookup import lookup
from reports.readings import reading_view
from reports.verdicts import verdict_sentence
from reports.words import reason
from tests.reports import sample

READINGS = Readings(
    "one_at_a_time",
    (
        OpenChoice("pooling_divisor", "The divisor is not stated.", ("words", "slots")),
        OpenChoice("rate", "No rate is stated", ("usual", "slow", "fast")),
        OpenChoice("elsewhere", "Not open here.", ("a", "b")),
    ),
    {"a": ("pooling_divisor", "rate"), "b": ("elsewhere",)},
)
VALUE = ClaimRecord(
    id="v:P@1", claim="v", kind="value", says="A scores 69.26", metric="P@1", where=Where(),
    printed=("69.26",), experiments=("a",), margin=Margin(0.5, "field", "usual"),
)  # fmt: skip
HELD = (
    ReadingVerdict({}, "reproduced", "tost", (3,), 69.1, 0.1, (69.0, 69.2), (68.9, 69.3)),
    ReadingVerdict(
        {"pooling_divisor": "slots"}, "contradicted", "minimum_effect", (3,), 60.0, 0.1, None, (59.8, 60.2)
    ),
    ReadingVerdict({"rate": "slow"}, "inconclusive", "too_few_seeds", (1,), 68.0),
)
BELOW = "The means under all {} readings that were run lie below the printed 69.26; the nearest is 69.10."
VERDICT = Verdict(
    "v:P@1", "inconclusive", "ambiguous_description", "same_data", (3,), (3,), estimate=69.1, target=69.26,
    margin=0.5, readings=HELD, readings_declared=4,
)  # fmt: skip


def test_each_reading_that_was_run_has_a_row() -> None:
    view = reading_view(VALUE, VERDICT, READINGS, "c-v")
    assert view is not None
    assert [(row.reading, row.seeds, row.estimate, row.interval, row.word) for row in view.rows] == [
        ("default", "3 seeds", "69.10", "68.90 to 69.30", "Reproduced"),
        ("pooling divisor: slots", "3 seeds", "60.00", "59.80 to 60.20", "Contradicted"),
        ("rate: slow", "1 seed", "68.00", "–", "Inconclusive"),
    ]
    assert view.rows[2].because == reason("too_few_seeds")


def test_what_is_open_is_said_with_its_reason() -> None:
    """In the claim's own experiments alone, and with one full stop."""
    view = reading_view(VALUE, VERDICT, READINGS, "c-v")
    assert view is not None
    assert view.open == (
        "Pooling divisor: words (default) or slots. The divisor is not stated.",
        "Rate: usual (default), slow or fast. No rate is stated.",
    )


def test_the_curve_says_what_it_shows() -> None:
    view = reading_view(VALUE, VERDICT, READINGS, "c-v")
    assert view is not None
    assert (
        "3 of 4 declared readings: 1 reproduced, 1 contradicted, 1 inconclusive; means from 60.00 to 69.10, "
        "with 95% intervals; the default reading 69.10. The table has each."
    ) in view.curve
    assert "printed 69.26" in view.curve
    assert len(re.findall('class="(?:disc|ring|cross)"', view.curve)) == 3


def test_a_printed_number_on_other_data_is_not_drawn_beside_ours() -> None:
    view = reading_view(VALUE, replace(VERDICT, scope="other_data"), READINGS, "c-v")
    assert view is not None
    assert "printed" not in view.curve and 'class="band"' not in view.curve


def test_differences_are_drawn_against_none() -> None:
    order = replace(VALUE, kind="order", printed=(), experiments=("a", "b"))
    view = reading_view(order, replace(VERDICT, target=1.0, margin=None), READINGS, "c-o")
    assert view is not None
    assert (view.estimate, view.rows[0].estimate) == ("Difference", "+69.10")
    assert 'class="zero"' in view.curve and 'class="target"' not in view.curve


@pytest.mark.parametrize(
    ("verdict", "readings"),
    [(None, READINGS), (VERDICT, None), (replace(VERDICT, readings=()), READINGS)],
)
def test_without_readings_there_is_nothing(verdict: Verdict | None, readings: Readings | None) -> None:
    assert reading_view(VALUE, verdict, readings, "c-v") is None


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        (
            "ambiguous_description",
            "Inconclusive: it hangs on what the paper leaves open, as not all of the 3 that were run of its "
            "4 declared readings come to the same verdict (1 reproduces it, 1 contradicts it and 1 is open "
            "for want of seeds).",
        ),
        (
            "some_readings",
            "Inconclusive: not all of the 4 declared readings of what the paper leaves open were run (1 "
            "reproduced, 1 contradicted, 1 inconclusive), and only all of them together decide.",
        ),
    ],
)
def test_the_sentence_says_how_many(reason: str, said: str) -> None:
    text = verdict_sentence(VALUE, replace(VERDICT, reason=reason), names=("A",))
    assert text.endswith(f"{said} {BELOW.format(3)}")


def test_where_all_were_run_none_is_set_apart() -> None:
    told = replace(VERDICT, reason="ambiguous_description", readings_declared=3)
    text = verdict_sentence(VALUE, told, names=("A",))
    assert "as not all of its 3 declared readings come to the same verdict (1 reproduces it" in text


def test_readings_on_one_side_of_the_printed_value_are_said_to_be_there() -> None:
    """How far the answer hangs on what is left out; nothing where they lie on both sides."""
    higher = tuple(replace(it, estimate=70.0 + k) for k, it in enumerate(HELD))
    above = verdict_sentence(VALUE, replace(VERDICT, readings=higher), names=("A",))
    assert above.endswith("readings that were run lie above the printed 69.26; the nearest is 70.00.")
    both = verdict_sentence(VALUE, replace(VERDICT, readings=(*HELD, *higher)), names=("A",))
    assert "readings that were run lie" not in both


def test_agreement_of_all_is_said_and_of_some_is_not() -> None:
    agreed = "So it is under all 2 declared readings of what the paper leaves open."
    alike = (HELD[0], replace(HELD[0], reading={"rate": "slow"}))
    of_all = replace(VERDICT, outcome="reproduced", reason="tost", readings=alike, readings_declared=2)
    assert verdict_sentence(VALUE, of_all, names=("A",)).endswith(f"{agreed} {BELOW.format(2)}")
    of_some = replace(of_all, readings_declared=3)
    assert "So it is under all" not in verdict_sentence(VALUE, of_some, names=("A",))
    alone = replace(of_all, readings=())
    assert "So it is under all" not in verdict_sentence(VALUE, alone, names=("A",))


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        (
            "one_at_a_time",
            "One change at a time: the default reading of what the paper leaves open, and each",
        ),
        ("full", "Readings of what the paper leaves open: every combination of the declared choices."),
    ],
)
def test_the_caption_says_which_readings_were_declared(
    limit: Literal["full", "one_at_a_time"], said: str
) -> None:
    """A curve of single changes is not taken for all that the paper leaves open."""
    view = reading_view(VALUE, VERDICT, replace(READINGS, limit=limit), "c-v")
    assert view is not None
    assert view.caption.startswith(said)
    assert ("no two changes were made together" in view.caption) == (limit == "one_at_a_time")


def test_an_open_reading_that_is_further_off_than_a_contradicted_one_says_why() -> None:
    """Its seeds spread too widely; one that lies nearer, or on the other side, has its reason alone."""
    far = ReadingVerdict({"rate": "fast"}, "inconclusive", "straddles_margin", (3,), 10.3, 7.33)
    near = replace(far, reading={"rate": "slow"}, estimate=66.9)
    across = replace(far, reading={"rate": "slow"}, estimate=90.0)
    rows = {}
    for it in (far, near, across):
        view = reading_view(VALUE, replace(VERDICT, readings=(*HELD[:2], it)), READINGS, "c-v")
        assert view is not None
        rows[it.estimate] = view.rows[2].because
    assert rows[10.3] == f"3 seeds spread too widely (SD 7.33); {reason('straddles_margin')}"
    assert rows[66.9] == rows[90.0] == reason("straddles_margin")


def test_a_reading_that_only_the_other_claims_keep_open_says_what_it_is_alone() -> None:
    """And of two test sets, that their noise leaves it open: not only that there are two."""
    open_alone = ReadingVerdict(
        {"rate": "slow"},
        "inconclusive",
        "multiplicity",
        (3,),
        66.9,
        0.9,
        p_reproduced=0.99,
        p_contradicted=0.01,
    )
    for it, said in (
        (open_alone, "not decided once all claims are taken together (alone: contradicted)"),
        (
            replace(open_alone, p_reproduced=0.01),
            "not decided once all claims are taken together (alone: reproduced)",
        ),
        (replace(open_alone, reason="other_split"), "the noise of two test sets leaves it open"),
    ):
        view = reading_view(VALUE, replace(VERDICT, readings=(HELD[0], it)), READINGS, "c-v")
        assert view is not None
        assert view.rows[1].because == said


def test_p_beside_the_plot_is_of_what_is_shown_and_the_other_is_named() -> None:
    """A default reading that is contradicted never stands beside the p of all readings without its label."""
    default = replace(HELD[1], reading={}, p_contradicted=0.00005, p_contradicted_adjusted=0.004)
    verdict = replace(
        VERDICT,
        readings=(default, *HELD[1:]),
        p_contradicted=0.268,
        p_contradicted_adjusted=1.0,
        margin_contradicted_up_to=0.0,
    )
    audit = replace(sample.empty(), claims=(VALUE,), verdicts=(verdict,), readings=READINGS)
    facts = {it.term: it.text for it in card(VALUE, lookup(audit)).facts}
    assert facts["Shown here"] == "the default of 3 readings, by itself contradicted"
    assert facts["p (contradicted), as shown"] == "< 0.001, adjusted 0.004"
    assert facts["p (contradicted), largest of 3 readings"] == "0.268, adjusted 1.000"
    assert facts["Margin band, all 3 readings, taken alone"] == "contradicted by none"
    assert not {"p (contradicted)", "Margin band"} & set(facts)
