"""`audit run` on corpora that do not say of themselves how they are read: the options of `audit data add`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from audit import cli
from audit.errors import Exit
from audit.storage.runs import Store
from tests.cli import refused
from tests.data.corpora import write
from tests.stand_ins import train_at_once

FIELDS = ("--separator", ";", "--text-field", "title", "--text-field", "body", "--labels-field", "tags")


@pytest.fixture(autouse=True)
def forms(folder: Path) -> None:
    """The documents of corpus/ as JSON lines, as AttentionXML's pairs and with ids."""
    for split in ("train", "test"):
        parts = [line.split("\t") for line in (folder / f"corpus/{split}.txt").read_text().splitlines()]
        cut = [(label, *text.split(" ", 1)) for label, text in parts]
        records = [{"tags": f"{label};all", "title": a, "body": b} for label, a, b in cut]
        write(folder / f"records/{split}.jsonl", [json.dumps(it) for it in records])
        numbered = (f"d{i}\t{label} all\t{text}" for i, (label, text) in enumerate(parts))
        write(folder / f"numbered/{split}.txt", tuple(numbered))
        write(folder / f"pairs/{split}_texts.txt", [text for _, text in parts])
        write(folder / f"pairs/{split}_raw_texts.txt", [f"{text} raw" for _, text in parts])
        write(folder / f"pairs/{split}_labels.txt", [f"{label} all" for label, _ in parts])


def prepared() -> list[str]:
    return sorted(it.parent.name for it in Path("audit-runs/data").glob("*/meta.json"))


WAYS = [
    ("records", FIELDS),
    ("records", ("--format", "jsonl", *FIELDS)),
    ("numbered", ("--ids",)),
    ("pairs", ("--tokenised",)),
    ("pairs", ("--raw",)),
]


@pytest.mark.parametrize(("corpus", "options"), WAYS, ids=[" ".join(it[1][:1]) for it in WAYS])
def test_a_run_finds_what_data_add_prepared_by_the_same_options(
    corpus: str, options: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    train_at_once(monkeypatch, lambda *_: 70.0)
    assert cli.main(["data", "add", corpus, *options]) == Exit.OK
    before = prepared()
    assert len(before) == 1
    run = ["run", "toy.yaml", "--data", corpus, "--only", "words", "--jobs", "1", "--seeds", "1"]
    assert cli.main([*run, *options]) == Exit.OK
    assert prepared() == before
    assert [it.data.n_labels for it in Store(Path("audit-runs")).runs()] == [7]


REFUSED = [
    ("records", (), "records/train.jsonl:1: not an object with these fields; it has 'tags', 'title', 'body'"),
    ("records", FIELDS[2:], "are one string; state --separator ... that separates its labels"),
    ("records", (*FIELDS, "--ids"), "JSON lines has no option --ids; it takes --text-field, "),
    ("records", ("--separator", ""), "--separator is empty; give at least one character"),
    ("records", ("--format", "word"), "format 'word' is unknown; known: lml"),
    ("corpus", ("--base", "1"), "LibMultiLabel text has no option --base; it takes --ids"),
    ("numbered", (), "or say that the first column holds ids (--ids)"),
    ("pairs", (), "are both there; state --tokenised (tokenised) or --raw"),
]


@pytest.mark.parametrize(("corpus", "options", "message"), REFUSED)
def test_what_is_missing_is_asked_for_by_the_options_of_the_command(
    corpus: str, options: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """In the words in which `audit data add` says it."""
    path = str(Path(corpus).resolve())
    said = refused(capsys, "data", "add", path, *options)
    assert message in said and refused(capsys, "run", "toy.yaml", "--data", path, *options) == said


@pytest.mark.parametrize(
    "options",
    ["--separator ;", "--text-field a", "--labels-field a", "--base 0", "--ids", "--raw", "--format csv"],
)
def test_the_made_corpus_needs_no_reading(options: str, capsys: pytest.CaptureFixture[str]) -> None:
    said = f"audit: {options.split()[0]}: says how --data is read; give that too\n"
    assert refused(capsys, "run", "toy.yaml", *options.split()) == said
