"""What a page would say by now, for whoever is told of it again: an hour later its figures are no longer true."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile

from ragvigil.exporters import Alert
from ragvigil.scorer.config import Links
from ragvigil.scorer.diagnose.diagnoser import DIAGNOSED, Diagnoser
from ragvigil.scorer.incidents.pager import Course
from ragvigil.scorer.incidents.pages import page, standing
from ragvigil.scorer.moments import in_utc
from ragvigil.scorer.monitoring import Detector, Incident

Draw = Callable[[Incident, int], Course]
"""The course of an incident's rate until a moment, Unix nanoseconds."""
_LEAST_SILENT = 3
"""Stretches at the end of a course, of 40 at most, without an answer: fewer are a pause like any."""


class Retold:
    """Pages about what is measured on answers, made anew; of everything else only its own watch knows the words."""

    def __init__(self, diagnoser: Diagnoser, links: Links, draw: Mapping[Detector, Draw]) -> None:
        """`draw` draws the course of whose incident it is."""
        self._draw = draw
        self._diagnoser = diagnoser
        self._links = links

    def __call__(self, incident: Incident, said: Alert, now: int) -> Alert | None:
        """The page of an open incident at `now` (Unix nanoseconds), with the course of the rate until then."""
        if not incident.key.name.startswith(DIAGNOSED):
            return None
        diagnosis = None if incident.under_floor else self._diagnoser.tell(incident, now)
        examples = self._diagnoser.examples(incident, diagnosis, said.examples)
        begin, course = self._draw[incident.detector](incident, now)
        fresh = page(
            incident,
            "update",
            examples,
            self._links,
            at=now,
            history=course,
            drawn=(begin, now),
            diagnosis=diagnosis,
        )
        return replace(fresh, title=standing(incident), summary=_dated(fresh.summary, begin, course, now))


def _dated(summary: str, begin: int, course: Sequence[float | None], now: int) -> str:
    """With when the last answer was counted, where that is a while ago: of a service that is down "now" is older."""
    silent = len(list(takewhile(lambda rate: rate is None, reversed(course))))
    if not _LEAST_SILENT <= silent < len(course):
        return summary
    last = now - round((now - begin) * silent / len(course))
    level, _, rest = summary.partition("\n")
    return f"{level} No answer was counted after about {in_utc(last)}.\n{rest}"
