"""Headed files, LIBSVM files and matrices: what a header says is held against what stands there."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from reimpl.data.dataset import Dataset
from reimpl.data.formats import Options, open_corpus
from reimpl.data.formats.features import Rows, read_rows
from reimpl.errors import DataError
from tests.data.made import FEATURES, HEADED_TEST, HEADED_TRAIN, features_of, lay

ZERO = Options(base=0)


def toy(folder: Path, train: bytes = HEADED_TRAIN, test: bytes = HEADED_TEST, **more: bytes) -> Path:
    files = {"train.txt": train, "test.txt": test}
    return lay(folder / "toy", files | {name.replace("_", "."): content for name, content in more.items()})


def corpus(path: Path, options: Options = ZERO, format: str | None = None) -> Dataset:
    data = open_corpus(path, options, format=format)
    assert isinstance(data, Dataset)
    return data


@pytest.mark.parametrize(
    "train",
    [
        HEADED_TRAIN.replace(b"\n", b"\r\n"),
        HEADED_TRAIN + b"\n\r\n",
        HEADED_TRAIN.replace(b" ", b"  ").replace(b"0,2", b"2,0"),
        HEADED_TRAIN.replace(b"0,2 0:1", b"0,2 000000000000:+1.0e0"),
        HEADED_TRAIN.replace(b"0:1 3:0.5", b"3:0.5 0:1").replace(b"2:1 5:1e-2", b"5:1e-2 2:1"),
    ],
)
def test_other_ways_to_write_the_same(tmp_path: Path, train: bytes) -> None:
    """Line ends, blank lines at the end, spaces, order within a line: the same documents and identity."""
    data = corpus(toy(tmp_path, train))
    assert features_of(data) == FEATURES
    assert data.content == corpus(toy(tmp_path / "as_usual")).content


@pytest.mark.parametrize(
    ("train", "message"),
    [
        (b"5" + HEADED_TRAIN[1:], r"train\.txt: 4 documents where its header says 5; it is cut off"),
        (b"4 6 4\n" + HEADED_TRAIN[6:], r"test has \(6, 3\) features and labels, train \(6, 4\)"),
        (
            HEADED_TRAIN.replace(b"2 4:-3", b"2 6:-3"),
            r"the feature ids run from 0 to 6, but the header says 6 of them",
        ),
        (b"4 6 3\n0 1:1\n0 2:1\n3,word 1:1\n1 1:1\n", r"train\.txt:4: '3,word 1:1' is not `label,label"),
    ],
)
def test_headed_files_that_are_refused(tmp_path: Path, train: bytes, message: str) -> None:
    with pytest.raises(DataError, match=message):
        open_corpus(toy(tmp_path, train), ZERO, format="xc")


def test_a_corpus_of_features_is_a_data_set_without_words(tmp_path: Path) -> None:
    data = corpus(toy(tmp_path, labels_txt=b"x\ny\nz\n"))
    assert (data.labels, data.vocabulary, len(data.train.tokens)) == (("x", "y", "z"), ("",), 0)
    assert data.preprocessing == "features as given"
    with pytest.raises(DataError, match=r"labels\.txt: 2 names for 3 labels; get the matching file"):
        corpus(toy(tmp_path / "other", labels_txt=b"x\ny\n"))
    for train, message in (
        (b"2 6 3\n 1:2\n 0:1\n", "no training document has a label"),
        (b"0 6 3\n", "no documents"),
    ):
        with pytest.raises(DataError, match=message):
            corpus(toy(tmp_path / "bare", train), format="xc")


@pytest.mark.parametrize(
    ("train", "options", "expected"),
    [
        (
            HEADED_TRAIN,
            Options(),
            [f"{what} ids count from 0: id 0 occurs." for what in ("feature", "label")],
        ),
        (
            b"1 6 3\n1,3 1:1 6:1\n",
            Options(),
            ["feature ids count from 1: the header says 6 and id 6 occurs."],
        ),
        (b"1 6 3\n1,2 1:1 4:1\n", Options(), "feature ids run from 1 to 5, which fits counting from 0 and"),
        (
            b"1 6 3\n0,2 0:1\n",
            Options(base=1),
            "feature ids count from 0: id 0 occurs, label ids count from 0: id 0 occurs; check base=1",
        ),
        (b"1 6 3\n1,2 7:1\n", Options(), "ids run from 5 to 7, but the header says 6 of them"),
    ],
)
def test_what_ids_count_from_is_proved_or_asked(
    tmp_path: Path, train: bytes, options: Options, expected: str | list[str]
) -> None:
    path = toy(tmp_path, train, b"1 6 3\n2 5:1\n")
    if isinstance(expected, list):
        assert list(corpus(path, options).notes[: len(expected)]) == expected
        return
    with pytest.raises(DataError, match=expected):
        open_corpus(path, options)


def rows_of(folder: Path, text: bytes) -> Rows:
    from reimpl.data.files import File

    return read_rows(File(lay(folder / "toy", {"toy.txt": text}) / "toy.txt"))


def plainly(line: str) -> tuple[list[int], list[tuple[int, float]]] | None:
    """A reader as one would write it in a minute; None where the line breaks the form."""
    fields = line.replace("\t", " ").split(" ")
    labels = fields.pop(0).split(",") if fields[0] and ":" not in fields[0] else []
    pairs = [field.split(":") for field in fields if field]
    numbers = [*labels, *(pair[0] for pair in pairs)]
    if not all(number.isascii() and number.isdigit() and int(number) < 2**31 for number in numbers):
        return None
    try:
        features = [(int(feature), float(np.float32(float(value)))) for feature, value in pairs]
    except ValueError:
        return None
    if len(dict(features)) < len(features) or not all(np.isfinite(value) for _, value in features):
        return None
    return sorted(set(map(int, labels))), sorted(features)


NUMBERS = ["0", "1", "12", "007", "2147483647", "2147483648", "00000000001", "1.5", "-2", "1e3", "1-2"]
PARTS = st.sampled_from([" ", ",", ":", "\n", "\r\n", "\t", "  ", ".", "-", "e", "x", *NUMBERS])


@given(st.lists(PARTS, max_size=14).map("".join))
@example("1,2 3:1\n 4:.5\n5\n\n7:1e-3 8:1. \n")
@example("1 2:1 2:1\n")
@example("1 2:1e39\n")
@example("1 2:1e5000 3:1-2\n")
@example("00000000001 00000000002:3\n")
@example("00000000001,1\t00000000002:3\n")
def test_as_a_plain_reader(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    """Any string of such pieces gives the rows of the plain reader, or an error where that has none."""
    with np.errstate(over="ignore"):
        expected = (
            [plainly(line.removesuffix("\r")) for line in text.removesuffix("\n").split("\n")] if text else []
        )
    try:
        rows = rows_of(tmp_path_factory.getbasetemp(), text.encode())
    except DataError:
        assert None in expected
        return
    ends, label_ends = np.cumsum(rows.lengths)[:-1], np.cumsum(rows.label_lengths)[:-1]
    features = [
        list(zip(ids.tolist(), values.tolist(), strict=True))
        for ids, values in zip(np.split(rows.ids, ends), np.split(rows.values, ends), strict=True)
    ]
    labels = [ids.tolist() for ids in np.split(rows.labels, label_ends)]
    assert (list(zip(labels, features, strict=True)) if len(rows.lengths) else []) == expected
