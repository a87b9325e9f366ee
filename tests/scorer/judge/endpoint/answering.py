"""A server of a judge's model that answers as a test says, on a port of its own."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from ragvigil.scorer.judge.endpoint import Question

QUESTION = Question("Judge.", "data", {"type": "object"}, 100)
Json = dict[str, object]


def said(text: str, **more: object) -> Json:
    """A completion."""
    choice: Json = {"message": {"content": text}, "finish_reason": "stop", **more}
    return {"model": "m-2026", "choices": [choice], "usage": {"prompt_tokens": 7, "completion_tokens": 3}}


class Told(BaseHTTPRequestHandler):
    """Answers with a status and a body, and says nothing on standard error."""

    def tell(self, status: int, told: object, headers: Mapping[str, str]) -> None:
        """Send bytes as they are, all else as JSON."""
        content = told if isinstance(told, bytes) else json.dumps(told).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as http.server calls it
        """Silent."""


@contextmanager
def listening(handler: type[Told]) -> Generator[str]:
    """The URL of a server on a port of its own that handles requests so."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def server(
    answer: Callable[[Json], tuple[int, object]],
    *,
    headers: Mapping[str, str] | None = None,
    asked_with: list[Mapping[str, str]] | None = None,
) -> Generator[str]:
    """A server that answers each request body with a status, a body and `headers`, and notes what it is asked with."""

    class Handler(Told):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            if asked_with is not None:
                asked_with.append(dict(self.headers.items()))
            self.tell(*answer(body), headers or {})

    with listening(Handler) as url:
        yield url
