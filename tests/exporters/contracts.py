"""Every channel that speaks HTTP: how it is made, what its service answers, what its requests must look like."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import jsonschema
from tests.exporters import published, seen
from tests.exporters.conftest import Received, Service
from tests.exporters.situations import OPENS, SITUATIONS

from ragvigil import exporters
from ragvigil.exporters import Alert, Outcome
from ragvigil.exporters._page import QUIET

SCHEMAS = Path(__file__).parent / "schemas"
POSTED = b'{"ok": true, "channel": "C024BE91L", "ts": "1772334120.000100"}'


class Channel(Protocol):
    """What every channel is."""

    async def send(self, alert: Alert, reference: str | None = None) -> Outcome:
        """Deliver one alert."""
        ...


@dataclass(frozen=True)
class Contract:
    """One channel against its service."""

    name: str
    build: Callable[[str, float], Channel]
    schema: str
    seen: Callable[[Sequence[Received]], str]
    part: Callable[[Received], str | None] = lambda request: None
    """Which definition of the schema a request must match; None is the whole of it."""
    published: Callable[[Received], None] = lambda request: None
    """Raises when the service's own package refuses the request; does nothing where there is none."""
    answer: bytes = b"ok"
    most_bytes: int = 200_000
    secret: str = "hush-hush"
    acknowledges: bool = True
    """Whether it is told who has an incident in hand."""
    lets_go: bool = False
    """Whether it is told that nobody has it in hand any more."""

    def situations(self) -> Sequence[str]:
        """What it is told of."""
        untold = set[str]() if self.acknowledges else set(QUIET)
        untold |= set() if self.lets_go else {"unacknowledge"}
        return [name for name, alert in SITUATIONS.items() if alert.action not in untold]

    def check(self, request: Received) -> None:
        """Raises when our schema of what is published, or the service's own package, does not allow the request."""
        assert len(request.body) <= self.most_bytes
        validator = _validator(self.schema, self.part(request))
        for problem in validator.iter_errors(json.loads(request.said())):  # pyright: ignore[reportUnknownMemberType]  # partly untyped
            raise AssertionError(problem)
        self.published(request)


@cache
def _validator(name: str, part: str | None) -> jsonschema.Draft202012Validator:
    document: dict[str, Any] = json.loads((SCHEMAS / f"{name}.json").read_text())
    jsonschema.Draft202012Validator.check_schema(document)
    return jsonschema.Draft202012Validator(document if part is None else document["$defs"][part])


def _jira_part(request: Received) -> str:
    path = request.path.partition("?")[0]
    return {"close": "close", "notes": "note", "acknowledge": "acknowledge"}.get(
        path.rpartition("/")[2], "create"
    )


CONTRACTS: Mapping[str, Contract] = {
    contract.name: contract
    for contract in (
        Contract(
            "pagerduty",
            lambda base, wait: exporters.PagerDuty("0" * 32, f"{base}/v2/enqueue", timeout_seconds=wait),
            "pagerduty-events-v2",
            seen.pagerduty,
            most_bytes=512_000,
            secret="0" * 32,
        ),
        Contract(
            "jira",
            lambda base, wait: exporters.Jira("hush-hush", f"{base}/v2/alerts", timeout_seconds=wait),
            "jira-integration-events",
            seen.jira,
            part=_jira_part,
        ),
        Contract(
            "alertmanager",
            lambda base, wait: exporters.Alertmanager(base, token="hush-hush", timeout_seconds=wait),
            "alertmanager-v2-postable-alerts",
            seen.alertmanager,
            acknowledges=False,
        ),
        Contract(
            "grafana_irm",
            lambda base, wait: exporters.GrafanaIRM(f"{base}/hush-hush/", timeout_seconds=wait),
            "grafana-irm-formatted-webhook",
            seen.grafana_irm,
            acknowledges=False,
        ),
        Contract(
            "slack",
            lambda base, wait: exporters.Slack(
                "xoxb-hush-hush", "C024BE91L", f"{base}/api", acknowledge=True, timeout_seconds=wait
            ),
            "slack-message",
            seen.slack,
            lets_go=True,
            published=published.slack,
            answer=POSTED,
            most_bytes=40_000,
        ),
        Contract(
            "slack_webhook",
            lambda base, wait: exporters.SlackWebhook(f"{base}/services/hush-hush", timeout_seconds=wait),
            "slack-message",
            seen.slack,
            published=published.slack,
            most_bytes=40_000,
            acknowledges=False,
        ),
        Contract(
            "teams",
            lambda base, wait: exporters.Teams(f"{base}/workflows/1?sig=hush-hush", timeout_seconds=wait),
            "teams-workflow-adaptive-card",
            seen.teams,
            published=published.teams,
            most_bytes=28_000,
            acknowledges=False,
        ),
        Contract(
            "discord",
            lambda base, wait: exporters.Discord(f"{base}/api/webhooks/1/hush-hush", timeout_seconds=wait),
            "discord-webhook-message",
            seen.discord,
            lets_go=True,
            answer=b'{"id": "1122334455"}',
        ),
        Contract(
            "webhook",
            lambda base, wait: exporters.Webhook(f"{base}/hush-hush", published.SECRET, timeout_seconds=wait),
            "standard-webhooks-message",
            seen.webhook,
            lets_go=True,
            published=published.standard_webhooks,
            most_bytes=500_000,
        ),
    )
}


async def told(contract: Contract, service: Service, situation: str) -> Sequence[Received]:
    """The requests that tell of a situation; before what goes on there was the trigger."""
    service.status, service.body = 200, contract.answer
    channel = contract.build(service.base, 15.0)
    reference = None
    if situation not in OPENS:
        reference = (await channel.send(SITUATIONS["trigger"])).reference
        service.received.clear()
    outcome = await channel.send(SITUATIONS[situation], reference)
    assert outcome.delivered, outcome
    return service.received
