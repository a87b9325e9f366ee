"""A real HTTP server that stands for an on-call service, and an alert to send to it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.message import Message
from email.parser import BytesParser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import cast

import pytest

from ragvigil.exporters import Alert, Example, Measurement


@dataclass
class Received:
    """One request as it arrived."""

    path: str
    headers: dict[str, str]
    body: bytes
    method: str = "POST"

    def said(self) -> bytes:
        """The JSON that it carries: the whole body, or of a form the part that Discord reads."""
        return self.parts().get("payload_json", self.body)

    def parts(self) -> dict[str, bytes]:
        """The parts of a form by name; none of another body."""
        kind = self.headers.get("content-type", "")
        if not kind.startswith("multipart/form-data"):
            return {}
        form = BytesParser().parsebytes(f"Content-Type: {kind}\r\n\r\n".encode() + self.body)
        parts = cast("list[Message]", form.get_payload())
        return {
            str(part.get_param("name", header="content-disposition")): cast(
                "bytes", part.get_payload(decode=True)
            )
            for part in parts
        }


@dataclass
class Service:
    """What the server answers, and what it received."""

    url: str = ""
    base: str = ""
    status: int = 202
    headers: dict[str, str] = field(default_factory=dict[str, str])
    body: bytes = b'{"status": "success"}'
    script: list[tuple[int, bytes]] = field(default_factory=list[tuple[int, bytes]])
    """Answers to the next requests, before `status` and `body` are those to all."""
    hang: bool = False
    released: threading.Event = field(default_factory=threading.Event)
    received: list[Received] = field(default_factory=list[Received])
    arrived: Callable[[], object] = lambda: None
    """Called with each request, before it is answered."""


@contextmanager
def serving(port: int = 0) -> Generator[Service, None, None]:
    """A service on a loopback port; 0: on a free one."""
    state = Service()

    class Request(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers.get("content-length", "0"))
            body = self.rfile.read(length)
            if len(body) < length:  # whoever sent it was killed meanwhile
                self.close_connection = True
                return
            names = {name.lower(): value for name, value in self.headers.items()}
            state.received.append(Received(self.path, names, body, self.command))
            state.arrived()
            if state.hang:
                state.released.wait(30)
                return
            status, said = state.script.pop(0) if state.script else (state.status, state.body)
            self.send_response(status)
            for name, value in {**state.headers, "content-length": str(len(said))}.items():
                self.send_header(name, value)
            self.end_headers()
            with suppress(ConnectionError):  # a client need not read to the end
                self.wfile.write(said)

        do_GET = do_PATCH = do_POST  # noqa: N815 - the base class looks them up under these names

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class named it
            """Keep the test output clean."""

    server = ThreadingHTTPServer(("127.0.0.1", port), Request)
    server.daemon_threads = True
    state.base = f"http://127.0.0.1:{server.server_address[1]}"
    state.url = f"{state.base}/hooks/hush-hush"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield state
    finally:
        state.released.set()
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def service() -> Iterator[Service]:
    """The same, for one test."""
    with serving() as state:
        yield state


@pytest.fixture
def alert() -> Alert:
    """A fall of citation correctness."""
    return Alert(
        incident_id="inc-0123456789abcdef",
        dedup_key="ragvigil/production/help-desk/citation/20260301T030000Z",
        action="trigger",
        severity="critical",
        series="citation",
        service="help-desk",
        environment="production",
        title="Citation correctness of help-desk fell from 95.0 % to 50.0 %",
        summary="Now: 50.0 %.\nBefore: 95.0 %.",
        before=Measurement(0.95, 0.944, 0.955, 5_520),
        now=Measurement(0.5, 0.393, 0.607, 80),
        since=datetime(2026, 3, 1, 3, 0, tzinfo=UTC),
        at=datetime(2026, 3, 1, 3, 2, 0, 250, tzinfo=UTC),
        segment={"service": "help-desk"},
        examples=(
            Example("ab" * 16, "How?", "Press both [9].", "cites doc-9", "https://tempo.example.com/trace/1"),
            Example("cd" * 16, None, None, "cites nothing"),
        ),
        link="https://rag.example.com/incidents/inc-0123456789abcdef",
    )
