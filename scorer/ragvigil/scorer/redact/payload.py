"""Encoded spans and log records without what must not stay."""

from __future__ import annotations

from collections.abc import MutableSequence
from functools import lru_cache
from typing import NamedTuple

from google.protobuf.message import Message
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, InstrumentationScope, KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, LogsData
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import Span, TracesData

from ragvigil.scorer.config import Content, ContentMode
from ragvigil.scorer.redact.keys import Meaning, meaning_of
from ragvigil.scorer.redact.pseudonyms import Pseudonyms
from ragvigil.scorer.redact.texts import LONG_INTEGER, SECRET, Place, Texts
from ragvigil.tracer.redaction import redact

Pairs = MutableSequence[KeyValue]


class Redaction:
    """Cuts content by the configured mode of its service. Used by one thread at a time."""

    def __init__(self, settings: Content, pseudonyms: Pseudonyms) -> None:
        self._settings = settings
        cutting = settings.model_copy(update={"mode": "redacted"})
        self._pseudonyms = pseudonyms
        self._texts = Texts(cutting, pseudonyms)
        self._whole = Texts(Content(mode="full"), pseudonyms)

    def spans(self, payload: bytes) -> bytes:
        """An encoded TracesData without what must not stay.

        Raises google.protobuf.message.DecodeError when it is none: such bytes cannot be kept.
        """
        data = TracesData.FromString(payload)
        data.DiscardUnknownFields()
        for resource_spans in data.resource_spans:
            walk = self._begin(resource_spans.resource)
            for scope_spans in resource_spans.scope_spans:
                walk.scope(scope_spans.scope)
                for span in scope_spans.spans:
                    walk.span(span)
            walk.cut()
        return data.SerializeToString()

    def logs(self, payload: bytes, *, notes: bool = False) -> bytes:
        """An encoded LogsData without what must not stay; raises like `spans`.

        Notes of operators are no content: they are cut by the rules, and stay where content does not.
        """
        data = LogsData.FromString(payload)
        data.DiscardUnknownFields()
        for resource_logs in data.resource_logs:
            walk = self._begin(resource_logs.resource, notes=notes)
            for scope_logs in resource_logs.scope_logs:
                walk.scope(scope_logs.scope)
                for record in scope_logs.log_records:
                    walk.log(record)
            walk.cut()
        return data.SerializeToString()

    def close(self) -> None:
        """End what it started."""
        self._texts.close()

    def _begin(self, resource: Resource, *, notes: bool = False) -> _Walk:
        name = next(
            (pair.value.string_value for pair in resource.attributes if pair.key == "service.name"), ""
        )
        mode = self._settings.services.get(name, self._settings.mode)
        if notes and mode == "ids_only":
            mode = "redacted"
        walk = _Walk(mode, self._whole if mode == "full" else self._texts, self._pseudonyms)
        walk.resource(resource)
        return walk


class _Walk:
    """One resource's spans or logs: the places where texts stand are gathered, then cut with rules chosen once."""

    def __init__(self, mode: ContentMode, texts: Texts, pseudonyms: Pseudonyms) -> None:
        self._mode = mode
        self._texts = texts
        self._pseudonyms = pseudonyms
        self._contents: list[Place] = []
        self._passages: list[Place] = []
        self._labels: list[Place] = []

    def resource(self, resource: Resource) -> None:
        """Where spans come from: labels, all of it."""
        self._pairs(resource.attributes)
        self._labels, self._contents = [*self._labels, *self._contents], []

    def scope(self, scope: InstrumentationScope) -> None:
        """What made the spans."""
        self._label(scope, "name", scope.name)
        self._label(scope, "version", scope.version)
        self._pairs(scope.attributes)

    def span(self, span: Span) -> None:
        """One span with its events and links."""
        self._label(span, "name", span.name)
        self._label(span, "trace_state", span.trace_state)
        if problem := span.status.message:
            self._contents.append((span.status, "message", problem))
        self._pairs(span.attributes)
        for event in span.events:
            self._label(event, "name", event.name)
            self._pairs(event.attributes)
        for link in span.links:
            self._label(link, "trace_state", link.trace_state)
            self._pairs(link.attributes)

    def log(self, record: LogRecord) -> None:
        """One log record."""
        self._label(record, "event_name", record.event_name)
        self._label(record, "severity_text", record.severity_text)
        self._pairs(record.attributes)
        self._value(record.body, Meaning.TEXT)

    def cut(self) -> None:
        """Cut what was gathered."""
        places = self._labels
        if self._mode == "ids_only":
            for texts, passages in ((self._contents, False), (self._passages, True)):
                for message, name, text in texts:
                    setattr(message, name, self._texts.drop(text, passages=passages))
        else:
            places = places + self._contents + self._passages
        rules = self._texts.rules([text for _, _, text in places])
        for message, name, text in self._texts.concerned(places, rules):
            found = self._texts.cut(text, rules)
            if found != text:
                setattr(message, name, found)

    def _label(self, message: Message, name: str, text: str) -> None:
        if text:
            self._labels.append((message, name, text))

    def _pairs(self, pairs: Pairs) -> None:
        """Gather what stands in these; the short ways are for what most of them are, texts and figures."""
        unwanted = list[int]()
        cutting, content = self._mode != "full", self._contents.append
        for number, pair in enumerate(pairs):
            told = _told_by(pair.key)
            if told.transport:
                unwanted.append(number)
                continue
            if cutting and not told.clean:
                self._labels.append((pair, "key", pair.key))
            value = pair.value
            text = value.string_value
            if text:
                if told.text:
                    content((value, "string_value", text))
                elif not told.document_id:
                    self._value(value, told.meaning)
                continue
            which = value.WhichOneof("value")
            if told.named or (
                which != "double_value" and (which != "int_value" or abs(value.int_value) >= LONG_INTEGER)
            ):
                self._value(value, told.meaning)
        for number in reversed(unwanted):
            del pairs[number]

    def _value(self, value: AnyValue, meaning: Meaning) -> None:
        which = value.WhichOneof("value")
        if which == "string_value" and not value.string_value and meaning is not Meaning.SECRET:
            return
        if which == "string_value" and meaning is Meaning.TEXT:
            self._contents.append((value, which, value.string_value))
        elif which == "string_value" and meaning is Meaning.PASSAGES:
            self._passages.append((value, which, value.string_value))
        elif which == "array_value":
            for item in value.array_value.values:
                self._value(item, meaning)
        elif which == "kvlist_value":
            self._pairs(value.kvlist_value.values)
        elif which is not None and meaning is not Meaning.DOCUMENT_ID:
            self._single(value, which, meaning)

    def _single(self, value: AnyValue, which: str, meaning: Meaning) -> None:
        if meaning is Meaning.PERSON:
            given = str(getattr(value, which))
            value.string_value = self._pseudonyms.of(given) if given else ""
        elif self._mode == "full":
            return
        elif meaning is Meaning.SECRET:
            value.string_value = SECRET
        elif which == "string_value":
            self._labels.append((value, which, value.string_value))
        elif which == "bytes_value":
            text = value.bytes_value.decode("utf-8", "replace")
            value.string_value = text
            if text:
                self._contents.append((value, "string_value", text))
        elif which == "int_value":
            cut = self._texts.integer(value.int_value)
            if cut is not None:
                value.string_value = cut


class _Told(NamedTuple):
    """What a key says of its value, asked once: comparing the members of an enumeration is dear."""

    meaning: Meaning
    clean: bool
    """Whether the key is no secret itself."""
    text: bool
    document_id: bool
    transport: bool
    named: bool
    """Whether the value is cut for its name, whatever it is."""


@lru_cache(maxsize=4096)
def _told_by(key: str) -> _Told:
    meaning = meaning_of(key)
    return _Told(
        meaning,
        redact(key) == key,
        meaning is Meaning.TEXT,
        meaning is Meaning.DOCUMENT_ID,
        meaning is Meaning.TRANSPORT,
        meaning in (Meaning.PERSON, Meaning.SECRET),
    )
