"""What one cell says."""

from __future__ import annotations

import pytest

from audit.authoring.cells import LOWERED, RAISED, STRUCK, Content, Notation, Run, content

BOLD = frozenset({"bold"})


def read(*runs: str | Run, notation: Notation | None = None) -> Content:
    return content([it if isinstance(it, Run) else Run(it) for it in runs], notation or Notation())


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("83.50", Content(kind="number", value="83.50")),
        (" .638 ", Content(kind="number", value=".638")),
        ("15,449", Content(kind="number", value="15,449")),
        ("15'449", Content(kind="number", value="15,449")),
        ("75.1 %", Content(kind="number", value="75.1%")),
        ("- 0.5", Content(kind="number", value="-0.5")),
        ("*75.1", Content(kind="number", value="75.1", marks=("*",))),
        ("† 75.1 ‡", Content(kind="number", value="75.1", marks=("†", "‡"))),
        ("75.1±0.2", Content(kind="number", value="75.1", sd="0.2")),
        ("75.1 +/- 0.2 *", Content(kind="number", value="75.1", sd="0.2", marks=("*",))),
        ("75.10% ± 0.20%", Content(kind="number", value="75.10%", sd="0.20%")),
        *[
            (it, Content(kind="dash"))
            for it in ("-", "--", "–", "—", "\N{MINUS SIGN}", "n/a", "N/A", "NA", "/")
        ],
        *[(it, Content(kind="empty")) for it in ("", "  ", "\N{NO-BREAK SPACE}")],
        *[
            (it, Content(kind="text"))
            for it in ("OOM", "> 24 h", "EUR-Lex 4K", "*", "a" * 300, "1" * 300, "3.2M", "1e5")
        ],
    ],
)
def test_text_is_a_number_with_what_stands_beside_it_or_a_dash_or_text(text: str, right: Content) -> None:
    assert read(text) == right


@pytest.mark.parametrize(
    ("text", "why"),
    [
        *[(it, "holds two numbers") for it in ("75.1/60.2", "75.1 60.2", "75.1 | 60.2 | 50.3", "1;2")],
        *[(it, "has a decimal comma; say --decimal comma") for it in ("75,1", "0,751", "75,12 ± 0,1")],
        *[(it, "stand where none can") for it in ("1.2.3", "15,44,9.1", "75.1 ± 1.2.3")],
        *[(it, "is no plain number") for it in ("~75", "<0.1", "10-20", "(75.1)", "75.1 ±", "=5")],
        ("75.1 (+0.3)", "has '+0.3' beside the number"),
        ("75.1\N{RIGHT-TO-LEFT OVERRIDE}", "characters that are not seen"),
        ("75\N{ZERO WIDTH SPACE}.1", "characters that are not seen"),
        ("\N{FULLWIDTH DIGIT SEVEN}5", "digits that are not 0 to 9"),
    ],
)
def test_what_has_two_readings_or_none_is_unclear_and_says_why(text: str, why: str) -> None:
    held = read(text)
    assert held.kind == "unclear" and held.value is None and why in str(held.why)


def test_styles_of_a_number_are_its_marks() -> None:
    assert read(Run("75.1", BOLD), " ± 0.2") == Content(
        kind="number", value="75.1", sd="0.2", marks=("bold",)
    )
    assert read("75.1 ± ", Run("0.2", BOLD)) == Content(kind="number", value="75.1", sd="0.2")
    assert read(Run("75", BOLD), Run(".", frozenset()), Run("1", BOLD)).marks == ("bold",)
    assert "only some of its digits in bold" in str(read(Run("7", BOLD), "5.1").why)
    assert "is struck out" in str(read(Run("75.1", frozenset({STRUCK}))).why)


def test_what_is_raised_is_a_mark_and_a_number_there_is_asked_about() -> None:
    raised, lowered = frozenset({RAISED}), frozenset({LOWERED})
    assert read("75.1", Run("a, *", raised)).marks == ("a", "*")
    assert "has '2' beside the number" in str(read("10", Run("2", raised)).why)
    assert read("10", Run("2", raised), notation=Notation(beside="mark")) == Content(
        kind="number", value="10", marks=("2",)
    )
    assert read("75.1", Run("(0.2)", lowered), notation=Notation(beside="sd")) == Content(
        kind="number", value="75.1", sd="0.2"
    )
    assert read("75.1", Run("±0.2", lowered)) == Content(kind="number", value="75.1", sd="0.2")
    twice = read("75.1 ± 0.1 (0.2)", notation=Notation(beside="sd"))
    assert "has two spreads, '0.1' and '0.2'" in str(twice.why)


def test_with_decimal_commas_points_and_commas_change_places() -> None:
    comma = Notation(decimal="comma")
    assert read("75,10 ± 0,2", notation=comma) == Content(kind="number", value="75.10", sd="0.2")
    assert read("15.449", notation=comma) == Content(kind="number", value="15,449")
    assert read("75.1", notation=comma).kind == "unclear"
    assert read("75,1", notation=Notation(decimal="point")).kind == "unclear"
