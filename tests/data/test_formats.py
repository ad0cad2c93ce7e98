"""One corpus in every format and packing: recognised, read alike, and asked about where two formats fit."""

from __future__ import annotations

from pathlib import Path

import pytest

from reimpl.data.dataset import Dataset
from reimpl.data.formats import Options, check_columns, open_corpus, sniff
from reimpl.errors import ConfigError, DataError
from tests.data.made import CORPORA, FEATURES, TEXTS, features_of, lay, texts_of

PLACES = [("toy", ""), ("toy", ".xz"), ("toy.zip", ".gz")]


@pytest.mark.parametrize("place", PLACES, ids="".join)
@pytest.mark.parametrize("name", CORPORA)
def test_formats_are_recognised_and_read_alike(tmp_path: Path, name: str, place: tuple[str, str]) -> None:
    """The same documents, in order, with the same identity, whatever the format and packing."""
    files, options = CORPORA[name]
    if (name, place[0]) == ("folders", "toy.zip"):
        return  # which are unpacked first
    path = lay(tmp_path / place[0], files, place[1])
    assert [reader.name for reader in sniff(path)] == [name]
    if (name, place[0]) == ("npz", "toy.zip"):
        with pytest.raises(DataError, match=r"X\.trn\.npz: an \.npz in an archive; unpack it first"):
            open_corpus(path)
        return
    corpus = open_corpus(path, options)
    if not isinstance(corpus, Dataset):
        assert (corpus.name, [*texts_of(corpus).items()]) == ("toy", [*TEXTS.items()])
        return
    assert features_of(corpus) == FEATURES
    assert corpus.content.startswith("8d3c5b205378c774") and corpus.corpus.startswith("78710331d6a82420")
    assert corpus.train.features is not None
    assert (corpus.train.features.shape[1], corpus.n_labels) == (6, 3)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"readme.md": b"hello"}, r"no known format \(readme\.md\); formats are lml, attentionxml, "),
        ({"train.txt": b"\n"}, r"train\.txt: the file is empty"),
        # what is called like text is read as text, and its line is named
        ({"train.txt": b"no tab\n", "test.txt": b"a\tb\n"}, r"train\.txt:1: 0 tabs in 'no tab'"),
    ],
)
def test_what_is_no_corpus(tmp_path: Path, files: dict[str, bytes], message: str) -> None:
    with pytest.raises(DataError, match=message):
        texts_of(open_corpus(lay(tmp_path / "toy", files)))


COLUMNS = CORPORA["xc-splits"][0]


def test_each_column_is_a_split_of_one_corpus(tmp_path: Path) -> None:
    """Column 0 has rows 6, 5, 2, 3 (from 1) in train and 1, 4 in test; both columns share the corpus."""
    path, rows = lay(tmp_path / "toy", COLUMNS), [*FEATURES["train"], *FEATURES["test"]]
    first, second = (open_corpus(tmp_path / f"toy@{column}") for column in (0, 1))
    assert isinstance(first, Dataset) and isinstance(second, Dataset)
    assert features_of(first) == {"train": [rows[i] for i in (5, 4, 1, 2)], "test": [rows[i] for i in (0, 3)]}
    assert (first.name, first.counts["split.column"]) == ("toy@0", 0)
    assert first.corpus == second.corpus and first.content != second.content
    assert "Split 0 (from 0) of 2 that come with the data." in first.notes
    again = open_corpus(path, Options(column=1))
    assert isinstance(again, Dataset) and again.content == second.content
    check_columns(path, [0, 1], "--columns")


def test_a_column_must_be_stated_and_be_there(tmp_path: Path) -> None:
    path = lay(tmp_path / "toy", COLUMNS)
    plain = lay(tmp_path / "plain", CORPORA["xc"][0])
    for where, column, message in (
        (path, None, "2 splits, one a column; state column=0 to column=1"),
        (path, 2, "toy: column 2 of 2; give 0 to 1"),
        (path, -1, "toy: column -1 of 2; give 0 to 1"),
        (tmp_path / "toy@1", 0, "toy@1: column 0 is asked for too"),
        (tmp_path / "plain@1", None, "this corpus has one split; leave out @1"),
        (plain, 1, "this corpus has one split; leave out column=1"),
        (tmp_path / "nowhere@1", None, "nowhere: no such file or folder"),
    ):
        with pytest.raises((DataError, ConfigError), match=message):
            open_corpus(where, Options(column=column))
    with pytest.raises(ConfigError, match="column 2 of 2"):
        check_columns(path, [0, 2], "--columns")
    with pytest.raises(DataError, match="leave out --columns"):
        check_columns(plain, [0], "--columns")
