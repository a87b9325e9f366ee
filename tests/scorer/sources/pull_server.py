"""A backend that answers over HTTP what a test gives it, and a pull from it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import cast
from urllib.parse import parse_qs, urlsplit

from ragvigil.scorer.sources.pull.fetch import Fetch
from ragvigil.scorer.sources.pull.history import Wanted
from ragvigil.scorer.sources.pull.lines import Pulled
from ragvigil.scorer.sources.pull.otlp import mapping, objects
from ragvigil.scorer.sources.pull.run import client_of, history_of, pull_to_file

RECORDED = Path(__file__).parents[2] / "fixtures" / "pull"
WANTED = Wanted(since=0, until=2**62)
Parameters = dict[str, list[str]]


class Backend(ThreadingHTTPServer):
    """Serves what a test puts into `answers`, by path; a list is given one a request."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answering)
        self.answers: dict[str, object] = {}
        self.refusals: list[tuple[int, dict[str, str]]] = []
        self.asked: list[tuple[str, Parameters]] = []
        self.authorization: str | None = None
        self.fails_at: list[str] | None = None
        self.meanwhile: Callable[[int], object] = lambda _: None
        """What happens there before it answers the first, second, … request."""

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.server_port}"

    def answer(self, path: str, parameters: Parameters) -> object | None:
        """The JSON value for a question."""
        found = self.answers.get(path)
        if path.endswith("/spans/otlpv1"):
            return paged(objects(mapping(found).get("data")), parameters) if found else None
        return cast("list[object]", found).pop(0) if isinstance(found, list) else found


class Answering(BaseHTTPRequestHandler):
    """One request."""

    def do_GET(self) -> None:
        """Refuse as often as planned, then answer."""
        backend = self.server
        assert isinstance(backend, Backend)
        parts = urlsplit(self.path)
        backend.authorization = self.headers.get("authorization")
        self.rfile.read(int(self.headers.get("content-length", 0)))
        backend.asked.append((parts.path, parse_qs(parts.query)))
        backend.meanwhile(len(backend.asked))
        if backend.fails_at and parse_qs(parts.query).get("cursor") == backend.fails_at:
            return self.reply(403, {"error": "no more"}, {})
        if backend.refusals:
            status, headers = backend.refusals.pop(0)
            return self.reply(status, {"error": "not now"}, headers)
        answer = backend.answer(parts.path, parse_qs(parts.query))
        return self.reply(404 if answer is None else 200, answer, {})

    do_POST = do_GET  # noqa: N815 - the name is the protocol's

    def reply(self, status: int, value: object, headers: dict[str, str]) -> None:
        """Send JSON."""
        body = json.dumps(value).encode()
        self.send_response(status)
        for key, one in {**headers, "content-length": str(len(body))}.items():
            self.send_header(key, one)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it
        """Say nothing."""


def paged(spans: Sequence[object], parameters: Parameters) -> dict[str, object]:
    """Three at a time, as Phoenix with a small limit: a cursor is a span, and what comes later stands above it."""
    start = len(spans) - int(parameters.get("cursor", [str(len(spans))])[0])
    left = len(spans) - start - 3
    return {"data": spans[start : start + 3], "next_cursor": str(left) if left > 0 else None}


def recorded(name: str) -> object:
    """A recorded answer."""
    value: object = json.loads((RECORDED / name).read_text())
    return value


def pulled(
    backend: Backend, source: str, path: Path, slept: list[float] | None = None, wanted: Wanted = WANTED
) -> Pulled:
    """Pull into `path`; waiting is only noted."""
    history, pauses = history_of(source), slept if slept is not None else []
    with client_of(history, backend.url) as client:
        return pull_to_file(history, Fetch(client, sleep=pauses.append), wanted, path)
