"""The LibMultiLabel text format: what is read, and what is refused with file and line."""

from __future__ import annotations

import gzip
import lzma
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reimpl.data.files import File
from reimpl.data.formats.lml import documents, open_folder
from reimpl.data.lines import Lines
from reimpl.data.source import Document, line_of
from reimpl.errors import DataError
from tests.data.corpora import corpus, pack, write

SUFFIXES = ("", ".gz", ".xz")


def documents_of(path: Path, *, ids: bool = False) -> list[Document]:
    return list(documents(File(path), ids=ids))


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_labels_tab_text(tmp_path: Path, suffix: str) -> None:
    """Labels are parted by spaces, the text is all after the tab; packing makes no difference."""
    path = write(tmp_path / f"train.txt{suffix}", ["a b\tone  two", "\tno labels", "c\t"])
    assert list(documents_of(path)) == [
        Document(("a", "b"), "one  two"),
        Document((), "no labels"),
        Document(("c",), ""),
    ]


@pytest.mark.parametrize(
    ("content", "texts"),
    [
        pytest.param(b"a\tx\r\nb\ty\r\n", ["x", "y"], id="windows-line-ends"),
        pytest.param(b"a\tx\nb\ty", ["x", "y"], id="no-line-end-at-the-end"),
        pytest.param(b"\xef\xbb\xbfa\tx\n", ["x"], id="byte-order-mark"),
        pytest.param("a\tx\x85y\u2028z\u2029\n".encode(), ["x\x85y\u2028z\u2029"], id="unicode-line-ends"),
        pytest.param(b"a\tx\x0by\x0cz\x1cw\rv\n", ["x\x0by\x0cz\x1cw\rv"], id="control-characters"),
        pytest.param("a\t\u00e9\u4f60\U0001f600\n".encode(), ["\u00e9\u4f60\U0001f600"], id="utf-8"),
    ],
)
def test_lines_end_at_line_feeds_only(tmp_path: Path, content: bytes, texts: list[str]) -> None:
    """No other character splits a document; `\\r\\n` and a byte-order mark become no part of one."""
    found = documents_of(write(tmp_path / "train.txt", content))
    assert [document.text for document in found] == texts
    assert found[0].labels == ("a",)


def test_repeated_labels_are_read_as_written(tmp_path: Path) -> None:
    """The reader reports what stands there; collapsing and counting is the preparation's work."""
    [document] = documents_of(write(tmp_path / "train.txt", ["a b a\tx"]))
    assert document.labels == ("a", "b", "a")


def test_an_id_column_is_read_when_stated(tmp_path: Path) -> None:
    """With `ids=True` the first of three columns is left out."""
    path = write(tmp_path / "train.txt", ["doc1\ta b\tx y"])
    assert list(documents_of(path, ids=True)) == [Document(("a", "b"), "x y")]


GZ, XZ = gzip.compress(b"a\tx\n" * 1000), lzma.compress(b"a\tx\n" * 1000)

REFUSED = [
    (
        "no tab",
        "train.txt",
        b"a\tx\nno tab here\n",
        False,
        r"train.txt:2: 0 tabs in 'no tab here'; write labels<TAB>",
    ),
    ("blank line", "train.txt", b"a\tx\n\nb\ty\n", False, r"train.txt:2: 0 tabs in ''"),
    ("spaces for a tab", "train.txt", b"a    x\n", False, r"train.txt:1: 0 tabs"),
    ("two tabs", "train.txt", b"a\tx\ty\n", False, r"train.txt:1: 3 columns .* replace tabs .*ids=True"),
    (
        "three tabs",
        "train.txt",
        b"i\ta\tx\ty\n",
        True,
        r"train.txt:1: 4 columns where id<TAB>labels<TAB>text has 3",
    ),
    (
        "ids stated, none there",
        "train.txt",
        b"a\tx\n",
        True,
        r"train.txt:1: 1 tabs .* write id<TAB>labels<TAB>text",
    ),
    ("header of another format", "train.txt", b"2 500 10\n", False, r":1: '2 500 10' heads an Extreme"),
    (
        "latin-1",
        "train.txt",
        b"a\tx\nb\tcaf\xe9\n",
        False,
        r"train.txt:2: byte b'\\xe9' at place 6 is not UTF-8",
    ),
    ("utf-16", "train.txt", "a\tx\n".encode("utf-16"), False, r"train.txt:1: a NUL byte"),
    ("NUL", "train.txt", b"a\tx\nb\ty\0z\n", False, r"train.txt:2: a NUL byte"),
    ("gzip without its name", "train.txt", gzip.compress(b"a", mtime=7), False, r"train.txt:1: "),
    ("cut gzip", "train.txt.gz", GZ[:-10], False, r"train.txt.gz: the file is cut off"),
    ("cut xz", "train.txt.xz", XZ[:-40], False, r"train.txt.xz: the file is cut off"),
    (
        "damaged gzip",
        "train.txt.gz",
        GZ[:12] + b"\xff\xff" + GZ[14:],
        False,
        r"train.txt.gz: cannot be read \(",
    ),
    (
        "wrong checksum",
        "train.txt.gz",
        GZ[:-8] + b"\0\0\0\0" + GZ[-4:],
        False,
        r"train.txt.gz: cannot be read \(",
    ),
    (
        "damaged xz",
        "train.txt.xz",
        XZ[:30] + b"\xff\xff" + XZ[32:],
        False,
        r"train.txt.xz: cannot be read \(",
    ),
    ("plain text named gz", "train.txt.gz", b"a\tx\n", False, r"train.txt.gz: cannot be read \("),
    ("plain text named xz", "train.txt.xz", b"a\tx\n", False, r"train.txt.xz: cannot be read \("),
]


@pytest.mark.parametrize(
    ("why", "name", "content", "ids", "message"), REFUSED, ids=[case[0] for case in REFUSED]
)
def test_refused(tmp_path: Path, why: str, name: str, content: bytes, ids: bool, message: str) -> None:
    """What cannot be read is an error with file, line and remedy, never a shorter corpus."""
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(DataError, match=message):
        documents_of(path, ids=ids)


def test_a_missing_file(tmp_path: Path) -> None:
    """The error names the path."""
    with pytest.raises(DataError, match=r"train\.txt: no such file"):
        list(documents_of(tmp_path / "train.txt"))


def test_long_lines_are_shortened_in_errors(tmp_path: Path) -> None:
    """A message shows the start of the line only."""
    path = write(tmp_path / "train.txt", ["x" * 500])
    with pytest.raises(DataError) as caught:
        list(documents_of(path))
    assert len(str(caught.value)) < 250 + len(str(path))


def test_folder_with_dev(tmp_path: Path) -> None:
    """Splits come as train, test, dev; `valid.txt` is dev; id files are left alone."""
    folder = corpus(tmp_path / "toy", suffix=".gz")
    write(folder / "valid.txt.xz", ["a\tx"])
    write(folder / "train.ids.txt.gz", ["1", "2", "3"])
    source = open_folder(folder)
    assert (source.name, source.splits) == ("toy", ("train", "test", "dev"))
    assert [len(list(source.documents(split))) for split in source.splits] == [3, 2, 1]


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ([], "no files in this folder"),
        (["train.txt"], "no test file"),
        (["test.txt.gz"], "no train file"),
        (
            ["train.txt", "train.txt.gz", "test.txt"],
            "train.txt and train.txt.gz are both there; keep one",
        ),
        (["train.txt", "test.txt", "dev.txt", "valid.txt"], "dev.txt and valid.txt are both there for dev"),
    ],
)
def test_folders_that_are_refused(tmp_path: Path, files: list[str], message: str) -> None:
    """A split that is missing, or there twice, is an error before anything is read."""
    for name in files:
        write(tmp_path / name, ["a\tx"])
    with pytest.raises(DataError, match=message):
        open_folder(tmp_path)


def test_no_such_folder(tmp_path: Path) -> None:
    """A file or nothing in place of the folder is an error that names it."""
    with pytest.raises(DataError, match="nowhere: no such file or folder"):
        open_folder(tmp_path / "nowhere")


def test_digest_sees_bytes_and_options(tmp_path: Path) -> None:
    """The digest is that of the files on disk and of how they are read."""
    folder = corpus(tmp_path)
    first = open_folder(folder).digest()
    assert open_folder(folder).digest() == first
    assert open_folder(folder, ids=True).digest() != first
    write(folder / "test.txt", ["a\tthe cat flew", "d b\tdogs"])
    assert open_folder(folder).digest() != first


LABELS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(
    lambda name: not any(mark.isspace() or mark in "\0\ufeff" for mark in name)
)
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\t\n\r\0\ufeff"))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
@given(
    drawn=st.lists(st.builds(Document, st.lists(LABELS).map(tuple), TEXTS), min_size=1),
    suffix=st.sampled_from(SUFFIXES),
    end=st.sampled_from(["\n", "\r\n"]),
)
def test_round_trip(tmp_path: Path, drawn: list[Document], suffix: str, end: str) -> None:
    """Whatever is written in the format comes back, in any packing and with either line end."""
    lines = [f"{' '.join(labels)}\t{text}" for labels, text in drawn]
    assert list(documents_of(write(tmp_path / f"train.txt{suffix}", lines, end=end))) == drawn


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=200)
@given(
    noise=st.binary(max_size=20),
    at=st.integers(0, 120),
    cut=st.integers(0, 120),
    suffix=st.sampled_from(SUFFIXES),
)
def test_damaged_bytes(tmp_path: Path, noise: bytes, at: int, cut: int, suffix: str) -> None:
    """Bytes put in, overwritten or cut off give documents or a `DataError`, no other exception."""
    good = pack("a b\tone two\nc\tthr\u00e9e\n".encode(), suffix)
    path = tmp_path / f"train.txt{suffix}"
    path.write_bytes((good[:at] + noise + good[at + len(noise) // 2 :])[: max(cut, 20)])
    try:
        list(documents_of(path))
    except DataError as err:
        assert str(path) in str(err)


SIGN = st.sampled_from(
    ["a", "b", "c", " ", "\u00a0", "\x0b", "\x1c", "\x85", "\u2028", "\r", "\t", "\n", "\u00e9"]
)
LINE = st.tuples(
    st.lists(st.sampled_from("abcd"), max_size=3).map(" ".join) | st.lists(SIGN, max_size=4).map("".join),
    st.text("ab \u00e9\r", max_size=5) | st.lists(SIGN, max_size=4).map("".join),
).map("\t".join)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    lines=st.lists(LINE, min_size=1, max_size=6), end=st.sampled_from(["\n", "\r\n", ""]), ids=st.booleans()
)
def test_many_lines_at_once(tmp_path: Path, lines: list[str], end: str, ids: bool) -> None:
    """Whatever stands there, the lines of a block are the documents read one by one, or the same error."""
    lines = [f"id\t{line}" for line in lines] if ids else lines
    path = write(tmp_path / "train.txt", ("\n".join(lines) + end).encode())
    try:
        expected = documents_of(path, ids=ids)
    except DataError as err:
        with pytest.raises(DataError) as caught:
            Lines(path.read_bytes(), str(path), 1, ids).rows()
        assert str(caught.value) == str(err)
        return
    rows = Lines(path.read_bytes(), str(path), 1, ids).rows()
    assert list(rows.label_counts) == [len(document.labels) for document in expected]
    assert list(rows.labels) == [label for document in expected for label in document.labels]
    assert list(rows.texts) == [document.text.encode() for document in expected]
    assert list(rows.lines) == [line_of(it.labels, it.text.encode()) for it in expected]
