"""Whether somebody who is asked beside the judge is there: who is away must not hold up what can do without."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from ragvigil.scorer.judge.endpoint import RefusedError, UnavailableError

T = TypeVar("T")


class Presence:
    """Lets everybody ask one that is there; once it was away one at a time tries, and the others do without.

    As a circuit breaker does that is half open (Nygard, "Release It!", 2007), and without a rest: who tries waits
    long enough.
    """

    def __init__(self, *, seconds: float | None = None) -> None:
        """`seconds`: how long one question may take, with what it waits for its turn; None: as long as it does."""
        self._seconds = seconds
        self._away = False
        self._trying = False

    async def ask(self, asking: Callable[[], Awaitable[T]]) -> T:
        """What `asking` brings; UnavailableError when it does not come in time, at once while another one tries."""
        tries = self._away
        if tries and self._trying:
            raise UnavailableError("it was away, and another question tries whether it is back")
        self._trying = self._trying or tries
        try:
            async with asyncio.timeout(self._seconds):
                found = await asking()
        except RefusedError:
            self._away = False
            raise
        except UnavailableError:
            self._away = True
            raise
        except TimeoutError:
            self._away = True
            raise UnavailableError("no answer in time") from None
        finally:
            if tries:
                self._trying = False
        self._away = False
        return found
