"""Files that no reader takes: the sentence says what is seen in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from reimpl.data.formats import sniff
from reimpl.errors import DataError
from tests.data.formats.made import lay


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("train.txt", b"", "train.txt: the file is empty; give one with documents"),
        ("train.csv", b"\n\n", "train.csv: the file is empty"),
        ("train.jsonl", b'[{"text": "a"},\n', "train.jsonl:1: an array where an object a line is expected"),
        ("train.jsonl", b"one\n", "train.jsonl:1: 'one' where an object a line is expected"),
        ("train.csv", b"text;labels\na;b\n", "'text;labels': columns are parted by ';', and by ',' in .csv"),
        ("train.csv", b"text\tlabels\na\tb\n", "columns are parted by '\\t', and by ',' in .csv"),
        ("train.txt", b"no tab\n", "no known format"),
    ],
)
def test_the_first_file_that_is_amiss_is_named(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    """Of a folder, and of the one file."""
    folder = lay(tmp_path / "toy", {name: content, name.replace("train", "test"): content})
    for path in (folder, folder / name):
        with pytest.raises(DataError) as error:
            sniff(path)
        assert message in str(error.value)
