"""The receiving role: both servers in front of one inbox, from the first bind to the last ack."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from typing import NamedTuple

from ragvigil.scorer.config import Settings
from ragvigil.scorer.inbox import InboxWriter
from ragvigil.scorer.receive import otlp_grpc
from ragvigil.scorer.receive.counters import Counters, CountersFile
from ragvigil.scorer.receive.forward import forwarding, refuse_itself
from ragvigil.scorer.receive.http_server import HttpServer
from ragvigil.scorer.receive.intake import Intake
from ragvigil.scorer.receive.limits import Limits
from ragvigil.scorer.receive.memory import give_back
from ragvigil.scorer.receive.otlp_http import application
from ragvigil.scorer.sources.feed import feeding

_GRACE_SECONDS = 5
_OPEN_BODIES = 2.5
"""Full-size requests worked on at once: one compressed and decompressed, and others."""


class Bound(NamedTuple):
    """Where the servers really listen, as host:port."""

    grpc: str
    http: str


async def receive(settings: Settings, *, ready: Callable[[Bound], None], stop: asyncio.Event) -> None:
    """Receive until `stop`, then refuse what is new, commit and ack what is queued, and end within seconds.

    Raises ConfigError for an address and StoreError for an inbox that cannot be used.
    """
    writer = _writer(settings)
    try:
        intake = _intake(settings, writer)
        forwarded = forwarding(settings.forward, intake.counters.forwarded, intake.limits)
        async with _counted(settings, intake.counters), forwarded as intake.tee:
            await _serve(settings, intake, writer, ready, stop)
    finally:
        await asyncio.to_thread(writer.close)


@asynccontextmanager
async def _counted(settings: Settings, counters: Counters) -> AsyncGenerator[None]:
    """The counters are saved all the while, and once more at the end."""
    file = CountersFile(settings.inbox_path, counters)
    saving = asyncio.create_task(file.keep())
    try:
        yield
    finally:
        saving.cancel()
        with suppress(asyncio.CancelledError):
            await saving
        await asyncio.to_thread(file.save, counters.flat())


async def _serve(
    settings: Settings,
    intake: Intake,
    writer: InboxWriter,
    ready: Callable[[Bound], None],
    stop: asyncio.Event,
) -> None:
    app = application(intake, lambda: health(intake, writer))
    http = HttpServer(app, settings.receive.http, grace_seconds=_GRACE_SECONDS)
    try:
        grpc, grpc_address = await otlp_grpc.start(intake, settings.receive.grpc)
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


def _writer(settings: Settings) -> InboxWriter:
    inbox = settings.inbox
    return InboxWriter(
        settings.inbox_path,
        max_bytes=inbox.max_bytes,
        segment_bytes=inbox.segment_bytes,
        commit_seconds=inbox.commit_seconds,
        commit_bytes=inbox.commit_bytes,
    )


def _intake(settings: Settings, writer: InboxWriter) -> Intake:
    incoming = settings.receive
    limits = Limits(
        max_body_bytes=incoming.max_body_bytes,
        max_span_bytes=incoming.max_span_bytes,
        max_open_bytes=int(_OPEN_BODIES * incoming.max_body_bytes),
    )
    token = incoming.token.get_secret_value() if incoming.token else None
    return Intake(writer, limits, token=token, counters=Counters.loaded(settings.inbox_path))
