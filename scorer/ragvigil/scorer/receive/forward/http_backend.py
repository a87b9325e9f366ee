"""A backend that takes OTLP over HTTP: the body as it arrived, in its own encoding."""

from __future__ import annotations

import asyncio
import gzip
import logging
import time

import httpx
from google.protobuf.json_format import ParseError
from google.protobuf.message import DecodeError

from ragvigil.exporters import is_loopback, retry_after
from ragvigil.scorer.receive.answers import CONTENT_TYPES
from ragvigil.scorer.receive.forward import advice
from ragvigil.scorer.receive.forward.headers import Headers
from ragvigil.scorer.receive.forward.item import Answer, Item, Received
from ragvigil.scorer.receive.forward.partial import partial_success
from ragvigil.scorer.receive.forward.tls import authority
from ragvigil.scorer.receive.settings import ForwardTo

_RETRYABLE = frozenset({429, 502, 503, 504})
"""As the OTLP specification has it."""
_LONGEST_ANSWER = 2**20
_LARGE = 2**14
_LEVEL = 1
"""Of gzip: a quarter of the default's time for nine tenths of its effect on telemetry."""


class HttpBackend:
    """One address; /v1/traces, /v1/logs and /v1/metrics are appended."""

    def __init__(self, name: str, settings: ForwardTo, headers: Headers) -> None:
        """Raises ConfigError for an authority that cannot be read."""
        self._url = settings.url
        self._timeout_seconds = settings.timeout_seconds
        self._compress = settings.compression == "gzip"
        self._headers = headers
        secure = settings.url.startswith("https:")
        logging.getLogger("httpx").setLevel(logging.WARNING)  # it tells every request
        self._client = httpx.AsyncClient(
            timeout=settings.timeout_seconds,
            verify=authority(name, settings.ca_file) if secure else False,
            trust_env=not is_loopback(settings.url),
            follow_redirects=False,
        )

    def form(self, received: Received) -> Item:
        """As it arrived."""
        headers = self._headers.of(received.headers)
        body = received.body if received.gzipped else received.plain
        return Item(received.signal, body, received.encoding, received.gzipped, headers)

    async def send(self, item: Item) -> Answer:
        """One POST."""
        try:
            async with asyncio.timeout(self._timeout_seconds):
                return await self._post(item)
        except (TimeoutError, httpx.TimeoutException):
            return Answer(taken=False, reason="timeout", retry=True, advice=advice.LATE)
        except httpx.NetworkError as error:
            return Answer(taken=False, reason="unreachable", retry=True, advice=advice.of_error(error))
        except httpx.HTTPError:
            return Answer(taken=False, reason="protocol_error", retry=True, advice=advice.BROKEN)

    async def close(self) -> None:
        """Let go of connections."""
        await self._client.aclose()

    async def _post(self, item: Item) -> Answer:
        body, gzipped = await self._compressed(item)
        headers = {
            "user-agent": "ragvigil",
            **item.headers,
            "content-type": CONTENT_TYPES[item.encoding],
            "accept-encoding": "identity",
            **({"content-encoding": "gzip"} if gzipped else {}),
        }
        url = f"{self._url}/v1/{item.signal}"
        async with self._client.stream("POST", url, content=body, headers=headers) as response:
            status = response.status_code
            if response.is_success:
                return _taken(await _beginning(response), item)
            wait = retry_after(response.headers.get("retry-after"), now=time.time())
            return Answer(
                taken=False,
                reason=f"http_{status}",
                retry=status in _RETRYABLE,
                wait_seconds=wait,
                advice=advice.of_status(status, url, response.headers.get("location")),
            )

    async def _compressed(self, item: Item) -> tuple[bytes, bool]:
        if item.gzipped or not self._compress:
            return item.body, item.gzipped
        if len(item.body) > _LARGE:
            return await asyncio.to_thread(gzip.compress, item.body, _LEVEL), True
        return gzip.compress(item.body, _LEVEL), True


async def _beginning(response: httpx.Response) -> bytes | None:
    """The body of an answer, which should be small; None when it is not."""
    found = bytearray()
    async for chunk in response.aiter_raw():
        found += chunk
        if len(found) > _LONGEST_ANSWER:
            return None
    return bytes(found)


def _taken(body: bytes | None, item: Item) -> Answer:
    """A success stays one when its body is none that OTLP knows: some backends answer with words."""
    try:
        return partial_success(body or b"", item.signal, item.encoding)
    except (DecodeError, ParseError):
        return Answer(taken=True)
