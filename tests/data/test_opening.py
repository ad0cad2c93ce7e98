"""A corpus by its path: the format is recognised, and a split column is part of the name."""

from __future__ import annotations

from pathlib import Path

import pytest

from reimpl.data.formats import BowDataset, Options
from reimpl.data.opening import COLUMN, open_corpus, split_name
from reimpl.data.prepare import as_source
from reimpl.errors import ConfigError, DataError
from tests.data.corpora import corpus, write

DATA = ("4 3 2", "0,1 0:1 2:1", "1 1:1", "0 0:1", " 2:1")
#: Columns 0 and 1: rows 1, 2 | 3, 4 and 3, 4 | 1, 2.
TRAIN, TEST = ("1 3", "2 4"), ("3 1", "4 2")


def columns(folder: Path) -> Path:
    write(folder / "toy_data.txt", DATA)
    write(folder / "toy_trSplit.txt", TRAIN)
    write(folder / "toy_tstSplit.txt", TEST)
    return folder


def features(path: Path, options: Options | None = None) -> BowDataset:
    found = open_corpus(path, options)
    assert isinstance(found, BowDataset)
    return found


def test_a_column_is_a_corpus_of_its_own(tmp_path: Path) -> None:
    """`DIR@1` and column 1 of DIR are one; another column has another content and the same corpus."""
    folder = columns(tmp_path / "toy")
    first, second = features(Path(f"{folder}@0")), features(Path(f"{folder}@1"))
    assert (first.name, second.name) == ("toy@0", "toy@1")
    assert (first.counts[COLUMN], second.counts[COLUMN]) == (0, 1)
    assert first.content != second.content and first.corpus == second.corpus
    assert first.train.labels(2).toarray().tolist() == [[1, 1], [0, 1]]
    assert second.train.labels(2).toarray().tolist() == [[1, 0], [0, 0]]
    asked = features(folder, Options(column=1))
    assert (asked.name, asked.content) == ("toy@1", second.content)


def test_a_column_is_read_beside_a_split_of_its_own(tmp_path: Path) -> None:
    """A folder that holds train and test files too: without a column these, with one the column."""
    folder = columns(tmp_path / "toy")
    write(folder / "train.txt", ("1 3 2", "0 0:1"))
    write(folder / "test.txt", ("1 3 2", "1 2:1"))
    assert features(Path(f"{folder}@1")).train.size == 2


def test_names(tmp_path: Path) -> None:
    """What is there under the very name is no column."""
    (tmp_path / "it@3").mkdir()
    assert split_name(tmp_path / "it@3") == (tmp_path / "it@3", None)
    assert split_name(tmp_path / "it@4") == (tmp_path / "it", 4)
    for plain in ("it", "it@", "@3", "it@x", "it@12345"):
        assert split_name(tmp_path / plain) == (tmp_path / plain, None)


def test_refused(tmp_path: Path) -> None:
    """One sentence each: nothing there, two columns, no such one, none, one of texts."""
    folder = columns(tmp_path / "toy")
    with pytest.raises(DataError, match="nowhere: no such file or folder"):
        open_corpus(tmp_path / "nowhere")
    for at in ("x", "-1"):
        with pytest.raises(DataError, match=rf"toy@{at}: column '{at}' is not a number; give 0 to 1"):
            open_corpus(Path(f"{folder}@{at}"))
    with pytest.raises(DataError, match="nowhere@x: no such file or folder"):
        open_corpus(tmp_path / "nowhere@x")
    with pytest.raises(DataError, match="column 1 is asked for too"):
        open_corpus(Path(f"{folder}@0"), Options(column=1))
    with pytest.raises(ConfigError, match="column 2 of 2; give 0 to 1"):
        open_corpus(Path(f"{folder}@2"))
    with pytest.raises(DataError, match="2 splits, one a column"):
        open_corpus(folder)
    with pytest.raises(DataError, match="this corpus has one split; leave out @0"):
        open_corpus(Path(f"{corpus(tmp_path / 'texts')}@0"))


def test_broken_text_is_told_by_its_line(tmp_path: Path) -> None:
    """Files of the usual names whose lines are of no known format."""
    folder = corpus(tmp_path / "toy", train=("no tab here", "nor here"))
    with pytest.raises(DataError, match=r"train\.txt:1: 0 tabs"):
        list(as_source(folder).documents("train"))


def test_features_are_no_text(tmp_path: Path) -> None:
    """A model of texts is not given features."""
    with pytest.raises(DataError, match="features without text"):
        as_source(Path(f"{columns(tmp_path / 'toy')}@0"))
