"""What was changed around a service: told by people and deploy tools, or seen in its traffic for the first time."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from google.protobuf.message import DecodeError
from opentelemetry.proto.common.v1.common_pb2 import KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, LogsData
from opentelemetry.proto.resource.v1.resource_pb2 import Resource

from ragvigil.scorer.trace import RagTrace
from ragvigil.tracer import attributes as names

_LONGEST_TEXT = 20_000
_LONGEST_NAME = 200
_ENVIRONMENTS = (names.DEPLOYMENT_ENVIRONMENT_NAME, "deployment.environment")


@dataclass(frozen=True, slots=True)
class Change:
    """One change; what it was, where, and since when."""

    id: str
    """Told again under the same id, it is the same change."""
    at: int
    """Unix time, nanoseconds."""
    kind: str
    """``deploy``, ``index``, ``prompt``, ``model``, ``config``, ``other``; for traffic, the attribute."""
    text: str
    """What was told; for traffic, the new value."""
    service: str | None = None
    """None: all services."""
    environment: str | None = None
    """None: all environments."""
    source: Literal["told", "traffic"] = "told"
    before: str | None = None
    """For traffic, the value seen until then; None when this is the first one."""


def is_change(record: LogRecord) -> bool:
    """Whether the log record tells of a change."""
    if record.event_name:
        return record.event_name == names.CHANGE_EVENT
    return any(
        pair.key == "event.name" and pair.value.string_value == names.CHANGE_EVENT
        for pair in record.attributes
    )


def changes_of(payload: bytes) -> Iterator[Change]:
    """The changes that an encoded LogsData tells of; bytes that are none tell of nothing."""
    try:
        data = LogsData.FromString(payload)
    except DecodeError:
        return
    for resource_logs in data.resource_logs:
        for scope_logs in resource_logs.scope_logs:
            for record in scope_logs.log_records:
                yield _change(record, resource_logs.resource)


def first_values(record: RagTrace) -> Iterator[Change]:
    """What of the record is worth a note when it is seen for the first time in its service and environment.

    >>> [change.text for change in first_values(RagTrace("0" * 32, "1" * 16, "shop", 5, model="small-2"))]
    ['small-2']
    """
    values = {
        "service_version": record.service_version,
        "model": record.model,
        "prompt_version": record.prompt_version,
        "index_version": record.segment.get("index_version"),
    }
    for kind, value in values.items():
        if value:
            text = value[:_LONGEST_NAME]
            name = _digest("traffic", record.service, record.environment or "", kind, text)
            yield Change(name, record.started_at, kind, text, record.service, record.environment, "traffic")


def _change(record: LogRecord, resource: Resource) -> Change:
    own, place = _texts(record.attributes), _texts(resource.attributes)
    kind = own.get(names.CHANGE_KIND) or "other"
    return Change(
        id=own.get(names.CHANGE_ID, "")[:_LONGEST_NAME]
        or _digest("told", record.SerializeToString(deterministic=True), *sorted(place.items())),
        at=min(record.time_unix_nano or record.observed_time_unix_nano, 2**63 - 1),
        kind=kind[:_LONGEST_NAME],
        text=(own.get(names.CHANGE_TEXT) or record.body.string_value or kind)[:_LONGEST_TEXT],
        service=place.get(names.SERVICE_NAME),
        environment=next((place[name] for name in _ENVIRONMENTS if place.get(name)), None),
    )


def _texts(pairs: Iterable[KeyValue]) -> dict[str, str]:
    return {pair.key: pair.value.string_value for pair in pairs if pair.value.string_value}


def _digest(*parts: object) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:32]
