"""One bounded, silent request, and what its answer means for delivery."""

from __future__ import annotations

import asyncio
import email.utils
import json
import logging
import math
import os
import socket
import time
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Literal, cast

from ragvigil.exporters._addresses import is_address, is_loopback
from ragvigil.exporters._alert import Outcome

INSTALL = "httpx is not installed; run: pip install 'ragvigil[scorer]'"

_ADDRESS = "url must look like https://host/path"
LONGEST_RETRY_AFTER_SECONDS = 300.0

HOPELESS = frozenset({413})
"""Answers that end the tries for a page: too large, which nobody but its own text causes. Everything else is tried
again, for services say 400 and 422 of a wrong key, too, and a page lost to one is worse than a request every few
minutes."""

REFUSED = HOPELESS | {400, 422}
"""Answers that end the tries for scores, of which the next ones wait behind: malformed and invalid ones, too."""

_posting: ContextVar[bool] = ContextVar("ragvigil_posting", default=False)


def _not_while_posting(record: logging.LogRecord) -> bool:
    """Whether httpx may log: not while a message is sent, for it logs the address, which may hold a secret."""
    return record.levelno >= logging.WARNING or not _posting.get()


def check_address(url: str) -> None:
    """Raises ValueError when `url` is no http or https address."""
    if not is_address(url):
        raise ValueError(_ADDRESS)


@dataclass(frozen=True, slots=True)
class Answer:
    """What the service said."""

    status: int
    retry_after: float | None
    body: bytes

    def json(self) -> Mapping[str, object]:
        """The body as a JSON object; an empty one when it is none."""
        try:
            value = json.loads(self.body)
        except (ValueError, RecursionError):
            return {}
        return cast("Mapping[str, object]", value) if isinstance(value, dict) else {}


class Post:
    """Sends bodies to one service: no redirects, a bounded answer, an end to every wait."""

    def __init__(self, url: str, *, timeout_seconds: float) -> None:
        """Raises ImportError without httpx, and ValueError when `url` is no http or https address."""
        try:
            import httpx
        except ImportError:
            raise ImportError(INSTALL) from None
        check_address(url)
        try:
            self._url = httpx.URL(url)
        except httpx.InvalidURL:
            raise ValueError(_ADDRESS) from None
        self._httpx = httpx
        self._verify = httpx.create_ssl_context() if self._url.scheme == "https" else False
        # A proxy of the environment cannot reach this machine's own loopback.
        self._use_environment = not is_loopback(url)
        self._timeout_seconds = timeout_seconds
        logging.getLogger("httpx").addFilter(_not_while_posting)

    @property
    def host(self) -> str:
        """The host alone: path and query of a webhook address may be secrets."""
        return self._url.host

    @property
    def _place(self) -> str:
        port = self._url.port
        return self.host if port is None else f"{self.host}:{port}"

    async def send(
        self, body: bytes, headers: Mapping[str, str], *, hopeless: frozenset[int] = HOPELESS
    ) -> Outcome:
        """The outcome of one POST of JSON; a status in `hopeless` will never take this message."""
        answer = await self.exchange(body, headers)
        return answer if isinstance(answer, Outcome) else outcome_of(answer, hopeless=hopeless)

    async def exchange(
        self,
        body: bytes,
        headers: Mapping[str, str],
        *,
        method: Literal["POST", "PATCH"] = "POST",
        url: str | None = None,
        most_bytes: int = 0,
    ) -> Answer | Outcome:
        """What the service answers, with at most `most_bytes` of its body; an outcome when it did not answer.

        `url` is another address of the same service.
        """
        quiet = _posting.set(True)
        try:
            async with asyncio.timeout(self._timeout_seconds):
                return await self._exchange(method, url, body, headers, most_bytes)
        except (TimeoutError, self._httpx.TimeoutException):
            detail = f"{self._place}: no answer in {self._timeout_seconds:g} s"
            return Outcome(delivered=False, retry=True, reason="timeout", detail=detail)
        except self._httpx.NetworkError as error:
            detail = hindered(self._place, error)
            return Outcome(delivered=False, retry=True, reason=_hindrance(error), detail=detail)
        except self._httpx.HTTPError:
            detail = f"{self._place}: what answers there speaks no HTTP"
            return Outcome(delivered=False, retry=True, reason="protocol_error", detail=detail)
        finally:
            _posting.reset(quiet)

    async def _exchange(
        self, method: str, url: str | None, body: bytes, headers: Mapping[str, str], most_bytes: int
    ) -> Answer:
        # No compression: a small answer must not grow large here.
        sent = {
            "content-type": "application/json",
            "user-agent": "ragvigil",
            "accept-encoding": "identity",
            **headers,
        }
        client = self._httpx.AsyncClient(
            follow_redirects=False,
            timeout=self._timeout_seconds,
            verify=self._verify,
            trust_env=self._use_environment,
        )
        async with client, client.stream(method, url or self._url, content=body, headers=sent) as response:
            said = bytearray()
            if most_bytes:
                async for chunk in response.aiter_raw():
                    said += chunk
                    if len(said) >= most_bytes:
                        break
            wait = retry_after(response.headers.get("retry-after"), now=time.time())
            return Answer(response.status_code, wait, bytes(said[:most_bytes]))


def outcome_of(
    answer: Answer, *, hopeless: frozenset[int] = HOPELESS, reference: str | None = None
) -> Outcome:
    """What a status means: 2xx is delivered, one in `hopeless` never will be, everything else is tried again."""
    if 200 <= answer.status < 300:
        return Outcome(delivered=True, reference=reference)
    if answer.status in hopeless:
        return Outcome(delivered=False, retry=False, reason=f"http_{answer.status}")
    return Outcome(
        delivered=False, retry=True, reason=f"http_{answer.status}", retry_after=answer.retry_after
    )


def retry_after(
    header: str | None, *, now: float, longest: float = LONGEST_RETRY_AFTER_SECONDS
) -> float | None:
    """Seconds that a Retry-After header asks to wait, at most `longest`; None when it says nothing usable.

    >>> retry_after("120", now=0.0), retry_after("Thu, 01 Jan 1970 00:01:00 GMT", now=0.0)
    (120.0, 60.0)
    >>> retry_after("soon", now=0.0) is None
    True
    """
    if header is None:
        return None
    try:
        seconds = float(header)
    except ValueError:
        try:
            seconds = email.utils.parsedate_to_datetime(header).timestamp() - now
        except (ValueError, OverflowError):
            return None
    return min(max(seconds, 0.0), longest) if math.isfinite(seconds) else None


def _hindrance(error: BaseException) -> str:
    """What kept a request from its service: a name that leads nowhere, a certificate, or anything else on the way.

    >>> import ssl
    >>> _hindrance(socket.gaierror()), _hindrance(ssl.SSLError()), _hindrance(ConnectionRefusedError())
    ('unknown_host', 'tls_error', 'unreachable')
    """
    import ssl  # comes with httpx, and not before

    for cause in _causes(error):
        if isinstance(cause, socket.gaierror):
            return "unknown_host"
        if isinstance(cause, ssl.SSLError):
            return "tls_error"
    return "unreachable"


def hindered(place: str, error: BaseException) -> str:
    """The same for people, with the place (host and port) and what the system said; nothing of the address else.

    >>> hindered("ops.example.com", ConnectionRefusedError())
    'ops.example.com: connection refused, nothing listens there'
    """
    import ssl

    for cause in _causes(error):
        if isinstance(cause, socket.gaierror):
            return f"{place}: unknown host"
        if isinstance(cause, ssl.SSLCertVerificationError):
            return f"{place}: TLS, {cause.verify_message}"
        if isinstance(cause, ssl.SSLError):
            return f"{place}: TLS, {(cause.reason or 'no handshake').replace('_', ' ').lower()}"
        if isinstance(cause, ConnectionRefusedError):
            return f"{place}: connection refused, nothing listens there"
        if isinstance(cause, OSError) and cause.errno:
            return f"{place}: {os.strerror(cause.errno).lower()}"
    return f"{place}: no connection"


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """An error and what it came of; of several tries at once, the first."""
    while error is not None:
        yield error
        if isinstance(error, BaseExceptionGroup):
            error = cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
        else:
            error = error.__cause__ or error.__context__
