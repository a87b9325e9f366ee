"""In which style the answers of each service usually cite, so that one which does not is seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

LATEST = 2000
"""About so many markers of a service are remembered: at twice as many, all counts are halved."""
ENOUGH = 50
"""Markers below which nothing is usual yet."""
MOST = 0.9
"""Share of the markers that the usual style has; a service without one mixes styles."""
_MOST_SERVICES = 1000
_OTHERS = "others"


class UsualStyles:
    """Counts of markers, answer after answer; what is usual depends on the answers before, not on when they came.

    >>> usual = UsualStyles()
    >>> for _ in range(25):
    ...     usual.saw("shop", {"id": 2})
    >>> usual.of("shop"), usual.of("bank")
    ('id', None)
    """

    def __init__(self) -> None:
        self._markers: dict[str, Counter[str]] = {}

    def of(self, service: str) -> str | None:
        """The style of nine tenths of the service's latest markers; None where there are too few, or none has."""
        markers = self._markers.get(service)
        total = markers.total() if markers else 0
        if not markers or total < ENOUGH:
            return None
        style, count = markers.most_common(1)[0]
        return style if count >= MOST * total and style != _OTHERS else None

    def saw(self, service: str, styles: Mapping[str, int]) -> None:
        """Count the markers of one answer by style."""
        markers = self._markers.pop(service, None) or Counter[str]()
        if len(self._markers) >= _MOST_SERVICES:
            del self._markers[next(iter(self._markers))]  # the one that has not answered for longest
        markers.update(styles)
        if markers.total() > 2 * LATEST:
            markers = Counter({style: count // 2 for style, count in markers.items()})
        self._markers[service] = markers

    def recall(self, styles: Iterable[tuple[str, str, float, int]]) -> None:
        """Begin with what a store holds: service, its most frequent style, that one's share, and all markers."""
        for service, style, share, markers in styles:
            kept = min(markers, LATEST)
            self.saw(service, {style: round(share * kept), _OTHERS: kept - round(share * kept)})
