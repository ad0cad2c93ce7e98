"""Lines, pairs, JSON lines and CSV: what is read, and what is refused with file, line and remedy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas
import pytest

from reimpl.data.formats import Options, TextSource, open_corpus
from reimpl.data.numbering import Document
from reimpl.errors import DataError
from tests.data.made import CORPORA, TEXTS, lay, npy, texts_of


def train_of(path: Path, options: Options | None = None, *, format: str | None = None) -> list[Document]:
    source = open_corpus(path, options, format=format)
    assert isinstance(source, TextSource)
    return list(source.documents("train"))


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


def test_raw_and_tokenised_texts(tmp_path: Path) -> None:
    raw = {f"{split}_raw_texts.txt": b"Raw.\n" * len(part) for split, part in TEXTS.items()}
    path = lay(tmp_path / "toy", CORPORA["attentionxml"][0] | raw)
    with pytest.raises(DataError, match=r"state raw=False \(tokenised\) or raw=True"):
        open_corpus(path)
    tokenised, source = (open_corpus(path, Options(raw=raw)) for raw in (False, True))
    assert isinstance(tokenised, TextSource) and isinstance(source, TextSource)
    assert (texts_of(tokenised), tokenised.tokenised, source.tokenised) == (TEXTS, True, False)
    assert {document.text for document in source.documents("train")} == {"Raw."}


PAIRS, ARRAYS, FOLDERS = (CORPORA[name][0] for name in ("attentionxml", "attentionxml-npy", "folders"))


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (PAIRS | {"train_labels.txt": b"x\n" * 5}, r"train_texts\.txt\.gz ends after 3 lines, and train"),
        (ARRAYS | {"train_texts.npy": npy(np.full((3, 2), 99))}, r"npy.*: word ids from 99 to 99, but"),
        (ARRAYS | {"vocab.npy": npy(np.array([{}]), pickled=True)}, r"not a valid array without Python"),
        (FOLDERS | {"labels.csv": b"id,labels\nx,y\n"}, r"labels\.csv\.gz:2: 'x' has no file, or two lines"),
    ],
)
def test_files_that_do_not_belong_together(tmp_path: Path, files: dict[str, bytes], message: str) -> None:
    with pytest.raises(DataError, match=message):
        train_of(lay(tmp_path / "toy", files, ".gz"))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"train/more.txt": b"a"}, r"more\.txt: 1 documents have no line in labels\.csv, it first"),
        ({"labels.csv": b"id,labels\ntrain0,a\ntrain0,a\n"}, r":3: 'train0' has no file, or two lines"),
    ],
)
def test_each_document_of_a_folder_has_a_line(
    tmp_path: Path, changed: dict[str, bytes], message: str
) -> None:
    source = open_corpus(lay(tmp_path / "toy", FOLDERS | changed), Options(separator=";"), format="folders")
    assert isinstance(source, TextSource)
    with pytest.raises(DataError, match=message):
        [*source.documents("train"), *source.documents("test")]


def test_documents_of_one_folder_are_parted_by_their_tables(tmp_path: Path) -> None:
    texts = {f"texts/{name}.txt": f"{name} text\n".encode() for name in "abc"}
    tables = {"train.csv": b"doc,topics\nb,x;y\na.txt,\n", "test.csv": b"doc,topics\nc,y\n"}
    options = Options(text=("doc",), labels="topics", separator=";")
    path = lay(tmp_path / "toy", texts | tables)
    assert train_of(path, options, format="folders") == [
        Document(("x", "y"), "b text"),
        Document((), "a text"),
    ]
    (path / "texts" / "d.txt").write_text("d")
    with pytest.raises(DataError, match=r"d\.txt: 1 documents have no line in train\.csv, it first"):
        train_of(path, options, format="folders")


def json_of(folder: Path, line: str, options: Options | None = None) -> list[Document]:
    files = {"train.jsonl": f"{line}\n".encode(), "test.jsonl": b"{}\n"}
    return train_of(lay(folder / "toy", files), options, format="jsonl")


@pytest.mark.parametrize(
    ("line", "options", "expected"),
    [
        ('{"text": "a b", "labels": ["x", "y z"]}', Options(), Document(("x", "y z"), "a b")),
        ('{"text": "a", "labels": [3, 15]}', Options(), Document(("3", "15"), "a")),
        ('{"text": "a", "labels": " x  y "}', Options(separator=" "), Document(("x", "y"), "a")),
        ('{"a": "T", "b": "C", "c": [0]}', Options(text=("a", "b"), labels="c"), Document(("0",), "T C")),
    ],
)
def test_json_lines(tmp_path: Path, line: str, options: Options, expected: Document) -> None:
    assert json_of(tmp_path, line, options) == [expected]


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


def documents_of(
    folder: Path, train: str | bytes, suffix: str, options: Options | None = None
) -> list[Document]:
    content = train if isinstance(train, bytes) else train.encode()
    return train_of(lay(folder / "toy", {f"{it}.{suffix}": content for it in ("train", "test")}), options)


TWO = [Document(("x", "y"), "a b"), Document(("y",), "c d")]
LISTED = '[{"text": "a b", "labels": ["x", "y"]}, {"text": "c d", "labels": "y"}]'
OVER_LINES = '{\n "text": "a b",\n "labels": ["x", "y"]}\n{"text": "c d",\n "labels": ["y"]}\n'


@pytest.mark.parametrize(
    ("content", "suffix", "options"),
    [
        ("text,labels\na b,x;y\nc d,y\n".encode("utf-16"), "csv", Options(separator=";")),
        ("text;labels\na b;x,y\nc d;y\n", "csv", Options(separator=",")),
        ("text\tlabels\na b\tx;y\nc d\ty\n", "csv", Options(separator=";")),
        ("text,labels\na b,\"['x', 'y']\"\nc d,['y']\n", "csv", Options()),
        ("id,text,x,y\n7,a b,1,1\n9,c d,0,1\n", "csv", Options(labels="*")),
        ("a b,x y\nc d,y\n", "csv", Options(text=("1",), labels="2", separator=" ")),
        (LISTED, "json", Options(separator=" ")),
        (OVER_LINES, "json", Options()),
    ],
)
def test_what_spreadsheets_pandas_and_editors_write(
    tmp_path: Path, content: str | bytes, suffix: str, options: Options
) -> None:
    assert documents_of(tmp_path, content, suffix, options) == TWO


def test_quotes_of_texts_parted_by_tabs_are_text_unless_the_first_line_has_them(tmp_path: Path) -> None:
    lone = 'text\tlabels\n"Holiday\ta\nof "the" year"\tb\n'
    assert [
        document.text for document in documents_of(tmp_path / "a", lone, "tsv", Options(separator=";"))
    ] == ['"Holiday', 'of "the" year"']
    quoted = '"text"\t"labels"\n"a\tb"\t"x"\n'
    (document,) = documents_of(tmp_path / "b", quoted, "tsv", Options(separator=";"))
    assert document == Document(("x",), "a\tb")


@pytest.mark.parametrize(
    ("content", "suffix", "message"),
    [
        ('text,labels\na, "x;y"\n', "csv", r"train\.csv:2: a blank before the quote of"),
        ("text,labels\na,\"['x', y]\"\n", "csv", r"train\.csv:2: .* looks like a list of labels"),
        ('{"text": "a", "labels": ["x"]},\n{"text": "b", "labels": []}\n', "jsonl", r":1: .*',' is not JSON"),
        ("id,text,x,y\n7,a,1,1\n" + "9,c,0,1\n" * 600 + "8,d,2,1\n", "csv", "csv:603: '2' in a column of 0"),
    ],
)
def test_the_reader_says_what_is_amiss_and_where(
    tmp_path: Path, content: str, suffix: str, message: str
) -> None:
    options = Options(separator=";") if '"x;y"' in content else Options()
    options = Options(labels="*") if "id," in content else options
    with pytest.raises(DataError, match=message):
        documents_of(tmp_path, content, suffix, options)


def test_columns_in_the_other_order_are_asked_about(tmp_path: Path) -> None:
    """More labels than documents, and texts of one word: it is stated, and never guessed."""
    lines = "".join(f"word{n} one two{n} three{n}\tlabel{n % 3}\n" for n in range(30))
    said = r"91 different labels in 30 lines, and texts of one word; state format=csv text=1 "
    with pytest.raises(DataError, match=said):
        documents_of(tmp_path / "a", lines, "txt")
    path = lay(tmp_path / "b", {f"{split}.txt": lines.encode() for split in ("train", "test")})
    assert train_of(path, format="lml")[1].text == "label1"
    swapped = train_of(path, Options(text=("1",), labels="2", separator=" "), format="csv")
    assert swapped[1] == Document(("label1",), "word1 one two1 three1")


def test_shards_of_parquet_are_one_split_and_what_is_not_read_is_named(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="Parquet needs pyarrow")
    frame = pandas.DataFrame({"text": ["a b", "c d"], "labels": [["x", "y"], ["y"]]})
    for name in ("train-00000-of-00002", "train-00001-of-00002", "validation", "test", "more"):
        frame.to_parquet(tmp_path / f"{name}.parquet")
    source = open_corpus(tmp_path)
    assert isinstance(source, TextSource)
    assert {split: list(source.documents(split)) for split in source.splits} == {
        "train": TWO + TWO,
        "test": TWO,
        "dev": TWO,
    }
    assert source.notes == ("Files beside the corpus that are not read: more.parquet.",)
    (tmp_path / "train-00001-of-00002.parquet").unlink()
    with pytest.raises(DataError, match=r"train-00001-of-00002\.parquet is missing, one of 2"):
        open_corpus(tmp_path)
