"""Which people and conversations encoded spans and log records name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, LogsData
from opentelemetry.proto.trace.v1.trace_pb2 import Span, TracesData

from ragvigil.scorer.redact.fields import fields_in, may_hold_fields
from ragvigil.scorer.redact.keys import Meaning, meaning_under


def persons_in(spans: bytes, logs: bytes = b"") -> set[str]:
    """The values of all ids of users and conversations in TracesData and LogsData, as they stand there."""
    found = set[str]()
    for resource_spans in TracesData.FromString(spans).resource_spans:
        found.update(named_in(resource_spans.resource.attributes))
        for scope_spans in resource_spans.scope_spans:
            found.update(name for span in scope_spans.spans for name in named_by_span(span))
    for resource_logs in LogsData.FromString(logs).resource_logs:
        found.update(named_in(resource_logs.resource.attributes))
        for scope_logs in resource_logs.scope_logs:
            found.update(name for record in scope_logs.log_records for name in named_by_record(record))
    return found


def named_by_span(span: Span) -> Iterator[str]:
    """Those that a span names, in its events, too."""
    yield from named_in(span.attributes)
    for event in span.events:
        if event.attributes:
            yield from named_in(event.attributes)


def named_by_record(record: LogRecord) -> Iterator[str]:
    """Those that a log record names, in its body, too."""
    yield from named_in(record.attributes)
    yield from _within(record.body)


def named_in(pairs: Iterable[KeyValue], parent: str = "") -> Iterator[str]:
    """Those that attributes name, in JSON within them, too; `parent` is the key under which they are nested.

    An attribute without a value takes two bytes, so there may be millions: no more is done for one than need be.
    """
    for pair in pairs:
        if not pair.HasField("value") or pair.value.WhichOneof("value") is None:
            continue
        if meaning_under(pair.key, parent, ()) is Meaning.PERSON:
            yield from _values(pair.value, pair.key)
        else:
            yield from _within(pair.value, pair.key)


def logs_without(logs: bytes, unwanted: Callable[[str, int], bool]) -> bytes:
    """An encoded LogsData without the records in which an id is unwanted at their moment (Unix nanoseconds, or 0)."""
    data = LogsData.FromString(logs)
    for resource_logs in data.resource_logs:
        for scope_logs in resource_logs.scope_logs:
            kept = [record for record in scope_logs.log_records if not _has(record, unwanted)]
            if len(kept) < len(scope_logs.log_records):
                del scope_logs.log_records[:]
                scope_logs.log_records.extend(kept)
    return data.SerializeToString()


def _has(record: LogRecord, unwanted: Callable[[str, int], bool]) -> bool:
    moment = record.time_unix_nano or record.observed_time_unix_nano
    return any(unwanted(name, moment) for name in named_by_record(record))


def _values(value: AnyValue, key: str) -> Iterator[str]:
    which = value.WhichOneof("value")
    if which == "array_value":
        for item in value.array_value.values:
            yield from _values(item, key)
    elif which == "kvlist_value":
        yield from named_in(value.kvlist_value.values, key)
    elif which is not None:
        yield str(getattr(value, which))


def _within(value: AnyValue, key: str = "") -> Iterator[str]:
    """Names inside a value that is none itself: nested pairs, and fields of JSON and the like in a text."""
    which = value.WhichOneof("value")
    if which == "array_value":
        for item in value.array_value.values:
            yield from _within(item, key)
    elif which == "kvlist_value":
        yield from named_in(value.kvlist_value.values, key)
    elif which == "string_value" and may_hold_fields(value.string_value):
        yield from (each.text for each in fields_in(value.string_value) if each.meaning is Meaning.PERSON)
