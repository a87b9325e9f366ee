"""What a page would say by now, for whoever is told of it again: an hour later its figures are no longer true."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from ragvigil.exporters import Alert
from ragvigil.scorer.config import Links
from ragvigil.scorer.diagnose.diagnoser import DIAGNOSED, Diagnoser
from ragvigil.scorer.incidents.pager import Course
from ragvigil.scorer.incidents.pages import page, standing
from ragvigil.scorer.monitoring import Detector, Incident

Draw = Callable[[Incident, int], Course]
"""The course of an incident's rate until a moment, Unix nanoseconds."""


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
        return replace(fresh, title=standing(incident))
