"""Grafana Cloud IRM (OnCall), formatted webhook: one alert_uid from alerting to ok."""

from __future__ import annotations

import json

from ragvigil.exporters._addressed import Addressed
from ragvigil.exporters._addresses import shareable
from ragvigil.exporters._alert import Alert, Outcome
from ragvigil.exporters._escape import neutral_page, plain
from ragvigil.exporters._text import title_of

_TITLE_CHARACTERS = 250
_MESSAGE_CHARACTERS = 12_000
_NAME_CHARACTERS = 200


class GrafanaIRM(Addressed):
    """Opens, updates and resolves alert groups of one integration.

    >>> GrafanaIRM("https://oncall.example.com/integrations/v1/formatted_webhook/hush/")
    GrafanaIRM('oncall.example.com')
    """

    async def send(self, alert: Alert, reference: str | None = None) -> Outcome:
        """Deliver one alert; `reference` is not needed: the alert_uid is our dedup key.

        IRM passes the text on to chat, mail and phone, so it goes out as plain words.
        """
        message: dict[str, object] = {
            "alert_uid": alert.dedup_key,
            "title": plain(title_of(alert), limit=_TITLE_CHARACTERS),
            "state": "ok" if alert.action == "resolve" else "alerting",
            "message": neutral_page(alert, limit=_MESSAGE_CHARACTERS),
            "severity": alert.severity,
            "series": alert.series,
            "service": plain(alert.service, limit=_NAME_CHARACTERS),
            "environment": plain(alert.environment or "", limit=_NAME_CHARACTERS),
        }
        link = shareable(alert.link)
        if link:
            message["link_to_upstream_details"] = link
        body = json.dumps(message, allow_nan=False, separators=(",", ":")).encode()
        return await self._post.send(body, {})
