"""One corpus in every format and packing: recognised, read alike, and asked about where two formats fit."""

from __future__ import annotations

from pathlib import Path

import pytest

from reimpl.data.formats import READERS, Ambiguous, BowDataset, Options, find_reader, read, sniff
from reimpl.errors import ConfigError, DataError
from tests.data.formats.made import (
    CORPORA,
    FEATURE_FORMATS,
    FEATURES,
    TEXT_FORMATS,
    TEXTS,
    features_of,
    lay,
    texts_of,
)

PLACES = [("toy", ""), ("toy", ".gz"), ("toy", ".xz"), ("toy", ".bz2"), ("toy.zip", ""), ("toy.zip", ".gz")]


def test_every_format_has_a_corpus_here() -> None:
    assert set(CORPORA) == set(READERS) == {*TEXT_FORMATS, *FEATURE_FORMATS}
    assert {name for name, it in READERS.items() if it.kind == "text"} == set(TEXT_FORMATS)


@pytest.mark.parametrize("place", PLACES, ids=lambda it: "".join(it))
@pytest.mark.parametrize("name", TEXT_FORMATS)
def test_texts_are_recognised_and_read_alike(tmp_path: Path, name: str, place: tuple[str, str]) -> None:
    """The same documents, in order, whatever the format and packing; labels and words as they stand there."""
    files, options = CORPORA[name]
    path = lay(tmp_path / place[0], files, place[1])
    found = sniff(path)
    assert not isinstance(found, Ambiguous)
    assert (found.name, found.kind) == (name, "text")
    source = read(path, options)
    assert texts_of(source) == TEXTS
    assert source.name == "toy"


@pytest.mark.parametrize(
    ("name", "place"),
    # matrices are archives themselves, and an archive in an archive is refused, see below
    [(name, place) for name in FEATURE_FORMATS for place in PLACES if (name, place[0]) != ("npz", "toy.zip")],
)
def test_features_are_recognised_and_read_alike(tmp_path: Path, name: str, place: tuple[str, str]) -> None:
    """The same documents and the same identity, whatever the format and packing."""
    files, options = CORPORA[name]
    path = lay(tmp_path / place[0], files, place[1])
    found = sniff(path)
    assert not isinstance(found, Ambiguous)
    assert (found.name, found.kind) == (name, "features")
    dataset = read(path, options)
    assert features_of(dataset) == FEATURES
    reference = read(lay(tmp_path / "reference", CORPORA["xc"][0]))
    assert isinstance(dataset, BowDataset) and isinstance(reference, BowDataset)
    assert (dataset.content, dataset.corpus) == (reference.content, reference.corpus)
    assert (dataset.n_features, dataset.n_labels) == (6, 3)


def test_a_folder_in_the_zip_is_looked_through(tmp_path: Path) -> None:
    files = {f"Toy/{name}": content for name, content in CORPORA["xc"][0].items()}
    files["__MACOSX/Toy/._train.txt"] = b"litter"
    assert features_of(read(lay(tmp_path / "toy.zip", files))) == FEATURES


def test_matrices_in_a_zip_are_refused(tmp_path: Path) -> None:
    path = lay(tmp_path / "toy.zip", CORPORA["npz"][0])
    with pytest.raises(DataError, match=r"X\.trn\.npz: an \.npz in an archive; unpack it first"):
        read(path)


def test_a_download_that_holds_texts_and_features_is_asked_about(tmp_path: Path) -> None:
    """AttentionXML's folders do: the sentence says what both are and what to state."""
    path = lay(tmp_path / "EUR-Lex", CORPORA["attentionxml"][0] | CORPORA["svmlight"][0])
    found = sniff(path)
    assert isinstance(found, Ambiguous)
    assert [it.name for it in found.could_be] == ["attentionxml", "svmlight"]
    assert found.ask.endswith("state format=attentionxml or format=svmlight")
    with pytest.raises(DataError, match=r"could be AttentionXML's raw pairs .* state format=attentionxml or"):
        read(path)
    assert texts_of(read(path, format="attentionxml")) == TEXTS
    assert features_of(read(path, CORPORA["svmlight"][1], format="svmlight")) == FEATURES


def test_what_is_unclear_to_one_reader_does_not_hide_what_is_clear_to_another(tmp_path: Path) -> None:
    """Two feature files of one split are complained of only where there is nothing else."""
    doubled = {"train_v1.txt": b"1 2:1\n", "train.svm": b"1 2:1\n"}
    found = sniff(lay(tmp_path / "a", CORPORA["attentionxml"][0] | doubled))
    assert not isinstance(found, Ambiguous)
    assert found.name == "attentionxml"
    with pytest.raises(DataError, match="are both there for train; keep one"):
        sniff(lay(tmp_path / "b", doubled))


def test_features_behind_a_tab_are_asked_about(tmp_path: Path) -> None:
    """`1,2<TAB>3:1` is a text to one reader and a row of features to another."""
    found = sniff(lay(tmp_path / "toy", {"train.txt": b"1,2\t3:1\n", "test.txt": b"1\t4:1\n"}))
    assert isinstance(found, Ambiguous)
    assert {it.name for it in found.could_be} == {"lml", "svmlight"}


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("eurlex_train.txt.gz", b"a b\tsome text\n", "lml"),
        ("Delicious_data.txt", b"6 6 3\n0,2 0:1\n", "xc"),
        ("anything.jsonl", b'{"text": "x", "labels": []}\n', "jsonl"),
        ("anything.tsv", b"text\tlabels\nx\ta\n", "csv"),
        ("rcv1.svm", b"1,2 3:1\n", "svmlight"),
    ],
)
def test_a_single_file_is_recognised(tmp_path: Path, name: str, content: bytes, expected: str) -> None:
    packing = ".gz" if name.endswith(".gz") else ""
    lay(tmp_path, {name.removesuffix(".gz"): content}, packing)
    found = sniff(tmp_path / name)
    names = [it.name for it in found.could_be] if isinstance(found, Ambiguous) else [found.name]
    assert expected in names
    with pytest.raises(DataError, match="needs a folder with train and test files"):
        read(tmp_path / name, format=expected)


@pytest.mark.parametrize(
    ("name", "changes", "needs"),
    [
        ("lml", {"train.txt": b"id\ta\tx\n", "test.txt": b"id\ta\tx\n"}, "state ids=True if"),
        ("attentionxml", {"train_raw_texts.txt": b"x\n" * 3, "test_raw_texts.txt": b"x\n" * 2}, "state raw="),
        (
            "jsonl",
            {"train.jsonl": b'{"body": "x", "labels": "a;b"}\n'},
            "state text=...: which of 'body', 'labels'",
        ),
        ("jsonl", {"train.jsonl": b'{"text": "x", "labels": "a;b"}\n'}, "state separator="),
        ("csv", {}, "state separator="),
        ("xc-splits", {}, "state column=0 to column=1: which of the 2 splits"),
    ],
)
def test_what_must_be_stated_is_said_at_once(
    tmp_path: Path, name: str, changes: dict[str, bytes], needs: str
) -> None:
    found = sniff(lay(tmp_path / "toy", CORPORA[name][0] | changes))
    assert not isinstance(found, Ambiguous)
    assert found.needs[0].startswith(needs)


def test_what_is_no_corpus_names_the_formats(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"no known format \(readme.md\); formats are lml, attentionxml, "):
        sniff(lay(tmp_path / "toy", {"readme.md": b"hello"}))


def test_an_unknown_format_and_an_option_of_another_one(tmp_path: Path) -> None:
    path = lay(tmp_path / "toy", CORPORA["lml"][0])
    with pytest.raises(ConfigError, match=r"format 'lmx' is unknown; known are lml, attentionxml"):
        find_reader("lmx")
    with pytest.raises(
        ConfigError, match=r"option column means nothing for LibMultiLabel text; it takes ids"
    ):
        read(path, Options(column=1))


@pytest.mark.parametrize(
    "bad", [{"features_from": 2}, {"separator": ""}, {"text": ()}, {"labels": ""}, {"labels_from": -1}]
)
def test_options_that_cannot_be(bad: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match=next(iter(bad))):
        Options(**bad)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", [it for it in CORPORA if it in TEXT_FORMATS])
def test_the_digest_sees_bytes_and_options(tmp_path: Path, name: str) -> None:
    files, options = CORPORA[name]
    first = read(lay(tmp_path / "a" / "toy", files), options)
    again = read(lay(tmp_path / "b" / "toy", files), options)
    changed = dict(files)
    victim = next(it for it in files if "test" in it and it.endswith(("txt", "jsonl", "csv")))
    changed[victim] = changed[victim].replace(b"a", b"b")
    other = read(lay(tmp_path / "c" / "toy", changed), options)
    assert not any(isinstance(it, BowDataset) for it in (first, again, other))
    assert first.digest() == again.digest() != other.digest()  # type: ignore[union-attr]
