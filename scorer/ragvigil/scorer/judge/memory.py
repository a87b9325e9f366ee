"""Asks once for each content: what was said before is said again, and what somebody asks is waited for."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import sqlite3
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from ragvigil.scorer.judge.paid import LEASE_SECONDS, YOURS, Claim, Paid, Reply

_log = logging.getLogger(__name__)

_FIRST_PAUSE_SECONDS = 0.02
_LONGEST_PAUSE_SECONDS = 1.0
_LOG_SECONDS = 60.0

T = TypeVar("T")


def key_of(*parts: object) -> bytes:
    """SHA-256 over the JSON of `parts`: all that a reply depends on.

    >>> key_of("m", {"a": 1}) == key_of("m", {"a": 1}) != key_of("m", {"a": 2})
    True
    """
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).digest()


class Memory:
    """What an asker remembers. A file that cannot be used costs money, never a verdict."""

    def __init__(self, paid: Paid, *, alone: bool = False) -> None:
        """With `alone`, nobody else uses `paid`, and it is closed with this."""
        self._paid = paid
        self._alone = alone
        self._renewing: asyncio.Task[None] | None = None
        self._logged_at = float("-inf")

    async def recall(self, key: bytes, of: str) -> Reply | None:
        """The reply to the same question, about whichever trace; None: it is the caller's to ask.

        The caller then ends with `keep` or `let_go`.
        """
        self._renew()
        pause = _FIRST_PAUSE_SECONDS
        while True:
            found: Claim = self._safely(lambda: self._paid.claim(key, of), YOURS)
            if isinstance(found, Reply):
                return found
            if found == YOURS:
                return None
            await asyncio.sleep(pause)
            pause = min(2.0 * pause, _LONGEST_PAUSE_SECONDS)

    def keep(self, key: bytes, of: str, asked: str, reply: Reply) -> None:
        """Remember what was said of the trace `of` by the model `asked`."""
        self._safely(lambda: self._paid.keep(key, of, asked, reply), None)

    def let_go(self, key: bytes) -> None:
        """There was no reply worth keeping; another may ask."""
        self._safely(lambda: self._paid.let_go(key), None)

    def spend(self, *, calls: float, tokens: float, usd: float) -> None:
        """Count it against the budgets of all processes."""
        self._safely(lambda: self._paid.spend(calls=calls, tokens=tokens, usd=usd), None)

    async def close(self) -> None:
        """Stop saying that questions are asked."""
        if self._renewing is not None:
            self._renewing.cancel()
            with suppress(asyncio.CancelledError):
                await self._renewing
        if self._alone:
            self._paid.close()

    def _renew(self) -> None:
        if self._renewing is None:
            self._renewing = asyncio.create_task(self._keep_renewing())

    async def _keep_renewing(self) -> None:
        while True:
            await asyncio.sleep(LEASE_SECONDS / 3)
            self._safely(self._paid.renew, None)

    def _safely(self, work: Callable[[], T], otherwise: T) -> T:
        try:
            return work()
        except sqlite3.Error as error:
            if time.monotonic() - self._logged_at >= _LOG_SECONDS:
                self._logged_at = time.monotonic()
                _log.warning("what judges paid for cannot be looked up or kept (%s); judging goes on", error)
            return otherwise
