"""Headed files and LIBSVM files: what a header says is held against what stands there."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from reimpl.data.describe import describe
from reimpl.data.formats import BowDataset, Options, read
from reimpl.errors import DataError
from tests.data.formats.made import CORPORA, FEATURES, HEADED_TEST, HEADED_TRAIN, features_of, lay

ZERO = Options(features_from=0, labels_from=0)


def toy(folder: Path, train: bytes = HEADED_TRAIN, test: bytes = HEADED_TEST, **more: bytes) -> Path:
    files = {"train.txt": train, "test.txt": test}
    return lay(folder / "toy", files | {name.replace("_", "."): content for name, content in more.items()})


def bow(path: Path, options: Options = ZERO) -> BowDataset:
    found = read(path, options)
    assert isinstance(found, BowDataset)
    return found


@pytest.mark.parametrize(
    "train",
    [
        HEADED_TRAIN.replace(b"\n", b"\r\n"),
        HEADED_TRAIN + b"\n\n",
        HEADED_TRAIN + b"\r\n",
        b"\xef\xbb\xbf" + HEADED_TRAIN,
        HEADED_TRAIN.replace(b"\n 1:2.25\n", b"\n1:2.25\n"),
        HEADED_TRAIN.replace(b" ", b"  ").replace(b"0,2", b"2,0"),
        HEADED_TRAIN.replace(b"0:1 3:0.5", b"3:0.5\t0:1 "),
        HEADED_TRAIN.replace(b"0,2 0:1", b"0,2 0:+1.0e0"),
    ],
)
def test_other_ways_to_write_the_same(tmp_path: Path, train: bytes) -> None:
    """Line ends, blank lines at the end, spaces, order within a line: the same documents and identity."""
    dataset = bow(toy(tmp_path, train))
    assert features_of(dataset) == FEATURES
    assert dataset.content == bow(toy(tmp_path / "as_usual")).content


@pytest.mark.parametrize(
    ("train", "message"),
    [
        (b"5" + HEADED_TRAIN[1:], r"train\.txt: 4 documents where its header says 5; it is cut off"),
        (b"3" + HEADED_TRAIN[1:], r"train\.txt: 4 documents where its header says 3; it has too many"),
        (b"4 6\n" + HEADED_TRAIN[6:], r"train\.txt:1: '4 6' is no header `N D L`"),
        (b"", r"train\.txt:1: '' is no header"),
        (b"4 6 4\n" + HEADED_TRAIN[6:], r"test is headed \(6, 3\) features and labels, train \(6, 4\)"),
        (HEADED_TRAIN.replace(b"2 4:-3", b"2 6:-3"), r"feature id 6, counted from 0, but 6 features"),
        (HEADED_TRAIN.replace(b"\n1 2:1", b"\n1 word:1"), r"train\.txt:4: 'word:1' is no `feature:value`"),
        (b"4 6 3 9\n" + HEADED_TRAIN[6:], r"train\.txt:1: '4 6 3 9' is no header"),
    ],
)
def test_refused(tmp_path: Path, train: bytes, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read(toy(tmp_path, train), ZERO, format="xc")


def test_what_was_left_out_is_counted_and_said(tmp_path: Path) -> None:
    """A repeated label counts once, a value of 0 is no feature, a document may have nothing."""
    dataset = bow(toy(tmp_path, b"4 6 3\n0,2,0 0:1 3:0.5\n 1:2.25 4:0\n1 2:1 5:1e-2\n\n"))
    assert dataset.counts["train.repeated_labels"] == 1
    assert dataset.counts["train.zero_values"] == 1
    assert dataset.counts["train.empty_documents"] == 1
    assert dataset.train.size == 4
    assert features_of(dataset)["train"] == [*FEATURES["train"][:3], ([], {})]
    assert dataset.notes == (
        "train: 1 values of 0 left out.",
        "train: 1 repeated labels counted once.",
        "train: 1 documents have neither labels nor features.",
    )


def test_how_the_numbering_is_known_is_said(tmp_path: Path) -> None:
    assert bow(toy(tmp_path), Options()).notes == (
        "feature ids count from 0: id 0 occurs.",
        "label ids count from 0: id 0 occurs.",
    )


def test_names_beside_the_files(tmp_path: Path) -> None:
    dataset = bow(toy(tmp_path, labels_txt=b"x\ny\nz\n", Xf_txt=b"a\nb\nc\nd\ne\nf\n"))
    assert dataset.label_names == ("x", "y", "z")
    assert dataset.feature_names == tuple("abcdef")
    with pytest.raises(DataError, match=r"labels\.txt: 2 names for 3 labels; get the file that belongs"):
        bow(toy(tmp_path / "other", labels_txt=b"x\ny\n"))


@pytest.mark.parametrize(
    ("train", "test", "name"),
    [
        ("trn.txt", "tst.txt", "toy"),
        ("eurlex_train.txt", "eurlex_test.txt", "toy"),
        ("train_v1.txt", "test_v1.txt", "toy"),
        ("Train.txt", "Test.txt", "toy"),
    ],
)
def test_names_under_which_splits_go(tmp_path: Path, train: str, test: str, name: str) -> None:
    path = lay(tmp_path / name, {train: HEADED_TRAIN, test: HEADED_TEST})
    assert features_of(bow(path)) == FEATURES


def test_two_files_for_one_split(tmp_path: Path) -> None:
    with pytest.raises(
        DataError, match=r"(valid|dev)\.txt and (dev|valid)\.txt are both there for dev; keep one"
    ):
        read(toy(tmp_path, dev_txt=HEADED_TEST, valid_txt=HEADED_TEST))


def test_a_missing_test_file(tmp_path: Path) -> None:
    with pytest.raises(
        DataError, match="no test file; the format `N D L` needs a folder with train and test"
    ):
        read(lay(tmp_path / "toy", {"train.txt": HEADED_TRAIN}))


def test_libsvm_takes_the_base_that_scikit_learn_wrote(tmp_path: Path) -> None:
    """Its comment speaks of the columns only; labels are asked about as ever."""
    top = b"# Generated by dump_svmlight_file from scikit-learn 1.4\n# Column indices are one-based\n"
    files = {"train.svm": top + b"1,2 1:1 3:2\n", "test.svm": top + b"2 2:1\n"}
    with pytest.raises(DataError, match="state labels_from=0 or labels_from=1"):
        read(lay(tmp_path / "toy", files))
    dataset = bow(tmp_path / "toy", Options(labels_from=1))
    assert dataset.train.indices.tolist() == [0, 2]
    assert (dataset.n_features, dataset.n_labels) == (3, 2)
    assert dataset.notes[0].startswith("The numbers of features and labels are those of the largest ids")


@pytest.mark.parametrize("content", [b"", b"\n\n", b"# only a comment\n"])
def test_libsvm_without_documents(tmp_path: Path, content: bytes) -> None:
    files = CORPORA["svmlight"][0] | {"test.svm": content}
    with pytest.raises(DataError, match=r"test\.svm: no documents"):
        read(lay(tmp_path / "toy", files), ZERO)


@pytest.mark.parametrize(
    ("header", "message"),
    [
        (b"4 6 99999999999\n", r"train\.txt:1: 99,999,999,999 labels, and more than 100,000,000 are not"),
        (b"4 99999999999 3\n", r"train\.txt:1: 99,999,999,999 features, and more than 2,147,483,648 are"),
        (b"4 6 100000001\n", r"train\.txt:1: 100,000,001 labels"),
    ],
)
def test_sizes_that_cannot_be_are_refused_by_the_header(tmp_path: Path, header: bytes, message: str) -> None:
    """Before a row is read: the first row here breaks the form."""
    with pytest.raises(DataError, match=message):
        read(toy(tmp_path, header + b"no row\n", header + HEADED_TEST[6:]), ZERO)


def test_a_label_id_that_cannot_be_is_refused_without_a_header_too(tmp_path: Path) -> None:
    path = toy(tmp_path, b"2147483647 0:1\n", b"0 0:1\n")
    with pytest.raises(DataError, match=r"toy: 2,147,483,648 labels, and more than 100,000,000 are not"):
        read(path, ZERO)


def test_many_labels_take_no_memory_that_grows_with_them(tmp_path: Path) -> None:
    """As many as there may be, of which three occur; described in a few megabytes."""
    headers = b"4 6 100000000\n", b"2 6 100000000\n"
    path = toy(tmp_path, headers[0] + HEADED_TRAIN[6:], headers[1] + HEADED_TEST[6:])
    data = bow(path)
    tracemalloc.start()
    try:
        figures = describe(data)
        assert tracemalloc.get_traced_memory()[1] < 4_000_000
    finally:
        tracemalloc.stop()
    assert (figures["labels"], figures["labels_not_in_train"]) == (100_000_000, 99_999_997)
