"""One data file and splits by column: a column is asked for, and is what its numbers say."""

from __future__ import annotations

from pathlib import Path

import pytest

from reimpl.data.files import tree
from reimpl.data.formats import BowDataset, Options, read
from reimpl.data.formats.xc_splits import read_columns
from reimpl.errors import ConfigError, DataError
from tests.data.formats.made import CORPORA, FEATURES, features_of, lay

FILES = CORPORA["xc-splits"][0]
ROWS = [*FEATURES["train"], *FEATURES["test"]]


def test_each_column_is_a_split_of_one_corpus(tmp_path: Path) -> None:
    """Column 0 has rows 6, 5, 2, 3 (from 1) in train and 1, 4 in test; both columns share the corpus."""
    columns = read_columns(tree(lay(tmp_path / "toy", FILES)), Options())
    assert columns.columns == 2
    first, second = columns.dataset(0), columns.dataset(1)
    assert features_of(first) == {"train": [ROWS[i] for i in (5, 4, 1, 2)], "test": [ROWS[i] for i in (0, 3)]}
    assert features_of(second) == FEATURES
    assert first.corpus == second.corpus
    assert first.content != second.content
    assert first.notes[-1] == "Split 0 (from 0) of 2 that come with the data."


def test_a_column_must_be_stated_and_be_there(tmp_path: Path) -> None:
    path = lay(tmp_path / "toy", FILES)
    with pytest.raises(DataError, match="2 splits, one a column; state column=0 to column=1"):
        read(path)
    with pytest.raises(ConfigError, match="toy: column 2 of 2; give 0 to 1"):
        read(path, Options(column=2))
    with pytest.raises(ConfigError, match="toy: column -1 of 2; give 0 to 1"):
        read(path, Options(column=-1))


def test_a_single_column_needs_no_choice(tmp_path: Path) -> None:
    files = FILES | {"toy_trSplit.txt": b"1\n2\n3\n4\n", "toy_tstSplit.txt": b"5\n6\n"}
    assert features_of(read(lay(tmp_path / "toy", files))) == FEATURES


def test_the_data_file_may_lie_elsewhere(tmp_path: Path) -> None:
    """Names of labels are looked for beside the data."""
    splits = {name: content for name, content in FILES.items() if "Split" in name}
    path = lay(tmp_path / "splits", splits)
    data = lay(tmp_path / "toy", {"data.txt": FILES["toy_data.txt"], "labels.txt": b"x\ny\nz\n"}, ".gz")
    with pytest.raises(DataError, match="no data file beside them; state data=FILE"):
        read(path, Options(column=1))
    found = read(path, Options(column=1, data=data / "data.txt.gz"))
    assert isinstance(found, BowDataset)
    assert features_of(found) == FEATURES
    assert found.label_names == ("x", "y", "z")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"toy_trSplit.txt": b"0 1\n"}, r"row number 0; they count from 1"),
        (
            {"toy_trSplit.txt": b"7 1\n"},
            r"row number 7; they count from 1 to 6, do they belong to these data",
        ),
        ({"toy_trSplit.txt": b"1 2\n3\n"}, r"toy_trSplit\.txt:2: not 2 row numbers"),
        ({"toy_trSplit.txt": b"1 x\n"}, r"toy_trSplit\.txt:1: not 2 row numbers"),
        ({"toy_trSplit.txt": b""}, r"toy_trSplit\.txt: no row numbers"),
        ({"toy_tstSplit.txt": b"1\n"}, r"2 columns of train and 1 of test"),
        ({"toy_tstSplit.txt": b"1 4\n"}, r"toy: column 1 uses a row twice"),
        ({"other_trSplit.txt": b"1 1\n"}, r"other_trSplit\.txt and toy_trSplit\.txt are both train rows"),
    ],
)
def test_refused(tmp_path: Path, changes: dict[str, bytes], message: str) -> None:
    with pytest.raises(DataError, match=message):
        read(lay(tmp_path / "toy", FILES | changes), Options(column=1), format="xc-splits")


def test_a_missing_half(tmp_path: Path) -> None:
    files = {name: content for name, content in FILES.items() if "tst" not in name}
    with pytest.raises(DataError, match="no file of test rows"):
        read(lay(tmp_path / "toy", files), Options(column=1))


def test_rows_in_neither_part_are_counted(tmp_path: Path) -> None:
    found = read(lay(tmp_path / "toy", FILES | {"toy_tstSplit.txt": b"1 5\n"}), Options(column=1))
    assert isinstance(found, BowDataset)
    assert found.counts["rows_not_used"] == 1
    assert found.notes[-1] == "1 rows of the data stand in neither train nor test."
