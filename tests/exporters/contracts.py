"""Every channel that speaks HTTP: how it is made, what its service answers, what its requests must look like."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import jsonschema
from tests.exporters import seen
from tests.exporters.conftest import Received, Service
from tests.exporters.situations import SITUATIONS

from ragvigil import exporters
from ragvigil.exporters import Alert, Outcome

SCHEMAS = Path(__file__).parent / "schemas"
SECRET = "whsec_aHVzaC1odXNoLWh1c2gtaHVzaC1odXNoLWh1c2gh"
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
    answer: bytes = b"ok"
    most_bytes: int = 200_000
    secret: str = "hush-hush"

    def check(self, request: Received) -> None:
        """Raises when the published schema does not allow the request."""
        assert len(request.body) <= self.most_bytes
        validator = _validator(self.schema, self.part(request))
        for problem in validator.iter_errors(json.loads(request.body)):  # pyright: ignore[reportUnknownMemberType]  # partly untyped
            raise AssertionError(problem)


@cache
def _validator(name: str, part: str | None) -> jsonschema.Draft202012Validator:
    document: dict[str, Any] = json.loads((SCHEMAS / f"{name}.json").read_text())
    jsonschema.Draft202012Validator.check_schema(document)
    return jsonschema.Draft202012Validator(document if part is None else document["$defs"][part])


def _jira_part(request: Received) -> str:
    path = request.path.partition("?")[0]
    return {"close": "close", "notes": "note"}.get(path.rpartition("/")[2], "create")


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
        ),
        Contract(
            "grafana_irm",
            lambda base, wait: exporters.GrafanaIRM(f"{base}/hush-hush/", timeout_seconds=wait),
            "grafana-irm-formatted-webhook",
            seen.grafana_irm,
        ),
        Contract(
            "slack",
            lambda base, wait: exporters.Slack(
                "xoxb-hush-hush", "C024BE91L", f"{base}/api", timeout_seconds=wait
            ),
            "slack-message",
            seen.slack,
            answer=POSTED,
            most_bytes=40_000,
        ),
        Contract(
            "slack_webhook",
            lambda base, wait: exporters.SlackWebhook(f"{base}/services/hush-hush", timeout_seconds=wait),
            "slack-message",
            seen.slack,
            most_bytes=40_000,
        ),
        Contract(
            "teams",
            lambda base, wait: exporters.Teams(f"{base}/workflows/1?sig=hush-hush", timeout_seconds=wait),
            "teams-workflow-adaptive-card",
            seen.teams,
            most_bytes=28_000,
        ),
        Contract(
            "discord",
            lambda base, wait: exporters.Discord(f"{base}/api/webhooks/1/hush-hush", timeout_seconds=wait),
            "discord-webhook-message",
            seen.discord,
            answer=b'{"id": "1122334455"}',
        ),
        Contract(
            "webhook",
            lambda base, wait: exporters.Webhook(f"{base}/hush-hush", SECRET, timeout_seconds=wait),
            "standard-webhooks-message",
            seen.webhook,
            most_bytes=500_000,
        ),
    )
}


async def told(contract: Contract, service: Service, situation: str) -> Sequence[Received]:
    """The requests that tell of a situation; before an update or a resolve there was the trigger."""
    service.status, service.body = 200, contract.answer
    channel = contract.build(service.base, 15.0)
    reference = None
    if SITUATIONS[situation].action != "trigger":
        reference = (await channel.send(SITUATIONS["trigger"])).reference
        service.received.clear()
    outcome = await channel.send(SITUATIONS[situation], reference)
    assert outcome.delivered, outcome
    return service.received
