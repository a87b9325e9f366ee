"""What a silence held back, when it is over: it says what is true by then, not what was when it was made."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from ragvigil.exporters import Alert
from ragvigil.scorer.incidents.escalation import Anew
from ragvigil.scorer.monitoring import Incident

_log = logging.getLogger(__name__)

_AT_ONCE = 10
"""So many are made anew before a round of the courier: each looks for its cause, and nothing is scored meanwhile."""


class HeldStore(Protocol):
    """What is needed of the store, on its one writing thread."""

    def let_go(self, now: int, limit: int) -> Sequence[tuple[Incident, Alert, str]]:
        """What was said of open incidents during a silence that is over, news alone, and the channel it waits for."""
        ...

    def with_caveat(self, incident: Incident, alert: Alert) -> Alert:
        """The alert with what is known of sampling before the scorer."""
        ...

    def post(self, alert: Alert, channels: Sequence[str]) -> None:
        """Put an alert into the outbox of those channels."""
        ...


class AfterSilence:
    """Makes pages and updates anew that nobody has heard yet, for a silence held them back."""

    def __init__(self, store: HeldStore, anew: Anew) -> None:
        self._store = store
        self._anew = anew

    def look(self, now: int) -> None:
        """Put what is to be said at `now` (Unix nanoseconds) in the place of what was, before anything is sent.

        Of more than a few the others are sent as they are, and so is one that cannot be made anew.
        """
        try:
            for incident, said, channel in self._store.let_go(now, _AT_ONCE):
                fresh = self._anew(incident, said, now)
                if fresh is not None:
                    fresh = self._store.with_caveat(incident, fresh)
                    self._store.post(replace(fresh, action=said.action), [channel])
        except Exception:
            _log.exception("a page could not be made anew after a silence; it is sent as it was")
