"""The receiving role: both servers in front of one inbox, from the first bind to the last ack."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import NamedTuple

from ragvigil.scorer.inbox import InboxWriter
from ragvigil.scorer.metrics.scrape import Scrape
from ragvigil.scorer.receive import otlp_grpc
from ragvigil.scorer.receive.acknowledged import Acknowledgements
from ragvigil.scorer.receive.counters import Counters, CountersFile
from ragvigil.scorer.receive.forward import Clients, clients, forwarding, refuse_itself
from ragvigil.scorer.receive.http_server import HttpServer, bound
from ragvigil.scorer.receive.intake import Intake
from ragvigil.scorer.receive.limits import Limits
from ragvigil.scorer.receive.memory import give_back, keep_large_apart
from ragvigil.scorer.receive.otlp_http import application, no_request
from ragvigil.scorer.receive.settings import Receiving
from ragvigil.scorer.sources.feed import feeding

_GRACE_SECONDS = 5
_OPEN_BODIES = 2.5
"""Full-size requests worked on at once: one compressed and decompressed, and others."""


class Bound(NamedTuple):
    """Where the servers really listen, as host:port."""

    grpc: str
    http: str


async def receive(settings: Receiving, *, ready: Callable[[Bound], None], stop: asyncio.Event) -> None:
    """Receive until `stop`, then refuse what is new, commit and ack what is queued, and end within seconds.

    Raises ConfigError for an address and StoreError for an inbox that cannot be used.
    """
    keep_large_apart()
    # What cannot be used is refused before the inbox is there: else each failing start left one more segment.
    for key, address in (("receive.grpc", settings.grpc), ("receive.http", settings.http)):
        bound(address, key).close()
    async with clients(settings.forward, _limits(settings)) as to:
        await _receive(settings, to, ready, stop)


async def _receive(
    settings: Receiving, to: Clients, ready: Callable[[Bound], None], stop: asyncio.Event
) -> None:
    writer = _writer(settings)
    try:
        intake = _intake(settings, writer, to.limits)
        forwarded = forwarding(to, intake.counters.forwarded, settings.inbox)
        async with _counted(settings, intake.counters), forwarded as intake.tee:
            await _serve(settings, intake, writer, ready, stop)
    finally:
        await asyncio.to_thread(writer.close)


@asynccontextmanager
async def _counted(settings: Receiving, counters: Counters) -> AsyncGenerator[None]:
    """The counters are saved all the while, and once more at the end."""
    file = CountersFile(settings.inbox, counters)
    saving = asyncio.create_task(file.keep())
    try:
        yield
    finally:
        saving.cancel()
        with suppress(asyncio.CancelledError):
            await saving
        await asyncio.to_thread(file.save, counters.flat())


async def _serve(
    settings: Receiving,
    intake: Intake,
    writer: InboxWriter,
    ready: Callable[[Bound], None],
    stop: asyncio.Event,
) -> None:
    acknowledgements = Acknowledgements(settings.signing_secrets, settings.inbox)
    stale = settings.metrics_stale_seconds
    scrape = None if stale is None else Scrape(settings.inbox, stale)
    app = application(intake, lambda: health(intake, writer), acknowledgements, scrape)
    http = HttpServer(app, settings.http, grace_seconds=_GRACE_SECONDS, malformed=partial(no_request, intake))
    try:
        grpc, grpc_address = await otlp_grpc.start(intake, settings.grpc)
    except BaseException:
        await http.stop()
        raise
    try:
        refuse_itself(settings.forward, grpc=grpc_address, http=http.address)
        http.start()
        ready(Bound(grpc_address, http.address))
        await asyncio.to_thread(give_back)
        async with feeding(settings, intake, stop):
            await stop.wait()
    finally:
        intake.stopping = True
        await asyncio.gather(grpc.stop(_GRACE_SECONDS), http.stop())


def health(intake: Intake, writer: InboxWriter) -> dict[str, object]:
    """What /healthz shows: whether commits work, how full the inbox is, what was received and what was not."""
    problem = writer.failing
    return {
        "status": "stopping" if intake.stopping else "failing" if problem else "ok",
        "problem": problem,
        "inbox": {"bytes_on_disk": writer.bytes_on_disk, "queued_bytes": writer.queued_bytes},
        "open_bytes": intake.open_bytes.held,
        "received": intake.counters.snapshot(),
        "forward": intake.tee.health() if intake.tee else {},
    }


def _writer(settings: Receiving) -> InboxWriter:
    return InboxWriter(
        settings.inbox,
        max_bytes=settings.inbox_max_bytes,
        segment_bytes=settings.segment_bytes,
        commit_seconds=settings.commit_seconds,
        commit_bytes=settings.commit_bytes,
    )


def _intake(settings: Receiving, writer: InboxWriter, limits: Limits) -> Intake:
    counters = Counters.loaded(settings.inbox)
    return Intake(writer, limits, token=settings.token, counters=counters)


def _limits(settings: Receiving) -> Limits:
    return Limits(
        max_body_bytes=settings.max_body_bytes,
        max_span_bytes=settings.max_span_bytes,
        max_open_bytes=int(_OPEN_BODIES * settings.max_body_bytes),
    )
