"""Bytes from a server: what is asked for, what is kept, and when it is tried again."""

from __future__ import annotations

import shutil
import socket
import subprocess
from collections import namedtuple
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from reimpl.data import resumable
from reimpl.data.http_answer import NotReachedError
from reimpl.data.resumable import Patience, Resumable, Watch
from reimpl.errors import DataError
from tests.data.origin import Answer, origin

BODY = Random(1).randbytes(200_000)
OTHER = Random(2).randbytes(200_000)
CUT = 2 * resumable.CHUNK
ONCE_MORE = Patience(timeout=30.0, retries=1)


#: Address, patience, and whether a web page will do, to the bytes that come.
Bring = Callable[..., bytes]


class Heard(Watch):
    def __init__(self) -> None:
        self.notes: list[str] = []
        self.steps: list[tuple[int, int | None]] = []

    def note(self, text: str) -> None:
        self.notes.append(text)

    def progress(self, done: int, total: int | None) -> None:
        self.steps.append((done, total))


@pytest.fixture(autouse=True)
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Nobody waits here; how long it would have been is kept."""
    waited: list[float] = []
    monkeypatch.setattr(resumable, "sleep", waited.append)
    monkeypatch.setenv("NO_PROXY", "*")
    return waited


@pytest.fixture
def heard() -> Heard:
    return Heard()


@pytest.fixture
def bring(tmp_path: Path, heard: Heard) -> Bring:
    """A download of one file; the second call is that of a later process."""

    def call(url: str, patience: Patience = ONCE_MORE, *, pages: bool = False) -> bytes:
        part, state = tmp_path / "a.zip.part", tmp_path / "state.json"
        downloader = Resumable(part, state, patience=patience, watch=heard, pages=pages)
        downloader(url, str(tmp_path / "out"))
        got = (tmp_path / "out").read_bytes()
        part.unlink(missing_ok=True)
        return got

    return call


# --------------------------------------------------------------------------- whole, cut off, gone on with


def test_a_whole_file_comes_in_one_request(bring: Bring, heard: Heard) -> None:
    with origin(Answer(BODY)) as server:
        assert bring(f"{server.url}/a.zip") == BODY
    assert [it["path"] for it in server.asked] == ["/a.zip"]
    assert server.asked[0]["accept-encoding"] == "identity"
    assert heard.steps[-1] == (200_000, 200_000) and heard.notes == []


def test_a_body_that_is_cut_off_is_gone_on_with(bring: Bring, heard: Heard, waits: list[float]) -> None:
    """The rest is asked for by its place, and only of the same file."""
    with origin(Answer(BODY, cut=CUT), Answer(BODY)) as server:
        assert bring(f"{server.url}/a.zip") == BODY
    assert server.ranges == [None, f"bytes={CUT}-"]
    assert server.asked[1]["if-range"] == '"one"'
    assert heard.notes == [
        "the connection ended after 131,072 of 200,000 bytes; trying again in 1 s",
        "going on after 131,072 bytes",
    ]
    assert waits == [1.0]


def test_a_later_process_goes_on_where_the_last_one_was_cut_off(bring: Bring, tmp_path: Path) -> None:
    with origin(Answer(BODY, cut=CUT), Answer(BODY, status=503)) as server:
        with pytest.raises(NotReachedError) as caught:
            bring(f"{server.url}/a.zip")
        assert str(caught.value) == (
            f"{server.url}/a.zip: the server answers 503 Service Unavailable, 2 times in a row; "
            "131,072 bytes are kept, and the same command goes on from there"
        )
        assert (tmp_path / "a.zip.part").read_bytes() == BODY[:CUT]
        server.answers = [Answer(BODY)]
        assert bring(f"{server.url}/a.zip") == BODY
        assert server.ranges[-1] == f"bytes={CUT}-"


def test_what_is_whole_is_not_asked_for_again(bring: Bring, tmp_path: Path) -> None:
    """The last process was killed between the last byte and the check."""
    with origin(Answer(BODY, cut=CUT), Answer(status=404)) as server:
        with pytest.raises(NotReachedError):
            bring(f"{server.url}/a.zip")
        (tmp_path / "a.zip.part").write_bytes(BODY)
        assert bring(f"{server.url}/a.zip") == BODY
        assert len(server.asked) == 2


def test_other_addresses_are_other_files(bring: Bring, tmp_path: Path) -> None:
    with origin(Answer(BODY, cut=CUT), Answer(status=404)) as server:
        with pytest.raises(NotReachedError):
            bring(f"{server.url}/a.zip")
        server.answers = [Answer(OTHER)]
        assert bring(f"{server.url}/b/a.zip") == OTHER
        assert server.ranges[-1] is None


NEW = [
    ("no ranges", Answer(BODY, ranges=False), BODY),
    ("another file", Answer(OTHER, tag='"two"'), OTHER),
    ("another file, and If-Range not heeded", Answer(OTHER, tag='"two"', heeds_if_range=False), OTHER),
    ("a part of it is not known", Answer(OTHER, tag=None, heeds_if_range=False), OTHER),
    ("another length", Answer(OTHER + b"x", heeds_if_range=False), OTHER + b"x"),
    ("shorter than what is here", Answer(OTHER[:100], heeds_if_range=False), OTHER[:100]),
    ("empty", Answer(b"", heeds_if_range=False), b""),
]


@pytest.mark.parametrize(("why", "answer", "whole"), NEW, ids=[case[0] for case in NEW])
def test_it_starts_anew_where_the_rest_does_not_fit(
    bring: Bring, heard: Heard, why: str, answer: Answer, whole: bytes
) -> None:
    """Two files are never joined, not even where the server sends a part of another one."""
    with origin(Answer(BODY, cut=CUT), answer) as server:
        assert bring(f"{server.url}/a.zip") == whole
    assert server.ranges[1] == f"bytes={CUT}-"
    assert heard.notes[1].startswith("starting anew and not after 131,072 bytes: the file has changed")


@pytest.mark.parametrize(
    ("tag", "changed", "asked"),
    [
        ('W/"weak"', "Sat, 01 Feb 2020 00:00:00 GMT", "Sat, 01 Feb 2020 00:00:00 GMT"),
        ('W/"weak"', None, None),
        (None, None, None),
    ],
)
def test_without_a_strong_tag_or_a_date_it_starts_anew(
    bring: Bring, tag: str | None, changed: str | None, asked: str | None
) -> None:
    with origin(
        Answer(BODY, tag=tag, changed=changed, cut=CUT), Answer(BODY, tag=tag, changed=changed)
    ) as it:
        assert bring(f"{it.url}/a.zip") == BODY
    assert it.asked[1].get("if-range") == asked
    assert it.ranges[1] == (f"bytes={CUT}-" if asked else None)


def test_what_is_told_to_be_here_is_on_the_disk(bring: Bring, heard: Heard, tmp_path: Path) -> None:
    """Not in a buffer that a killed process takes with it: also the last block, which is a small one."""
    there: list[int] = []
    heard.progress = lambda done, total: there.append(done - size(tmp_path / "a.zip.part"))  # type: ignore
    with origin(Answer(BODY)) as server:
        bring(f"{server.url}/a.zip")
    assert there == [0, 0, 0, 0]


def test_bytes_come_as_they_are(bring: Bring) -> None:
    """Servers that call a .gz file an encoding of what is in it would have it unpacked."""
    with origin(Answer(b"\x1f\x8b packed", headers={"Content-Encoding": "gzip"})) as server:
        assert bring(f"{server.url}/a.zip") == b"\x1f\x8b packed"


def test_a_length_that_nobody_states(bring: Bring, heard: Heard) -> None:
    with origin(Answer(BODY, length=False)) as server:
        assert bring(f"{server.url}/a.zip") == BODY
    assert heard.steps[-1] == (200_000, None)


@pytest.mark.parametrize("state", [b"", b"{", b"[]", b"null", b'{"url": 3}', b"\xff"])
def test_a_damaged_state_is_no_state(bring: Bring, tmp_path: Path, state: bytes) -> None:
    (tmp_path / "a.zip.part").write_bytes(OTHER[:CUT])
    (tmp_path / "state.json").write_bytes(state)
    with origin(Answer(BODY)) as server:
        assert bring(f"{server.url}/a.zip") == BODY


@pytest.mark.parametrize("seed", range(60))
def test_whatever_the_server_does_the_file_is_one_that_it_had(bring: Bring, seed: int) -> None:
    """A server that cuts, forgets ranges, ignores If-Range, changes its file and is busy, at random."""
    random = Random(seed)
    files = [random.randbytes(200_000 + random.choice([0, 1])) for _ in range(3)]
    answers, at = [], 0
    for _ in range(random.randint(1, 12)):
        at = min(2, at + (random.random() < 0.2))
        answers.append(
            Answer(
                files[at],
                tag=random.choice([f'"{at}"', f'"{at}"', f'W/"{at}"', None]),
                cut=random.choice([0, 1, 70_000, 140_000, 199_999]),
                ranges=random.random() < 0.8,
                heeds_if_range=random.random() < 0.7,
                status=random.choice([200, 200, 200, 503]),
            )
        )
    with origin(*answers, Answer(files[at], tag=f'"{at}"')) as server:
        assert bring(f"{server.url}/a.zip", Patience(30.0, 20)) in files


# --------------------------------------------------------------------------- again, and in the end


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504])
def test_a_busy_server_is_asked_again(bring: Bring, heard: Heard, status: int) -> None:
    with origin(Answer(status=status), Answer(BODY)) as server:
        assert bring(f"{server.url}/a.zip") == BODY
    assert len(server.asked) == 2
    assert heard.notes[0].startswith(f"the server answers {status} ")


def test_waits_double_and_a_server_may_ask_for_others(bring: Bring, waits: list[float]) -> None:
    """1, 2, 4 seconds; what Retry-After says, up to a minute; a date there says nothing."""
    asks = [{}, {}, {}, {"Retry-After": "7"}, {"Retry-After": "9000"}, {"Retry-After": "Sat, 01 Feb 2020"}]
    with origin(*(Answer(status=503, headers=it) for it in asks), Answer(BODY)) as server:
        assert bring(f"{server.url}/a.zip", Patience(30.0, 6)) == BODY
    assert waits == [1.0, 2.0, 4.0, 7, 60.0, 32.0]


def test_progress_starts_the_count_of_attempts_again(bring: Bring, waits: list[float]) -> None:
    """One retry, and four attempts: each brought more than ever before."""
    cuts = [Answer(BODY, cut=resumable.CHUNK) for _ in range(3)]
    with origin(*cuts, Answer(BODY)) as server:
        assert bring(f"{server.url}/a.zip") == BODY
    assert len(server.asked) == 4 and waits == [1.0, 1.0, 1.0]


def test_the_same_place_again_and_again_is_no_progress(bring: Bring) -> None:
    with origin(Answer(BODY, ranges=False, cut=CUT)) as server:
        with pytest.raises(NotReachedError) as caught:
            bring(f"{server.url}/a.zip", Patience(30.0, 3))
        assert str(caught.value) == (
            f"{server.url}/a.zip: the connection ended after 131,072 of 200,000 bytes, 4 times in a row; "
            "131,072 bytes are kept, and the same command goes on from there"
        )
        assert len(server.asked) == 4


def test_nothing_is_promised_that_will_not_be_kept(bring: Bring) -> None:
    """Where the server gives nothing to know its file by, the next attempt starts anew."""
    with origin(Answer(BODY, tag=None, cut=CUT)) as server:
        with pytest.raises(NotReachedError) as caught:
            bring(f"{server.url}/a.zip")
        assert str(caught.value) == (
            f"{server.url}/a.zip: the connection ended after 131,072 of 200,000 bytes, 2 times in a row; "
            "check the network, or try again later"
        )


def test_more_than_last_time_but_not_than_ever_is_no_progress(bring: Bring) -> None:
    """A server that cuts off here and there, always from the start, is not asked for ever."""
    cuts = [Answer(BODY, ranges=False, cut=resumable.CHUNK * n) for n in (2, 1, 2, 1, 2, 1)]
    with origin(*cuts, Answer(BODY)) as server:
        with pytest.raises(NotReachedError, match="4 times in a row"):
            bring(f"{server.url}/a.zip", Patience(30.0, 3))
        assert len(server.asked) == 4


def test_a_missing_file_is_not_asked_for_twice(bring: Bring) -> None:
    with origin(Answer(status=404)) as server:
        with pytest.raises(NotReachedError) as caught:
            bring(f"{server.url}/a.zip")
        assert str(caught.value) == f"{server.url}/a.zip: the server answers 404 Not Found; check the address"
        assert len(server.asked) == 1


def test_a_server_that_does_not_answer_in_time(bring: Bring) -> None:
    """The first one counts as never reached: once more is enough."""
    with origin(Answer(BODY, hang=True)) as server:
        with pytest.raises(NotReachedError) as caught:
            bring(f"{server.url}/a.zip", Patience(0.2, 4))
        assert str(caught.value) == (
            f"{server.url}/a.zip: no answer within 0.2 s, 2 times in a row; "
            "check the network, or try again later"
        )


def test_a_server_that_stops_in_the_middle(bring: Bring, heard: Heard) -> None:
    with origin(Answer(BODY, cut=CUT, hang=True), Answer(BODY)) as server:
        assert bring(f"{server.url}/a.zip", Patience(0.5, 20)) == BODY
        assert server.ranges[:2] == [None, f"bytes={CUT}-"]
    assert heard.notes[0] == "no byte within 0.5 s; trying again in 1 s"


def size(path: Path) -> int:
    return path.stat().st_size


def closed_port() -> int:
    with socket.socket() as it:
        it.bind(("127.0.0.1", 0))
        return int(it.getsockname()[1])


def test_without_a_network_there_is_one_more_attempt_and_one_sentence(
    bring: Bring, waits: list[float]
) -> None:
    url = f"http://127.0.0.1:{closed_port()}/a.zip"
    with pytest.raises(NotReachedError) as caught:
        bring(url, Patience(30.0, 4))
    assert str(caught.value) == (
        f"{url}: no connection (Connection refused), 2 times in a row; check the network, or try again later"
    )
    assert waits == [1.0]


def test_without_retries_nothing_is_tried_again(bring: Bring, waits: list[float]) -> None:
    url = f"http://127.0.0.1:{closed_port()}/a.zip"
    with pytest.raises(NotReachedError) as caught:
        bring(url, Patience(30.0, 0))
    assert (
        str(caught.value)
        == f"{url}: no connection (Connection refused); check the network, or try again later"
    )
    assert waits == []


# --------------------------------------------------------------------------- redirects


def moved(to: str, status: int = 302) -> Answer:
    return Answer(status=status, headers={"Location": to})


def test_redirects_are_followed_and_the_rest_is_asked_for_there(bring: Bring) -> None:
    with origin(Answer(BODY, cut=CUT), Answer(BODY)) as store, origin() as front:
        front.answers = [moved(f"{store.url}/kept/7?signed=1", 307)]
        assert bring(f"{front.url}/a.zip") == BODY
        assert store.ranges == [None, f"bytes={CUT}-"]
        assert [it["path"] for it in store.asked] == ["/kept/7?signed=1"] * 2


def test_a_password_does_not_go_along_to_another_server(bring: Bring) -> None:
    with origin(Answer(BODY)) as store, origin() as front:
        front.answers = [moved(f"{store.url}/b.zip")]
        assert bring(front.url.replace("//", "//me:secret@") + "/a.zip") == BODY
    assert "authorization" in front.asked[0] and "authorization" not in store.asked[0]


def test_a_redirect_to_a_file_of_this_machine_is_refused(bring: Bring, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_bytes(b"of this machine")
    with origin(moved(secret.as_uri())) as server:
        with pytest.raises(NotReachedError) as caught:
            bring(f"{server.url}/a.zip")
        assert str(caught.value) == (
            f"{server.url}/a.zip: redirects to {secret.as_uri()!r}, "
            "which is neither http nor https; not followed"
        )
    assert not (tmp_path / "out").exists()


def test_redirects_in_a_circle_end(bring: Bring) -> None:
    with origin(moved("/b.zip")) as server:
        with pytest.raises(NotReachedError) as caught:
            bring(f"{server.url}/a.zip")
        assert str(caught.value) == f"{server.url}/a.zip: more than 10 redirects; check the address"
        assert len(server.asked) == 11


# --------------------------------------------------------------------------- https


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Certificate and key of 127.0.0.1, signed by nobody else."""
    path = tmp_path_factory.mktemp("tls") / "own.pem"
    command = (
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=own"
    )
    names = ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(path), "-out", f"{path}.crt"]
    try:
        subprocess.run([*command.split(), *names], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("needs openssl to make a certificate")
    path.write_text(path.read_text() + Path(f"{path}.crt").read_text())
    return path


def test_a_certificate_that_nobody_vouches_for_is_refused_at_once(bring: Bring, certificate: Path) -> None:
    with origin(Answer(BODY), certificate=certificate) as server:
        with pytest.raises(NotReachedError) as caught:
            bring(f"{server.url}/a.zip")
        assert server.url.startswith("https://") and server.asked == []
    assert str(caught.value).startswith(
        f"{server.url}/a.zip: its certificate does not hold ([SSL: CERTIFICATE_VERIFY_FAILED]"
    )
    assert str(caught.value).endswith("; check the address")


def test_https_is_gone_on_with_and_does_not_lead_to_http(
    bring: Bring, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(certificate))
    with origin(Answer(BODY, cut=CUT), Answer(BODY), certificate=certificate) as server:
        assert bring(f"{server.url}/a.zip") == BODY
        server.answers = [moved("http://127.0.0.1:1/b.zip")]
        with pytest.raises(NotReachedError) as caught:
            bring(f"{server.url}/a.zip")
        assert str(caught.value) == (
            f"{server.url}/a.zip: redirects to 'http://127.0.0.1:1/b.zip', from https to http; not followed"
        )


# --------------------------------------------------------------------------- disk and files of this machine

Usage = namedtuple("Usage", "total used free")


def only_free(monkeypatch: pytest.MonkeyPatch, free: int) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(0, 0, free))


@pytest.mark.parametrize("local", [False, True])
def test_a_file_that_does_not_fit_is_not_begun(
    bring: Bring, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, local: bool
) -> None:
    only_free(monkeypatch, 199_999)
    (tmp_path / "b.zip").write_bytes(BODY)
    with origin(Answer(BODY)) as server, pytest.raises(DataError) as caught:
        bring((tmp_path / "b.zip").as_uri() if local else f"{server.url}/a.zip")
    assert str(caught.value) == (
        f"{tmp_path}: 200,000 bytes are to come and 199,999 are free there; "
        "free some space or choose another folder"
    )
    assert not (tmp_path / "a.zip.part").exists()


def test_only_the_rest_must_fit(bring: Bring, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with origin(Answer(BODY, cut=CUT), Answer(status=404)) as server:
        with pytest.raises(NotReachedError):
            bring(f"{server.url}/a.zip")
        server.answers = [Answer(BODY)]
        only_free(monkeypatch, 200_000 - CUT - 1)
        with pytest.raises(DataError, match="68,928 bytes are to come and 68,927 are free there"):
            bring(f"{server.url}/a.zip")
        assert (tmp_path / "a.zip.part").stat().st_size == CUT
        only_free(monkeypatch, 200_000 - CUT)
        assert bring(f"{server.url}/a.zip") == BODY


def test_a_file_of_this_machine_is_copied(bring: Bring, tmp_path: Path) -> None:
    source = tmp_path / "with blank.zip"
    source.write_bytes(BODY)
    assert bring(source.as_uri()) == BODY
    assert source.read_bytes() == BODY


def test_a_copy_that_was_cut_short_is_no_part_of_what_came_from_a_server(
    bring: Bring, heard: Heard, tmp_path: Path
) -> None:
    """First from the server, then from a disk, then from the server again: the last one begins anew."""

    def interrupt(done: int, total: int | None) -> None:
        raise KeyboardInterrupt

    (tmp_path / "b.zip").write_bytes(OTHER)
    with origin(Answer(BODY, cut=CUT), Answer(status=404)) as server:
        with pytest.raises(NotReachedError):
            bring(f"{server.url}/a.zip")
        heard.progress = interrupt  # type: ignore[method-assign]
        with pytest.raises(KeyboardInterrupt):
            bring((tmp_path / "b.zip").as_uri())
        del heard.progress
        server.answers = [Answer(BODY)]
        assert bring(f"{server.url}/a.zip") == BODY


def test_a_file_of_this_machine_that_is_not_there_or_is_none(bring: Bring, tmp_path: Path) -> None:
    for path in (tmp_path / "b.zip", tmp_path):
        with pytest.raises(NotReachedError) as caught:
            bring(path.as_uri())
        assert str(caught.value) == f"{path.as_uri()}: there is no such file; check the address"


def test_where_links_are_unknown_the_file_is_moved(
    bring: Bring, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: Path, target: Path) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(Path, "hardlink_to", refuse)
    with origin(Answer(BODY)) as server:
        assert bring(f"{server.url}/a.zip") == BODY
