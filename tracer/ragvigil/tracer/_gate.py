"""Lets calls through to be traced, or, while nothing that they record would arrive, past tracing for a microsecond.

A span costs some fifty microseconds, which are wasted while it would only be dropped: the scorer is dead, or the SDK
raises. What is passed by is counted, a request is recorded whole or not at all, and now and then one is let through to
find out whether things work again.
"""

from __future__ import annotations

import os
import threading
import time
import weakref
from collections.abc import Callable

from opentelemetry.context import get_current

from ragvigil.tracer._scope import SCOPE_KEY, Scope

FIRST_PAUSE_SECONDS = 1.0
LONGEST_PAUSE_SECONDS = 30.0
FAILURES_IN_A_ROW = 3
SETTLING_SECONDS = 30.0
"""How long after a shut gate opens calls may still be parts of requests whose beginning was passed by."""


def pause_seconds(failures: int) -> float:
    """How long to leave what failed so often in a row alone: a second, twice as long each time, at most thirty.

    >>> [pause_seconds(count) for count in (1, 2, 3, 9)]
    [1.0, 2.0, 4.0, 30.0]
    """
    return min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2.0 ** min(failures - 1, 16))


class Gate:
    """Open, calls are traced; shut, they are counted instead, save for one request at a time that tries."""

    __slots__ = (
        "__weakref__",
        "_clock",
        "_lock",
        "_opened_at",
        "_passed_by",
        "_root_seen",
        "_try_at",
        "passing",
    )

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.passing = True
        """Whether every call goes through: the one thing that is asked in each call."""
        self._clock = clock
        self.renew()
        if hasattr(os, "register_at_fork"):
            itself: weakref.ref[Gate] = weakref.ref(self)
            os.register_at_fork(after_in_child=lambda: _renew(itself))

    def renew(self) -> None:
        """Begin afresh, open and with a lock of its own: what a forked parent passed by is the parent's to tell."""
        self._lock = threading.RLock()  # re-entrant: a finaliser may make a traced call
        self.passing = True
        self._passed_by = 0
        self._try_at = 0.0
        self._opened_at: float | None = None
        self._root_seen = False

    def shut(self, *, try_in_seconds: float) -> None:
        """Pass calls by from now on, and let one request try after so long."""
        with self._lock:
            if self._opened_at is not None or self.passing:
                self._root_seen = False
            self._opened_at = None
            self._try_at = self._clock() + try_in_seconds
            self.passing = False

    def open(self) -> None:
        """Let requests through again: at once those that begin, parts of others when these must be over."""
        with self._lock:
            if not self.passing and self._opened_at is None:
                self._opened_at = self._clock()

    def admits(self, *, root: bool) -> bool:
        """Whether this call is traced although not every call is; it is counted when not.

        Where requests have a root, that decides for all of its parts.
        """
        scope = get_current().get(SCOPE_KEY)
        if scope is not None and _goes_on(scope, for_root=root):
            return True
        if self._opened_at is None and self._clock() < self._try_at:
            if root:
                self._root_seen = True
            with self._lock:
                self._passed_by += 1
            return False
        return self._chosen(root=root)

    def _chosen(self, *, root: bool) -> bool:
        """The same where it is time to try, or where the gate has opened."""
        with self._lock:
            self._root_seen = self._root_seen or root
            begins, now = root or not self._root_seen, self._clock()
            if self._opened_at is not None:
                self.passing = now - self._opened_at > SETTLING_SECONDS
                admitted = begins or self.passing
            elif admitted := begins and now >= self._try_at:
                self._try_at = now + LONGEST_PAUSE_SECONDS
            self._passed_by += not admitted
            return admitted

    def count(self) -> None:
        """Count a call that was to be traced and could not be."""
        with self._lock:
            self._passed_by += 1

    @property
    def passed_by(self) -> int:
        """Calls that were passed by since the last ``take``."""
        return self._passed_by

    def take(self) -> int:
        """The calls that were passed by since this was asked last."""
        with self._lock:
            taken, self._passed_by = self._passed_by, 0
            return taken


def _goes_on(scope: object, *, for_root: bool) -> bool:
    """Whether this is the scope of a request that is being recorded."""
    request = scope.request if isinstance(scope, Scope) else None
    return request is not None and not request.over(for_root=for_root)


def _renew(reference: weakref.ref[Gate]) -> None:
    if (gate := reference()) is not None:
        gate.renew()


class Breaker:
    """A gate that shuts itself when what is behind it fails three times in a row without success."""

    __slots__ = ("failures", "gate", "listener")

    def __init__(self, gate: Gate) -> None:
        self.gate = gate
        self.failures = 0
        """In a row, so far."""
        self.listener: Callable[[], object] | None = None
        """Who is told when it shuts."""

    def renew(self) -> None:
        """Begin afresh: for tests."""
        self.failures = 0
        self.gate.renew()

    def failed(self) -> None:
        """Note a call that could not be traced, and count it."""
        self.failures += 1
        self.gate.count()
        if self.failures >= FAILURES_IN_A_ROW:
            self.gate.shut(try_in_seconds=pause_seconds(self.failures - FAILURES_IN_A_ROW + 1))
            if self.listener is not None:
                self.listener()

    def worked(self) -> None:
        """Note a call that was traced to its end."""
        self.failures = 0
        self.gate.open()


sdk = Breaker(Gate())
"""Shut while the OpenTelemetry SDK, whoever's provider it is, or our own code fails in every call."""
