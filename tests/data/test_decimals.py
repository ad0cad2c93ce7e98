"""Numbers out of blocks of bytes, against `float` itself."""

from __future__ import annotations

import math
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reimpl.data.decimals import finite_rows, number, word_rows


def bits(value: float) -> bytes:
    """Tells 0.0 from -0.0, and holds one pattern for every NaN."""
    return b"nan" if math.isnan(value) else struct.pack("<d", value)


def read(*fields: str) -> list[float]:
    rows = word_rows(f"w {' '.join(fields)}\n".encode(), len(fields))
    assert rows is not None and rows.words == [b"w"]
    return [float(it) for it in rows.numbers[0]]


@pytest.mark.parametrize(
    "field",
    [
        "0", "1", "-1", "0.1", "-0.1", ".5", "-.5", "5.", "-5.", "-0.0", "12345678", "123456789",
        "0.12345678",
        "0.123456789", "0.1234567890123456", "0.12345678901234567", "12.12345678901234567",
        ".12345678901234567", "123456789.12345678901234567", "15.25", "-15.25", "12345678.5e-3",
        "12345678.1234567", "99999999.99999999",
        "1e5", "1E5", "1e-5", "-1.5e-05", "1.5e+05", "1e005", "1.2345678e-10", "1e22", "1e23", "1e-22",
        "1e-23",
        "5e-324", "1e-400", "9007199254740991", "9007199254740993", "0.000000000000001", "+1", "+.5",
        "3.4028235e38", "1.7976931348623157e308", "00001.5", "000000000000000000000.5", "8.5e-4",
    ],
)  # fmt: skip
def test_a_number_is_what_float_reads(field: str) -> None:
    """Bit for bit, beside a neighbour on each side."""
    assert [bits(it) for it in read("7", field, "-8.25")] == [bits(7.0), bits(float(field)), bits(-8.25)]


@pytest.mark.parametrize(
    "field",
    [
        "", "-", "+", ".", "-.", "e", "e5", "1e", "1e-", "1e5.5", "1e.5", "1.2.3", "1.5e5e5", "--1", "1-2",
        "1-",
        "nan", "inf", "-inf", "infinity", "1_0", "0x10", "1,5", "1:", "/", ":", "1a", "a1", "½", "\u0661",
        "1e1_0", "0.1a3456789012", "0.1.3456789012",
        "1\t2", "1\r",
    ],
)  # fmt: skip
def test_what_is_no_number_is_nan(field: str) -> None:
    """Also what Python alone takes for one; the neighbours keep their values."""
    found = read("7", field, "-8.25")
    assert math.isnan(found[1])
    assert (found[0], found[2]) == (7.0, -8.25)
    assert math.isnan(number(field.encode()))


_FORMATS = st.sampled_from(
    ["{}", "{:.4f}", "{:.6f}", "{:.9f}", "{:.6g}", "{:.9g}", "{:.4e}", "{:.12e}", "{:.17g}"]
)


@given(
    st.lists(st.tuples(_FORMATS, st.floats(allow_nan=False, allow_infinity=False)), min_size=1, max_size=9)
)
def test_any_float_in_any_form_is_read_as_float_reads_it(drawn: list[tuple[str, float]]) -> None:
    fields = [form.format(value) for form, value in drawn]
    assert [bits(it) for it in read(*fields)] == [bits(float(field)) for field in fields]


@given(st.lists(st.text("0123456789.-+eE", max_size=12), min_size=1, max_size=6))
def test_any_jumble_of_the_marks_is_a_number_or_none(fields: list[str]) -> None:
    """The number that `float` reads, or NaN where it reads none."""
    assert [bits(it) for it in read(*fields)] == [bits(number(field.encode())) for field in fields]


def test_rows_and_words_come_in_their_order() -> None:
    """Words may be points, numbers, or hold letters of other scripts."""
    rows = word_rows("the 1 2\n. 3 4\nu.s. 5 6\n1.5 7 8\ncafé 9 10\n".encode(), 2)
    assert rows is not None
    assert rows.words == [b"the", b".", b"u.s.", b"1.5", "café".encode()]
    assert rows.numbers.tolist() == [[1, 2], [3, 4], [5, 6], [7, 8], [9, 10]]


@pytest.mark.parametrize(
    "block", ["a 1\n", "a 1 2 3\n", "a 1 2\nb 1\n", "a b 1 2\n", "a 1 2\n\n", "a 1\nb 1 2 3\n", "a 1 2 \n"]
)
def test_lines_of_another_form_are_left_to_the_caller(block: str) -> None:
    """Even where the spaces of the whole block would add up."""
    assert word_rows(block.encode(), 2) is None


def test_no_lines() -> None:
    rows = word_rows(b"", 3)
    assert rows is not None and rows.words == [] and rows.numbers.shape == (0, 3)


def test_only_what_float32_holds_is_finite() -> None:
    """The largest float32 is; twice that, and NaN, are not."""
    largest = float(np.finfo(np.float32).max)
    rows, finite = finite_rows(np.array([[1.0, -largest], [2 * largest, 0.0], [math.nan, 0.0]]))
    assert rows.dtype == np.float32
    assert finite.tolist() == [True, False, False]
