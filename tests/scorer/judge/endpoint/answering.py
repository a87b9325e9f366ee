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


@contextmanager
def server(
    answer: Callable[[Json], tuple[int, object]],
    *,
    headers: Mapping[str, str] | None = None,
    asked_with: list[Mapping[str, str]] | None = None,
) -> Generator[str]:
    """A server that answers each request body with a status, a body and `headers`, and notes what it is asked with."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            if asked_with is not None:
                asked_with.append(dict(self.headers.items()))
            status, told = answer(body)
            content = told if isinstance(told, bytes) else json.dumps(told).encode()
            self.send_response(status)
            for name, value in (headers or {}).items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as http.server calls it
            """Silent."""

    listening = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=listening.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{listening.server_address[1]}/v1"
    finally:
        listening.shutdown()
        listening.server_close()
