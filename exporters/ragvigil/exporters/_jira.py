"""Jira Service Management Operations (once Opsgenie), integration events: one alias from alert to close."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Literal
from urllib.parse import quote

from ragvigil.exporters._addresses import shareable
from ragvigil.exporters._alert import Alert, Outcome, Severity
from ragvigil.exporters._escape import neutral, plain
from ragvigil.exporters._page import page_of
from ragvigil.exporters._post import HOPELESS, Post, check_address, outcome_of
from ragvigil.exporters._text import as_text, title_of

_PRIORITIES: dict[Severity, str] = {"critical": "P1", "error": "P2", "warning": "P3", "info": "P5"}
_MESSAGE_CHARACTERS = 130
_DESCRIPTION_CHARACTERS = 15_000
_NOTE_CHARACTERS = 10_000
_TAG_CHARACTERS = 50
_DETAIL_CHARACTERS = 500

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
        """Create, note or close; the alert's alias is the reference."""
        alias = reference or _alias(alert)
        if alert.action == "resolve":
            return await self._send(
                f"/{quote(alias, safe='')}/close?identifierType=alias", _note(alert), alias
            )
        created = await self._send("", self._alert(alert, alias), alias)
        if alert.action == "trigger" or not created.delivered:
            return created
        # An open alert with this alias only counts up, and what it says stays: news goes into a note.
        return await self._send(f"/{quote(alias, safe='')}/notes?identifierType=alias", _note(alert), alias)

    async def _send(self, path: str, message: Mapping[str, object], alias: str) -> Outcome:
        body = json.dumps(message, allow_nan=False, separators=(",", ":")).encode()
        answer = await self._post.exchange(body, self._headers, url=self._url + path)
        return (
            answer if isinstance(answer, Outcome) else outcome_of(answer, hopeless=HOPELESS, reference=alias)
        )

    def _alert(self, alert: Alert, alias: str) -> dict[str, object]:
        message: dict[str, object] = {
            "message": plain(title_of(alert), limit=_MESSAGE_CHARACTERS),
            "alias": alias,
            "description": _body(alert, _DESCRIPTION_CHARACTERS),
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


def _body(alert: Alert, limit: int) -> str:
    """The page as text; the service shows some HTML, so no text may bring any."""
    text = "\n".join(neutral(line) for line in as_text(alert).split("\n"))
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _note(alert: Alert) -> dict[str, object]:
    return {"source": "ragvigil", "user": "ragvigil", "note": _body(alert, _NOTE_CHARACTERS)}


def _tag(text: str) -> str:
    return plain(text.replace(",", " "), limit=_TAG_CHARACTERS)


def _details(alert: Alert) -> dict[str, str]:
    page = page_of(alert, examples=0)
    details = {"dedup_key": alert.dedup_key, "incident": alert.incident_id, **dict(page.facts)}
    link = shareable(alert.link)
    details |= {"page": link} if link else {}
    return {name: plain(value, limit=_DETAIL_CHARACTERS) for name, value in details.items()}
