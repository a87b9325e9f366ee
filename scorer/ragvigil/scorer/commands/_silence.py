"""``ragvigil silence``: add, list, remove."""

from __future__ import annotations

import json
import secrets
import time
from contextlib import closing
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Annotated, get_args

import typer

from ragvigil.scorer.commands import _moments
from ragvigil.scorer.commands._known_services import others_than, unknown
from ragvigil.scorer.commands._options import ConfigOption, JsonOption, StoreOption, settings_of
from ragvigil.scorer.commands._orders import ByOption, WaitOption, carry_out, name_of, text_of
from ragvigil.scorer.commands._say import say
from ragvigil.scorer.errors import ConfigError, meant
from ragvigil.scorer.moments import DAY, dated

if TYPE_CHECKING:
    from ragvigil.scorer.incidents.oncall import Silence
    from ragvigil.scorer.monitoring import AnyName

_LATEST_START = 365 * DAY
"""Nanoseconds from now until a planned window begins, at most."""

CommentOption = Annotated[
    str, typer.Option(metavar="TEXT", help="Why: the next person reads it at three in the morning.")
]
SeriesOption = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="faithfulness, citation, coverage_scored, …; none: every series."),
]
ServiceOption = Annotated[str | None, typer.Option(metavar="NAME", help="service.name; none: all services.")]
EnvironmentOption = Annotated[
    str | None, typer.Option(metavar="NAME", help="Environment, '' for services that name none; none: all.")
]
SegmentOption = Annotated[
    str | None, typer.Option(metavar="NAME=VALUE", help="Segment at fault, such as language=de; none: all.")
]
EverythingOption = Annotated[bool, typer.Option("--everything", help="Needed when no matcher is given.")]
ForOption = Annotated[str | None, typer.Option("--for", metavar="LENGTH", help="90m, 24h, 7d or 2w.")]
UntilOption = Annotated[
    str | None, typer.Option(metavar="MOMENT", help="Instead of --for: ISO 8601, UTC if it names no zone.")
]
FromOption = Annotated[
    str | None, typer.Option("--from", metavar="MOMENT", help="For planned maintenance; none: now.")
]


def add(
    comment: CommentOption,
    series: SeriesOption = None,
    service: ServiceOption = None,
    environment: EnvironmentOption = None,
    segment: SegmentOption = None,
    everything: EverythingOption = False,
    length: ForOption = None,
    until: UntilOption = None,
    start: FromOption = None,
    by: ByOption = None,
    config: ConfigOption = None,
    store: StoreOption = None,
    seconds: WaitOption = 30.0,
    as_json: JsonOption = False,
) -> int:
    """Hold back what would be sent about matching incidents, from now or from a planned moment, until an end.

    Incidents open and are kept. What still stands when the silence ends is sent then; what was over
    before, and nobody was told of, is not sent.
    """
    silence = replace(
        _matching(series, service, environment, segment, everything=everything),
        comment=text_of("--comment", comment),
        by=name_of(by),
    )
    starts_at, ends_at = window(start, length, until, time.time_ns())
    silence = replace(silence, starts_at=starts_at, ends_at=ends_at)
    from ragvigil.scorer.monitor.health import SERVICE

    settings = settings_of(config, store)
    found, done_by = carry_out(settings, silence, seconds)
    others = [] if service is None or service == SERVICE else others_than(settings, service)
    if as_json:
        known = {"known_services": others} if others else {}
        typer.echo(json.dumps(dated({**_mapping(silence), "written_by": done_by, **known})))
        return 0
    say(f"silenced: {found}, {_until(silence)}: {_matched(silence)}")
    if service is not None and others:
        say(f"{unknown(settings, service, others)} The silence is kept.", err=True)
    return 0


def _matching(
    series: str | None, service: str | None, environment: str | None, segment: str | None, *, everything: bool
) -> Silence:
    """A new silence of what is named, without window and words. Raises ConfigError."""
    from ragvigil.scorer.incidents.oncall import Silence

    if not (everything or series or service or segment or environment is not None):
        raise ConfigError(
            "silence", "names nothing", "give --series, --service, --environment, --segment or --everything"
        )
    if segment is not None and "=" not in segment:
        raise ConfigError("--segment", f"{segment!r} is no segment", "say it as language=de")
    return Silence(
        id="sil-" + secrets.token_hex(4),
        starts_at=0,
        ends_at=0,
        comment="",
        by="",
        series=None if series is None else series_called("--series", series),
        service=service or None,
        environment=environment,
        segment=segment or None,
    )


def _until(silence: Silence) -> str:
    """Its window, from when only where that is not now."""
    planned = silence.starts_at > time.time_ns()
    return (
        f"from {_moments.utc(silence.starts_at)} " if planned else ""
    ) + f"until {_moments.utc(silence.ends_at)}"


def list_silences(
    ended: Annotated[bool, typer.Option("--all", help="Those that have ended, too.")] = False,
    config: ConfigOption = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> int:
    """Show what is silenced now or will be: what, from when until when, by whom and why."""
    from ragvigil.scorer.store import reading, reading_incidents

    settings, now = settings_of(config, store), time.time_ns()
    with closing(reading.open_for_reading(settings.store.path)) as connection:
        silences = reading_incidents.silences(connection, -(2**62) if ended else now)
    if as_json:
        typer.echo(json.dumps(dated([_mapping(silence) for silence in silences])))
        return 0
    for silence in silences:
        state = "ended" if silence.ends_at <= now else "active" if silence.starts_at <= now else "planned"
        window = f"{_moments.utc(silence.starts_at)} - {_moments.utc(silence.ends_at)}"
        say(f"{silence.id}  {state:<7}  {window}  {_matched(silence)}  by {silence.by}: {silence.comment}")
    if not silences:
        say("no silences")
    return 0


def remove(
    silence: Annotated[str, typer.Argument(metavar="ID", help="As `ragvigil silence list` shows it.")],
    config: ConfigOption = None,
    store: StoreOption = None,
    seconds: WaitOption = 30.0,
    as_json: JsonOption = False,
) -> int:
    """End a silence now; what it held back and still stands is sent."""
    from ragvigil.scorer.incidents.oncall import Unsilence

    found, done_by = carry_out(settings_of(config, store), Unsilence(silence.strip()), seconds)
    say(json.dumps({"ended": found, "written_by": done_by}) if as_json else f"ended: {found}", whole=as_json)
    return 0


def window(start: str | None, length: str | None, until: str | None, now: int) -> tuple[int, int]:
    """From when until when. Raises ConfigError."""
    from ragvigil.scorer.incidents.oncall import LONGEST_SILENCE_SECONDS

    starts_at = now if start is None else _moments.moment("--from", start)
    if starts_at > now + _LATEST_START:
        raise ConfigError("--from", "is more than a year away", "give an earlier moment")
    if (length is None) == (until is None):
        raise ConfigError("silence", "needs an end", "give one of --for 2h and --until 2026-11-01T06:00Z")
    if length is not None:
        ends_at = starts_at + _moments.length("--for", length)
    else:
        ends_at = _moments.moment("--until", until or "")
    option = "--until" if length is None else "--for"
    if ends_at <= now:
        raise ConfigError(option, f"ends at {_moments.utc(ends_at)}, which is over", "give a later end")
    if ends_at <= starts_at:
        raise ConfigError(
            "--from, --until",
            f"run backwards: from {_moments.utc(starts_at)} to {_moments.utc(ends_at)} there is no time",
            "--from is the earlier one",
        )
    if ends_at - starts_at > LONGEST_SILENCE_SECONDS * 10**9:
        days = LONGEST_SILENCE_SECONDS // 86_400
        raise ConfigError(option, f"is longer than {days} days", "renew it, or change the settings")
    return starts_at, ends_at


def series_called(option: str, given: str) -> AnyName:
    """The series of that name. Raises ConfigError that names them all."""
    from ragvigil.scorer.monitoring import (
        CRITERION,
        JUDGED,
        ArrivalName,
        CoverageName,
        DetectedName,
        HealthName,
        LeakName,
        SeriesName,
        StormName,
    )

    kinds = (SeriesName, DetectedName, CoverageName, HealthName, ArrivalName, LeakName, StormName)
    known: list[AnyName] = [name for kind in kinds for name in get_args(kind)]
    known += JUDGED
    if given in known or CRITERION.fullmatch(given):
        return given
    hint = "known: " + ", ".join([*known, "criteria.NAME"])
    raise ConfigError(option, f"no series is called {given!r}", meant(given, known, all_of_them=hint))


def _mapping(silence: Silence) -> dict[str, object]:
    return {key: value for key, value in asdict(silence).items() if key != "kind"}


def _matched(silence: Silence) -> str:
    from ragvigil.exporters import clean

    given = {
        "series": silence.series,
        "service": silence.service,
        "environment": silence.environment,
        "segment": silence.segment,
    }
    parts = [f"{key}={clean(value, limit=60)}" for key, value in given.items() if value is not None]
    return " ".join(parts) or "everything"
