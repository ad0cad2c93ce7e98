"""`audit data`: what is said of a corpus, of one that cannot be read, of downloads and of word vectors."""

from __future__ import annotations

from pathlib import Path

import pytest

import audit.cli.data
from audit import cli
from audit.claims.load import builtin_claims, load
from audit.errors import Exit
from audit.runner import make_plan
from audit.settings import RunSettings
from tests.cli import refused
from tests.data.corpora import write
from tests.shared import shared

PAPERS = [load(path) for path in builtin_claims()]


@pytest.fixture(autouse=True)
def here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The user's cache too; reading the claim files takes a second, and they stay the same."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
    monkeypatch.setenv("NO_PROXY", "*")
    monkeypatch.setattr(audit.cli.data, "papers_of", lambda _: PAPERS)


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    """What the command prints; it ends well and says nothing on stderr."""
    code = cli.main(["data", *arguments])
    captured = capsys.readouterr()
    assert (code, captured.err) == (Exit.OK, "")
    return captured.out.splitlines()


def columns(folder: Path) -> Path:
    """Four rows of features, one label each, and two splits."""
    write(folder / "toy_data.txt", ("4 3 2", "0,1 0:1 2:1", "1 1:1", "0 0:1", " 2:1"))
    write(folder / "toy_trSplit.txt", ("1 3", "2 4"))
    write(folder / "toy_tstSplit.txt", ("3 1", "4 2"))
    return folder


def test_describe_shows_statistics_and_figures(capsys: pytest.CaptureFixture[str]) -> None:
    """40 and 16 documents with one of 6 labels each: 40/6 documents per label in train, 56/6 over all."""
    lines = said(capsys, "describe", "corpus")
    shown = {line[:38].strip(): line[38:].strip() for line in lines}
    assert (shown["training documents"], shown["test documents"], shown["labels"]) == ("40", "16", "6")
    assert shown["documents per label"] == "6.67  (9.33 over all splits)"
    assert (shown["train documents"], shown["train labels a document"]) == ("40", "1.00")
    assert len(shown["content"]) == len(shown["corpus"]) == 64
    assert "37 data sets of 7 papers: other_data" in lines


def test_add_says_what_it_is_not_and_prepares_it_once(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    """The second time the prepared corpus is there; a run of the same settings finds it."""
    lines = said(capsys, "add", "corpus")
    assert lines[0].startswith("corpus: LibMultiLabel text")
    assert lines[1] == "recognised: no entry of the catalogue"
    assert lines[-2] == "37 data sets of 7 papers: other_data"
    assert lines[-1].startswith("prepared: 40 train + 16 test documents, 6 labels, cut to ")
    entries = list((folder / "audit-runs/data").glob("*/meta.json"))
    assert len(entries) == 1
    assert said(capsys, "add", "corpus") == lines
    settings = RunSettings(
        device="cpu", data=folder / "corpus", store=folder / "audit-runs", seeds=1, only=["words"]
    )
    make_plan(load(folder / "toy.yaml"), settings)
    assert list((folder / "audit-runs/data").glob("*/meta.json")) == entries


def fields(folder: Path) -> None:
    """The same documents as CSV, as JSON lines with fields of other names, and with ids in front."""
    rows = (("a;b", "cat", "sat"), ("b", "dog", "ran"))
    for split in ("train", "test"):
        write(
            folder / f"table/{split}.csv",
            ("title,text,labels", *(f"{title},{body},{tags}" for tags, title, body in rows)),
        )
        records = (
            f'{{"title": "{title}", "body": "{body}", "tags": "{tags}"}}' for tags, title, body in rows
        )
        write(folder / f"records/{split}.jsonl", tuple(records))
        lines = (
            f"{i}\t{tags.replace(';', ' ')}\t{title} {body}" for i, (tags, title, body) in enumerate(rows)
        )
        write(folder / f"numbered/{split}.txt", tuple(lines))


def test_fields_separator_and_ids_are_named(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    """Three formats of one corpus have one content: it says the same whichever way it is read."""
    fields(folder)
    ways = (
        ("table", "--separator", ";", "--text-field", "title", "--text-field", "text"),
        (
            *("records", "--separator", ";", "--text-field", "title", "--text-field", "body"),
            *("--labels-field", "tags"),
        ),
        ("numbered", "--ids"),
    )
    contents = set()
    for way in ways:
        lines = said(capsys, "describe", *way)
        contents |= {line for line in lines if line.startswith("content ")}
        assert said(capsys, "add", *way)[-1].startswith("prepared: 2 train + 2 test documents, 2 labels")
    assert len(contents) == 1


REFUSED = [
    (("add", "nowhere"), "audit: nowhere: no such file or folder; check the path"),
    (("add", "corpus", "--as", "eurlex"), "audit: catalogue: 'eurlex' is unknown; did you mean 'eurlex-"),
    (("add", "toy"), "audit: toy: 2 splits, one a column; state DIR@0 to DIR@1"),
    (("add", "toy@0", "--base", "1"), "label ids count from 0: id 0 occurs; check --base 1"),
    (("describe", "x" * 300), ": cannot be read (File name too long); get a sound copy"),
    (("add", "corpus", "--recipe", "stew"), "recipe 'stew' is unknown; known: study2022"),
]


@pytest.mark.parametrize(("arguments", "message"), REFUSED)
def test_what_cannot_be_used_is_one_sentence(
    capsys: pytest.CaptureFixture[str], folder: Path, arguments: tuple[str, ...], message: str
) -> None:
    columns(folder / "toy")
    assert message in refused(capsys, "data", *arguments)


REAL = {
    "eurlex-4k-matched": "eurlex-4k-matched, by content",
    "eurlex57k": "eurlex57k, by content",
    "mulan-delicious": "delicious, by content: Mulan's split",
}
#: What is not `other_data` to the papers that come with the toolkit.
SCOPES = {
    "eurlex57k": "libmultilabel2026 eurlex57k: same_data",
    "mulan-delicious": "wang2019 delicious: other_split",
}


@pytest.mark.parametrize("name", REAL)
def test_real_corpora_are_recognised_with_their_scope(capsys: pytest.CaptureFixture[str], name: str) -> None:
    """By content; EUR-Lex's sizes on other documents are `other_data` to every paper on EUR-Lex."""
    lines = said(capsys, "describe", str(shared(f"data/{name}")))
    assert any(line.startswith(f"recognised: {REAL[name]}") for line in lines)
    near = [line.split(";")[0] for line in lines if ": same_data" in line or ": other_split" in line]
    assert near == ([SCOPES[name]] if name in SCOPES else [])
    if name == "eurlex-4k-matched":
        papers = [it.paper.key for it in PAPERS if "eurlex" in it.datasets]
        assert [line.split()[0] for line in lines if "eurlex: other_data" in line] == papers
