"""``ragvigil diagnose``."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from ragvigil.scorer.commands._options import ConfigOption, JsonOption, StoreOption, settings_of
from ragvigil.scorer.commands._say import say
from ragvigil.scorer.errors import ConfigError
from ragvigil.scorer.moments import DAY, SECOND, calendar_time, dated, in_iso, to_the_second

if TYPE_CHECKING:
    from ragvigil.exporters import Example
    from ragvigil.scorer.config import Links
    from ragvigil.scorer.diagnose.diagnosis import Diagnosis
    from ragvigil.scorer.monitoring import Incident
    from ragvigil.scorer.store.reading_withheld import Withheld


def diagnose(
    incident: Annotated[
        str, typer.Argument(metavar="INCIDENT", help="Its id, or the start of it: see `ragvigil incidents`.")
    ],
    kept: Annotated[
        bool,
        typer.Option("--kept", help="What was worked out last for its page, instead of working it out anew."),
    ] = False,
    config: ConfigOption = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> int:
    """Say why it fell: where, how much, since when, what changed just before, which half is at fault, what to try.

    It is worked out from the records that are in the store now, up to the moment from which it was well again.

    Exit code 0 when a cause is named; 1 when it says "No single cause", also where a change, the half at fault or
    something to try is told.
    """
    from ragvigil.scorer.store import reading

    settings = settings_of(config, store)
    with closing(reading.open_for_reading(settings.store.path)) as connection:
        found = _found(connection, incident)
        diagnosis, examples = _kept(connection, found) if kept else _anew(connection, found)
        withheld = _withheld(connection, found)
    if as_json:
        told = {**_object(found, diagnosis, examples), "withheld": withheld.withheld}
        typer.echo(json.dumps(dated(told), ensure_ascii=False))
    else:
        lines = [*_lines(found, diagnosis, examples, settings.links), *_withheld_lines(withheld)]
        say("\n".join(lines))
    return 0 if diagnosis.sure else 1


def _found(connection: sqlite3.Connection, name: str) -> Incident:
    from ragvigil.scorer.store.reading_incidents import incidents_named

    found = incidents_named(connection, name)
    if not found:
        raise ConfigError("INCIDENT", f"there is no {name!r}", "see `ragvigil incidents --all`")
    if len(found) > 1:
        raise ConfigError("INCIDENT", f"{name!r} begins several ids", "give more of it")
    return found[0]


def _anew(connection: sqlite3.Connection, incident: Incident) -> tuple[Diagnosis, Sequence[Example]]:
    from ragvigil.scorer.diagnose.diagnoser import DIAGNOSED, Diagnoser, worked_out
    from ragvigil.scorer.store.reading_fall import Fall

    if not incident.key.name.startswith(DIAGNOSED):
        raise ConfigError(
            "INCIDENT",
            f"is about {incident.key.name}",
            "only falls of what is measured on answers have causes there",
        )
    store = Fall.of(connection).diagnosing
    found = worked_out(store, incident, time.time_ns())
    return found, Diagnoser(store).examples(incident, found, ())


def _kept(connection: sqlite3.Connection, incident: Incident) -> tuple[Diagnosis, Sequence[Example]]:
    from ragvigil.scorer.diagnose.diagnoser import Diagnoser
    from ragvigil.scorer.store.reading_fall import Fall

    fall = Fall.of(connection)
    found = fall.diagnosis(incident)
    if found is None:
        raise ConfigError("INCIDENT", f"{incident.id} has no diagnosis kept", "leave out --kept")
    return found, Diagnoser(fall.diagnosing).examples(incident, found, ())


def _withheld(connection: sqlite3.Connection, incident: Incident) -> Withheld:
    """Of how many answers of the day before it opened, and since, the texts are kept back."""
    from ragvigil.scorer.store.reading_withheld import withheld_of

    key = incident.key
    until = incident.resolved_at or time.time_ns()
    return withheld_of(connection, key.service, key.environment, incident.opened_at - DAY, until)


def _withheld_lines(found: Withheld) -> Iterator[str]:
    from ragvigil.scorer.trace import WITHHELD_MEANS

    if found.withheld:
        yield f"{found.withheld:,} of its {found.answers:,} answers: {WITHHELD_MEANS}"


def _object(incident: Incident, diagnosis: Diagnosis, examples: Sequence[Example]) -> dict[str, object]:
    told = asdict(diagnosis)
    told["onset"].update({name: _in_iso(told["onset"][name]) for name in ("at", "lower", "upper")})
    if told["cause"]:
        told["cause"]["first_seen"] = _in_iso(told["cause"]["first_seen"])
    return {
        "incident": incident.id,
        "series": incident.key.name,
        "service": incident.key.service,
        "environment": incident.key.environment,
        **told,
        "examples": [asdict(one) for one in examples],
    }


def _in_iso(found: object) -> object:
    """What is kept in Unix seconds, for likelihoods are worked out in them, as all else is told."""
    return in_iso(round(found * SECOND)) if isinstance(found, float) else found


def _lines(
    incident: Incident, diagnosis: Diagnosis, examples: Sequence[Example], links: Links
) -> Sequence[str]:
    from ragvigil.exporters import clean, shown
    from ragvigil.scorer.diagnose.words import full_lines
    from ragvigil.scorer.incidents.pages import trace_link

    place = clean(incident.key.service, limit=60)
    opened = calendar_time(incident.opened_at)
    lines = [
        f"{incident.id}: {incident.key.name} of {place}, opened {opened:%Y-%m-%d %H:%M} UTC",
        f"  {shown(incident.before)} of {incident.before.n:,} to {shown(incident.worst)} of {incident.worst.n:,}"
        if incident.before.estimated
        else f"  {shown(incident.worst)} of {incident.worst.n:,}, {shown(incident.before)} wanted",
        *_well_again(incident),
        *full_lines(diagnosis, links),
    ]
    for one in examples:
        lines.append(f"trace {trace_link(one.trace_id, links) or one.trace_id}")
        lines.append(f"  asked: {clean(one.query or '-', limit=200)}")
        lines.append(f"  why:   {clean(one.reason, limit=300)}")
    return lines


def _well_again(incident: Incident) -> Iterator[str]:
    from ragvigil.scorer.diagnose.diagnoser import counted_until

    over = incident.recovering_since or incident.resolved_at
    if over is not None:
        at = to_the_second(counted_until(incident, over))
        yield f"  well again from {at} on: the figures are of answers before that"
