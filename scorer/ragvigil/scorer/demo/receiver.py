"""The on-call channel of the demo: a webhook receiver that believes only rightly signed pages.

Signatures as Standard Webhooks writes them: HMAC-SHA256 over ``id.timestamp.body``, base64, ``v1,`` in front.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import logging
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import SimpleQueue
from types import TracebackType
from typing import Any, cast

_LOG = logging.getLogger(__name__)

_TOLERANCE_SECONDS = 300
_MOST_BYTES = 2**20
_TIMEOUT_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Page:
    """One page as it arrived."""

    id: str
    """The webhook-id: the same on every attempt to deliver it."""
    received_at: float
    """Unix time, seconds."""
    payload: Mapping[str, Any]


def is_signed(headers: Mapping[str, str], body: bytes, *, secret: str, now: float) -> bool:
    """Whether `body` was signed with `secret` within five minutes of `now`.

    >>> is_signed({"webhook-id": "1", "webhook-timestamp": "0", "webhook-signature": "v1,AA=="}, b"{}",
    ...           secret="whsec_AAAA", now=0.0)
    False
    """
    identity, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not identity or not timestamp.isdecimal() or abs(now - int(timestamp)) > _TOLERANCE_SECONDS:
        return False
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error:
        return False
    signed = b".".join((identity.encode(), timestamp.encode(), body))
    wanted = "v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()
    given = headers.get("webhook-signature", "").split()
    return any(hmac.compare_digest(wanted.encode(), signature.encode()) for signature in given)


class Receiver:
    """A running receiver, a context manager; `pages` holds what arrived, each page once."""

    def __init__(self, secret: str, *, clock: Callable[[], float] = time.time) -> None:
        """Listen on a free loopback port for pages signed with `secret` (``whsec_…``)."""
        self.pages: SimpleQueue[Page] = SimpleQueue()
        self.refused = 0
        self._secret = secret
        self._clock = clock
        self._seen: set[str] = set()
        self._lock = threading.Lock()
        receiver = self

        class Request(_Request):
            take = receiver.take

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Request)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    @property
    def url(self) -> str:
        """Where to POST."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/pages"

    def __enter__(self) -> Receiver:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def take(self, headers: Mapping[str, str], body: bytes) -> HTTPStatus:
        """Keep one page that is rightly signed; the status that answers it."""
        now = self._clock()
        if not is_signed(headers, body, secret=self._secret, now=now):
            return self._refuse(HTTPStatus.UNAUTHORIZED)
        try:
            payload: object = json.loads(body)
        except ValueError:
            return self._refuse(HTTPStatus.BAD_REQUEST)
        if not isinstance(payload, dict):
            return self._refuse(HTTPStatus.BAD_REQUEST)
        identity = headers["webhook-id"]
        with self._lock:
            if identity not in self._seen:
                self._seen.add(identity)
                self.pages.put(Page(identity, now, cast("dict[str, Any]", payload)))
        return HTTPStatus.NO_CONTENT

    def _refuse(self, status: HTTPStatus) -> HTTPStatus:
        with self._lock:
            self.refused += 1
        return status


class _Request(BaseHTTPRequestHandler):
    """One request: reads a bounded body and lets the receiver decide."""

    take: Callable[[Mapping[str, str], bytes], HTTPStatus]
    timeout = _TIMEOUT_SECONDS

    def do_POST(self) -> None:
        """Answer a page: 204, or 401, 400, 413 for what is no page."""
        length = self.headers.get("content-length", "")
        if not length.isdecimal() or int(length) > _MOST_BYTES:
            self._answer(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
            return
        headers = {name.lower(): value for name, value in self.headers.items()}
        self._answer(self.take(headers, self.rfile.read(int(length))))

    def _answer(self, status: HTTPStatus) -> None:
        self.send_response(status)
        self.send_header("content-length", "0")
        self.send_header("connection", "close")
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class named it
        """Log through the logger of this module instead of standard error."""
        _LOG.debug(format, *args)
