"""All backends that get a copy."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections import Counter
from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from ragvigil.scorer.errors import ConfigError
from ragvigil.scorer.receive.forward.erasing import erasing
from ragvigil.scorer.receive.forward.headers import Headers
from ragvigil.scorer.receive.forward.item import Received
from ragvigil.scorer.receive.forward.queue import Backend, Forwarder
from ragvigil.scorer.receive.limits import Limits
from ragvigil.scorer.receive.settings import ForwardTo

logger = logging.getLogger(__name__)

_GRACE_SECONDS = 5.0


class Tee:
    """Offers what was accepted to every backend; knows its own requests when they come back."""

    def __init__(self, forwarders: Iterable[Forwarder], *, instance: str) -> None:
        self._forwarders = tuple(forwarders)
        self._instance = instance

    def offer(self, received: Received) -> None:
        """Queue a copy for each backend. Never waits, never raises."""
        for forwarder in self._forwarders:
            try:
                forwarder.offer(received)
            except Exception:
                logger.exception("forward.%s: a request could not be queued", forwarder.name)

    def has_sent(self, via: str | None) -> bool:
        """Whether a request, by its header VIA, came through here before."""
        return via is not None and self._instance in (one.strip() for one in via.split(","))

    def health(self) -> dict[str, object]:
        """What /healthz shows, by backend."""
        return {forwarder.name: forwarder.health() for forwarder in self._forwarders}


class Clients(NamedTuple):
    """Who sends to the backends."""

    instance: str
    """The name by which this process knows its own requests."""
    made: Mapping[str, tuple[ForwardTo, Backend]]
    """By name, with the settings of each."""
    limits: Limits


@asynccontextmanager
async def clients(backends: Mapping[str, ForwardTo], limits: Limits) -> AsyncGenerator[Clients]:
    """A client of each backend until the end of the block; nothing is sent yet.

    Raises ConfigError for a header file or an authority that cannot be used.
    """
    instance = secrets.token_hex(8)
    made = dict[str, tuple[ForwardTo, Backend]]()
    async with AsyncExitStack() as stack:
        for name, settings in backends.items():
            backend = _backend(name, settings, Headers(name, settings, instance=instance), limits)
            stack.push_async_callback(backend.close)
            made[name] = (settings, backend)
        yield Clients(instance, made, limits)


@asynccontextmanager
async def forwarding(to: Clients, counts: Counter[str], inbox: Path) -> AsyncGenerator[Tee | None]:
    """A tee that sends until the end of the block, and a little longer; None when nothing is configured.

    Requests in the folder `inbox` can have what waits erased.
    """
    forwarders = [Forwarder(name, *client, counts) for name, client in to.made.items()]
    for forwarder in forwarders:
        forwarder.start()
    try:
        async with erasing(inbox, forwarders, to.limits):
            yield Tee(forwarders, instance=to.instance) if forwarders else None
    finally:
        await asyncio.gather(*(forwarder.stop(_GRACE_SECONDS) for forwarder in forwarders))


def refuse_itself(backends: Mapping[str, ForwardTo], *, grpc: str, http: str) -> None:
    """Raises ConfigError for a backend that is one of our own two addresses, host:port as bound.

    >>> refuse_itself({}, grpc="127.0.0.1:4317", http="127.0.0.1:4318")
    """
    for name, settings in backends.items():
        from ragvigil.exporters import is_loopback  # the clients of all channels come with it

        target = urlsplit(settings.url)
        own = grpc if target.scheme.startswith("grpc") else http
        host, _, port = own.rpartition(":")
        standard = {"http": 80, "https": 443}.get(target.scheme)
        same_host = target.hostname == host.strip("[]").lower() or (
            is_loopback(settings.url) and is_loopback(f"http://{own}")
        )
        if same_host and (target.port or standard) == int(port):
            raise ConfigError(
                f"forward.{name}.url", f"{own} is this scorer itself", "name the backend's own address"
            )


def _backend(name: str, settings: ForwardTo, headers: Headers, limits: Limits) -> Backend:
    """Loaded only now: a client costs memory that a receiver without a backend need not have."""
    if settings.url.startswith("grpc"):
        from ragvigil.scorer.receive.forward.grpc_backend import GrpcBackend

        return GrpcBackend(name, settings, headers, limits)
    from ragvigil.scorer.receive.forward.http_backend import HttpBackend

    return HttpBackend(name, settings, headers)
