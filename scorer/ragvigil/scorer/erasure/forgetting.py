"""Erasure: all that is kept of one person, conversation or trace goes, in steps that fit between two turns."""

from __future__ import annotations

import hashlib
import math
import time
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

Kind = Literal["user", "conversation", "trace"]

_LOOK_SECONDS = 0.5
_ATTEMPTS = 40
"""Steps on which clearing the write-ahead log is tried: a reader may hold it for a moment."""


def tombstone(trace_id: str) -> bytes:
    """What stays of the id of a forgotten trace: 16 bytes of a hash. Trace ids are random, so it needs no key."""
    return hashlib.sha256(trace_id.encode()).digest()[:16]


class Wanted(NamedTuple):
    """Whose content goes."""

    kind: Kind
    id: str
    """As on the wire, or as a pseudonym; of a trace, 32 lower-case hex characters."""


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What an erasure removed."""

    traces: int = 0
    """With their spans, records, scores, verdicts and ledger rows."""
    records: int = 0
    """Ledger rows: questions answered, and traces without one."""
    opinions: int = 0
    """Traces of others that lost the feedback that this person gave."""
    messages: int = 0
    """Messages to channels, waiting and delivered, that lost an example."""
    shown: tuple[str, ...] = ()
    """Channels that had shown such an example already: what they keep is theirs to delete."""
    changes: int = 0
    """Marks of changes, notes of labels and acknowledgements, and comments of silences that named the id."""
    log_cleared: bool = False
    """Whether the write-ahead log beside the store was emptied, too."""


class Found(NamedTuple):
    """One stretch of the store, looked through."""

    traces: Collection[str]
    """Traces of the person: they go whole."""
    told: Sequence[str]
    """Traces of others with feedback that the person gave."""
    more: bool
    """Whether there is more to look through."""


class Removed(NamedTuple):
    """What went with some traces."""

    records: int
    channels: Sequence[tuple[str, bool]]
    """Of each message that lost an example: its channel, and whether it was delivered."""


class ErasureStore(Protocol):
    """What erasure needs of a store. Only the writing thread calls it."""

    def begin(self, wanted: Wanted, at: int) -> int:
        """Note the request by a digest; from now on nothing of before `at` comes in. How many notes named the id."""
        ...

    def look(self, wanted: Wanted) -> Found:
        """The next stretch of the store that began with `begin`."""
        ...

    def erase(self, traces: Collection[str]) -> Removed:
        """Delete these traces for good; a late span or another import does not bring them back."""
        ...

    def erase_opinions(self, wanted: Wanted, traces: Sequence[str]) -> None:
        """Take the feedback that the person gave out of others' traces."""
        ...

    def clear_log(self) -> bool:
        """Empty the write-ahead log; False while somebody reads in it."""
        ...


class Requests(Protocol):
    """Where requests wait for the scorer."""

    def next(self) -> tuple[str, Wanted] | None:
        """A request that waits, and its name."""
        ...

    def answer(self, name: str, forgotten: Forgotten, /) -> None:
        """Say what was removed, and let the request go."""
        ...


class Forgetting:
    """One request, carried out step by step."""

    def __init__(
        self,
        store: ErasureStore,
        wanted: Wanted,
        at: int,
        *,
        drop: Callable[[Collection[str]], None] = lambda _: None,
    ) -> None:
        """Note the request at `at` (Unix nanoseconds); `drop` tells who still holds work on those traces."""
        self._store = store
        self._wanted = wanted
        self._drop = drop
        self._changes = store.begin(wanted, at)
        self._counts: Counter[str] = Counter()
        self._shown = set[str]()
        self._looking = True
        self._attempts = 0
        self._cleared = False

    def step(self) -> bool:
        """One short step; whether there is more to do."""
        if self._looking:
            found = self._store.look(self._wanted)
            self._take(found)
            self._looking = found.more
            return True
        self._attempts += 1
        self._cleared = self._store.clear_log()
        return not self._cleared and self._attempts < _ATTEMPTS

    @property
    def forgotten(self) -> Forgotten:
        """What was removed so far."""
        counts = self._counts
        return Forgotten(
            counts["traces"],
            counts["records"],
            counts["opinions"],
            counts["messages"],
            tuple(sorted(self._shown)),
            self._changes,
            self._cleared,
        )

    def _take(self, found: Found) -> None:
        if found.traces:
            self._drop(found.traces)
            removed = self._store.erase(found.traces)
            self._counts["traces"] += len(found.traces)
            self._counts["records"] += removed.records
            self._counts["messages"] += len(removed.channels)
            self._shown |= {channel for channel, delivered in removed.channels if delivered}
        if found.told:
            self._store.erase_opinions(self._wanted, found.told)
            self._counts["opinions"] += len(found.told)


class Desk:
    """Carries out the requests that wait, one after the other. Used by the writing thread."""

    def __init__(
        self, requests: Requests, store: ErasureStore, *, drop: Callable[[Collection[str]], None]
    ) -> None:
        self._requests = requests
        self._store = store
        self._drop = drop
        self._name = ""
        self._current: Forgetting | None = None
        self._looked_at = -math.inf

    def step(self) -> bool:
        """One short step; whether there is more to do. What it raises leaves the request where it is: step again."""
        if self._current is None:
            return self._begin()
        current, self._current = self._current, None
        if current.step():
            self._current = current
        else:
            self._requests.answer(self._name, current.forgotten)
        return True

    def _begin(self) -> bool:
        if time.monotonic() - self._looked_at < _LOOK_SECONDS:
            return False
        self._looked_at = time.monotonic()
        waiting = self._requests.next()
        if waiting is None:
            return False
        self._name, wanted = waiting
        self._current = Forgetting(self._store, wanted, time.time_ns(), drop=self._drop)
        return True
