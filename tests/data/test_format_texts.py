"""Lines, pairs, JSON lines and CSV: what is read, and what is refused with file, line and remedy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reimpl.data.files import File
from reimpl.data.formats import Options, TextSource, open_corpus
from reimpl.data.formats.texts import line_documents
from reimpl.data.numbering import Lines
from reimpl.data.source import Document, line_of
from reimpl.errors import DataError
from tests.data.made import CORPORA, TEXTS, lay, npy, texts_of


def train_of(path: Path, options: Options | None = None, *, format: str | None = None) -> list[Document]:
    source = open_corpus(path, options, format=format)
    assert isinstance(source, TextSource)
    return list(source.documents("train"))


# --------------------------------------------------------------------------- lines


def test_lines(tmp_path: Path) -> None:
    """Labels are parted by blanks and stay as written, the text is all after the tab; `valid.txt` is dev."""
    content = "a b a\tone  two\n\tno labels\nc\t\nd\tx\x0by\x0cz\x1c\x85y\u2028z\n".encode()
    files = {
        "train.txt": content,
        "test.txt": b"a\tx\r\nb\ty",
        "valid.txt": b"a\tx\n",
        "train.ids.txt": b"1\n",
    }
    source = open_corpus(lay(tmp_path / "toy", files, ".gz"))
    assert isinstance(source, TextSource)
    assert source.splits == ("train", "test", "dev")
    assert texts_of(source)["train"] == [
        Document(("a", "b", "a"), "one  two"),
        Document((), "no labels"),
        Document(("c",), ""),
        Document(("d",), "x\x0by\x0cz\x1c\x85y\u2028z"),
    ]
    assert [document.text for document in source.documents("test")] == ["x", "y"]
    with_ids = {f"{split}.txt": b"id7\ta b\tsome text\n" for split in TEXTS}
    path = lay(tmp_path / "ids.zip", with_ids)
    assert train_of(path, Options(ids=True)) == [Document(("a", "b"), "some text")]
    with pytest.raises(DataError, match=r"ids\.zip/train\.txt:1: 3 columns where .* has 2.*ids=True"):
        train_of(path)


@pytest.mark.parametrize(
    ("content", "ids", "message"),
    [
        (b"a\tx\nno tab here\n", False, r":2: 0 tabs in 'no tab here'; write labels<TAB>"),
        (b"a\tx\n", True, r":1: 1 tabs .* write id<TAB>labels<TAB>text"),
        (b"a\tx\nb\tcaf\xe9\n", False, r":2: byte b'\\xe9' at place 6 is not UTF-8"),
        (b"", False, r"toy: train has no documents; give a file that is not empty"),
    ],
)
def test_lines_that_are_refused(tmp_path: Path, content: bytes, ids: bool, message: str) -> None:
    path = lay(tmp_path / "toy", {"train.txt": content, "test.txt": b"a\tx\n"})
    with pytest.raises(DataError, match=message):
        train_of(path, Options(ids=ids), format="lml")


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (["train.txt"], "no test file"),
        (["train.txt", "train.txt.gz", "test.txt"], "train.txt and train.txt.gz are both there; keep one"),
    ],
)
def test_folders_that_are_refused(tmp_path: Path, files: list[str], message: str) -> None:
    with pytest.raises(DataError, match=message):
        open_corpus(lay(tmp_path / "toy", dict.fromkeys(files, b"a\tx\n")), format="lml")


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
    content = ("\n".join(lines) + end).encode()
    path = lay(tmp_path / "toy", {"train.txt": content}) / "train.txt"
    chunk = Lines(content, str(path), 1, ids)
    try:
        expected = list(line_documents(File(path), ids=ids))
    except DataError as err:
        with pytest.raises(DataError) as caught:
            chunk.rows()
        assert str(caught.value) == str(err)
        return
    rows = chunk.rows()
    assert list(rows.label_counts) == [len(document.labels) for document in expected]
    assert list(rows.labels) == [label for document in expected for label in document.labels]
    assert list(rows.texts) == [document.text.encode() for document in expected]
    assert b"".join(rows.lines) == b"".join(line_of(each.labels, each.text.encode()) for each in expected)


# --------------------------------------------------------------------------- pairs, and arrays of word ids


def test_raw_and_tokenised_texts(tmp_path: Path) -> None:
    raw = {f"{split}_raw_texts.txt": b"Raw.\n" * len(part) for split, part in TEXTS.items()}
    path = lay(tmp_path / "toy", CORPORA["attentionxml"][0] | raw)
    with pytest.raises(DataError, match=r"state raw=False \(tokenised\) or raw=True"):
        open_corpus(path)
    tokenised, source = (open_corpus(path, Options(raw=raw)) for raw in (False, True))
    assert isinstance(tokenised, TextSource) and isinstance(source, TextSource)
    assert (texts_of(tokenised), tokenised.tokenised, source.tokenised) == (TEXTS, True, False)
    assert {document.text for document in source.documents("train")} == {"Raw."}


OBJECTS = npy(np.array([["a", "b"], [], ["c"]], dtype=object), pickled=True)
PAIRS, ARRAYS = CORPORA["attentionxml"][0], CORPORA["attentionxml-npy"][0]


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (
            PAIRS | {"train_labels.txt": b"x\n" * 5},
            r"train_texts\.txt.*: 3 texts, but 5 lines of",
        ),
        (
            {k: v for k, v in PAIRS.items() if k != "test_labels.txt"},
            r"test_texts\.txt.* has no test_labels\.txt",
        ),
        (
            ARRAYS | {"train_texts.npy": npy(np.full((3, 2), 99))},
            r"npy.*: row 0: word id 99 or 99, but",
        ),
        (ARRAYS | {"train_texts.npy": OBJECTS}, r"npy.*: no sound array without Python objects"),
        (
            {k: v for k, v in ARRAYS.items() if k != "vocab.npy"},
            r"no vocab\.npy, without which the word",
        ),
        (
            {k: v for k, v in ARRAYS.items() if k != "train_labels.txt"} | {"train_labels.npy": OBJECTS},
            r"has no train_labels\.txt \(labels saved as Python objects are not read\) beside it",
        ),
    ],
)
def test_files_that_do_not_belong_together(tmp_path: Path, files: dict[str, bytes], message: str) -> None:
    with pytest.raises(DataError, match=message):
        train_of(lay(tmp_path / "toy", files, ".gz"))


# --------------------------------------------------------------------------- JSON lines and CSV


def json_of(folder: Path, line: str, options: Options | None = None) -> list[Document]:
    files = {"train.jsonl": f"{line}\n".encode(), "test.jsonl": b"{}\n"}
    return train_of(lay(folder / "toy", files), options, format="jsonl")


@pytest.mark.parametrize(
    ("line", "options", "expected"),
    [
        ('{"text": "a b", "labels": ["x", "y z"]}', Options(), Document(("x", "y z"), "a b")),
        ('{"text": "a", "labels": [3, 15]}', Options(), Document(("3", "15"), "a")),
        ('{"text": "a", "labels": "x; y"}', Options(separator=";"), Document(("x", "y"), "a")),
        ('{"text": "a", "labels": " x  y "}', Options(separator=" "), Document(("x", "y"), "a")),
        ('{"text": "a", "labels": ""}', Options(separator=";"), Document((), "a")),
        (
            '{"title": "T", "content": "C", "target_ind": [0]}',
            Options(text=("title", "content"), labels="target_ind"),
            Document(("0",), "T C"),
        ),
        ('{"text": "\\ud83d\\ude00", "labels": []}', Options(), Document((), "\U0001f600")),
    ],
)
def test_json_lines(tmp_path: Path, line: str, options: Options, expected: Document) -> None:
    assert json_of(tmp_path, line, options) == [expected]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"text": "a", "labels": ["x"]', r"train\.jsonl:1: .* is no JSON \(.*\); write one object a line"),
        ('{"text": "a"}', r"no field 'labels'; here are 'text'"),
        ('{"text": 3, "labels": []}', r"field 'text' is 3, no string"),
        ('{"text": "a", "labels": "x;y"}', r"the labels are one string; state separator="),
        ('{"text": "a", "labels": [true]}', r"label True is neither a name nor a whole number"),
        ('{"text": "\\ud800", "labels": []}', r"half of a surrogate pair, \\ud800"),
        ("[" * 100_000, r"is no JSON"),
    ],
)
def test_json_that_is_refused(tmp_path: Path, line: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        json_of(tmp_path, line)


def csv_of(folder: Path, content: str, options: Options, suffix: str = "csv") -> list[Document]:
    files = {f"train.{suffix}": content.encode(), f"test.{suffix}": b"x\n"}
    return train_of(lay(folder / "toy", files), options, format="csv")


def test_csv_and_tsv(tmp_path: Path) -> None:
    """A quoted field may hold commas, line feeds and more than the module's 131,072 characters."""
    content = 'id,text,labels\r\n1,"a, ""b""\nc",x|y\r\n2,' + "w " * 100_000 + ",\r\n"
    assert csv_of(tmp_path / "a", content, Options(separator="|")) == [
        Document(("x", "y"), 'a, "b"\nc'),
        Document((), "w " * 100_000),
    ]
    options = Options(text=("body",), labels="tags", separator=",")
    documents = csv_of(tmp_path / "b", "tags\tbody\na,b\tone, two\n", options, "tsv")
    assert documents == [Document(("a", "b"), "one, two")]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("body,labels\n", r"train\.csv:1: 0 columns named 'text'; here are 'body', 'labels'"),
        ("text,labels\na,b,c\n", r"train\.csv:2: 3 columns where the first row has 2"),
        ('text,labels\n"a,b\n', r"train\.csv:2: unexpected end of data; correct the quotes, or get a whole"),
        ("text,labels\na,x;;y\n", r"train\.csv:2: an empty label in 'x;;y'; is the separator ';'"),
        ("text,labels\na,x|y\nb,z\n", r"no list of labels holds ';', and 1 of 2 hold '\|'; is the separator"),
    ],
)
def test_csv_that_is_refused(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        csv_of(tmp_path, content, Options(separator=";"))
    with pytest.raises(DataError, match="nothing says what parts the labels; state separator="):
        csv_of(tmp_path, content, Options())
