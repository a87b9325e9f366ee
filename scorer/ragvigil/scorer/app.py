"""Wiring: the receive role, the score role, and the parent that runs both."""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Literal

from ragvigil.scorer.errors import StoreNotNowError

if TYPE_CHECKING:
    from ragvigil.scorer.config import Settings
    from ragvigil.scorer.receive.serve import Bound
    from ragvigil.scorer.receive.settings import Receiving

_log = logging.getLogger(__name__)

Role = Literal["all", "receive", "score"]

PERMANENT = frozenset({2, 3})
"""Exit codes that another start would end with again: settings, store."""
_PASSING = 1
_FIRST_DELAY_SECONDS = 0.5
_LONGEST_DELAY_SECONDS = 10.0
_STEADY_SECONDS = 10.0
_END_SECONDS = 20.0


def run_score(settings: Settings, *, supervised: bool = False) -> int:
    """The score role until SIGTERM or SIGINT; the exit code.

    A supervised one ends when standard input does, and then only: its parent holds the other end for as long as it
    wants it, and what ends both of them ends the parent. It ends
    with a code that is not permanent where the store cannot be used now: its parent's acks go on meanwhile.
    """
    try:
        return asyncio.run(_run(supervised, lambda stop: _score(settings, stop), beside=supervised))
    except StoreNotNowError as error:
        if not supervised:
            raise
        _log.error("%s", error)
        return _PASSING


def run_receive(
    settings: Receiving,
    *,
    score_command: Sequence[str],
    ready: Callable[[Bound], None],
    supervised: bool = False,
) -> int:
    """The receive role, with `score_command` beside it if there is one, until SIGTERM or SIGINT; the exit code."""
    return asyncio.run(_run(supervised, lambda stop: _receive(settings, score_command, ready, stop)))


async def _run(
    supervised: bool, role: Callable[[asyncio.Event], Awaitable[int]], *, beside: bool = False
) -> int:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    # A terminal interrupts all its processes, and a service manager ends all of a group: who is beside a receiver waits
    # for it, and takes the last of what it received.
    end = (lambda: None) if beside else stop.set
    loop.add_signal_handler(signal.SIGTERM, end)
    if (
        signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN
    ):  # a terminal that closes ends it, but under nohup
        loop.add_signal_handler(signal.SIGHUP, end if beside else lambda: _hang_up(end))
    loop.add_signal_handler(signal.SIGINT, (lambda: None) if supervised else stop.set)
    orphaned = asyncio.create_task(_stop_when_orphaned(stop)) if supervised else None
    try:
        return await role(stop)
    finally:
        if orphaned is not None:
            orphaned.cancel()


def _hang_up(end: Callable[[], None]) -> None:
    """End as at SIGTERM; whoever sent it for a reload, as to other servers, finds here why nothing runs any more."""
    _log.warning("SIGHUP ends ragvigil: the configuration is read at the start alone; start it again")
    end()


async def _receive(
    settings: Receiving, score_command: Sequence[str], ready: Callable[[Bound], None], stop: asyncio.Event
) -> int:
    from ragvigil.scorer.receive.serve import receive

    scoring: list[asyncio.Task[int]] = []
    received = asyncio.Event()

    def begin(bound: Bound) -> None:
        ready(bound)
        if score_command:
            task = asyncio.create_task(_keep_running(score_command, received))
            task.add_done_callback(lambda _: stop.set())
            scoring.append(task)

    try:
        await receive(settings, ready=begin, stop=stop)
    finally:
        received.set()  # only now: the score process takes the last of it, and leaves nothing of it as it came
        codes = await asyncio.gather(*scoring)
    return max(codes, default=0)


async def _score(settings: Settings, stop: asyncio.Event) -> int:
    from ragvigil.scorer.process.score import score

    await score(settings, stop)
    return 0


async def _stop_when_orphaned(stop: asyncio.Event) -> None:
    reader = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    await reader.read()
    stop.set()


async def _keep_running(command: Sequence[str], stop: asyncio.Event) -> int:
    """Run `command` until `stop`, starting it again with growing pauses when it dies; the exit code.

    It is given up only when it refuses to start for a reason that another start cannot mend.
    """
    delay = _FIRST_DELAY_SECONDS
    first = True
    while not stop.is_set():
        began = time.monotonic()
        process = await asyncio.create_subprocess_exec(*command, stdin=asyncio.subprocess.PIPE)
        code = await _watch(process, stop)
        if stop.is_set():
            return 0
        if first and code in PERMANENT:
            return code
        first = False
        delay = _FIRST_DELAY_SECONDS if time.monotonic() - began > _STEADY_SECONDS else delay
        _log.error("the score process ended with code %s; acks go on, it starts again in %.1f s", code, delay)
        with suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), delay)
        delay = min(delay * 2, _LONGEST_DELAY_SECONDS)
    return 0


async def _watch(process: asyncio.subprocess.Process, stop: asyncio.Event) -> int:
    """Wait until the process ends, or end it when `stop` comes; its exit code."""
    ended = asyncio.create_task(process.wait())
    stopped = asyncio.create_task(stop.wait())
    await asyncio.wait({ended, stopped}, return_when=asyncio.FIRST_COMPLETED)
    stopped.cancel()
    if not ended.done():
        if process.stdin is not None:
            process.stdin.close()
        try:
            await asyncio.wait_for(asyncio.shield(ended), _END_SECONDS)
        except TimeoutError:
            process.kill()
    return await ended
