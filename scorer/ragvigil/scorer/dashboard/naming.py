"""What series are called on the pages: those of answers as alerts call them, the others here."""

from __future__ import annotations

from collections.abc import Mapping

from ragvigil.scorer.incidents.pages import label

NO_ENVIRONMENT = "(none)"
"""What an address says for a service that names no environment; without a word it means all."""
_NAMES: Mapping[str, str] = {
    "coverage_scored": "Share of answers scored",
    "coverage_complete": "Share of answers complete",
    "coverage_texts": "Share of answers with texts",
    "coverage_asked": "Share of traces with a question",
    "coverage_answered": "Share of questions answered",
    "coverage_delivered": "Share of spans delivered",
    "scorer_backlog": "ragvigil's backlog",
    "scorer_judge": "ragvigil's judge",
    "scorer_disk": "ragvigil's disk",
    "arrivals": "Arrivals",
    "leak": "Personal data in answers",
    "storm": "Many services at once",
}
ABOUT_NO_ANSWERS = frozenset(_NAMES)
"""Series of which no course is kept."""


def name(series: str) -> str:
    """What a series is called.

    >>> name("citation"), name("arrivals")
    ('Citation correctness', 'Arrivals')
    """
    return _NAMES[series] if series in _NAMES else label(series)
