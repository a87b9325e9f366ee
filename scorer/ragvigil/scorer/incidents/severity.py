"""How grave an incident is, by its series and by how far it fell. Pure."""

from __future__ import annotations

from collections.abc import Collection

from ragvigil.exporters import Severity

_TICKETS = frozenset({"judge", "cheap", "traffic", "leak"})
_SEVERE_DROP = 0.2


def severity_of(series: str, *, drop: float = 0.0, pages: Collection[str] = ()) -> Severity:
    """`drop` is the fall of a rate in [0, 1]; `pages` are the coverage series that page (`coverage.pages`).

    >>> severity_of("citation"), severity_of("citation", drop=0.3), severity_of("leak")
    ('error', 'critical', 'warning')
    """
    if series in _TICKETS or (series.startswith("coverage_") and series not in pages):
        return "warning"
    return "critical" if drop >= _SEVERE_DROP else "error"
