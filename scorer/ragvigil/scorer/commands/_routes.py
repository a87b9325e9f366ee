"""``ragvigil routes explain``."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, get_args

import typer

from ragvigil.scorer.commands import _moments
from ragvigil.scorer.commands._options import ConfigOption, JsonOption, settings_of
from ragvigil.scorer.commands._silence import series_called
from ragvigil.scorer.errors import ConfigError

if TYPE_CHECKING:
    from ragvigil.exporters import Severity

_LABELS = ("series", "service", "environment", "severity", "segment", "at")


def explain(
    labels: Annotated[
        list[str],
        typer.Argument(
            metavar="LABEL=VALUE...",
            help="series=, service=, environment=, severity=, segment=, at= (ISO 8601).",
        ),
    ],
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> int:
    """Say to which channels such an incident would go, and which route takes it or why not.

    What is not given: series=citation, no environment, severity=error, at=now. Nothing is sent.
    """
    from ragvigil.scorer.monitoring import SeriesKey
    from ragvigil.scorer.routing import asked, routed

    given = _given(labels)
    settings = settings_of(config)
    if "service" not in given:
        raise ConfigError("service", "missing", "give service=NAME")
    series = series_called("series", given.get("series", "citation"))
    key = SeriesKey(series, given["service"], given.get("environment") or None)
    severity = _severity(given.get("severity", "error"))
    # A segment has an equals sign of its own: segment=language=de.
    segment = given.get("segment")
    at = datetime.now(UTC)
    if "at" in given:
        at = datetime.fromtimestamp(_moments.moment("at", given["at"]) / 1e9, UTC)
    answers = asked(settings.routes, key, severity, at, segment)
    channels = routed(settings.routes, list(settings.channels), key, severity, at, segment)
    if as_json:
        typer.echo(json.dumps({"channels": channels, "routes": [asdict(answer) for answer in answers]}))
        return 0
    for answer in answers:
        typer.echo(f"{answer.name}: {'takes it' if answer.takes else 'no'}: {answer.why}")
    if not any(answer.takes for answer in answers):
        typer.echo("no route takes it: all channels")
    typer.echo("goes to: " + (", ".join(channels) or "nobody: no channel is configured"))
    return 0


def _given(labels: list[str]) -> dict[str, str]:
    given: dict[str, str] = {}
    for label in labels:
        name, equals, value = label.partition("=")
        if not equals or name not in _LABELS:
            raise ConfigError(label, "is no LABEL=VALUE", "known: " + ", ".join(_LABELS))
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
    raise ConfigError("severity", f"cannot be {given!r}", "known: " + ", ".join(known))
