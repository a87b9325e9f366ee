"""The list of incidents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ragvigil.scorer.dashboard.page import Asked
from ragvigil.scorer.store.reading_incidents import Standing, standing

_MOST = 200


@dataclass(frozen=True, slots=True)
class Incidents:
    """The newest incidents, newest first."""

    incidents: Sequence[Standing]
    most: int
    """How many are shown at most."""


def incidents(asked: Asked) -> Incidents:
    """Open and resolved ones."""
    return Incidents(standing(asked.connection, asked.now, resolved=True, limit=_MOST), _MOST)
