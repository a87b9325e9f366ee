"""Signals that are known when an answer arrives, as strata of the sample."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection
from typing import Literal, NamedTuple

from ragvigil.scorer.signals.turns import SOON, asks_again, disliked
from ragvigil.scorer.trace import RagTrace

ArrivingSignal = Literal["thumbs_down", "rephrasing", "follow_up"]
_MOST_CONVERSATIONS = 10_000


class _Asked(NamedTuple):
    trace_id: str
    at: int
    query: str


class Arriving:
    """Remembers the last question of each of the latest 10,000 conversations."""

    def __init__(self, wanted: Collection[ArrivingSignal]) -> None:
        self._wanted = frozenset(wanted)
        self._asked: OrderedDict[tuple[str, str], _Asked] = OrderedDict()

    def of(self, record: RagTrace) -> ArrivingSignal | None:
        """The first of the wanted signals that the record shows: disliked, asks the last question again, follows it.

        >>> arriving = Arriving(["rephrasing"])
        >>> one, two = (RagTrace(n * 32, "1" * 16, "s", 5, query="How to reset it", conversation_id="c") for n in "ab")
        >>> arriving.of(one), arriving.of(two), arriving.of(two)
        (None, 'rephrasing', None)
        """
        if not self._wanted:
            return None
        before = self._before(record)
        found: list[ArrivingSignal] = []
        if disliked(record.feedback):
            found.append("thumbs_down")
        if before is not None and record.query is not None:
            found.append("rephrasing" if asks_again(before.query, record.query) else "follow_up")
        return next((one for one in found if one in self._wanted), None)

    def _before(self, record: RagTrace) -> _Asked | None:
        """The question before this one, where it came soon; this one is remembered."""
        if record.conversation_id is None or record.query is None:
            return None
        key = (record.service, record.conversation_id)
        last = self._asked.pop(key, None)
        self._asked[key] = _Asked(record.trace_id, record.started_at, record.query)
        if len(self._asked) > _MOST_CONVERSATIONS:
            self._asked.popitem(last=False)
        if last is None or last.trace_id == record.trace_id:
            return None
        return last if 0 <= record.started_at - last.at <= SOON else None
