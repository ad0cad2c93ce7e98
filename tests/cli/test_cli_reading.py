"""`audit run` on corpora that do not say of themselves how they are read: the options of `audit data add`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from audit import cli
from audit.errors import Exit
from audit.record import Run
from audit.storage.runs import Store
from tests.data.corpora import write
from tests.runner.papers import write_corpus, write_paper
from tests.stand_ins import pass_the_gate, train_at_once

FIELDS = ("--separator", ";", "--text-field", "title", "--text-field", "body", "--labels-field", "tags")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Holds toy.yaml, and the documents of corpus/ as JSON lines, as AttentionXML's pairs and with ids."""
    monkeypatch.chdir(tmp_path)
    pass_the_gate(monkeypatch)
    write_paper(tmp_path)
    write_corpus(tmp_path / "corpus")
    for split in ("train", "test"):
        lines = (tmp_path / f"corpus/{split}.txt").read_text().splitlines()
        _write_forms(tmp_path, split, [_document(line) for line in lines])
    return tmp_path


def _document(line: str) -> tuple[str, str, str]:
    label, text = line.split("\t")
    first, rest = text.split(" ", 1)
    return f"{label};all", first, rest


def _write_forms(folder: Path, split: str, documents: list[tuple[str, str, str]]) -> None:
    """(labels parted by ;, first word, other words) of each document."""
    names = ("tags", "title", "body")
    records = (json.dumps(dict(zip(names, it, strict=True))) for it in documents)
    write(folder / f"records/{split}.jsonl", tuple(records))
    plain = [(labels.replace(";", " "), f"{first} {rest}") for labels, first, rest in documents]
    write(folder / f"numbered/{split}.txt", tuple(f"d{i}\t{a}\t{b}" for i, (a, b) in enumerate(plain)))
    write(folder / f"pairs/{split}_texts.txt", tuple(text for _, text in plain))
    write(folder / f"pairs/{split}_raw_texts.txt", tuple(f"{text} raw" for _, text in plain))
    write(folder / f"pairs/{split}_labels.txt", tuple(labels for labels, _ in plain))


@pytest.fixture
def trained(monkeypatch: pytest.MonkeyPatch) -> None:
    train_at_once(monkeypatch, lambda job, _: 70.0 + job.spec.seed / 10)


def run(corpus: str, *options: str, paper: str = "toy.yaml", jobs: int = 1, only: str = "words") -> int:
    return cli.main(["run", paper, "--data", corpus, "--only", only, "--jobs", str(jobs), *options])


def prepared(store: str = "audit-runs") -> list[str]:
    return sorted(it.parent.name for it in Path(store, "data").glob("*/meta.json"))


def runs(store: str = "audit-runs") -> list[Run]:
    return list(Store(Path(store)).runs())


WAYS = [
    ("records", FIELDS),
    ("records", ("--format", "jsonl", *FIELDS)),
    ("numbered", ("--ids",)),
    ("pairs", ("--tokenised",)),
    ("pairs", ("--raw",)),
]


@pytest.mark.usefixtures("trained")
@pytest.mark.parametrize(("corpus", "options"), WAYS, ids=[" ".join(it[1][:1]) for it in WAYS])
def test_a_run_finds_what_data_add_prepared_by_the_same_options(
    corpus: str, options: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["data", "add", corpus, *options]) == Exit.OK
    before = prepared()
    assert len(before) == 1
    assert run(corpus, *options, "--seeds", "1") == Exit.OK, capsys.readouterr().err
    assert prepared() == before
    assert [it.data.n_labels for it in runs()] == [7]


# -------------------------------------------------------------------------- what is missing or means nothing

REFUSED = [
    ("records", (), "records/train.jsonl:1: no object with these fields; here are 'tags', 'title', 'body'"),
    ("records", FIELDS[2:], "are one string; state --separator ... that parts its labels"),
    ("records", (*FIELDS, "--ids"), "option --ids means nothing for JSON lines; it takes --text-field, "),
    ("records", ("--separator", ""), "--separator is empty; give at least one character"),
    ("records", ("--format", "word"), "format 'word' is unknown; known are lml"),
    ("corpus", ("--base", "1"), "option --base means nothing for LibMultiLabel text; it takes --ids"),
    ("numbered", (), "or say that the first column holds ids (--ids)"),
    ("pairs", (), "are both there; state --tokenised (tokenised) or --raw"),
]


@pytest.mark.parametrize(("corpus", "options", "message"), REFUSED)
def test_what_is_missing_is_asked_for_by_the_options_of_the_command(
    corpus: str, options: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """In the words in which `audit data add` says it."""
    said = []
    path = str(Path(corpus).resolve())
    for command in (["data", "add", path], ["run", "toy.yaml", "--data", path]):
        assert cli.main([*command, *options]) == Exit.BAD_INPUT
        said.append(capsys.readouterr().err)
        assert message in said[-1] and said[-1].count("\n") == 1
    assert said[0] == said[1]


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (("--separator", ";"), "--separator"),
        (("--text-field", "a"), "--text-field"),
        (("--labels-field", "a"), "--labels-field"),
        (("--base", "0"), "--base"),
        (("--ids",), "--ids"),
        (("--tokenised",), "--raw"),
        (("--format", "csv"), "--format"),
    ],
)
def test_the_made_corpus_needs_no_reading(
    options: tuple[str, ...], named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["run", "toy.yaml", *options]) == Exit.BAD_INPUT
    assert capsys.readouterr().err == f"audit: {named}: says how --data is read; give that too\n"
