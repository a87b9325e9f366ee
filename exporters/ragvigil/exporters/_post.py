"""One bounded, silent POST, and what its answer means for delivery."""

from __future__ import annotations

import asyncio
import email.utils
import logging
import math
import time
from collections.abc import Mapping
from contextvars import ContextVar
from urllib.parse import urlsplit

from ragvigil.exporters._addresses import is_loopback
from ragvigil.exporters._alert import Outcome

INSTALL = "httpx is not installed; run: pip install 'ragvigil[scorer]'"

_ADDRESS = "url must look like https://host/path"
_LONGEST_RETRY_AFTER_SECONDS = 3600.0

_posting: ContextVar[bool] = ContextVar("ragvigil_posting", default=False)


def _not_while_posting(record: logging.LogRecord) -> bool:
    """Whether httpx may log: not while a message is sent, for it logs the address, which may hold a secret."""
    return record.levelno >= logging.WARNING or not _posting.get()


def check_address(url: str) -> None:
    """Raises ValueError when `url` is no http or https address."""
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        usable = False
    if not usable:
        raise ValueError(_ADDRESS)


class Post:
    """Sends bodies to one address: no redirects, no response body, an end to every wait."""

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

    async def send(self, body: bytes, headers: Mapping[str, str], *, hopeless: frozenset[int]) -> Outcome:
        """The outcome of one POST of JSON; a status in `hopeless` will never take this message."""
        quiet = _posting.set(True)
        try:
            async with asyncio.timeout(self._timeout_seconds):
                return await self._send(body, headers, hopeless)
        except (TimeoutError, self._httpx.TimeoutException):
            return Outcome(delivered=False, retry=True, reason="timeout")
        except self._httpx.NetworkError:
            return Outcome(delivered=False, retry=True, reason="unreachable")
        except self._httpx.HTTPError:
            return Outcome(delivered=False, retry=True, reason="protocol_error")
        finally:
            _posting.reset(quiet)

    async def _send(self, body: bytes, headers: Mapping[str, str], hopeless: frozenset[int]) -> Outcome:
        sent = {"content-type": "application/json", "user-agent": "ragvigil", **headers}
        client = self._httpx.AsyncClient(
            follow_redirects=False,
            timeout=self._timeout_seconds,
            verify=self._verify,
            trust_env=self._use_environment,
        )
        async with client, client.stream("POST", self._url, content=body, headers=sent) as response:
            if response.is_success:
                return Outcome(delivered=True)
            status = response.status_code
            if status in hopeless:
                return Outcome(delivered=False, retry=False, reason=f"http_{status}")
            wait = retry_after(response.headers.get("retry-after"), now=time.time())
            return Outcome(delivered=False, retry=True, reason=f"http_{status}", retry_after=wait)


def retry_after(header: str | None, *, now: float) -> float | None:
    """Seconds that a Retry-After header asks to wait, at most an hour; None when it says nothing usable.

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
    return min(max(seconds, 0.0), _LONGEST_RETRY_AFTER_SECONDS) if math.isfinite(seconds) else None
