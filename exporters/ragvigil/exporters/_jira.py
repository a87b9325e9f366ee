"""Jira Service Management Operations (once Opsgenie), integration events: one alias from alert to close."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Literal
from urllib.parse import quote

from ragvigil.exporters._addresses import shareable
from ragvigil.exporters._alert import Alert, Outcome, Severity
from ragvigil.exporters._escape import neutral_page, plain
from ragvigil.exporters._page import page_of
from ragvigil.exporters._post import Post, check_address, outcome_of
from ragvigil.exporters._text import in_hand, title_of

_PRIORITIES: dict[Severity, str] = {"critical": "P1", "error": "P2", "warning": "P3", "info": "P5"}
_MESSAGE_CHARACTERS = 130
_DESCRIPTION_CHARACTERS = 15_000
_NOTE_CHARACTERS = 10_000
_TAG_CHARACTERS = 50
_DETAIL_CHARACTERS = 500
_USER_CHARACTERS = 100

ResponderKind = Literal["team", "user", "escalation", "schedule"]


class Jira:
    """Creates an alert, notes what changes, closes it.

    >>> Jira(api_key="hush-hush-hush")
    Jira('api.atlassian.com')
    """

    def __init__(
        self,
        api_key: str,
        url: str = "https://api.atlassian.com/jsm/ops/integration/v2/alerts",
        responders: Mapping[str, ResponderKind] | None = None,
        *,
        timeout_seconds: float = 15.0,
    ) -> None:
        """`responders` are ids and what they are; none: as the integration's own rules say.

        Raises ValueError when the key or `url` cannot be used, ImportError without httpx.
        """
        self.check(api_key=api_key, url=url)
        self._post = Post(url, timeout_seconds=timeout_seconds)
        self._url = url.rstrip("/")
        self._headers = {"authorization": f"GenieKey {api_key}"}
        self._responders = [{"id": name, "type": kind} for name, kind in (responders or {}).items()]

    @staticmethod
    def check(*, api_key: str, url: str) -> None:
        """Raises ValueError when the key or `url` cannot be used; sends nothing and needs no httpx."""
        check_address(url)
        if len(api_key) < 8 or not api_key.isascii() or not api_key.isprintable() or " " in api_key:
            raise ValueError("api_key must be the API key of an API integration, without GenieKey before it")

    def __repr__(self) -> str:
        return f"Jira({self._post.host!r})"

    async def send(self, alert: Alert, reference: str | None = None) -> Outcome:
        """Create, note, acknowledge or close; the alert's alias is the reference."""
        alias = reference or _alias(alert)
        if alert.action == "resolve":
            return await self._send("close", _note(alert), alias)
        if alert.action != "acknowledge":
            told = await self._send(None, self._alert(alert, alias), alias)
            if alert.action == "update" and told.delivered:
                # An open alert with this alias only counts up, and what it says stays: news goes into a note.
                told = await self._send("notes", _note(alert), alias)
            # It may have been taken in hand while Jira was away, and said so by no message of its own.
            if not told.delivered or alert.acknowledged is None:
                return told
        return await self._send("acknowledge", _acknowledged(alert), alias)

    async def _send(self, what: str | None, message: Mapping[str, object], alias: str) -> Outcome:
        """Create an alert, or do `what` to the one with that alias."""
        path = "" if what is None else f"/{quote(alias, safe='')}/{what}?identifierType=alias"
        body = json.dumps(message, allow_nan=False, separators=(",", ":")).encode()
        answer = await self._post.exchange(body, self._headers, url=self._url + path)
        return answer if isinstance(answer, Outcome) else outcome_of(answer, reference=alias)

    def _alert(self, alert: Alert, alias: str) -> dict[str, object]:
        message: dict[str, object] = {
            "message": plain(title_of(alert), limit=_MESSAGE_CHARACTERS),
            "alias": alias,
            # The service shows some HTML, so no text may bring any.
            "description": neutral_page(alert, limit=_DESCRIPTION_CHARACTERS),
            "priority": _PRIORITIES[alert.severity],
            "source": "ragvigil",
            "entity": plain(alert.service, limit=500) or "unknown",
            "tags": [_tag(tag) for tag in ("ragvigil", alert.series, alert.environment or "") if tag],
            "details": _details(alert),
        }
        return message | ({"responders": self._responders} if self._responders else {})


def _alias(alert: Alert) -> str:
    """A name for the dedup key that needs no escaping: it stands in the path of an address."""
    return "ragvigil-" + hashlib.sha256(alert.dedup_key.encode(errors="replace")).hexdigest()[:32]


def _note(alert: Alert) -> dict[str, object]:
    return {"source": "ragvigil", "user": "ragvigil", "note": neutral_page(alert, limit=_NOTE_CHARACTERS)}


def _acknowledged(alert: Alert) -> Mapping[str, object]:
    said = alert.acknowledged
    note = "" if said is None else plain(f"In hand: {in_hand(said)}", limit=_DETAIL_CHARACTERS)
    user = "ragvigil" if said is None else plain(said.by, limit=_USER_CHARACTERS) or "ragvigil"
    return {"source": "ragvigil", "user": user} | ({"note": note} if note else {})


def _tag(text: str) -> str:
    return plain(text.replace(",", " "), limit=_TAG_CHARACTERS)


def _details(alert: Alert) -> dict[str, str]:
    page = page_of(alert, examples=0)
    details = {"dedup_key": alert.dedup_key, "incident": alert.incident_id, **dict(page.facts)}
    link = shareable(alert.link)
    details |= {"page": link} if link else {}
    return {name: plain(value, limit=_DETAIL_CHARACTERS) for name, value in details.items()}
