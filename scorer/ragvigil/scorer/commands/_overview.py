"""What ``ragvigil status`` shows."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from ragvigil.exporters import clean, lasting
from ragvigil.scorer.commands import (
    _coverage,
    _criteria,
    _detectors,
    _filtered,
    _judge,
    _misdated,
    _sampling,
    _styles,
    _told,
    _unread_spans,
    _unseen,
    _upstream,
)
from ragvigil.scorer.commands._figures import fall, measured
from ragvigil.scorer.commands._places import places
from ragvigil.scorer.commands._shown_places import counted, left_out, untold
from ragvigil.scorer.config import Monitor, Settings
from ragvigil.scorer.detect.stretches import stretches
from ragvigil.scorer.moments import in_utc
from ragvigil.scorer.monitoring import Incident
from ragvigil.scorer.receive.counters import waiting_for
from ragvigil.scorer.store import reading, reading_incidents

_NOTABLE_ROLLUP_BYTES = 100_000_000


def as_json(
    connection: sqlite3.Connection, received: Mapping[str, int], settings: Settings
) -> dict[str, object]:
    """Everything, as one JSON object."""
    age = _age(connection)
    return {
        "alive": _lives(connection, settings),
        "received": dict(received),
        "alive_seconds_ago": age,
        "series": [
            {
                "series": status.key.name,
                "service": status.key.service,
                "environment": status.key.environment,
                "state": status.state,
                "told": status.key.is_told(settings.monitor.page_environments),
                "now": None if status.now is None else asdict(status.now),
                "before": None if status.before is None else asdict(status.before),
            }
            for status in reading.series(connection)
        ],
        "incidents": [
            {**asdict(incident), "key": incident.key._asdict()} for incident in reading.incidents(connection)
        ],
        "detectors": _detectors.as_json(connection, settings),
        "criteria": _criteria.as_json(connection),
        "coverage": _coverage.as_json(connection, settings.coverage),
        "upstream_sampling": _upstream.as_json(connection, settings.coverage.window_seconds),
        "judge": _judge.as_json(connection),
        "sampling": _sampling.as_json(connection),
        "citation_styles": _styles.as_json(connection),
        "retrievals": _unseen.as_json(connection),
        "dialect_failures": _unread_spans.as_json(connection),
        "misdated": _misdated.as_json(connection),
        "feedback": _told.feedback_as_json(connection),
        "changes": _told.changes_as_json(connection),
        "undelivered": reading.undelivered(connection),
        "unconfigured_channels": dict(reading_incidents.unconfigured(connection)),
    }


def as_text(
    connection: sqlite3.Connection, received: Mapping[str, int], settings: Settings, *, every: bool = False
) -> str:
    """The same for people: what somebody has to do something about first, for services may be many.

    Those of which there is nothing to say are left out where there are many, unless `every` one is asked for.
    """
    statuses, incidents = reading.series(connection), reading.incidents(connection)
    without = () if every else left_out(statuses, incidents)
    shown = [one for one in statuses if (one.key.service, one.key.environment) not in without]
    silent = {service for service, _ in without} - {one.key.service for one in shown}
    return "\n".join(
        [
            _heartbeat(_age(connection), alive=_lives(connection, settings)),
            *_incidents(incidents),
            *_unconfigured(reading_incidents.unconfigured(connection)),
            *_unseen.as_text(connection),
            *_filtered.as_text(connection),
            *_unread_spans.as_text(connection),
            *_misdated.as_text(connection),
            *_not_taken(received, settings),
            *_series(shown, settings.monitor),
            *counted(without),
            *untold(statuses, settings.monitor.page_environments),
            *_detectors.as_text(connection, settings, without),
            *_criteria.as_text(connection),
            *_judge.as_text(connection),
            *_sampling.as_text(connection),
            *_upstream.as_text(connection, settings.coverage.window_seconds),
            *_coverage.as_text(connection, settings.coverage, without),
            *_told.as_text(connection),
            *_styles.as_text(connection, silent),
            *_forwarded(received),
        ]
    )


def disk_line(disk: reading.Disk) -> str:
    """What the store takes on disk, and what retention has taken out."""
    text = (
        f"disk: {disk.file_bytes / 1e6:,.1f} MB ({disk.used_bytes / 1e6:,.1f} used) and a log of "
        f"{disk.log_bytes / 1e6:,.1f} MB; {disk.traces_with_content:,} traces with content"
    )
    if disk.rollup_bytes >= _NOTABLE_ROLLUP_BYTES:
        text += f"; rollups, which never go, take about {disk.rollup_bytes / 1e6:,.1f} MB"
    gone = disk.expired + disk.expired_early
    if gone:
        text += f", of {gone:,} it was taken out ({disk.expired_early:,} before its time)"
    deleted = disk.records_expired + disk.records_expired_early
    if deleted:
        text += f"; {deleted:,} records deleted by age ({disk.records_expired_early:,} before their time)"
    return text + (f"; {disk.records_forgotten:,} records forgotten" if disk.records_forgotten else "")


def _age(connection: sqlite3.Connection) -> float | None:
    alive = reading.alive_at(connection)
    return None if alive is None else (time.time_ns() - alive) / 1e9


def _lives(connection: sqlite3.Connection, settings: Settings) -> bool:
    return reading.lives(reading.alive_at(connection), time.time_ns(), settings.monitor.tick_seconds)


def _heartbeat(age: float | None, *, alive: bool) -> str:
    if age is None:
        return "scorer: has not evaluated anything yet"
    if age < 0 and not alive:
        return (
            f"scorer: NOT RUNNING, its last evaluation lies {-age:,.0f} s ahead: the clock was set back since"
        )
    return f"scorer: {'alive' if alive else 'NOT RUNNING'}, last evaluation {age:,.0f} s ago"


def _not_taken(received: Mapping[str, int], settings: Settings) -> list[str]:
    """What was not accepted, by reason; silent when all was. Senders were told, but nobody sends a file."""
    kept_out = ("refused.", "rejected.")
    told = [
        f"  {count:>12,}  {name}"
        for name, count in sorted(received.items())
        if name.startswith(kept_out) and count
    ]
    followed = settings.sources.files or settings.sources.stdin
    who = "senders were told; of what is read from files, the log tells" if followed else "senders were told"
    return [f"not accepted ({who}):", *told] if told else []


def _forwarded(received: Mapping[str, int]) -> list[str]:
    """For each backend that gets a copy: what it has, what waits, and what it will never get and why."""
    lines: list[str] = []
    for name in sorted({key.split(".")[1] for key in received if key.startswith("forwarded.")}):
        prefix = f"forwarded.{name}."
        counts = {
            key.removeprefix(prefix): count for key, count in received.items() if key.startswith(prefix)
        }
        dropped = {key.removeprefix("dropped."): n for key, n in counts.items() if key.startswith("dropped.")}
        delivered = counts.get("delivered", 0)
        waiting = waiting_for(name, received)
        why = ", ".join(f"{reason} {count:,}" for reason, count in sorted(dropped.items()))
        lines.append(
            f"forward {name}: {delivered:,} requests delivered, {waiting:,} waiting, "
            f"{sum(dropped.values()):,} dropped" + (f" ({why})" if why else "")
        )
        if counts.get("rejected"):
            lines.append(
                f"  {counts['rejected']:>12,}  spans, records or points that it took the request without"
            )
    return lines


def _series(statuses: Sequence[reading.SeriesStatus], monitor: Monitor) -> list[str]:
    if not statuses:
        return ["series: none yet"]
    keys = [(status.key.service, status.key.environment) for status in statuses]
    named = places(keys)
    rows = [(status.key.name, named[key], status.state) for key, status in zip(keys, statuses, strict=True)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            (*(cell.ljust(width) for cell, width in zip(row, widths, strict=True)), measured(status.now))
        )
        + (f"  (baseline {measured(status.before)})" if status.before else "")
        + _lacks(status, monitor)
        for row, status in zip(rows, statuses, strict=True)
    ]


def _lacks(status: reading.SeriesStatus, monitor: Monitor) -> str:
    """What a series that cannot be compared yet waits for; nothing of one that pages nobody."""
    rule = monitor.rule(status.key.name)
    if not status.key.is_told(monitor.page_environments):
        return ""
    if status.state == "cold_start" and status.first is not None:
        return f"; can page from {in_utc(status.first + rule.warmup_seconds * 1e9)} on"
    if status.state != "insufficient_sample":
        return ""
    if status.before is None or status.before.n < rule.min_baseline:
        return f"; needs a baseline of n={rule.min_baseline:,}"
    return f"; needs n={rule.min_sample:,} in about {lasting(stretches(rule)[-1] / 1e9)}"


def _incidents(incidents: Sequence[Incident]) -> list[str]:
    lines = [f"incidents: {sum(incident.resolved_at is None for incident in incidents)} open"]
    named = places([(incident.key.service, incident.key.environment) for incident in incidents])
    for incident in incidents:
        place = named[incident.key.service, incident.key.environment]
        opened = time.strftime("%Y-%m-%d %H:%M:%SZ", time.gmtime(incident.opened_at / 1e9))
        lines.append(
            f"  {opened}  {incident.key.name} of {place}: {_what(incident)}, "
            f"{'open' if incident.resolved_at is None else 'resolved'}"
        )
    return lines


def _unconfigured(waiting: Sequence[tuple[str, int]]) -> list[str]:
    """Where messages go that nobody will get: a channel was renamed or left out."""
    return [
        f"channel {channel}: NOT CONFIGURED where the scorer runs; messages that wait for it: {count:,}, each until it "
        "is a day old"
        for channel, count in waiting
    ]


def _what(incident: Incident) -> str:
    """From what to what; of what is no rate, such as a leak, its note."""
    if incident.now.estimated or not incident.note:
        return fall(incident.before, incident.worst)
    note = clean(incident.note, limit=100)
    return note[:1].lower() + note[1:]
