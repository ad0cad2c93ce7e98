"""`audit data get`: what is downloaded, what is said of it, and the way by hand."""

from __future__ import annotations

import hashlib
import io
import zipfile
from pathlib import Path

import pytest

import audit.cli.data
from audit import cli
from audit.claims.load import builtin_claims, load
from audit.errors import Exit
from tests.data.corpora import TEST, TRAIN
from tests.data.origin import Answer, origin

PAPERS = [load(path) for path in builtin_claims()]


def lines(*texts: str) -> bytes:
    return "".join(f"{text}\n" for text in texts).encode()


def packed(*, padding: int = 0, **files: bytes) -> bytes:
    """A .zip of `NAME.txt` files; `padding` bytes in front, which zip readers skip."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name, content in files.items():
            archive.writestr(f"{name}.txt", content)
    return bytes(padding) + target.getvalue()


CORPUS = packed(train=lines(*TRAIN), test=lines(*TEST))
LARGE = packed(train=lines(*TRAIN), test=lines(*TEST), padding=300_000)
CUT = 131_072


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every command is given in a folder of its own, and the cache of the user is there too."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("NO_PROXY", "*")
    monkeypatch.setattr(audit.cli.data, "papers_of", lambda _: PAPERS)
    return tmp_path


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    code = cli.main(["data", "get", *arguments])
    captured = capsys.readouterr()
    assert (code, captured.err) == (Exit.OK, "")
    return captured.out.splitlines()


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The one sentence on stderr, after notes about what was tried."""
    assert cli.main(["data", "get", *arguments]) == Exit.BAD_INPUT
    sentences = capsys.readouterr().err.splitlines()
    assert sum(line.startswith("audit: ") for line in sentences) == 1 and sentences[-1].startswith("audit: ")
    return sentences[-1]


def test_a_corpus_comes_once_into_the_cache_and_is_recognised(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    """Three training and two test documents; the second time nothing is asked for."""
    path = folder / "cache/xmtc-audit/synthetic/toy.zip"
    with origin(Answer(CORPUS)) as server:
        first, second = (said(capsys, "synthetic", "--from", f"{server.url}/toy.zip") for _ in range(2))
    assert first[:3] == [
        "synthetic: the made corpus; licence: Apache-2.0, as this program",
        f"toy.zip: downloaded, {len(CORPUS):,} bytes, {path}",
        f"toy.zip: SHA-256 {sha256(CORPUS)}; not verified: no published checksum known",
    ]
    assert first[3].startswith(f"{path}: LibMultiLabel text; ")
    assert first[4:6] == [
        "note: 1 label of test in no training document, so never to be learnt",
        "recognised: no entry of the catalogue",
    ]
    assert first[-1] == f"to prepare it for all runs: audit data add {path} --as synthetic"
    assert second[1:3] == [
        first[1].replace("downloaded", "there already"),
        f"{first[2]}; the same as at its first download",
    ]
    assert second[3:] == first[3:] and len(server.asked) == 1


def test_what_came_and_is_another_corpus_is_refused_and_kept(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    """The last line says so and how it is to be had all the same."""
    with origin(Answer(CORPUS)) as server:
        code = cli.main(["data", "get", "rcv1", "--from", f"{server.url}/toy.zip", "--to", "with blank"])
    captured = capsys.readouterr()
    assert code == Exit.BAD_INPUT
    assert "as asked: its sizes match none of rcv1; nearest: printed 23,149 training documents, here 3" in (
        captured.out
    )
    assert captured.err == (
        "audit: with blank/toy.zip: this is not rcv1; it is kept, and to use it for what it is: "
        "audit data add 'with blank/toy.zip'\n"
    )
    assert cli.main(["data", "add", "with blank/toy.zip"]) == Exit.OK


BY_HAND = (
    "get it by hand from iliaschalkidis/lmtc-eurlex57k on GitHub "
    "(https://github.com/iliaschalkidis/lmtc-eurlex57k) or data sets of LibMultiLabel, "
    "then `audit data add PATH --as eurlex57k`"
)


def test_without_an_address_on_record_it_says_where_and_how_by_hand(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert refused(capsys, "eurlex57k") == (
        f"audit: eurlex57k: no address of its files is on record; {BY_HAND}; if you know one, give --from URL"
    )


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (Answer(status=404), "the server answers 404 Not Found; check the address"),
        (
            Answer(b"<html>", headers={"Content-Type": "text/html"}),
            "the server sends a web page and no file; the server may ask for a login or a licence",
        ),
        (Answer(CORPUS, hang=True), "timed out"),
        (Answer(LARGE, cut=CUT, tag=None), "the connection broke after 131,072 bytes"),
    ],
)
def test_what_the_server_does_not_give_is_one_sentence_with_the_way_by_hand(
    capsys: pytest.CaptureFixture[str], answer: Answer, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(audit.cli.data, "TIMEOUT", 0.5)
    with origin(answer) as server:
        url = f"{server.url}/toy.zip"
        said = refused(capsys, "eurlex57k", "--from", url)
        assert said.startswith(f"audit: {url}: ") and sentence in said and said.endswith(BY_HAND)


def test_a_download_that_breaks_off_asks_once_for_the_rest(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    """Of the same file: the whole comes anew where its tag is another, and is never mixed."""
    other = packed(train=lines(*TRAIN), test=lines("a\tother"), padding=300_000)
    with origin(Answer(LARGE, cut=CUT), Answer(LARGE)) as server:
        said(capsys, "synthetic", "--from", f"{server.url}/toy.zip", "--to", "in")
        assert server.ranges == [None, f"bytes={CUT}-"]
    assert (folder / "in/toy.zip").read_bytes() == LARGE
    with origin(Answer(LARGE, cut=CUT), Answer(other, tag='"two"')) as server:
        said(capsys, "synthetic", "--from", f"{server.url}/toy.zip", "--to", "there")
    assert (folder / "there/toy.zip").read_bytes() == other
