"""How long a service's traces must be quiet before they are complete, learned from how its spans arrive."""

from __future__ import annotations

from collections import OrderedDict, deque
from dataclasses import dataclass, field

_GAPS = 64
_ENOUGH = 20
_SERVICES = 1_000
_MARGIN = 2
_RARE = 0.05
"""Share of traces that may be quiet for longer: they are read again when their late spans come."""


@dataclass(slots=True)
class _Learned:
    quiet: int
    gaps: deque[int] = field(default_factory=lambda: deque[int](maxlen=_GAPS))


class QuietTimes:
    """Quiet times by service, in nanoseconds, from the last 64 gaps of each of the last 1,000 services.

    A gap is the longest time between two arrivals of a trace since its root is known. Twice the 95th percentile is
    waited for, within the bounds; the first time until 20 gaps are known.

    >>> times = QuietTimes(first=200, shortest=50, longest=1000)
    >>> for gap in [0] * 10 + [60] * 10:
    ...     times.observe("shop", gap)
    >>> times.of("shop"), times.of("bank"), times.knows("shop"), times.knows("bank")
    (120, 200, True, False)
    """

    def __init__(self, *, first: int, shortest: int, longest: int) -> None:
        self._first = first
        self._shortest = min(first, shortest)
        self.longest = max(first, longest)
        """What is never exceeded."""
        self._services: OrderedDict[str, _Learned] = OrderedDict()

    def of(self, service: str | None) -> int:
        """How long to wait."""
        learned = None if service is None else self._services.get(service)
        return self._first if learned is None else learned.quiet

    def knows(self, service: str | None) -> bool:
        """Whether roots of its traces come at all: some services export none."""
        return service in self._services

    def observe(self, service: str | None, gap: int) -> None:
        """One more trace had this gap."""
        if service is None:
            return
        learned = self._services.get(service)
        if learned is None:
            learned = self._services[service] = _Learned(self._first)
            if len(self._services) > _SERVICES:
                self._services.popitem(last=False)
        self._services.move_to_end(service)
        learned.gaps.append(gap)
        if len(learned.gaps) >= _ENOUGH:
            ordered = sorted(learned.gaps)
            usual = ordered[-1 - int(len(ordered) * _RARE)]
            learned.quiet = min(max(_MARGIN * usual, self._shortest), self.longest)
