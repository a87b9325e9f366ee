"""Which services and environments ``ragvigil status`` leaves out: preview environments come and go by the hundred."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ragvigil.scorer.commands._places import Key, on_screen
from ragvigil.scorer.listed import listed
from ragvigil.scorer.monitoring import Incident, SeriesState
from ragvigil.scorer.store.reading import SeriesStatus

_MOST = 20
_MOST_NAMED = 3
"""Environments in one line."""
_CALM: frozenset[SeriesState] = frozenset({"cold_start", "insufficient_sample", "no_data"})
"""States of a series that says nothing, for want of answers."""


def left_out(statuses: Sequence[SeriesStatus], incidents: Sequence[Incident]) -> Collection[Key]:
    """Those of which there is nothing to say, but for the busiest: 20 in all are shown where that leaves room."""
    busy: dict[Key, tuple[int, int]] = {}
    said = {_key(incident) for incident in incidents if incident.resolved_at is None}
    for status in statuses:
        key = _key(status)
        answers = 0 if status.now is None else status.now.n
        busy[key] = max((answers, status.last), busy.get(key, (0, 0)))
        if status.state not in _CALM:
            said.add(key)
    ranked = sorted(busy, key=lambda key: (key in said, busy[key]), reverse=True)
    return frozenset(ranked[max(_MOST, len(said & busy.keys())) :])


def counted(without: Collection[Key]) -> list[str]:
    """How many are left out, in one line; none where all are shown."""
    if not without:
        return []
    noun = "service or environment is" if len(without) == 1 else "services and environments are"
    return [f"{len(without):,} more {noun} silent or learning: ragvigil status --all"]


def untold(statuses: Sequence[SeriesStatus], page_environments: Sequence[str]) -> list[str]:
    """How many series page nobody, and why, in one line; none where all can."""
    kept = [one.key.environment for one in statuses if not one.key.is_told(page_environments)]
    if not kept:
        return []
    where = listed(sorted({on_screen(repr(environment)) for environment in kept}), _MOST_NAMED)
    named = ", ".join(map(repr, page_environments)) or "none"
    return [f"watched without paging: {len(kept):,} series in {where} (monitor.page_environments: {named})"]


def _key(of: SeriesStatus | Incident) -> Key:
    return of.key.service, of.key.environment
