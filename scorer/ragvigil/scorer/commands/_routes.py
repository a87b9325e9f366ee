"""``ragvigil routes explain``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, get_args

import typer

from ragvigil.scorer.commands import _moments
from ragvigil.scorer.commands._options import ConfigOption, JsonOption, settings_of
from ragvigil.scorer.commands._say import say
from ragvigil.scorer.commands._silence import series_called
from ragvigil.scorer.errors import ConfigError, meant
from ragvigil.scorer.moments import calendar_time

if TYPE_CHECKING:
    from ragvigil.exporters import Severity
    from ragvigil.scorer.config import Settings
    from ragvigil.scorer.incidents.routing import Asked

_LABELS = ("series", "service", "environment", "severity", "segment", "at")


def explain(
    labels: Annotated[
        list[str],
        typer.Argument(
            metavar="LABEL=VALUE",
            help="series=, service=, environment=, severity=, segment=, at= (ISO 8601).",
        ),
    ],
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> int:
    """Say to which channels such an incident would go, and which route takes it or why not.

    What is not given: series=citation, no environment, the severity that the series begins with, at=now. Nothing is
    sent.
    """
    from ragvigil.scorer.incidents.routing import asked, routed
    from ragvigil.scorer.incidents.severity import severity_of
    from ragvigil.scorer.monitoring import SeriesKey

    given = _given(labels)
    settings = settings_of(config)
    if "service" not in given:
        raise ConfigError("service", "missing", "give service=NAME")
    series = series_called("series", given.get("series", "citation"))
    key = SeriesKey(series, given["service"], given.get("environment") or None)
    usual = severity_of(series, pages=settings.coverage.pages)
    severity = _severity(given["severity"]) if "severity" in given else usual
    # A segment has an equals sign of its own: segment=language=de.
    segment = given.get("segment")
    at = datetime.now(UTC)
    if "at" in given:
        at = calendar_time(_moments.moment("at", given["at"]))
    answers = asked(settings.routes, key, severity, at, segment)
    channels = routed(settings.routes, list(settings.channels), key, severity, at, segment)
    kept = _kept(key.environment, settings)
    escalations = (
        [] if kept else _escalations([answer.name for answer in answers if answer.takes], settings, severity)
    )
    if as_json:
        found = {
            "channels": [] if kept else channels,
            "kept": kept,
            "severity": severity,
            "routes": [asdict(answer) for answer in answers],
            "escalations": escalations,
        }
        typer.echo(json.dumps(found))
        return 0
    if kept:
        say(f"goes to: nobody: {kept}")
    else:
        say("\n".join([*_said(answers, channels), *escalations]))
    return 0


def _said(answers: Sequence[Asked], channels: Sequence[str]) -> Iterator[str]:
    """What each route says, and where the incident goes."""
    for answer in answers:
        yield f"{answer.name}: {'takes it' if answer.takes else 'no'}: {answer.why}"
    if not any(answer.takes for answer in answers):
        yield "no route takes it: all channels"
    yield "goes to: " + (", ".join(channels) or "nobody: no channel is configured")


def _kept(environment: str | None, settings: Settings) -> str | None:
    """Why nothing at all would be sent; None when something would."""
    paging = settings.monitor.page_environments
    if environment is None or environment in paging:
        return None
    named = ", ".join(map(repr, paging)) or "none"
    return f"environment {environment!r} is kept, not told (monitor.page_environments: {named})"


def _escalations(names: list[str], settings: Settings, severity: Severity) -> list[str]:
    """When it goes on to whom, in words."""
    page = severity in ("critical", "error")
    said: list[str] = []
    for route in (settings.routes[name] for name in names):
        whom = ", ".join(route.escalate_to)
        unheard = f"{route.escalate_seconds:.0f} s after nobody acknowledged it, or "
        if whom:
            said.append(f"then to: {whom}, {unheard if page else ''}when a channel does not take it")
    return said


def _given(labels: list[str]) -> dict[str, str]:
    given: dict[str, str] = {}
    for label in labels:
        name, equals, value = label.partition("=")
        if not equals or name not in _LABELS:
            raise ConfigError(label, "is no LABEL=VALUE", meant(name, list(_LABELS)))
        if name in given:
            raise ConfigError(name, "is given twice")
        given[name] = value
    return given


def _severity(given: str) -> Severity:
    from ragvigil.exporters import Severity

    known: tuple[Severity, ...] = get_args(Severity)
    for name in known:
        if name == given:
            return name
    raise ConfigError("severity", f"cannot be {given!r}", meant(given, known))
