"""All that a store knows of one service's labels, read at once."""

from __future__ import annotations

import secrets
import sqlite3
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass

from ragvigil.scorer.config import Settings
from ragvigil.scorer.errors import InputError, meant
from ragvigil.scorer.labels.adjudicate import Settled, settled
from ragvigil.scorer.labels.desk import Task
from ragvigil.scorer.labels.draw import Reading, next_wave
from ragvigil.scorer.labels.frame import frame_of
from ragvigil.scorer.labels.port import Drawn, Given
from ragvigil.scorer.labels.waiting import unread, waiting_for
from ragvigil.scorer.store import reading_labels
from ragvigil.scorer.store.reading import open_for_reading
from ragvigil.scorer.watch.port import Place

_FEWEST_JUDGED = 20


@dataclass(frozen=True, slots=True)
class Book:
    """A draw, and what people said of everything."""

    drawn: Drawn
    given: Sequence[Given]
    """Of all answers in the store, in order of time."""

    @property
    def settled(self) -> Mapping[int, Settled]:
        """What stands of every answer that somebody read."""
        return settled(self.given)

    @property
    def truth(self) -> dict[int, int]:
        """1 or 0 of every answer of which something stands."""
        return {record_id: found.truth for record_id, found in self.settled.items() if found.truth >= 0}


def place_of(connection: sqlite3.Connection, service: str | None, environment: str | None) -> Place:
    """The service that is meant: the named one, or the only one. Raises InputError that names those there are."""
    found = [
        place
        for place in reading_labels.judged_services(connection)
        if service in (None, place.service) and environment in (None, place.environment or "")
    ]
    if not found:
        shown = "ragvigil status shows what there is"
        if service is None and environment is None:
            raise InputError("answers", f"none has been judged yet; {shown}")
        raise InputError("--service", f"no answer of it has been judged; {shown}")
    if len(found) > 1:
        names = ", ".join(
            place.service + (f" in {place.environment}" if place.environment else "") for place in found
        )
        raise InputError(
            "--service", f"must name one of several: {names}; with --environment where that differs"
        )
    return found[0]


def book_of(connection: sqlite3.Connection, place: Place, criterion: str = "") -> Book:
    """The newest draw of a service with its labels. Raises InputError when there is none."""
    known_criterion(connection, criterion)
    drawn = reading_labels.latest_draw(connection, place, criterion=criterion)
    if drawn is None:
        about = f" --criterion {criterion}" if criterion else ""
        raise InputError(place.service, f"nothing has been drawn yet; run ragvigil calibrate draw{about}")
    return Book(drawn, reading_labels.labels(connection, criterion))


def draws_of(
    connection: sqlite3.Connection, service: str | None, environment: str | None, criterion: str = ""
) -> list[Drawn]:
    """Draws of that service and environment (None: any), newest first. Raises InputError that names whose there are."""
    every = reading_labels.draws(connection, criterion)
    found = [
        one
        for one in every
        if service in (None, one.service) and environment in (None, one.environment or "")
    ]
    if every and not found:
        places = sorted(
            {f"{one.service} in {one.environment}" if one.environment else one.service for one in every}
        )
        raise InputError("--service", f"nothing was drawn of it; drawn was of: {', '.join(places)}")
    return found


def known_criterion(connection: sqlite3.Connection, criterion: str) -> None:
    """Raises InputError, which names those there are, for a criterion that was never measured."""
    known = reading_labels.criteria(connection)
    if criterion and criterion not in known:
        names = meant(criterion, known) if known else "no criterion was measured yet: see judge.criteria"
        raise InputError("--criterion", f"no answer was judged by {criterion[:60]!r}; {names}")


def draw(
    settings: Settings,
    place: Place,
    *,
    days: float,
    total: int,
    reading: Reading,
    fresh: bool,
    criterion: str = "",
) -> tuple[Drawn, int]:
    """The draw that people work on next, and how many of its items are new; not kept yet.

    The newest draw goes on until its answers are read: then it gets its second wave, or, when `total` labels are
    there, none. `fresh` begins another one. Raises InputError when too little was judged.
    """
    with closing(open_for_reading(settings.store.path)) as connection:
        known_criterion(connection, criterion)
        given = reading_labels.labels(connection, criterion)
        last = None if fresh else reading_labels.latest_draw(connection, place, criterion=criterion)
        if last is not None and unread(last, given):
            return last, 0
        begun = last or _begun(connection, place, days, criterion)
        readable = reading_labels.readable(connection, begun)
    book = Book(begun, given)
    undecided = {record_id for record_id, found in book.settled.items() if found.truth < 0}
    gone = frozenset(begun.frame.record_id) - readable - set(book.truth)
    found = next_wave(begun, book.truth, gone=gone | undecided, total=total, reading=reading)
    return found, len(found.items) - len(begun.items)


def _begun(connection: sqlite3.Connection, place: Place, days: float, criterion: str) -> Drawn:
    now = time.time_ns()
    since = now - round(days * 86_400e9)
    frame, judge = frame_of(reading_labels.traffic(connection, place, since, now, criterion))
    judged = sum(verdict >= 0 for verdict in frame.verdict)
    if judged < _FEWEST_JUDGED:
        raise InputError(
            place.service,
            f"only {judged} verdicts in {days:g} days whose content is still kept, at least {_FEWEST_JUDGED} are "
            "needed; wait, judge more (sample.rate) or look further back (--days)",
        )
    name = f"draw-{secrets.token_hex(4)}"
    return Drawn(name, place.service, place.environment or "", since, now, judge, now, frame, (), criterion)


def tasks_for(
    connection: sqlite3.Connection,
    annotator: str,
    drawn: Sequence[Drawn],
    *,
    adjudicating: bool = False,
    criterion: str = "",
    wishes: bool = False,
) -> list[Task]:
    """What this person reads next, in order; answers whose content has expired are left out.

    With `wishes` also those on which judges do not agree, once each, after those that were drawn.
    """
    given = reading_labels.labels(connection, criterion)
    ids = waiting_for(annotator, drawn, given, adjudicating=adjudicating)
    if not adjudicating and wishes:
        read = {one.record_id for one in given}.union(ids)
        ids += [one for one in reading_labels.wishes(connection) if one not in read]
    found = reading_labels.answers(connection, ids)
    return [Task(one, found[one][1], found[one][0]) for one in ids if one in found]
