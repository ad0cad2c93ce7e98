"""Files that are downloaded once, checked, and never replaced."""

from __future__ import annotations

import hashlib
from pathlib import Path
from random import Random

import pytest

from reimpl.data.download import Fetched, Remote, fetch
from reimpl.errors import DataError
from tests.data.origin import Answer, Origin, origin

BODY, OTHER = Random(1).randbytes(200_000), Random(2).randbytes(200_000)


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "*")


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def got(server: Origin, folder: Path, stated: str = "") -> Fetched:
    return fetch(Remote.parse(f"{server.url}/a.zip{stated}"), folder)


def names(folder: Path) -> list[str]:
    """What lies there, but for the lock, which may stay."""
    return sorted(it.name for it in folder.iterdir() if not it.name.endswith(".lock"))


@pytest.mark.parametrize("algorithm", ["sha256", "sha1", "md5"])
def test_a_checksum_holds_or_nothing_is_kept(tmp_path: Path, algorithm: str) -> None:
    stated = f"#{algorithm}={hashlib.new(algorithm, BODY).hexdigest().upper()}"
    with origin(Answer(OTHER), Answer(BODY)) as server:
        with pytest.raises(DataError, match="and was removed; check the address"):
            got(server, tmp_path, stated)
        assert names(tmp_path) == []
        assert got(server, tmp_path, stated).verified


def test_a_file_that_is_there_is_never_replaced(tmp_path: Path) -> None:
    """Neither one of the user, nor one that changed since; with the stated checksum it is taken."""
    path = tmp_path / "a.zip"
    path.write_bytes(OTHER)
    with origin(Answer(BODY)) as server:
        with pytest.raises(DataError, match="was not downloaded by this command"):
            got(server, tmp_path)
        with pytest.raises(DataError, match="is there already, and is not sha256"):
            got(server, tmp_path, f"#sha256={sha256(BODY)}")
        assert not got(server, tmp_path, f"#sha256={sha256(OTHER)}").downloaded
        assert not server.asked
        path.unlink()
        got(server, tmp_path)
        path.write_bytes(OTHER)
        with pytest.raises(DataError, match="is not what was downloaded"):
            got(server, tmp_path)
    assert path.read_bytes() == OTHER
