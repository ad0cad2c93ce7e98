"""`label,label feature:value ...` in blocks: read, and refused, as a plain reader does it line by line."""

from __future__ import annotations

import io
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn.datasets import load_svmlight_file

from reimpl.data.files import File
from reimpl.data.formats.rows import Rows, read_rows
from reimpl.errors import DataError

FILE = File(Path("toy.txt"))
Plain = list[tuple[list[int], list[tuple[int, float]]]]


def rows_of(text: bytes) -> Rows:
    return read_rows(FILE, [(1, text)] if text else [])


def listed(rows: Rows) -> Plain:
    features = list(zip(rows.indices.tolist(), rows.values.tolist(), strict=True))
    found, at, label_at = [], 0, 0
    for n, n_labels in zip(rows.lengths.tolist(), rows.label_lengths.tolist(), strict=True):
        found.append((rows.labels[label_at : label_at + n_labels].tolist(), features[at : at + n]))
        at, label_at = at + n, label_at + n_labels
    return found


def plainly(text: bytes) -> Plain | None:
    """The rows as a reader would write them who thinks of nothing but being right; None when one is bad."""
    found: Plain = []
    for line in re.split(b"\r?\n", text.removesuffix(b"\n").removesuffix(b"\r")) if text else []:
        words = re.split(b"[ \t]+", line)
        labels: list[int] = []
        if words[0] and b":" not in words[0]:
            parts = words[0].split(b",")
            if not all(re.fullmatch(rb"[0-9]+", it) for it in parts):
                return None
            labels, words = [int(it) for it in parts], words[1:]
        features = []
        for word in (it for it in words if it):
            match = re.fullmatch(rb"([0-9]+):([-+0-9.eE]+)", word)
            try:
                pair = (int(match[1]), float(np.float32(float(match[2])))) if match else None
            except (ValueError, OverflowError):
                return None
            if pair is None or not np.isfinite(pair[1]):
                return None
            features.append(pair)
        ids = [it for it, _ in features]
        if len(set(ids)) < len(ids) or max([*ids, *labels], default=0) >= 2**31:
            return None
        found.append((sorted(set(labels)), sorted(features)))
    return found


NUMBERS = st.sampled_from(
    ["0", "1", "12", "007", "2147483647", "2147483648", "1.5", "-2", "1e3", "1.2.3", "1-2"]
)
PARTS = st.one_of(
    st.sampled_from([" ", ",", ":", "\n", "\r\n", "\t", "  ", ".", "-", "e", "x", "\r"]), NUMBERS
)


@given(st.lists(PARTS, max_size=14).map("".join))
@example("1,2 3:1\n 4:.5\n5\n\n7:1e-3 8:1. \n")
@example("1 2:1 2:1\n")
@example("1 2:1e39\n")
@example("1 2:3:4\n")
@example("1, 2:3\n")
@example("1 2:1,3\n")
@example("1 2:1e5000 3:1-2\n")
@example("00000000001 00000000002:3\n")
def test_as_a_plain_reader(text: str) -> None:
    """Any string of such pieces gives the rows of the plain reader, or an error where that has none."""
    with np.errstate(over="ignore"):
        expected = plainly(text.encode())
    try:
        found = listed(rows_of(text.encode()))
    except DataError:
        assert expected is None
        return
    assert found == expected


IDS = st.integers(0, 99)
VALUES = st.floats(width=32, allow_nan=False, allow_infinity=False)
DOCUMENTS = st.lists(st.tuples(st.sets(IDS), st.dictionaries(IDS, VALUES)), max_size=6)


@given(DOCUMENTS)
def test_as_scikit_learn(documents: list[tuple[set[int], dict[int, float]]]) -> None:
    """Where both read a file they agree; scikit-learn skips documents without anything, so none is here."""
    documents = [it for it in documents if it[0] and it[1]]
    if not documents:
        return
    lines = []
    for names, features in documents:
        pairs = " ".join(f"{i}:{value!r}" for i, value in sorted(features.items()))
        lines.append(f"{','.join(map(str, sorted(names)))} {pairs}\n")
    text = "".join(lines).encode()
    matrix, labels = load_svmlight_file(
        io.BytesIO(text), multilabel=True, zero_based=True, dtype=np.float32, n_features=100
    )
    rows = rows_of(text)
    assert rows.indices.tolist() == matrix.indices.tolist()
    np.testing.assert_array_equal(rows.values, matrix.data)
    assert np.cumsum(rows.lengths).tolist() == matrix.indptr[1:].tolist()
    assert [it[0] for it in listed(rows)] == [list(map(int, it)) for it in labels]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"0 1:1\n3,7 word:1\n", r"toy.txt:2: 'word:1' is no `feature:value` of two numbers; write"),
        (b"0 1:1\n1, 2:1\n", r"toy.txt:2: '1,' is no"),
        (b"0 1:1 2\n", r"toy.txt:1: '2' is no"),
        (b"1 0:1 0:1\n", r"toy.txt:1: feature 0 stands there twice; keep one"),
        (b"1 3:1e39\n", r"toy.txt:1: value '1e39' is too large"),
        (b"1 3:nan\n", r"toy.txt:1: '3:nan' is no"),
        (b"1 -3:1\n", r"toy.txt:1: '-3:1' is no"),
        (b"1 2147483648:1\n", r"toy.txt:1: id '2147483648' is larger than 2147483647"),
        (b"2147483648 1:1\n", r"toy.txt:1: id '2147483648' is larger"),
        (b"1 qid:3 1:1\n", r"toy.txt:1: 'qid:3' is no"),
        (b"1 2:0.5 # note\n", r"toy.txt:1: '#' is no"),
        ("1 \u0661:1\n".encode(), r"toy.txt:1: .* is no"),
        (b"0 1:1\n" * 99 + b"oops\n" + b"0 1:1\n" * 99, r"toy.txt:100: 'oops' is no"),
    ],
)
def test_the_line_that_breaks_the_form_is_named(text: bytes, message: str) -> None:
    with pytest.raises(DataError, match=message):
        rows_of(text)


@given(
    st.lists(st.from_regex(r"[0-9]{0,9}\.?[0-9]{1,9}|[0-9]{1,9}\.", fullmatch=True), min_size=1, max_size=9)
)
def test_plain_decimals_are_the_nearest_float32(values: list[str]) -> None:
    """As `float` reads them, whatever the number of digits before and behind the point."""
    line = " ".join(f"{i}:{value}" for i, value in enumerate(values))
    assert rows_of(f"1 {line}\n".encode()).values.tolist() == [float(np.float32(float(it))) for it in values]
