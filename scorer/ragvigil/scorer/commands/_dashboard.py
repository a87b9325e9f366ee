"""``ragvigil dashboard``."""

from __future__ import annotations

import asyncio
import json
import signal
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from ragvigil.scorer.commands._options import ConfigOption, JsonOption, StoreOption, settings_of
from ragvigil.scorer.commands._say import say

if TYPE_CHECKING:
    from ragvigil.scorer.config import Settings
    from ragvigil.scorer.dashboard.page import Asked, Readers

_GRACE_SECONDS = 2


def dashboard(
    config: ConfigOption = None,
    store: StoreOption = None,
    http: Annotated[
        str | None, typer.Option(metavar="HOST:PORT", help="Where the pages are; port 0 picks a free one.")
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Show incidents, series and answers in a browser: what fell, why, which claims of which answers.

    It only reads the store, so it runs beside `ragvigil serve` or without it. Let links.public_url lead to it, and
    alerts link to the page of their incident. SIGTERM or control-C ends it.
    """
    from ragvigil.scorer.store import reading

    settings = settings_of(config, store, dashboard=None if http is None else {"http": http})
    reading.open_for_reading(
        settings.store.path
    ).close()  # what cannot be read is said before anything listens
    asyncio.run(_serve(settings, as_json=as_json))
    return 0


async def _serve(settings: Settings, *, as_json: bool) -> None:
    from ragvigil.scorer.dashboard.application import application
    from ragvigil.scorer.receive.http_server import HttpServer

    stop = asyncio.Event()
    for one in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(one, stop.set)
    address = settings.dashboard.http
    server = HttpServer(
        application(settings, status()), address, grace_seconds=_GRACE_SECONDS, key="dashboard.http"
    )
    server.start()
    url = f"http://{server.address}/"
    say(
        json.dumps({"url": url}) if as_json else f"dashboard at {url} of {settings.store.path}", whole=as_json
    )
    await stop.wait()
    await server.stop()


@dataclass(frozen=True, slots=True)
class _Text:
    """What `ragvigil status` says."""

    text: str


@dataclass(frozen=True, slots=True)
class _Everything:
    """What `ragvigil status --json` says."""

    everything: dict[str, object]


def _as_text(asked: Asked) -> _Text:
    from ragvigil.scorer.commands import _overview, _staged
    from ragvigil.scorer.receive.counters import counters
    from ragvigil.scorer.store import reading

    settings = asked.settings
    lines = (
        _overview.as_text(asked.connection, counters(settings.inbox_path), settings),
        _overview.disk_line(reading.disk(asked.connection, settings.store.path)),
        _staged.as_text(_staged.staged(settings.inbox_path)),
    )
    return _Text("\n".join(lines))


def _as_json(asked: Asked) -> _Everything:
    from ragvigil.scorer.commands import _overview
    from ragvigil.scorer.receive.counters import counters

    received = counters(asked.settings.inbox_path)
    return _Everything(_overview.as_json(asked.connection, received, asked.settings))


def status() -> Readers:
    """The page of `ragvigil status`, for people and for programs."""
    from ragvigil.scorer.dashboard.page import Readers

    return Readers(_as_text, _as_json)
