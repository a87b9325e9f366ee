"""What series are called on the pages: those of answers as alerts call them, the others here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

from ragvigil.scorer.incidents.pages import label
from ragvigil.scorer.monitoring import ArrivalName, CoverageName, HealthName, LeakName

NO_ENVIRONMENT = "(none)"
"""What an address says for a service that names no environment; without a word it means all."""
_NAMES: Mapping[CoverageName | HealthName | ArrivalName | LeakName, str] = {
    "coverage_scored": "Share of answers scored",
    "coverage_complete": "Share of answers complete",
    "coverage_asked": "Share of traces with a question",
    "coverage_delivered": "Share of spans delivered",
    "scorer_backlog": "ragvigil's backlog",
    "scorer_judge": "ragvigil's judge",
    "scorer_disk": "ragvigil's disk",
    "arrivals": "Arrivals",
    "leak": "Personal data in answers",
}
ABOUT_NO_ANSWERS = tuple(
    name for kind in (CoverageName, HealthName, ArrivalName, LeakName) for name in get_args(kind)
)
"""Series of which no course is kept."""


def name(series: str) -> str:
    """What a series is called.

    >>> name("citation"), name("arrivals")
    ('Citation correctness', 'Arrivals')
    """
    return next((told for known, told in _NAMES.items() if known == series), None) or label(series)
