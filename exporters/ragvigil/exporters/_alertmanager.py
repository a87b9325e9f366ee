"""Prometheus Alertmanager, API v2: an alert whose labels stay the same until it ends."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import cast

from ragvigil.exporters._addresses import shareable
from ragvigil.exporters._alert import Alert, Outcome
from ragvigil.exporters._escape import neutral_page, plain
from ragvigil.exporters._page import page_of
from ragvigil.exporters._post import Post, check_address, outcome_of
from ragvigil.exporters._wire import rfc3339

_LABEL_CHARACTERS = 200
_SUMMARY_CHARACTERS = 300
_DESCRIPTION_CHARACTERS = 10_000
_DIMENSIONS = 10
_NOT_IN_NAMES = re.compile(r"[^a-zA-Z0-9_]")


class Alertmanager:
    """Fires and ends alerts of one Alertmanager; with several in a cluster, configure one channel for each.

    >>> Alertmanager("http://alertmanager:9093")
    Alertmanager('alertmanager')
    """

    def __init__(
        self,
        url: str,
        *,
        username: str | None = None,
        password: str | None = None,
        token: str | None = None,
        hold_seconds: float = 30 * 86_400.0,
        timeout_seconds: float = 15.0,
    ) -> None:
        """`hold_seconds`: how long an alert fires if nobody ends it; Alertmanager's own five minutes would end it
        in the middle of the incident.

        Raises ValueError when a setting cannot be used, ImportError without httpx.
        """
        self.check(url=url, username=username, password=password, token=token)
        address = f"{url.rstrip('/')}/api/v2/alerts"
        self._post = Post(address, timeout_seconds=timeout_seconds)
        self._headers = _authorization(username, password, token)
        self._hold = timedelta(seconds=hold_seconds)

    @staticmethod
    def check(*, url: str, username: str | None, password: str | None, token: str | None) -> None:
        """Raises ValueError when a setting cannot be used; sends nothing and needs no httpx."""
        check_address(url)
        if "/api/" in url:
            raise ValueError("url must be where Alertmanager's page is, without /api/v2/alerts")
        if "@" in url:
            raise ValueError("url must hold no password; set username and password")
        if "?" in url or "#" in url:
            raise ValueError("url must have neither query nor fragment")
        if (username is None) != (password is None):
            raise ValueError("username and password belong together")
        if username is not None and token is not None:
            raise ValueError("set username and password, or token, not both")

    def __repr__(self) -> str:
        return f"Alertmanager({self._post.host!r})"

    async def send(self, alert: Alert, reference: str | None = None) -> Outcome:
        """Fire or end one alert; `reference` holds the labels under which it fires.

        The labels are its identity. When they change (it grew critical), the old one ends in the same request
        in which the new one fires.
        """
        told, labels = _labels_in(reference), _labels(alert)
        over = alert.action == "resolve"
        wanted = [self._alert(alert, told or labels, over=True)] if over else [self._alert(alert, labels)]
        if told and told != labels and not over:
            wanted.insert(0, self._alert(alert, told, over=True))
        answer = await self._post.exchange(_encode(wanted), self._headers)
        if isinstance(answer, Outcome):
            return answer
        kept = reference if over else json.dumps(labels, sort_keys=True, separators=(",", ":"))
        return outcome_of(answer, reference=kept)

    def _alert(self, alert: Alert, labels: Mapping[str, str], *, over: bool = False) -> dict[str, object]:
        starts: datetime = min(alert.since, alert.at)
        ends = alert.at if over else alert.at + self._hold
        message: dict[str, object] = {
            "labels": dict(labels),
            "annotations": _annotations(alert),
            "startsAt": rfc3339(starts),
            "endsAt": rfc3339(max(ends, starts + timedelta(microseconds=1))),
        }
        link = shareable(alert.link)
        return message | ({"generatorURL": link} if link else {})


def _labels(alert: Alert) -> dict[str, str]:
    dimensions = [(name, value) for name, value in sorted(alert.segment.items()) if name != "service"]
    labels = {
        f"segment_{_NOT_IN_NAMES.sub('_', name)[:60]}": value for name, value in dimensions[:_DIMENSIONS]
    }
    labels |= {
        "alertname": _name(alert.series),
        "service": alert.service,
        "environment": alert.environment or "",
        "series": alert.series,
        "severity": alert.severity,
        "incident": alert.incident_id,
    }
    cut = {name: plain(value, limit=_LABEL_CHARACTERS) for name, value in labels.items()}
    return {name: value for name, value in cut.items() if value}


def _name(series: str) -> str:
    """One name for each series, so that rules and silences can tell them apart.

    >>> _name("coverage_scored")
    'RagvigilCoverageScored'
    """
    return "Ragvigil" + "".join(part.capitalize() for part in _NOT_IN_NAMES.sub("_", series).split("_"))


def _labels_in(reference: str | None) -> dict[str, str] | None:
    try:
        labels = json.loads(reference or "null")
    except (ValueError, RecursionError):
        return None
    if not isinstance(labels, dict):
        return None
    return {str(name): str(value) for name, value in cast("dict[object, object]", labels).items()}


def _annotations(alert: Alert) -> dict[str, str]:
    """What Alertmanager's templates show; they go to chat and mail, so as plain words."""
    page = page_of(alert)
    notes = {
        "summary": plain(page.title, limit=_SUMMARY_CHARACTERS),
        "description": neutral_page(alert, limit=_DESCRIPTION_CHARACTERS),
        "dedup_key": alert.dedup_key,
    }
    return notes | ({"page": page.link} if page.link else {})


def _encode(alerts: list[dict[str, object]]) -> bytes:
    return json.dumps(alerts, allow_nan=False, separators=(",", ":")).encode()


def _authorization(username: str | None, password: str | None, token: str | None) -> dict[str, str]:
    if token is not None:
        return {"authorization": f"Bearer {token}"}
    if username is None:
        return {}
    pair = base64.b64encode(f"{username}:{password}".encode()).decode()
    return {"authorization": f"Basic {pair}"}
