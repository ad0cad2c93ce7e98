"""Files that are downloaded once, checked, and never replaced."""

from __future__ import annotations

import hashlib
import logging
import subprocess
from collections.abc import Callable
from pathlib import Path
from random import Random

import pooch
import pytest

from reimpl.data import download, resumable
from reimpl.data.download import Fetched, fetch, user_cache
from reimpl.data.remote import Remote
from reimpl.data.resumable import Patience
from reimpl.errors import DataError
from tests.data.origin import Answer, Origin, origin

BODY = Random(1).randbytes(200_000)
OTHER = Random(2).randbytes(200_000)
CUT = 2 * resumable.CHUNK
NEVER_AGAIN = Patience(timeout=30.0, retries=0)


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resumable, "sleep", lambda _: None)
    monkeypatch.setenv("NO_PROXY", "*")


def got(server: Origin, folder: Path, stated: str = "") -> Fetched:
    return fetch(Remote.parse(f"{server.url}/a.zip{stated}"), folder, patience=NEVER_AGAIN)


def refused(server: Origin, folder: Path, stated: str = "") -> str:
    with pytest.raises(DataError) as caught:
        got(server, folder, stated)
    return str(caught.value)


def names(folder: Path) -> list[str]:
    """What lies there, but for the lock, which may stay."""
    return sorted(it.name for it in folder.iterdir() if not it.name.endswith(".lock"))


# --------------------------------------------------------------------------- once


def test_a_file_is_downloaded_once(tmp_path: Path) -> None:
    """Its digest is on record; the second time it is compared, and nothing is asked for."""
    with origin(Answer(BODY)) as server:
        first, second = (got(server, tmp_path / "new" / "folder") for _ in range(2))
    path = tmp_path / "new/folder/a.zip"
    assert first == Fetched(path, 200_000, sha256(BODY), "downloaded", "nothing")
    assert second == Fetched(path, 200_000, sha256(BODY), "there already", "first download")
    assert len(server.asked) == 1 and path.read_bytes() == BODY
    assert names(path.parent) == ["a.zip", "a.zip.sha256"]


def test_the_record_is_one_that_sha256sum_reads(tmp_path: Path) -> None:
    with origin(Answer(BODY)) as server:
        got(server, tmp_path)
    record = tmp_path / "a.zip.sha256"
    assert record.read_text() == f"# {server.url}/a.zip\n{sha256(BODY)}  a.zip\n"
    command = ["sha256sum", "--check", "--strict", record.name]
    try:
        ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    except FileNotFoundError:
        pytest.skip("there is no sha256sum here")
    assert (ran.returncode, ran.stdout) == (0, "a.zip: OK\n")


@pytest.mark.parametrize("algorithm", ["sha256", "sha1", "md5"])
def test_a_checksum_that_holds(tmp_path: Path, algorithm: str) -> None:
    """Of any algorithm that publishers use; the record holds the SHA-256."""
    stated = f"#{algorithm}={hashlib.new(algorithm, BODY).hexdigest().upper()}"
    with origin(Answer(BODY)) as server:
        first, second = (got(server, tmp_path, stated) for _ in range(2))
    assert (first.how, second.how) == ("downloaded", "there already")
    assert first.held_against == second.held_against == "checksum"
    assert first.sha256 == second.sha256 == sha256(BODY)
    assert sha256(BODY) in (tmp_path / "a.zip.sha256").read_text()
    assert len(server.asked) == 1


@pytest.mark.parametrize("algorithm", ["sha256", "sha1", "md5"])
def test_a_checksum_that_does_not_hold(tmp_path: Path, algorithm: str) -> None:
    """What came is removed, and both digests are named."""
    want, came = (hashlib.new(algorithm, it).hexdigest() for it in (BODY, OTHER))
    shown = {"sha256": "SHA-256", "sha1": "SHA-1", "md5": "MD5"}[algorithm]
    with origin(Answer(OTHER), Answer(BODY)) as server:
        assert refused(server, tmp_path, f"#{algorithm}={want}") == (
            f"{server.url}/a.zip: what came is not {shown} {want} but {shown} {came}, and was removed; "
            "check the address and the checksum"
        )
        assert names(tmp_path) == []
        assert len(server.asked) == 1
        assert got(server, tmp_path, f"#{algorithm}={want}").how == "downloaded"


def test_a_checksum_is_held_against_the_whole_and_not_the_last_part(tmp_path: Path) -> None:
    """A part that was damaged on the disk is found out, and the next attempt starts anew."""
    with origin(Answer(BODY, cut=CUT), Answer(BODY)) as server:
        refused(server, tmp_path)
        part = tmp_path / "a.zip.part"
        part.write_bytes(b"damaged!" + part.read_bytes()[8:])
        assert "and was removed" in refused(server, tmp_path, f"#sha256={sha256(BODY)}")
        assert server.ranges == [None, f"bytes={CUT}-"]
        assert got(server, tmp_path, f"#sha256={sha256(BODY)}").sha256 == sha256(BODY)


def test_a_web_page_passes_where_the_checksum_says_so(tmp_path: Path) -> None:
    page = Answer(b"<html>", headers={"Content-Type": "text/html"})
    with origin(page) as server:
        assert "sends a web page and no file" in refused(server, tmp_path)
        assert names(tmp_path) == []
        assert got(server, tmp_path, f"#sha256={sha256(b'<html>')}").size == 6


def test_a_later_download_is_compared_with_the_first(tmp_path: Path) -> None:
    """The file was removed and its record kept; what is another one now is not taken for it."""
    with origin(Answer(BODY)) as server:
        got(server, tmp_path)
        (tmp_path / "a.zip").unlink()
        assert got(server, tmp_path).held_against == "first download"
        (tmp_path / "a.zip").unlink()
        server.answers = [Answer(OTHER)]
        assert refused(server, tmp_path) == (
            f"{server.url}/a.zip: what came is not SHA-256 {sha256(BODY)}, as at the first download, but "
            f"SHA-256 {sha256(OTHER)}, and was removed; "
            f"to take it all the same remove {tmp_path}/a.zip.sha256"
        )
        assert names(tmp_path) == ["a.zip.sha256"]
        (tmp_path / "a.zip.sha256").unlink()
        assert got(server, tmp_path).sha256 == sha256(OTHER)


def test_a_stated_checksum_outranks_the_record(tmp_path: Path) -> None:
    with origin(Answer(BODY)) as server:
        got(server, tmp_path)
        (tmp_path / "a.zip").unlink()
        server.answers = [Answer(OTHER)]
        assert got(server, tmp_path, f"#sha256={sha256(OTHER)}").held_against == "checksum"
        assert got(server, tmp_path).held_against == "first download"


# --------------------------------------------------------------------------- what is there stays


def test_a_file_of_the_user_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(OTHER)
    with origin(Answer(BODY)) as server:
        assert refused(server, tmp_path) == (
            f"{tmp_path}/a.zip: is there already and was not downloaded by this command; "
            "use it, or move it away"
        )
        assert refused(server, tmp_path, f"#sha256={sha256(BODY)}") == (
            f"{tmp_path}/a.zip: is there already, with SHA-256 {sha256(OTHER)} "
            f"and not SHA-256 {sha256(BODY)}; move it away to download it"
        )
        assert server.asked == [] and (tmp_path / "a.zip").read_bytes() == OTHER


def test_a_file_of_the_user_with_the_stated_checksum_is_taken(tmp_path: Path) -> None:
    """It was got by hand; no server is asked."""
    (tmp_path / "a.zip").write_bytes(BODY)
    with origin(Answer(OTHER)) as server:
        assert got(server, tmp_path, f"#sha256={sha256(BODY)}").how == "there already"
        assert server.asked == []


def test_a_file_that_changed_since_is_not_taken_for_what_was_downloaded(tmp_path: Path) -> None:
    with origin(Answer(BODY)) as server:
        got(server, tmp_path)
        (tmp_path / "a.zip").write_bytes(OTHER)
        assert refused(server, tmp_path) == (
            f"{tmp_path}/a.zip: has SHA-256 {sha256(OTHER)} and had {sha256(BODY)} when it was downloaded; "
            "move it away to download it again"
        )


def test_a_file_of_that_name_from_elsewhere_is_not_taken_for_it(tmp_path: Path) -> None:
    with origin(Answer(BODY)) as server:
        got(server, tmp_path)
        with pytest.raises(DataError) as caught:
            fetch(Remote.of(f"{server.url}/b/a.zip"), tmp_path)
    assert str(caught.value) == (
        f"{tmp_path}/a.zip: is there already, from {server.url}/a.zip; "
        "use it, move it away or choose another folder"
    )


@pytest.mark.parametrize("text", ["", "notes of mine\n", f"# http://h/a\n{'a' * 64}  b.zip\n"])
def test_a_record_that_is_none_is_not_replaced(tmp_path: Path, text: str) -> None:
    record = tmp_path / "a.zip.sha256"
    record.write_text(text)
    with origin(Answer(BODY)) as server:
        assert refused(server, tmp_path) == (f"{record}: is no record of a download of a.zip; move it away")
    assert record.read_text() == text


def test_what_a_server_says_of_names_is_ignored(tmp_path: Path) -> None:
    """Neither Content-Disposition nor the address of a redirect names the file."""
    says = {"Content-Disposition": 'attachment; filename="../../evil.zip"'}
    with origin(Answer(BODY, headers=says)) as store, origin() as server:
        server.answers = [Answer(status=302, headers={"Location": f"{store.url}/..%2f..%2fevil.zip"})]
        got(server, tmp_path / "in")
    assert names(tmp_path) == ["in"] and names(tmp_path / "in") == ["a.zip", "a.zip.sha256"]


# --------------------------------------------------------------------------- cut short


def test_ctrl_c_while_the_whole_is_checked_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hashing gigabytes takes seconds."""

    def interrupt(path: Path, like: str) -> str:
        raise KeyboardInterrupt

    with origin(Answer(BODY)) as server:
        with monkeypatch.context() as patch:
            patch.setattr(download, "_hash", interrupt)
            with pytest.raises(KeyboardInterrupt):
                got(server, tmp_path)
        assert (tmp_path / "a.zip.part").read_bytes() == BODY
        assert got(server, tmp_path).how == "downloaded"
        assert len(server.asked) == 1
    assert names(tmp_path) == ["a.zip", "a.zip.sha256"]


@pytest.mark.parametrize("name", ["tmpab12", "a.zip"])
def test_a_whole_that_a_killed_process_left_under_pooch_s_name_is_found(tmp_path: Path, name: str) -> None:
    """On a file system without links, between the last byte and the rename."""
    with origin(Answer(BODY, cut=CUT), Answer(status=404)) as server:
        refused(server, tmp_path)
        (tmp_path / "a.zip.part").unlink()
        (tmp_path / ".a.zip.get" / name).write_bytes(BODY)
        (tmp_path / ".a.zip.get" / "tmpempty").touch()
        assert got(server, tmp_path).sha256 == sha256(BODY)
        assert len(server.asked) == 1
    assert names(tmp_path) == ["a.zip", "a.zip.sha256"]


def test_what_is_left_beside_a_whole_file_is_removed(tmp_path: Path) -> None:
    """A process that was killed right after the rename."""
    with origin(Answer(BODY)) as server:
        got(server, tmp_path)
        (tmp_path / "a.zip.part").hardlink_to(tmp_path / "a.zip")
        (tmp_path / ".a.zip.get").mkdir()
        assert got(server, tmp_path).how == "there already"
    assert names(tmp_path) == ["a.zip", "a.zip.sha256"]


def test_a_file_that_never_came_leaves_nothing(tmp_path: Path) -> None:
    with origin(Answer(status=404)) as server:
        refused(server, tmp_path)
    assert names(tmp_path) == []


# --------------------------------------------------------------------------- the disk


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs the device that is always full")
def test_a_disk_that_fills_up_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "a.zip.part").symlink_to("/dev/full")
    with origin(Answer(BODY)) as server:
        assert refused(server, tmp_path) == (
            f"{tmp_path}/a.zip: No space left on device; free some space there or choose another folder"
        )


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with origin(Answer(BODY)) as server:
        assert refused(server, tmp_path / "file" / "in") == (
            f"{tmp_path}/file/in/a.zip: Not a directory; make it accessible or choose another folder"
        )


def test_a_folder_of_that_name_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "a.zip").mkdir()
    with origin(Answer(BODY)) as server:
        assert refused(server, tmp_path) == (
            f"{tmp_path}/a.zip: cannot be read (Is a directory); check the path"
        )


# --------------------------------------------------------------------------- pooch


def test_pooch_says_nothing_of_its_own(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Its logger is as it was afterwards: it belongs to the whole process."""
    before = pooch.get_logger().level
    with origin(Answer(BODY)) as server:
        got(server, tmp_path)
    assert pooch.get_logger().level == before != logging.WARNING
    assert capfd.readouterr() == ("", "")


def test_pooch_itself_refuses_another_digest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The check is the library's: a hash of ours that says yes does not help."""
    monkeypatch.setattr(download, "_hash", lambda path, like: f"sha256:{sha256(BODY)}")
    with origin(Answer(OTHER)) as server:
        assert "and was removed" in refused(server, tmp_path, f"#sha256={sha256(BODY)}")
    assert names(tmp_path) == []


def test_the_cache_is_the_user_s(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert user_cache().name == "xmtc-audit"


def test_the_file_has_its_name_only_when_it_is_whole(tmp_path: Path) -> None:
    """At every step of the download."""
    seen: list[bool] = []

    class Looks(resumable.Watch):
        progress: Callable[[int, int | None], None] = staticmethod(  # type: ignore[assignment]
            lambda done, total: seen.append((tmp_path / "a.zip").exists())
        )

    with origin(Answer(BODY)) as server:
        fetch(Remote.of(f"{server.url}/a.zip"), tmp_path, watch=Looks())
    assert len(seen) > 2 and not any(seen)
