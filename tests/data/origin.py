"""A server on this machine that answers as it is told, for downloads that go well and others."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread


@dataclass(frozen=True)
class Answer:
    """How one request is answered."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    tag: str | None = '"one"'
    cut: int | None = None
    """The connection ends after so many bytes of the body."""
    hang: bool = False
    """Nothing comes until the test lets go."""


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
def origin(*answers: Answer) -> Iterator[Origin]:
    """A server, for as long as the block lasts."""

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
    it = Origin(f"http://127.0.0.1:{server.server_port}", list(answers))
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
    if answer.hang:
        let_go.wait(30)
    status, body, extra = answer.status, answer.body, dict(answer.headers)
    asked = re.fullmatch(r"bytes=(\d+)-", handler.headers.get("Range", ""))
    if asked and handler.headers.get("If-Range") in (None, answer.tag):  # RFC 9110, 13.1.5 and 14.2
        start = int(asked[1])
        status, extra["Content-Range"] = 206, f"bytes {start}-{len(body) - 1}/{len(body)}"
        body = body[start:]
    handler.send_response(status)
    extra |= {"Connection": "close", "Content-Length": str(len(body))}
    for name, value in (extra | ({"ETag": answer.tag} if answer.tag else {})).items():
        handler.send_header(name, value)
    handler.end_headers()
    with suppress(OSError):  # who asked has gone
        handler.wfile.write(body[: answer.cut])
