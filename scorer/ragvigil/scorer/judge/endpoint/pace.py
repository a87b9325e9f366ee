"""When the next request may leave: what the server says of its limits, and how often it has just failed."""

from __future__ import annotations

import asyncio
import random
import re
import time
from collections.abc import Callable, Mapping
from datetime import datetime

from ragvigil.exporters import retry_after

_LONGEST_WAIT_SECONDS = 3600.0
_SPREAD = 1.1
"""Factor up to which a wait is lengthened."""
_FIRST_REST_SECONDS = 1.0
_LONGEST_REST_SECONDS = 60.0
_FAILURES_UNTIL_REST = 5
_SPAN = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h)")
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_REMAINING = (
    ("x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"),
    ("x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"),
    ("anthropic-ratelimit-requests-remaining", "anthropic-ratelimit-requests-reset"),
    ("anthropic-ratelimit-input-tokens-remaining", "anthropic-ratelimit-input-tokens-reset"),
    ("anthropic-ratelimit-output-tokens-remaining", "anthropic-ratelimit-output-tokens-reset"),
)


class Quota:
    """Until when a server takes nothing of one key, whichever model is asked for."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._not_before = 0.0

    @property
    def wait(self) -> float:
        """Seconds until it is lifted; not above zero: it is."""
        return self._not_before - self._clock()

    def hold(self, wait: float) -> None:
        """Nothing leaves for so many seconds, an hour at most."""
        self._not_before = max(self._not_before, self._clock() + min(wait, _LONGEST_WAIT_SECONDS))


class Quotas:
    """The quota of each key at each server, for all who ask with it.

    >>> quotas = Quotas()
    >>> one = quotas.of("host", "sk-1")
    >>> quotas.of("host", "sk-1") is one, quotas.of("host", "sk-2") is one
    (True, False)
    """

    def __init__(self) -> None:
        self._known: dict[tuple[str, str | None], Quota] = {}

    def of(self, server: str, key: str | None) -> Quota:
        """That of the key there."""
        return self._known.setdefault((server, key), Quota())


class Pace:
    """Holds back the requests for one model: until its key's limit is lifted, and longer after each failure in a row.

    After a few failures in a row it rests, and then lets one request try before the others follow (a circuit
    breaker: Nygard, "Release It!", 2007). A model that fails does not hold the others of its key.
    """

    def __init__(self, quota: Quota | None = None, *, clock: Callable[[], float] = time.monotonic) -> None:
        """`quota` is what others who ask with the same key keep to as well."""
        self._quota = quota or Quota(clock=clock)
        self._rest = Quota(clock=clock)
        self._failures = 0
        self._trying = False
        self._changed = asyncio.Event()
        self.answered = 0
        """Requests that were answered so far."""

    @property
    def resting(self) -> bool:
        """Whether so many requests failed in a row that only one at a time is let through."""
        return self._failures >= _FAILURES_UNTIL_REST

    async def turn(self) -> None:
        """Wait until a request may leave; every turn ends with `answer` or `fail`."""
        while True:
            wait = max(self._quota.wait, self._rest.wait)
            if wait <= 0 and not (self.resting and self._trying):
                self._trying = self.resting
                return
            self._changed.clear()
            try:
                await asyncio.wait_for(self._changed.wait(), spread(wait) if wait > 0 else None)
            except TimeoutError:
                continue

    def answer(self, headers: Mapping[str, str]) -> None:
        """A request was answered: the server lives; it may have said that it takes no more for now."""
        self.answered += 1
        self._failures = 0
        self._trying = False
        for remaining, reset in _REMAINING:
            if headers.get(remaining) == "0":
                self._quota.hold(seconds(headers.get(reset), now=time.time()) or 0.0)
        self._changed.set()

    def fail(self, retry_after: float | None, *, limited: bool = False) -> None:
        """A request failed in a way that the next one may fail in too; `limited`: for a limit of its key.

        Only then do the other models of the key wait for `retry_after`, in seconds, as well.
        """
        self._failures += 1
        self._trying = False
        if retry_after is not None:
            (self._quota if limited else self._rest).hold(retry_after)
        if self.resting:
            rest = _FIRST_REST_SECONDS * 2.0 ** min(self._failures - _FAILURES_UNTIL_REST, 10)
            self._rest.hold(min(rest, _LONGEST_REST_SECONDS))
        self._changed.set()

    def leave(self) -> None:
        """A turn ended without an outcome: its request was called off."""
        self._trying = False
        self._changed.set()


def spread(wait: float) -> float:
    """Up to a tenth longer than that, so that those who were told the same do not come back at once.

    >>> 20.0 <= spread(20.0) <= 22.0
    True
    """
    return wait * random.uniform(1.0, _SPREAD)  # noqa: S311 - no secret


def seconds(header: str | None, *, now: float) -> float | None:
    """Seconds that a header asks to wait: a number, a span, a date; at most an hour; None when it says nothing.

    >>> seconds("1800", now=0.0), seconds("20000ms", now=0.0)
    (1800.0, 20.0)
    >>> seconds("20", now=0.0), seconds("6m0s", now=0.0), seconds("1970-01-01T00:00:05Z", now=0.0)
    (20.0, 360.0, 5.0)
    >>> seconds("Thu, 01 Jan 1970 00:01:00 GMT", now=0.0), seconds("soon", now=0.0)
    (60.0, None)
    """
    text = (header or "").strip()
    usual = retry_after(text, now=now, longest=_LONGEST_WAIT_SECONDS)
    if usual is not None or not text:
        return usual
    spans = list(_SPAN.finditer(text))
    if "".join(span.group() for span in spans) == text:
        return min(sum(float(span[1]) * _UNITS[span[2]] for span in spans), _LONGEST_WAIT_SECONDS)
    try:
        wait = datetime.fromisoformat(text).timestamp() - now
    except (ValueError, OverflowError):
        return None
    return min(max(wait, 0.0), _LONGEST_WAIT_SECONDS)
