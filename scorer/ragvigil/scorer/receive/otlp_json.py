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

_SHOWN = 60
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

    `levels` are those of resources, scopes and items. What cannot be read costs itself and what hangs under it.
    """
    resources, scopes, items = levels
    for entry in _list(_parsed(body, max_values), resources.key, "the body"):
        try:
            resource = _description(entry, resources, without=scopes.key, max_depth=max_depth)
        except UnreadableError as error:
            yield _lost(entry, str(error), scopes.key, items.key)
            continue
        for scope in _list(entry, scopes.key, resources.key):
            try:
                description = _description(scope, scopes, without=items.key, max_depth=max_depth)
            except UnreadableError as error:
                yield _lost(scope, str(error), items.key)
                continue
            batch = Batch(resource, description)
            for item in _list(scope, items.key, scopes.key):
                _add(batch, item, items, max_depth)
            yield batch


def unread(body: bytes, levels: tuple[Level, Level, Level]) -> str | None:
    """Why a request that is one has nothing in it, though it holds lists; None where it is just empty.

    What is unknown is to be ignored, so a sender with other names for its lists loses all of them without a word.

    >>> from ragvigil.scorer.receive.decode import SPANS
    >>> unread(b'{"resource_spans": [{}]}', SPANS.levels)
    '"resource_spans" is ignored: OTLP has "resourceSpans" there'
    """
    parents: list[object] = [json.loads(_text(body))]
    for level in levels:
        for parent in parents:
            known = cast("Mapping[str, object]", parent)
            other = next((key for key, value in known.items() if _is_list(value) and key != level.key), None)
            if other is not None and not known.get(level.key):
                return f'{json.dumps(other[:_SHOWN])} is ignored: OTLP has "{level.key}" there'
        parents = [one for parent in parents for one in _below(parent, level.key)]
    return None


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


def _add(batch: Batch, item: object, items: Level, max_depth: int) -> None:
    try:
        parsed = message(_object(item, items.key), items.message, max_depth)
    except UnreadableError as error:
        batch.unreadable.append(str(error))
    else:
        batch.items.append(framed(ITEM, parsed.SerializeToString()))


def _lost(value: object, problem: str, *keys: str) -> Batch:
    """Nothing but the problem, once for each item that hangs under `value` in the lists named by `keys`."""
    values = [value]
    for key in keys:
        values = [below for one in values for below in _below(one, key)]
    return Batch(b"", b"", unreadable=[problem] * len(values))


def _parsed(body: bytes, max_values: int) -> Mapping[str, object]:
    if sum(body.count(mark) for mark in _MARKS) > max_values:
        raise Refusal.malformed(
            f"more than {max_values} values in one JSON request; lower the exporter's batch size or send protobuf"
        )
    try:
        value: object = json.loads(_text(body), parse_constant=_not_json)
    except RecursionError:
        raise Refusal.malformed("the JSON is nested too deep") from None
    except ValueError as error:
        raise Refusal.malformed(f"not JSON: {error}") from None
    if isinstance(value, list):
        raise Refusal.malformed(
            'the JSON is a list; OTLP sends one object: put the entries of all its "resourceSpans" into one list, '
            '{"resourceSpans": [...]}, or send each on its own (in a file, one a line)'
        )
    if not isinstance(value, dict):
        raise Refusal.malformed('the JSON must be an object, such as {"resourceSpans": [...]}')
    return cast("dict[str, object]", value)


def _is_list(value: object) -> bool:
    return isinstance(value, list) and any(isinstance(one, dict) for one in cast("list[object]", value)[:1])


def _below(value: object, key: str) -> list[object]:
    return _list(cast("object", value), key, "a list above it") if isinstance(value, dict) else [value]


def _text(body: bytes) -> str:
    """The body for the JSON parser; bytes that are no text become lone surrogates, and their span alone is lost."""
    try:
        return body.decode(json.detect_encoding(body), "surrogatepass")
    except UnicodeDecodeError:
        return body.decode(errors="surrogateescape")


def _not_json(token: str) -> object:
    raise ValueError(f'the bare token {token} is no JSON value; send the string "{token}"')


def _list(parent: object, key: str, place: str) -> list[object]:
    found = cast("Mapping[str, object]", parent).get(key)
    if found is None:
        return []
    if not isinstance(found, list):
        raise Refusal.malformed(f"{key} in {place} must be a list of objects")
    return cast("list[object]", found)


def _object(value: object, key: str) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise UnreadableError(f"each of {key}", "an object", value)
    return cast("Mapping[str, object]", value)


def _description(value: object, level: Level, *, without: str, max_depth: int) -> bytes:
    """All of a resource or scope but what hangs under it. Raises UnreadableError."""
    kept = {key: one for key, one in _object(value, level.key).items() if key != without}
    return message(kept, level.message, max_depth).SerializeToString()
