"""Answers requests to erase what waits in memory to be forwarded, as ``ragvigil forget`` leaves them in the inbox."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from ragvigil.scorer.receive.forward.item import Item
from ragvigil.scorer.receive.forward.queue import Forwarder
from ragvigil.scorer.receive.forward.unwanted import Unsent, Unwanted, unsent_requests
from ragvigil.scorer.receive.limits import Limits
from ragvigil.scorer.request_files import RequestFiles

logger = logging.getLogger(__name__)

_LOOK_SECONDS = 0.5
_LONGEST_PAUSE_SECONDS = 60.0


@asynccontextmanager
async def erasing(inbox: Path, forwarders: Iterable[Forwarder], limits: Limits) -> AsyncGenerator[None]:
    """Requests are answered until the end of the block, also where nothing is forwarded."""
    looking = asyncio.create_task(_keep_answering(unsent_requests(inbox), tuple(forwarders), limits))
    try:
        yield
    finally:
        looking.cancel()
        with suppress(asyncio.CancelledError):
            await looking


async def _keep_answering(
    requests: RequestFiles[Unwanted, Unsent], forwarders: Iterable[Forwarder], limits: Limits
) -> None:
    """One log line for each new fault, and ever longer pauses while it lasts; what failed lets the others pass."""
    pause, told = _LOOK_SECONDS, ""
    failed = set[str]()
    while True:
        await asyncio.sleep(pause)
        name = ""
        try:
            found = await asyncio.to_thread(requests.next, failed)
            if found is None and failed:
                failed.clear()
                found = await asyncio.to_thread(requests.next)
            if found is not None:
                name, unwanted = found
                requests.answer(name, await _erased(unwanted, forwarders, limits))
            pause, told = _LOOK_SECONDS, ""
        except Exception as error:
            if name:
                failed.add(name)
            pause = min(2 * pause, _LONGEST_PAUSE_SECONDS)
            if (fault := repr(error)) != told:
                logger.exception(
                    "a request to forget in what waits to be forwarded cannot be answered; trying again"
                )
            told = fault


async def _erased(unwanted: Unwanted, forwarders: Iterable[Forwarder], limits: Limits) -> Unsent:
    """Whatever is asked of all backends is learned before anything is cut from one: a trace may be split."""
    from ragvigil.scorer.receive.forward.cutting import Cut  # the rules for names come with it

    cut = await asyncio.to_thread(Cut, unwanted, limits)
    concerned = [
        (forwarder, waiting)
        for forwarder in forwarders
        for waiting in forwarder.waiting
        if waiting.arrived <= unwanted.before
    ]
    for _, waiting in concerned:
        if waiting.item is not None:
            await asyncio.to_thread(cut.learn, waiting.item)
    found = Unsent({}, {})
    for forwarder, waiting in concerned:
        if (item := waiting.item) is None:
            continue
        left: Item | None = await asyncio.to_thread(cut.cut, item)
        if left is not item:
            counts = found.cut if forwarder.replace(waiting, left) else found.late
            counts[forwarder.name] = counts.get(forwarder.name, 0) + 1
    return found
