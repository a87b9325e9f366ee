"""Encoded spans and log records without what must not stay."""

from __future__ import annotations

from collections.abc import Collection, Iterator, MutableSequence
from dataclasses import dataclass
from functools import lru_cache

from google.protobuf.message import Message
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, InstrumentationScope, KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, LogsData, ResourceLogs, ScopeLogs
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans, TracesData
from opentelemetry.proto.trace.v1.trace_pb2 import Span as WireSpan

from ragvigil.scorer.assembly.payload import without_repeats
from ragvigil.scorer.config import Content, ContentMode
from ragvigil.scorer.dialects.values import REDACTED
from ragvigil.scorer.dialects.withheld import NOTE
from ragvigil.scorer.redact.keys import Meaning, is_vector, may_list, meaning_of, meaning_under, opens_a_door
from ragvigil.scorer.redact.pseudonyms import Pseudonyms
from ragvigil.scorer.redact.texts import LONG_INTEGER, SECRET, Place, Texts, are_numbers
from ragvigil.scorer.span import Origin, Span, SpanEvent, event_of, plain, span_of, spans_in
from ragvigil.tracer.redaction import redact

Pairs = MutableSequence[KeyValue]
_KNOWS_ENTITIES = "entity_refs" in Resource.DESCRIPTOR.fields_by_name
"""Older releases of the protocol's package do not, and let go of them as of all unknown fields."""


_NO_SERVICE = ("", "unknown_service")
"""What a resource names that nobody gave a name: `unknown_service:python`, too."""


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
        return self.read(payload)[0]

    def read(self, payload: bytes) -> tuple[bytes, list[Span]]:
        """What `spans` gives, and what `spans_of` reads in it: both look at every attribute, so one look is saved.

        Notes that came with it are taken off. Raises like `spans`.
        """
        data = TracesData.FromString(payload)
        data.DiscardUnknownFields()
        if NOTE.encode() in payload:
            _take_off(data)  # whoever sent it would decide what is kept of a trace
        found: list[Span] = []
        stale = False
        for resource_spans in data.resource_spans:
            walk = self._begin(resource_spans.resource)
            walk.schema(resource_spans)
            for scope_spans in resource_spans.scope_spans:
                walk.schema(scope_spans)
                origin = walk.scope(scope_spans.scope)
                found += [walk.span(span, origin) for span in scope_spans.spans]
            stale = walk.cut() or stale
        return data.SerializeToString(), spans_in(data) if stale else found

    def logs(self, payload: bytes, *, notes: bool = False, withheld: bool = False) -> bytes:
        """An encoded LogsData without what must not stay; raises like `spans`.

        Notes of operators are no content: they are cut by the rules, and stay where content does not. `withheld` says
        that a service of the trace keeps ids only: of records of no known service, as feedback is, no text stays then.
        """
        data = LogsData.FromString(payload)
        data.DiscardUnknownFields()
        for resource_logs in data.resource_logs:
            walk = self._begin(resource_logs.resource, notes=notes, withheld=withheld)
            walk.schema(resource_logs)
            for scope_logs in resource_logs.scope_logs:
                walk.schema(scope_logs)
                walk.scope(scope_logs.scope)
                for record in scope_logs.log_records:
                    walk.log(record)
            walk.cut()
        return data.SerializeToString()

    def withholds(self, spans: bytes, logs: bytes) -> bool:
        """Whether any service in these keeps ids only. Raises like `spans`."""
        if not self._settings.may_withhold:
            return False  # as nearly always
        resources = [part.resource for part in TracesData.FromString(spans).resource_spans]
        resources += [part.resource for part in LogsData.FromString(logs).resource_logs]
        return any(self._settings.mode_of(_service(resource)) == "ids_only" for resource in resources)

    def cut(self, text: str) -> str:
        """The text without what the rules find, in whatever mode."""
        return self._texts.cut(text, self._texts.rules([text]))

    def person(self, name: str) -> str:
        """An id of a person or a conversation as it is stored."""
        return self._pseudonyms.of(name)

    def close(self) -> None:
        """End what it started."""
        self._texts.close()

    def _begin(self, resource: Resource, *, notes: bool = False, withheld: bool = False) -> _Walk:
        name = _service(resource)
        nobody = name.partition(":")[0] in _NO_SERVICE and name not in self._settings.services
        mode = "ids_only" if withheld and nobody else self._settings.mode_of(name)
        if notes and mode == "ids_only":
            mode = "redacted"
        walk = _Walk(mode, self._whole if mode == "full" else self._texts, self._pseudonyms)
        walk.resource(resource)
        return walk


def _service(resource: Resource) -> str:
    pairs = resource.attributes
    return next((pair.value.string_value for pair in pairs if pair.key == "service.name"), "")


def _is_embedding(value: AnyValue, key: str) -> bool:
    """Whether figures from which a model can tell a text stand there, or one of them, as under vector.0."""
    which = value.WhichOneof("value")
    if which == "array_value":
        numbers = [plain(item) for item in value.array_value.values]
        return is_vector(key) or (not may_list(key) and are_numbers(numbers))
    return which in ("double_value", "int_value") and key[-1:].isdecimal() and is_vector(key)


def with_note(payload: bytes, note: str | None) -> bytes:
    """Encoded spans, each once, with this note on the first and no other; as they are where there is none."""
    if note is None:
        return payload
    data = TracesData.FromString(payload)
    _take_off(data)
    data = TracesData.FromString(without_repeats(data.SerializeToString()))
    first = next(_spans(data), None)
    if first is not None:
        first.attributes.add(key=NOTE).value.string_value = note
    return data.SerializeToString()


def without_note(payload: bytes) -> bytes:
    """Encoded spans as they were before anything was noted on them."""
    data = TracesData.FromString(payload)
    _take_off(data)
    return data.SerializeToString()


def _take_off(data: TracesData) -> None:
    """Take the notes off all spans."""
    for span in _spans(data):
        for place in reversed(range(len(span.attributes))):
            if span.attributes[place].key == NOTE:
                del span.attributes[place]


def _spans(data: TracesData) -> Iterator[WireSpan]:
    return (span for part in data.resource_spans for scope in part.scope_spans for span in scope.spans)


class _Walk:
    """One resource's spans or logs: the places where texts stand are gathered, then cut with rules chosen once."""

    def __init__(self, mode: ContentMode, texts: Texts, pseudonyms: Pseudonyms) -> None:
        self._mode = mode
        self._texts = texts
        self._pseudonyms = pseudonyms
        self._contents: list[Place] = []
        self._passages: list[Place] = []
        self._keys: list[str] = []
        """Under which each of `_passages` stands."""
        self._labels: list[Place] = []
        self._resource: dict[str, object] = {}

    def resource(self, resource: Resource) -> None:
        """Where spans come from: labels, all of it; what it says of entities names the same again and goes."""
        if _KNOWS_ENTITIES and self._mode != "full":
            resource.ClearField("entity_refs")
        self._resource = self._pairs(resource.attributes)
        self._labels, self._contents = [*self._labels, *self._contents], []

    def schema(self, part: ResourceSpans | ScopeSpans | ResourceLogs | ScopeLogs) -> None:
        """The address of the conventions that a part follows: a text that a sender chooses, as any other."""
        self._label(part, "schema_url", part.schema_url)

    def scope(self, scope: InstrumentationScope) -> Origin:
        """What made the spans."""
        self._label(scope, "name", scope.name)
        self._label(scope, "version", scope.version)
        return Origin(self._resource, scope.name, self._pairs(scope.attributes))

    def span(self, span: WireSpan, origin: Origin) -> Span:
        """One span with its events and links, as it will be unless `cut` changes it."""
        self._label(span, "name", span.name)
        self._label(span, "trace_state", span.trace_state)
        if problem := span.status.message:
            self._contents.append((span.status, "message", problem))
        attributes = self._pairs(span.attributes)
        events: list[SpanEvent] = []
        for event in span.events:
            self._label(event, "name", event.name)
            events.append(event_of(event, self._pairs(event.attributes)))
        for link in span.links:
            self._label(link, "trace_state", link.trace_state)
            self._pairs(link.attributes)
        return span_of(span, attributes, tuple(events), origin)

    def log(self, record: LogRecord) -> None:
        """One log record."""
        self._label(record, "event_name", record.event_name)
        self._label(record, "severity_text", record.severity_text)
        self._pairs(record.attributes)
        self._value(record.body, Meaning.TEXT)

    def cut(self) -> bool:
        """Cut what was gathered; whether that changed anything."""
        places, changed = self._labels, False
        if self._mode == "ids_only":
            keys = (*[None] * len(self._contents), *self._keys)
            for (message, name, text), key in zip(self._contents + self._passages, keys, strict=True):
                setattr(message, name, self._texts.drop(text, passages=key))
                changed = True
        else:
            places = places + self._contents + self._passages
        rules = self._texts.rules([text for _, _, text in places])
        for message, name, text in self._texts.concerned(places, rules):
            found = self._texts.cut(text, rules)
            if found != text:
                setattr(message, name, found)
                changed = True
        return changed

    def _label(self, message: Message, name: str, text: str) -> None:
        if text:
            self._labels.append((message, name, text))

    def _pairs(self, pairs: Pairs, parent: str = "") -> dict[str, object]:
        """Gather what stands in these, and say it plainly; the short ways are for texts and figures, as most are.

        `parent`: the key under which they are nested.
        """
        unwanted: list[int] = []
        found: dict[str, object] = {}
        content, label, cutting = self._contents.append, self._labels.append, self._mode != "full"
        siblings = [pair.key for pair in pairs] if parent else ()
        for number, pair in enumerate(pairs):
            told = _told_by(pair.key) if not parent else _told_under(pair.key, parent, siblings)
            if told.unusual:
                if told.transport:
                    unwanted.append(number)
                else:
                    found[told.key] = self._unusual(pair, told)
                continue
            value = pair.value
            text = value.string_value
            if text:
                if told.text:
                    content((value, "string_value", text))
                elif told.passages:
                    self._passages.append((value, "string_value", text))
                    self._keys.append(told.key)
                elif told.label and cutting:
                    label((value, "string_value", text))
                found[told.key] = text
                continue
            which = value.WhichOneof("value")
            if which == "double_value" and abs(value.double_value) < LONG_INTEGER:
                found[told.key] = value.double_value
            elif which == "int_value" and abs(value.int_value) < LONG_INTEGER:
                found[told.key] = value.int_value
            else:
                self._value(value, told.meaning, told.key)
                found[told.key] = plain(value)
        for number in reversed(unwanted):
            del pairs[number]
        return found

    def _unusual(self, pair: KeyValue, told: _Told) -> object:
        """A pair whose value is cut for its name, stays for it, or whose key must be looked at itself."""
        if self._mode != "full" and not told.clean:
            self._labels.append((pair, "key", pair.key))
        self._value(pair.value, told.meaning, told.key)
        return plain(pair.value)

    def _value(self, value: AnyValue, meaning: Meaning, key: str = "") -> None:
        which = value.WhichOneof("value")
        if meaning is Meaning.TOKEN:
            meaning = Meaning.SECRET if opens_a_door(value.string_value) else Meaning.TEXT
        if which == "string_value" and not value.string_value and meaning is not Meaning.SECRET:
            return
        if which == "string_value" and meaning is Meaning.TEXT:
            self._contents.append((value, which, value.string_value))
        elif which == "string_value" and meaning is Meaning.PASSAGES:
            self._passages.append((value, which, value.string_value))
            self._keys.append(key)
        elif self._mode == "ids_only" and _is_embedding(value, key):
            value.string_value = REDACTED
        elif which == "array_value":
            for item in value.array_value.values:
                self._value(item, meaning, key)
        elif which == "kvlist_value" and not (meaning is Meaning.SECRET and self._mode != "full"):
            self._pairs(value.kvlist_value.values, key)
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
        elif which in ("int_value", "double_value"):
            cut = self._texts.number(getattr(value, which))
            if cut is not None:
                value.string_value = cut


@dataclass(frozen=True, slots=True)
class _Told:
    """What a key says of its value, asked once: comparing the members of an enumeration is dear."""

    key: str
    """The same object for every span, so that later look-ups need not compare letters."""
    meaning: Meaning
    clean: bool
    """Whether the key is no secret itself."""
    text: bool
    passages: bool
    label: bool
    transport: bool
    unusual: bool
    """Whether it is an embedding's, or no clean key of a text, passages or a figure of one, a label or an id."""


@lru_cache(maxsize=4096)
def _told_by(key: str) -> _Told:
    return _told(key, meaning_of(key), clean=redact(key) == key)


def _told_under(key: str, parent: str, siblings: Collection[str]) -> _Told:
    return _told(key, meaning_under(key, parent, siblings), clean=_told_by(key).clean)


def _told(key: str, meaning: Meaning, *, clean: bool) -> _Told:
    vector = is_vector(key)
    if vector and meaning is Meaning.PASSAGES:
        meaning = Meaning.TEXT  # of which no figure stays where texts do not
    text, passages, label = (meaning is one for one in (Meaning.TEXT, Meaning.PASSAGES, Meaning.LABEL))
    return _Told(
        key,
        meaning,
        clean,
        text,
        passages,
        label,
        meaning is Meaning.TRANSPORT,
        vector or not (clean and (text or passages or label or meaning is Meaning.DOCUMENT_ID)),
    )
