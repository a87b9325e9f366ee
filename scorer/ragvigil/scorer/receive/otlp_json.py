"""OTLP-JSON requests cut into the same batches as protobuf ones."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import cast

from google.protobuf.descriptor import Descriptor

from ragvigil.scorer.receive.json_message import UnreadableError, message
from ragvigil.scorer.receive.refusal import Refusal
from ragvigil.scorer.receive.wire import ENTRY, ITEM, SCOPE, Batch, framed

_MARKS = (b"{", b"[", b",")
"""Each value of a JSON text needs one of these before it; text may hold more of them."""


@dataclass(frozen=True, slots=True)
class Level:
    """One level of a request: the JSON key of its list and the message of its elements."""

    key: str
    message: Descriptor


def batches(
    body: bytes, levels: tuple[Level, Level, Level], *, max_values: int, max_depth: int
) -> Iterator[Batch]:
    """The request in `body` as batches. Raises Refusal when it is not such a request at all.

    `levels` are those of resources, scopes and items.
    """
    resources, scopes, items = levels
    for entry in _objects(_parsed(body, max_values), resources.key, "the body"):
        resource = _description(entry, resources.message, without=scopes.key, max_depth=max_depth)
        for scope in _objects(entry, scopes.key, resources.key):
            description = _description(scope, scopes.message, without=items.key, max_depth=max_depth)
            batch = Batch(resource, description)
            for item in _objects(scope, items.key, scopes.key):
                _add(batch, item, items.message, max_depth)
            yield batch


def as_protobuf(
    body: bytes, levels: tuple[Level, Level, Level], *, max_values: int, max_depth: int
) -> tuple[bytes, int]:
    """The request in protobuf, and how many of its items cannot be said in it. Raises Refusal as `batches` does."""
    entries: list[bytes] = []
    unreadable = 0
    for batch in batches(body, levels, max_values=max_values, max_depth=max_depth):
        scope = framed(SCOPE, batch.scope + b"".join(batch.items))
        entries.append(framed(ENTRY, batch.resource + scope))
        unreadable += len(batch.unreadable)
    return b"".join(entries), unreadable


def _add(batch: Batch, item: Mapping[str, object], item_type: Descriptor, max_depth: int) -> None:
    try:
        parsed = message(item, item_type, max_depth)
    except UnreadableError as error:
        batch.unreadable.append(str(error))
    else:
        batch.items.append(framed(ITEM, parsed.SerializeToString()))


def _parsed(body: bytes, max_values: int) -> Mapping[str, object]:
    if sum(body.count(mark) for mark in _MARKS) > max_values:
        raise Refusal.malformed(
            f"more than {max_values} values in one JSON request; lower the exporter's batch size or send protobuf"
        )
    try:
        value: object = json.loads(body, parse_constant=_not_json)
    except RecursionError:
        raise Refusal.malformed("the JSON is nested too deep") from None
    except ValueError as error:
        raise Refusal.malformed(f"not JSON: {error}") from None
    if not isinstance(value, dict):
        raise Refusal.malformed('the JSON must be an object, such as {"resourceSpans": [...]}')
    return cast("dict[str, object]", value)


def _not_json(token: str) -> object:
    raise ValueError(f'the bare token {token} is no JSON value; send the string "{token}"')


def _objects(parent: Mapping[str, object], key: str, place: str) -> list[Mapping[str, object]]:
    found = parent.get(key)
    if found is None:
        return []
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in cast("list[object]", found)):
        raise Refusal.malformed(f"{key} in {place} must be a list of objects")
    return cast("list[Mapping[str, object]]", found)


def _description(value: Mapping[str, object], kind: Descriptor, *, without: str, max_depth: int) -> bytes:
    kept = {key: one for key, one in value.items() if key != without}
    try:
        return message(kept, kind, max_depth).SerializeToString()
    except UnreadableError as error:
        raise Refusal.malformed(str(error)) from None
