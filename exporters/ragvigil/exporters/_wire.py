"""An alert as JSON and back: what the outbox stores and the generic webhook carries."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, fields
from datetime import UTC, datetime
from typing import Any

from ragvigil.exporters._alert import Acknowledgement, Alert, Example, Measurement


def as_mapping(alert: Alert) -> dict[str, Any]:
    """The alert as JSON values; moments are RFC 3339, in UTC."""
    return _told(asdict(alert))


def _told(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: rfc3339(value)
        if isinstance(value, datetime)
        else _told(value)
        if name == "acknowledged" and value
        else value
        for name, value in fields.items()
    }


def to_json(alert: Alert) -> str:
    """The alert as one line of ASCII JSON, the same for equal alerts.

    >>> moment = datetime(2026, 3, 1, tzinfo=UTC)
    >>> rate = Measurement(0.6, 0.5, 0.7, 80)
    >>> alert = Alert("i", "key", "trigger", "error", "citation", "shop", None, "It fell", "", rate, rate,
    ...               since=moment, at=moment, examples=(Example("0" * 32, None, "a", "why"),))
    >>> from_json(to_json(alert)) == alert
    True
    """
    return json.dumps(as_mapping(alert), allow_nan=False, sort_keys=True, separators=(",", ":"))


def from_json(text: str) -> Alert:
    """The alert that `to_json` wrote; unknown keys are left out. Raises ValueError when it is none."""
    try:
        return _alert(json.loads(text))
    except (KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"not an alert: {type(error).__name__}: {error}") from None


def rfc3339(moment: datetime) -> str:
    """The moment in UTC, as JSON schemas call ``date-time``.

    >>> rfc3339(datetime(2026, 3, 1, 3, 4, 5, 600, tzinfo=UTC))
    '2026-03-01T03:04:05.000600Z'
    """
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def _alert(data: Mapping[str, Any]) -> Alert:
    return Alert(
        incident_id=data["incident_id"],
        dedup_key=data["dedup_key"],
        action=data["action"],
        severity=data["severity"],
        series=data["series"],
        service=data["service"],
        environment=data["environment"],
        title=data["title"],
        summary=data["summary"],
        before=_measurement(data["before"]),
        now=_measurement(data["now"]),
        since=datetime.fromisoformat(data["since"]),
        at=datetime.fromisoformat(data["at"]),
        segment=dict(data["segment"]),
        examples=tuple(_example(example) for example in data["examples"]),
        link=data["link"],
        history=tuple(data.get("history", ())),
        history_from=_moment(data.get("history_from")),
        history_until=_moment(data.get("history_until")),
        acknowledged=_acknowledgement(data.get("acknowledged")),
        cause=dict(data.get("cause", {})),
    )


def _moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)


def _acknowledgement(data: Mapping[str, Any] | None) -> Acknowledgement | None:
    if data is None:
        return None
    return Acknowledgement(data["by"], datetime.fromisoformat(data["at"]), data["note"])


def _measurement(data: Mapping[str, Any]) -> Measurement:
    names = (field.name for field in fields(Measurement))
    return Measurement(**{name: data[name] for name in names if name in data})


def _example(data: Mapping[str, Any]) -> Example:
    return Example(data["trace_id"], data["query"], data["answer"], data["reason"], data["url"])
