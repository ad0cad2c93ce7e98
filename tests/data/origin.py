"""A server on this machine that answers as it is told, for downloads that go well and others."""

from __future__ import annotations

import re
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread


@dataclass(frozen=True)
class Answer:
    """How one request is answered."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    tag: str | None = '"one"'
    changed: str | None = None
    """`Last-Modified`."""
    cut: int | None = None
    """The connection ends after so many bytes of the body."""
    hang: bool = False
    """Nothing more comes, after `cut` bytes or before the status, until the test lets go."""
    ranges: bool = True
    heeds_if_range: bool = True
    length: bool = True
    """Whether Content-Length is there; else the end of the connection is the end."""


@dataclass
class Origin:
    """Answers in turn, the last one ever after; and what was asked."""

    url: str
    answers: list[Answer] = field(default_factory=list)
    asked: list[dict[str, str]] = field(default_factory=list)
    """The headers of each request, in small letters, and its `path`."""
    let_go: Event = field(default_factory=Event)

    def next(self) -> Answer:
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]

    @property
    def ranges(self) -> list[str | None]:
        """What of the file was asked for, request by request."""
        return [it.get("range") for it in self.asked]


@contextmanager
def origin(*answers: Answer, certificate: Path | None = None) -> Iterator[Origin]:
    """A server, for as long as the block lasts; with https if there is a file of certificate and key."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            it.asked.append({"path": self.path, **headers})
            _send(self, it.next(), it.let_go)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    it = Origin(f"http{'s' if certificate else ''}://127.0.0.1:{server.server_port}", list(answers))
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield it
    finally:
        it.let_go.set()
        server.shutdown()
        thread.join()
        server.server_close()


def _send(handler: BaseHTTPRequestHandler, answer: Answer, let_go: Event) -> None:
    handler.close_connection = True
    if answer.hang and answer.cut is None:
        let_go.wait(30)
    status, body, extra = _part(handler, answer)
    handler.send_response(status)
    handler.send_header("Connection", "close")
    for name, value in {**extra, **_about(answer), **answer.headers}.items():
        handler.send_header(name, value)
    if answer.length:
        handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    try:
        cut = len(body) if answer.cut is None else answer.cut
        handler.wfile.write(body[:cut])
        handler.wfile.flush()
        if answer.hang and answer.cut is not None:
            let_go.wait(30)
            handler.wfile.write(body[cut:])
    except OSError:
        pass  # who asked has gone


def _about(answer: Answer) -> dict[str, str]:
    named = {"ETag": answer.tag, "Last-Modified": answer.changed}
    return {name: value for name, value in named.items() if value is not None}


def _part(handler: BaseHTTPRequestHandler, answer: Answer) -> tuple[int, bytes, dict[str, str]]:
    """As RFC 9110, 14.2 and 13.1.5, say, but for what the answer does not heed."""
    asked = re.fullmatch(r"bytes=(\d+)-", handler.headers.get("Range", ""))
    wanted, size = handler.headers.get("If-Range"), len(answer.body)
    same = wanted in (None, answer.tag, answer.changed) or not answer.heeds_if_range
    if answer.status != 200 or not asked or not answer.ranges or not same:
        return answer.status, answer.body, {}
    start = int(asked[1])
    if start >= size:
        return 416, b"", {"Content-Range": f"bytes */{size}"}
    return 206, answer.body[start:], {"Content-Range": f"bytes {start}-{size - 1}/{size}"}
