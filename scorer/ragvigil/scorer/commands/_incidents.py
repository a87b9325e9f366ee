"""``ragvigil incidents``."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from ragvigil.scorer.commands._options import ConfigOption, JsonOption, StoreOption, settings_of
from ragvigil.scorer.commands._say import say
from ragvigil.scorer.moments import dated

if TYPE_CHECKING:
    from ragvigil.scorer.monitoring import Incident
    from ragvigil.scorer.store.reading import Message
    from ragvigil.scorer.store.reading_incidents import Standing


def incidents(
    resolved: Annotated[bool, typer.Option("--all", help="Those that are resolved, too.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="At most so many, the newest.")] = 100,
    config: ConfigOption = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> int:
    """Show the incidents: what fell, since when, from what to what, who has it in hand, and who was told.

    State: open; acknowledged (`ragvigil ack`); silenced: open, and a silence holds back what would be sent; resolved.
    """
    from ragvigil.scorer.store import reading, reading_incidents

    settings = settings_of(config, store)
    with closing(reading.open_for_reading(settings.store.path)) as connection:
        found = reading_incidents.standing(connection, time.time_ns(), resolved=resolved, limit=limit)
    if as_json:
        typer.echo(json.dumps(dated([_mapping(one) for one in found])))
        return 0
    for one in found:
        say("\n".join(_lines(one)))
    if not found:
        say("no incidents" if resolved else "no open incidents; --all shows the resolved ones")
    return 0


def _mapping(one: Standing) -> dict[str, object]:
    incident = one.incident
    return {
        **asdict(incident),
        "key": incident.key._asdict(),
        "state": one.state,
        "acknowledged": None if one.acknowledged is None else asdict(one.acknowledged),
        "silenced_by": list(one.silenced_by),
        "silenced_until": one.silenced_until,
        "explained_by": one.explained_by,
        "deliveries": [asdict(message) for message in one.messages],
    }


def _lines(one: Standing) -> list[str]:
    from ragvigil.exporters import clean

    incident = one.incident
    named = (incident.key.service, *filter(None, (incident.key.environment, incident.segment)))
    place = ", ".join(clean(part, limit=60) for part in named)
    lines = [
        f"{incident.id}  {one.state:<12}  {incident.key.name} of {place}",
        f"  since {_utc(incident.since)}{_fall(incident)}",
    ]
    if incident.note:
        lines.append(f"  {clean(incident.note, limit=500)}")
    lines += _course(incident)
    if one.acknowledged is not None:
        note = f": {clean(one.acknowledged.note, limit=500)}" if one.acknowledged.note else ""
        name = clean(one.acknowledged.by, limit=100)
        lines.append(f"  acknowledged by {name} at {_utc(one.acknowledged.at)}{note}")
    if one.silenced_by:
        lines.append(f"  silenced by {', '.join(one.silenced_by)}")
    if one.messages:
        return [*lines, *(f"  {_delivery(message, one.silenced_until)}" for message in one.messages)]
    why = "no channel, or its environment does not page" if incident.told else "another incident explains it"
    return [*lines, f"  nobody was told: {why}" + (f" ({one.explained_by})" if one.explained_by else "")]


def _course(incident: Incident) -> Iterator[str]:
    """What became of it since."""
    if incident.resolved_at is not None:
        how = "withdrawn: late data show no fall" if incident.withdrawn else "resolved"
        yield f"  {how} {_utc(incident.resolved_at)}"
    if incident.reopened:
        times = "once" if incident.reopened == 1 else f"{incident.reopened} times"
        last = "" if incident.again_since is None else f"; it last fell again {_utc(incident.again_since)}"
        yield f"  opened again {times}, soon after it had resolved{last}"
    if incident.amended_at is not None:
        yield f"  corrected by late data {_utc(incident.amended_at)}"


def _fall(incident: Incident) -> str:
    """From what to what; nothing of what is no rate, such as a leak, which its note tells."""
    if not incident.now.estimated:
        return ""
    from ragvigil.scorer.commands._figures import fall, measured

    return f": {fall(incident.before, incident.worst)}, now {measured(incident.now)}"


def _delivery(message: Message, silenced_until: int | None) -> str:
    tries = f"{message.attempts} attempt{'' if message.attempts == 1 else 's'}"
    if message.delivered_at is not None:
        return f"{message.action} to {message.channel}: delivered {_utc(message.delivered_at)}"
    if message.refused_at is not None:
        return f"{message.action} to {message.channel}: not delivered ({message.reason})"
    if silenced_until is not None:
        return f"{message.action} to {message.channel}: waits: silenced until {_utc(silenced_until)}"
    return f"{message.action} to {message.channel}: waits, {tries}" + (
        f" ({message.reason})" if message.reason else ""
    )


def _utc(moment: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%SZ", time.gmtime(moment / 1e9))
