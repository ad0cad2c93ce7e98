"""A server on this machine that answers as it is told, for downloads that go well and others."""

from __future__ import annotations

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
    cut: int | None = None  # The connection ends after so many bytes of the body
    hang: bool = False  # Nothing comes until the test lets go


@dataclass
class Origin:
    """Answers in turn, the last one ever after; and what was asked."""

    url: str
    answers: list[Answer] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)  # The path of each request
    let_go: Event = field(default_factory=Event)

    def next(self) -> Answer:
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


@contextmanager
def origin(*answers: Answer) -> Iterator[Origin]:
    """A server, for as long as the block lasts."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            it.asked.append(self.path)
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
    handler.send_response(answer.status)
    handler.send_header("Connection", "close")
    handler.send_header("Content-Length", str(len(answer.body)))
    handler.end_headers()
    with suppress(OSError):  # who asked has gone
        handler.wfile.write(answer.body[: answer.cut])
