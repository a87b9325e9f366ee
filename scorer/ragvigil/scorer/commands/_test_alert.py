"""``ragvigil test-alert``."""

from __future__ import annotations

import asyncio
import json
import secrets
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ragvigil.scorer.commands._options import ConfigOption, JsonOption, settings_of
from ragvigil.scorer.commands._say import say
from ragvigil.scorer.errors import ConfigError, meant

if TYPE_CHECKING:
    from ragvigil.exporters import Alert, Outcome
    from ragvigil.scorer.config import Links, Settings
    from ragvigil.scorer.incidents.deliver import Channel


def test_alert(
    channel: Annotated[str, typer.Argument(metavar="CHANNEL", help="NAME of its section [channels.NAME].")],
    severity: Annotated[
        Literal["critical", "error", "warning", "info"], typer.Option(help="How bad it is to look.")
    ] = "info",
    pause: Annotated[
        float,
        typer.Option(
            metavar="SECONDS",
            min=0.0,
            max=3600.0,
            help="Time between the alert and its resolve; above group_wait for an Alertmanager, or it tells nobody.",
        ),
    ] = 2.0,
    resolve: Annotated[bool, typer.Option(help="Whether the resolve is sent as well.")] = True,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> int:
    """Send a test alert and its resolve to one channel, and show what was sent and what came back.

    They are marked as a test, belong to an incident of their own, and pass by the outbox: one try each.
    Exit code 0 when the channel took both, 1 when it did not.
    """
    settings = settings_of(config)
    target = _channel(settings, channel)
    first = _alert(channel, severity, settings.links)
    told = asyncio.run(_send(target, first, pause=pause, resolve=resolve))
    if as_json:
        typer.echo(json.dumps([_as_mapping(alert, outcome) for alert, outcome in told], indent=2))
    else:
        for alert, outcome in told:
            _show(alert, outcome)
    return 0 if all(outcome.delivered for _, outcome in told) else 1


def _channel(settings: Settings, name: str) -> Channel:
    section = settings.channels.get(name)
    if section is None:
        known = sorted(settings.channels)
        hint = meant(name, known) if known else "none is configured; name the file with --config"
        raise ConfigError(f"channels.{name}", "there is no such channel", hint)
    return section.channel()


async def _send(
    channel: Channel, first: Alert, *, pause: float, resolve: bool
) -> list[tuple[Alert, Outcome]]:
    outcome = await channel.send(first, None)
    told = [(first, outcome)]
    if resolve and outcome.delivered:
        await asyncio.sleep(pause)
        last = replace(
            first,
            action="resolve",
            title="Resolved: this was a test of ragvigil",
            summary="Nothing was wrong. This is how the end of an incident looks.",
            now=first.before,
            at=datetime.now(UTC),
            history=(*first.history, 0.94, 0.95),
        )
        told.append((last, await channel.send(last, outcome.reference)))
    return told


def _alert(channel: str, severity: Literal["critical", "error", "warning", "info"], links: Links) -> Alert:
    from ragvigil.exporters import Alert, Example, Measurement, clean, is_loopback
    from ragvigil.scorer.incidents.pages import trace_link

    now, name, trace = datetime.now(UTC), secrets.token_hex(4), "0" * 32
    return Alert(
        incident_id=f"test-{name}",
        dedup_key=f"ragvigil/test/{name}",
        action="trigger",
        severity=severity,
        series="test",
        service="ragvigil-test",
        environment=None,
        title="Test: this is only a test of ragvigil",
        summary=f"Somebody ran: ragvigil test-alert {clean(channel, limit=60)}\nThe figures are made up.",
        before=Measurement(0.95, 0.94, 0.96, 5_520),
        now=Measurement(0.5, 0.39, 0.61, 80),
        since=now - timedelta(minutes=10),
        at=now,
        segment={"service": "ragvigil-test"},
        examples=(
            Example(
                trace,
                "When does water boil?",
                "At 90 degrees [9].",
                "a made-up example",
                trace_link(trace, links),
            ),
        ),
        link=links.public_url if links.public_url and not is_loopback(links.public_url) else None,
        history=(0.95, 0.96, 0.94, 0.95, None, 0.95, 0.6, 0.5),
        history_from=now - timedelta(minutes=40),
        history_until=now,
    )


def _as_mapping(alert: Alert, outcome: Outcome) -> dict[str, object]:
    from ragvigil.exporters import to_json

    return {"sent": json.loads(to_json(alert)), "answer": asdict(outcome)}


def _show(alert: Alert, outcome: Outcome) -> None:
    from ragvigil.exporters import as_text

    say("\n".join(f"  {line}" for line in as_text(alert).splitlines()))
    say(f"{alert.action}: {_said(outcome)}\n")


def _said(outcome: Outcome) -> str:
    if outcome.delivered:
        parts = ["taken", outcome.reason, f"reference {outcome.reference}" if outcome.reference else ""]
        return ", ".join(filter(None, parts))
    wait = f" in {outcome.retry_after:.0f} s" if outcome.retry_after else ""
    after = f"a running scorer would try again{wait}" if outcome.retry else "it will never take this message"
    redirect = " (a redirect, which is not followed)" if outcome.reason.startswith("http_3") else ""
    detail = f" ({outcome.detail})" if outcome.detail else ""
    return f"not taken: {outcome.reason}{redirect}{detail}; {after}"
