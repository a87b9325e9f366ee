"""Plain values as OTLP/JSON, and the odd shapes of foreign answers as plain values."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import cast

_HEX = re.compile(r"[0-9a-f]+")
_SECOND = 10**9


def mapping(value: object) -> dict[str, object]:
    """The value if it is an object with text keys, else {}."""
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


def objects(value: object) -> list[dict[str, object]]:
    """The objects in the value if it is a list, else []."""
    if not isinstance(value, list):
        return []
    return [cast("dict[str, object]", one) for one in cast("list[object]", value) if isinstance(one, dict)]


def items(value: object) -> list[object] | None:
    """The value if it is a list."""
    return cast("list[object]", value) if isinstance(value, list) else None


def text(value: object) -> str | None:
    """The value if it is a text that says something."""
    return value if isinstance(value, str) and value else None


def as_text(value: object) -> str | None:
    """A text as it is, anything else as JSON; None stays None.

    >>> as_text("42"), as_text({"a": 1}), as_text(None)
    ('42', '{"a": 1}', None)
    """
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def any_value(value: object) -> dict[str, object]:
    """An AnyValue; what is neither a scalar nor a list of texts and numbers becomes JSON text.

    >>> any_value(True), any_value(3), any_value({"a": 1})
    ({'boolValue': True}, {'intValue': '3'}, {'stringValue': '{"a": 1}'})
    """
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int) and -(2**63) <= value < 2**63:
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value if abs(value) < float("inf") else str(value)}
    listed = items(value)
    if listed is not None and all(isinstance(one, (str, int, float)) for one in listed):
        return {"arrayValue": {"values": [any_value(one) for one in listed]}}
    return {"stringValue": as_text(value) or ""}


def attributes(pairs: Mapping[str, object]) -> list[dict[str, object]]:
    """Key values of everything that is known."""
    return [{"key": key, "value": any_value(value)} for key, value in pairs.items() if value is not None]


def plain(value: object) -> object:
    """What an AnyValue in JSON holds, in either spelling of its keys; lists and mappings nested.

    >>> plain({"kvlist_value": {"values": [{"key": "a", "value": {"int_value": "3"}}]}})
    {'a': 3}
    """
    for key, one in mapping(value).items():
        if one is None:
            continue
        kind = key.replace("_", "").lower()
        if kind == "intvalue":
            return _whole(one)
        if kind == "arrayvalue":
            return [plain(each) for each in objects(mapping(one).get("values"))]
        if kind == "kvlistvalue":
            return {
                str(each.get("key")): plain(each.get("value")) for each in objects(mapping(one).get("values"))
            }
        return one
    return None


def _whole(value: object) -> object:
    """The whole number that a text holds, which is how JSON has large ones; what is none stays what it is."""
    try:
        return int(value) if isinstance(value, str) else value
    except ValueError:
        return value


def key_values(pairs: object) -> dict[str, object]:
    """A list of key values as a mapping."""
    return {str(pair.get("key")): plain(pair.get("value")) for pair in objects(pairs)}


def request(
    resource: Mapping[str, object], scope: str, spans: Iterable[Mapping[str, object]]
) -> dict[str, object]:
    """One OTLP/JSON request with the spans of one resource and scope."""
    scope_spans = [{"scope": {"name": scope}, "spans": list(spans)}]
    return {"resourceSpans": [{"resource": {"attributes": attributes(resource)}, "scopeSpans": scope_spans}]}


def span_count(request: Mapping[str, object]) -> int:
    """Spans of one OTLP/JSON request.

    >>> span_count(request({}, "scope", [{}, {}]))
    2
    """
    scopes = (
        scope for entry in objects(request.get("resourceSpans")) for scope in objects(entry.get("scopeSpans"))
    )
    return sum(len(objects(scope.get("spans"))) for scope in scopes)


def identifier(value: object, size: int) -> str | None:
    """An id of `size` bytes in hex: as it is where it is one, else a hash that is always the same.

    >>> identifier("0123456789abcdef", 8), identifier("my-own-id", 8), identifier(None, 8)
    ('0123456789abcdef', '50b66517be03c1f1', None)
    """
    if not isinstance(value, str) or not value:
        return None
    bare = value.replace("-", "").lower()
    if len(bare) == 2 * size and _HEX.fullmatch(bare) and bare.strip("0"):
        return bare
    return hashlib.sha256(value.encode("utf-8", "replace")).hexdigest()[: 2 * size]


def nanoseconds(moment: object) -> int | None:
    """An ISO 8601 moment, UTC unless it says otherwise, as Unix nanoseconds.

    >>> nanoseconds("1970-01-01T00:00:01.5Z"), nanoseconds("soon"), nanoseconds(None)
    (1500000000, None, None)
    """
    if not isinstance(moment, str):
        return None
    try:
        parsed = datetime.fromisoformat(moment)
    except ValueError:
        return None
    parsed = parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)
    since = parsed - datetime(1970, 1, 1, tzinfo=UTC)
    return (since.days * 86_400 + since.seconds) * _SECOND + since.microseconds * 1_000


def iso(moment: int) -> str:
    """Unix nanoseconds as backends take them in a question.

    >>> iso(1_500_000_000)
    '1970-01-01T00:00:01.500000Z'
    """
    seconds, rest = divmod(moment, _SECOND)
    return datetime.fromtimestamp(seconds, UTC).strftime(f"%Y-%m-%dT%H:%M:%S.{rest // 1000:06d}Z")
