"""Diagnoses incidents as they are told, and again while they are open: never in the way of the page."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from pydantic import TypeAdapter, ValidationError

from ragvigil.exporters import Example
from ragvigil.scorer.diagnose.case import DiagnosisStore
from ragvigil.scorer.diagnose.diagnosis import Diagnosis, diagnose, reaching
from ragvigil.scorer.diagnose.typical import FEWEST, Candidate, diverse
from ragvigil.scorer.moments import DAY, MINUTE
from ragvigil.scorer.monitoring import Incident

_log = logging.getLogger(__name__)

DIAGNOSED = ("faithfulness", "citation", "retrieval", "judge.", "criteria.")
"""Series of answers, or how their names begin; what is about the scorer or the traffic has no cause in answers."""
_FIRST_AGAIN = 5 * MINUTE
_LONGEST = DAY
_MOST_REMEMBERED = 1_000

_JSON = TypeAdapter(Diagnosis)


class Diagnoser:
    """One for a scorer; what it must remember is in the store."""

    def __init__(self, store: DiagnosisStore) -> None:
        self._store = store
        self._failed = set[str]()
        self._fresh: tuple[str, int, Diagnosis] | None = None

    def tell(self, incident: Incident, now: int) -> Diagnosis | None:
        """The diagnosis of an incident at `now` (Unix nanoseconds), kept; None where there is none.

        One that fails is logged once for each incident, and leaves the page without it. What was named once is kept
        where a later look would name nothing.
        """
        if not incident.key.name.startswith(DIAGNOSED):
            return None
        if self._fresh is not None and self._fresh[:2] == (incident.id, now):
            return self._fresh[2]
        try:
            return self._told(incident, now)
        except Exception:
            self._note(incident)
            return None

    def clearer(self, incident: Incident, now: int) -> bool:
        """Whether another look, where one is due, names something that was not told.

        Looks come five minutes after the page and then after twice as long each time, for a day.
        """
        if not incident.key.name.startswith(DIAGNOSED) or incident.resolved_at is not None:
            return False
        try:
            kept = self._store.diagnosis(incident.id)
            at = incident.opened_at if kept is None else kept[0]
            if now - at < max(_FIRST_AGAIN, at - incident.opened_at) or now - incident.opened_at > _LONGEST:
                return False
            before = None if kept is None else read(kept[1])
            after = self.tell(incident, now)
        except Exception:
            self._note(incident)
            return False
        return after is not None and after.sure and (before is None or before.headline != after.headline)

    def examples(
        self, incident: Incident, diagnosis: Diagnosis | None, otherwise: Sequence[Example]
    ) -> Sequence[Example]:
        """Traces that are typical of the cause; those given where they are more, and of the typical not three left."""
        if diagnosis is None:
            return otherwise
        try:
            found = self._store.shown(incident, diagnosis.typical)
            kept = diverse(
                [
                    Candidate(n, one.conversation, one.example.query or "", one.example.answer or "")
                    for n, one in enumerate(found)
                ]
            )
        except Exception:
            self._note(incident)
            return otherwise
        if len(kept) < min(FEWEST, len(otherwise)):
            return otherwise
        return [found[one.record_id].example for one in kept]

    def _told(self, incident: Incident, now: int) -> Diagnosis:
        kept = self._store.diagnosis(incident.id)
        found = worked_out(self._store, incident, now, before=None if kept is None else read(kept[1]))
        self._store.save_diagnosis(incident.id, now, written(found))
        self._fresh = (incident.id, now, found)
        return found

    def _note(self, incident: Incident) -> None:
        if incident.id in self._failed:
            return
        if len(self._failed) >= _MOST_REMEMBERED:
            self._failed.clear()
        self._failed.add(incident.id)
        _log.exception("incident %s could not be diagnosed; its page goes without", incident.id)


def counted_until(incident: Incident, now: int) -> int:
    """Until when answers are of the fall, Unix nanoseconds: what came once it was well again dilutes every figure."""
    return min(one for one in (incident.recovering_since, incident.resolved_at, now) if one is not None)


def worked_out(
    store: DiagnosisStore, incident: Incident, now: int, *, before: Diagnosis | None = None
) -> Diagnosis:
    """The diagnosis from what is stored by `now` (Unix nanoseconds), with its reach.

    One from `before` that was sure stands where this one is not.
    """
    found = diagnose(store.case(incident, counted_until(incident, now)))
    if before is not None and before.sure and not found.sure:
        found = before
    return reached(found, store, incident, now)


def reached(diagnosis: Diagnosis, store: DiagnosisStore, incident: Incident, now: int) -> Diagnosis:
    """The same with its reach, counted from the moment that a page names: the detector's where nothing is named.

    Of an incident that opened again, from when it last fell again: what was answered well in between is of no fall.
    """
    values = () if diagnosis.cause is None else diagnosis.cause.values
    since = round(diagnosis.onset.at * 1e9) if diagnosis.sure else incident.since
    again = incident.again_since
    if again is not None and again > since:
        reach = store.reach(incident, values, again, counted_until(incident, now))
        return reaching(diagnosis, reach._replace(again_since=again / 1e9))
    return reaching(diagnosis, store.reach(incident, values, since, counted_until(incident, now)))


def written(diagnosis: Diagnosis) -> str:
    """As it is kept."""
    return _JSON.dump_json(diagnosis).decode()


def read(kept: str) -> Diagnosis | None:
    """What was kept; None where another version wrote it."""
    try:
        return _JSON.validate_json(kept)
    except ValidationError:
        return None
