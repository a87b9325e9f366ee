"""Writes an incident down, and with it what its channels are told: the same for whoever found it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Protocol

from ragvigil.exporters import Action, Alert, Example
from ragvigil.scorer.config import Links
from ragvigil.scorer.diagnose.diagnoser import Diagnoser
from ragvigil.scorer.incidents.pages import page
from ragvigil.scorer.monitoring import Incident

Course = tuple[int, tuple[float | None, ...]]
"""When a rate's course begins, Unix nanoseconds, and its values from there on."""

_NEARLY_ALL = 0.8


class IncidentStore(Protocol):
    """Where incidents are kept."""

    def save_incident(self, incident: Incident, alert: Alert | None, channels: Sequence[str]) -> None:
        """Write the incident and one outbox row per channel in one transaction."""
        ...


class Pager:
    """Pages for incidents of the environments that page; the others are only written down."""

    def __init__(
        self,
        store: IncidentStore,
        *,
        channels: Sequence[str],
        environments: Collection[str],
        links: Links,
        diagnoser: Diagnoser | None,
    ) -> None:
        """Without a `diagnoser` pages say what fell, and not why."""
        self._store = store
        self._channels = tuple(channels)
        self._environments = environments
        self._links = links
        self._diagnoser = diagnoser

    def is_clearer(self, incident: Incident, now: int) -> bool:
        """Whether the cause of a fall that was told can be named by now, and could not before."""
        if self._diagnoser is None or incident.under_floor:
            return False
        return incident.told and self._diagnoser.clearer(incident, now)

    def is_where(self, incident: Incident, segment: str, now: int) -> bool:
        """Whether nearly all of a fall that was told is in that segment (``language=de``), by its diagnosis."""
        found = None if self._diagnoser is None else self._diagnoser.tell(incident, now)
        if found is None or found.cause is None:
            return False
        named = ["=".join(value) for value in found.cause.values]
        return named == [segment] and found.cause.share.value >= _NEARLY_ALL

    def save(
        self,
        incident: Incident,
        action: Action | None,
        *,
        now: int,
        end: int,
        examples: Callable[[], Sequence[Example]],
        course: Callable[[], Course],
        news: str | None = None,
    ) -> Alert | None:
        """Write the incident, and with it the alert, if there is one, to every channel.

        `examples` and `course`, which ends at `end`, are asked only for what is told.
        """
        diagnosis = None
        if self._diagnoser is not None and not incident.under_floor and action in ("trigger", "update"):
            diagnosis = self._diagnoser.tell(incident, now)
        if action is None or not incident.key.is_told(self._environments):
            self._store.save_incident(incident, None, ())
            return None
        begin, history = course()
        shown = examples()
        if self._diagnoser is not None:
            shown = self._diagnoser.examples(incident, diagnosis, shown)
        alert = page(
            incident,
            action,
            shown,
            self._links,
            at=now,
            history=history,
            drawn=(begin, end),
            diagnosis=diagnosis,
            news=news,
        )
        self._store.save_incident(incident, alert, self._channels)
        return alert
