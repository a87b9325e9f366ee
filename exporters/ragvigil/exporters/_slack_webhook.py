"""Slack through an incoming webhook: a message for each change, for the webhook can edit none."""

from __future__ import annotations

import json

from ragvigil.exporters._addressed import Addressed
from ragvigil.exporters._alert import Alert, Outcome
from ragvigil.exporters._page import page_of
from ragvigil.exporters._slack_blocks import blocks_of, fallback


class SlackWebhook(Addressed):
    """Posts to the channel that the webhook belongs to.

    >>> SlackWebhook("https://hooks.slack.com/services/T0/B0/hush")
    SlackWebhook('hooks.slack.com')
    """

    async def send(self, alert: Alert, reference: str | None = None) -> Outcome:
        """Post one message; `reference` is not needed, for nothing can be edited."""
        page = page_of(alert)
        message = {"text": fallback(page), "blocks": blocks_of(page)}
        body = json.dumps(message, allow_nan=False, separators=(",", ":")).encode()
        return await self._post.send(body, {})
