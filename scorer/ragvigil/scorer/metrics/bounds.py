"""Bounds on label values: so many keep their names, the rest is told together."""

from __future__ import annotations

import logging
from collections.abc import Hashable

_log = logging.getLogger(__name__)

_LOOKS = 60
"""Snapshots for which a value that is not there keeps its place: a quiet hour must not cost it its series."""


class Admission:
    """Admits values until there are `most`; who is in stays in while it lives, so that no series comes and goes.

    One that did not live in any of the last 60 snapshots gives its place to the first that needs it, and one that does
    not come `first` to one that does.
    """

    def __init__(self, label: str, most: int) -> None:
        self._label = label
        self._most = most
        self._look = 0
        self._inside: dict[Hashable, int] = {}
        self._outside: dict[Hashable, int] = {}
        self._first: set[Hashable] = set()
        self._gone: list[Hashable] = []
        self._said = False

    @property
    def folded(self) -> int:
        """How many values are turned away, of those that are remembered (ten times as many as are admitted)."""
        return len(self._outside)

    def next_look(self) -> None:
        """Another snapshot begins."""
        self._look += 1
        oldest = self._look - _LOOKS
        self._gone = [value for value, seen in self._inside.items() if seen < oldest]
        self._outside = {value: seen for value, seen in self._outside.items() if seen >= oldest}

    def admits(self, value: Hashable, *, lives: bool = True, first: bool = False) -> bool:
        """Whether the value keeps its own name; one that lives no more has it for as long as nobody needs the place.

        >>> tenants = Admission("tenant", 2)
        >>> [tenants.admits(one) for one in ("a", "b", "c", "a")], tenants.folded
        ([True, True, False, True], 1)
        >>> services = Admission("service", 1)
        >>> services.admits("old", lives=False)
        True
        >>> services.next_look()
        >>> services.admits("new"), services.admits("old", lives=False)
        (True, False)
        >>> services.next_look()
        >>> services.admits("production", first=True), services.admits("new")
        (True, False)
        """
        if value in self._inside and not lives:
            return True
        if value in self._inside or len(self._inside) < self._most or (lives and self._freed(first)):
            self._inside[value] = self._look if lives else self._look - _LOOKS - 1
            self._outside.pop(value, None)
            if first:
                self._first.add(value)
            return True
        if not self._said:
            self._said = True
            _log.warning(
                "metrics: more than %d values of %s; the others are told together as other (see [metrics])",
                self._most,
                self._label,
            )
        if value in self._outside or len(self._outside) < 10 * self._most:
            self._outside[value] = self._look
        return False

    def _freed(self, first: bool) -> bool:
        """Whether a place could be taken from a value that has gone; `first`: or from one that does not come first."""
        while self._gone:
            value = self._gone.pop()
            if self._inside.get(value, self._look) < self._look - _LOOKS:
                self._leave(value)
                return True
        behind = next((value for value in self._inside if value not in self._first), None) if first else None
        if behind is not None:
            self._leave(behind)
        return behind is not None

    def _leave(self, value: Hashable) -> None:
        del self._inside[value]
        self._first.discard(value)
