"""From the monitor's outbox to Slack and back, over a real store and a real server."""

from __future__ import annotations

from pathlib import Path

from tests.exporters.conftest import serving
from tests.exporters.contracts import POSTED
from tests.exporters.situations import SITUATIONS

from ragvigil.exporters import Slack
from ragvigil.scorer.config import load
from ragvigil.scorer.incidents.deliver import Courier
from ragvigil.scorer.monitoring import Incident, SeriesKey
from ragvigil.scorer.store._sqlite_outbox import OutboxHere
from ragvigil.scorer.store.sqlite import SqliteStore

LATER = 2 * 10**18
"""After every moment of the situations."""


async def test_an_incident_stays_one_message_through_restarts(tmp_path: Path) -> None:
    """A new process for each alert: the message that the first one posted is edited by the others."""
    settings = load(overrides={"store": {"url": f"sqlite:///{tmp_path / 'store.db'}"}})
    with serving() as service:
        service.status, service.body = 200, POSTED
        for situation in ("trigger", "update", "resolve"):
            alert = SITUATIONS[situation]
            incident = Incident(
                id=alert.incident_id,
                key=SeriesKey("citation", "help-desk", "production"),
                dedup_key=alert.dedup_key,
                opened_at=0,
                since=0,
                before=alert.before,
                worst=alert.now,
                now=alert.now,
            )
            channel = Slack("xoxb-hush-hush", "C024BE91L", f"{service.base}/api")
            with SqliteStore(settings) as store:
                store.monitoring.save_incident(incident, alert, ["slack"])
                courier = Courier(OutboxHere(store.outbox), {"slack": channel}, now=lambda: LATER)
                await courier.deliver_due(LATER)
                assert courier.counts == {("slack", "delivered", ""): 1}
        methods = [request.path.removeprefix("/api/chat.") for request in service.received]
    assert methods == ["postMessage", "update", "postMessage", "update", "postMessage"]
