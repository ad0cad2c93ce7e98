"""Pairs of files, JSON lines, CSV and LibMultiLabel text: what is read, and what is refused with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from reimpl.data.formats import Options, TextSource, read
from reimpl.data.source import Document
from reimpl.errors import DataError
from tests.data.formats.made import CORPORA, TEXTS, lay, texts_of


def test_pairs_of_different_length_name_both_numbers(tmp_path: Path) -> None:
    """Whichever of the two is longer, by one line or more."""
    for number, (name, said) in enumerate(
        (("train_labels.txt", "3 texts, but 5 lines of labels"), ("train_texts.txt", "5 texts, but 3 lines"))
    ):
        files = dict(CORPORA["attentionxml"][0])
        files[name] += b"x\ny\n"
        with pytest.raises(DataError, match=rf"train_texts\.txt: {said}.*they do not belong together"):
            texts_of(read(lay(tmp_path / str(number), files)))


def test_raw_and_tokenised_texts(tmp_path: Path) -> None:
    files = CORPORA["attentionxml"][0] | {
        f"{split}_raw_texts.txt": b"Raw.\n" * len(part) for split, part in TEXTS.items()
    }
    path = lay(tmp_path / "toy", files)
    with pytest.raises(DataError, match=r"state raw=False \(tokenised\) or raw=True"):
        read(path)
    assert texts_of(read(path, Options(raw=False))) == TEXTS
    assert {it.text for it in texts_of(read(path, Options(raw=True)))["train"]} == {"Raw."}


def test_texts_without_labels_beside_them(tmp_path: Path) -> None:
    files = {name: it for name, it in CORPORA["attentionxml"][0].items() if name != "test_labels.txt"}
    with pytest.raises(DataError, match=r"test_texts\.txt has no test_labels\.txt beside it"):
        read(lay(tmp_path / "toy", files))


def test_document_ids_in_front(tmp_path: Path) -> None:
    files = {f"{split}.txt": b"id7\ta b\tsome text\n" for split in TEXTS}
    path = lay(tmp_path / "toy.zip", files)
    assert texts_of(read(path, Options(ids=True)))["test"] == [Document(("a", "b"), "some text")]
    with pytest.raises(DataError, match=r"toy\.zip/train\.txt:1: 3 columns where labels<TAB>text has 2"):
        texts_of(read(path))


def json_of(tmp_path: Path, line: str, options: Options | None = None) -> list[Document]:
    path = lay(tmp_path / "toy", {"train.jsonl": f"{line}\n".encode(), "test.jsonl": b"{}\n"})
    source = read(path, options, format="jsonl")
    assert isinstance(source, TextSource)
    return list(source.documents("train"))


@pytest.mark.parametrize(
    ("line", "options", "expected"),
    [
        ('{"text": "a b", "labels": ["x", "y z"]}', Options(), Document(("x", "y z"), "a b")),
        ('{"text": "a", "labels": [3, 15]}', Options(), Document(("3", "15"), "a")),
        ('{"text": "", "labels": []}', Options(), Document((), "")),
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
        ("[1]", r"train\.jsonl:1: a list, no object"),
        ('{"text": "a"}', r"no field 'labels'; here are 'text'"),
        ('{"text": 3, "labels": []}', r"field 'text' is 3, no string"),
        ('{"text": "a", "labels": "x;y"}', r"field 'labels' is one string; state separator="),
        ('{"text": "a", "labels": null}', r"field 'labels' is None; labels are a list or a string"),
        ('{"text": "a", "labels": [true]}', r"label True is neither a name nor a whole number"),
        ('{"text": "a", "labels": [1.5]}', r"label 1\.5 is neither"),
        ('{"text": "a", "labels": [""]}', r"label '' is neither"),
        ('{"text": "\\ud800", "labels": []}', r"half of a surrogate pair, \\ud800"),
        ("[" * 100_000, r"nested too deep|is no JSON"),
        ('{"text": "x", "labels": ["a"], "labels": ["b"]}', r"field 'labels' is there twice; keep one"),
        ('{"text": "a", "labels": [' + "9" * 5000 + "]}", r"is no JSON"),
        ("", r"train\.jsonl:1: '' is no JSON"),
    ],
)
def test_json_that_is_refused(tmp_path: Path, line: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        json_of(tmp_path, line)


def csv_of(tmp_path: Path, content: str, options: Options, suffix: str = "csv") -> list[Document]:
    path = lay(tmp_path / "toy", {f"train.{suffix}": content.encode(), f"test.{suffix}": b"x\n"})
    source = read(path, options, format="csv")
    assert isinstance(source, TextSource)
    return list(source.documents("train"))


def test_csv_with_quotes_line_feeds_and_long_fields(tmp_path: Path) -> None:
    """A quoted field may hold commas, line feeds and more than the module's 131,072 characters."""
    content = 'id,text,labels\r\n1,"a, ""b""\nc",x|y\r\n2,' + "w " * 100_000 + ",\r\n"
    documents = csv_of(tmp_path, content, Options(separator="|"))
    assert documents[0] == Document(("x", "y"), 'a, "b"\nc')
    assert documents[1] == Document((), "w " * 100_000)


def test_tsv_and_named_columns(tmp_path: Path) -> None:
    options = Options(text=("body",), labels="tags", separator=",")
    found = csv_of(tmp_path, "tags\tbody\na,b\tone, two\n", options, "tsv")
    assert found == [Document(("a", "b"), "one, two")]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("body,labels\n", r"train\.csv:1: 0 columns named 'text'; here are 'body', 'labels'"),
        ("text,text,labels\n", r"train\.csv:1: 2 columns named 'text'"),
        ("text,labels\na,b,c\n", r"train\.csv:2: 3 columns where the first row has 2"),
        ("text,labels\na\n", r"train\.csv:2: 1 columns where"),
        ('text,labels\n"a,b\n', r"train\.csv:2: unexpected end of data; correct the quotes, or get a whole"),
        ("text,labels\na,x;;y\n", r"train\.csv:2: an empty label in 'x;;y'; is the separator ';'"),
        ("", r"train\.csv:1: 0 columns named 'text'; here are none"),
    ],
)
def test_csv_that_is_refused(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        csv_of(tmp_path, content, Options(separator=";"))


def test_csv_without_a_stated_separator(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="nothing says what parts the labels; state separator="):
        read(lay(tmp_path / "toy", CORPORA["csv"][0]))
