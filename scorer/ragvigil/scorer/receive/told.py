"""What people and deploy tools tell in plain JSON, each item as the log event that OTLP would have carried.

From here on there is one path: an item posted to ``/v1/feedback`` and one exported as a log event are the same.
"""

from __future__ import annotations

import string
import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Annotated, ClassVar, Literal, Self, TypeAlias, TypeVar, cast, get_args

from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, LogsData
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import ErrorDetails, from_json

from ragvigil.scorer.errors import meant
from ragvigil.scorer.inbox import Arrival
from ragvigil.scorer.moments import AHEAD, YEAR_2000, calendar_time
from ragvigil.scorer.receive.refusal import Refusal
from ragvigil.tracer import attributes as names

MOST_ITEMS = 1_000
"""Items of one request."""
_LONGEST_TEXT = 20_000
_NO_TRACE = bytes(16)
_EARLIEST = calendar_time(YEAR_2000)
_AHEAD = timedelta(microseconds=AHEAD / 1_000)

Value: TypeAlias = str | float


def _in_time(moment: datetime) -> datetime:
    known = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    if known < _EARLIEST:
        raise ValueError("must not lie before the year 2000")
    if known > datetime.now(UTC) + _AHEAD:
        raise ValueError("must not lie in the future")
    return known


def _not_zero(text: str) -> str:
    if not text.strip("0"):
        raise ValueError("must not be all zeros")
    return text.lower()


def _hex(digits: int) -> AfterValidator:
    def check(text: str) -> str:
        if len(text) != digits or not set(text) <= set(string.hexdigits):
            raise ValueError(f"must be {digits} hex digits, got {len(text)} characters")
        return _not_zero(text)

    return AfterValidator(check)


def _said(text: str) -> str:
    if not text.strip():
        raise ValueError("must say something")
    return text


TraceId = Annotated[str, _hex(32)]
SpanId = Annotated[str, _hex(16)]
Moment = Annotated[datetime, AfterValidator(_in_time)]
Name = Annotated[str, Field(min_length=1, max_length=200)]
Text = Annotated[str, Field(min_length=1, max_length=_LONGEST_TEXT), AfterValidator(_said)]

FeedbackKind = Literal["thumbs", "score", "comment", "rephrase", "follow_up"]
ChangeKind = Literal["deploy", "index", "prompt", "model", "config", "other"]


class Told(BaseModel, ABC):
    """What every item has: a name that makes telling it twice harmless, and its moment."""

    model_config = ConfigDict(extra="forbid", frozen=True, coerce_numbers_to_str=True)

    event: ClassVar[str]
    id: Name | None = None
    at: Moment | None = None

    @abstractmethod
    def arrival(self, received_at: int) -> Arrival:
        """The item as it goes into the inbox."""

    def _record(self, values: Mapping[str, Value | None], received_at: int) -> LogRecord:
        """The log record with these attributes; it happened at `at`, else now."""
        at = received_at if self.at is None else int(self.at.timestamp() * 1e6) * 1_000
        record = LogRecord(event_name=self.event, time_unix_nano=at, observed_time_unix_nano=received_at)
        for key, value in values.items():
            if isinstance(value, str):
                record.attributes.add(key=key).value.string_value = value
            elif value is not None:
                record.attributes.add(key=key).value.double_value = value
        return record


class Feedback(Told):
    """What somebody said of one answer."""

    event: ClassVar[str] = names.FEEDBACK_EVENT
    trace_id: TraceId
    span_id: SpanId | None = None
    kind: FeedbackKind
    value: object = None
    """Of thumbs: up, down, true or false; of a score: a finite number."""
    comment: Text | None = None
    user: Name | None = None

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.kind == "thumbs" and not (isinstance(self.value, bool) or self.value in ("up", "down")):
            raise ValueError('value: thumbs need "up", "down", true or false')
        if self.kind == "score" and self._number() is None:
            raise ValueError("value: a score needs a finite number")
        if self.kind == "comment" and self.comment is None:
            raise ValueError("comment: a comment needs its text")
        return self

    def _number(self) -> float | None:
        """The value where it is a finite number."""
        if isinstance(self.value, bool) or not isinstance(self.value, (int, float)):
            return None
        return float(self.value) if abs(self.value) <= sys.float_info.max else None

    def arrival(self, received_at: int) -> Arrival:
        """The item as it goes into the inbox."""
        label = ("up" if self.value in (True, "up") else "down") if self.kind == "thumbs" else None
        number = {"up": 1.0, "down": 0.0}[label] if label else self._number()
        record = self._record(
            {
                names.FEEDBACK_NAME: self.kind,
                names.FEEDBACK_LABEL: label,
                names.FEEDBACK_SCORE: number,
                names.FEEDBACK_EXPLANATION: self.comment,
                names.FEEDBACK_ANNOTATOR_KIND: "HUMAN",
                names.FEEDBACK_IDENTIFIER: self.id,
                names.USER_ID: self.user,
            },
            received_at,
        )
        record.trace_id = bytes.fromhex(self.trace_id)
        record.span_id = bytes.fromhex(self.span_id or "")
        return Arrival("logs", record.trace_id, _logs(record, {}), received_at)


class Change(Told):
    """What somebody changed: a deploy, an index build, a prompt edit."""

    event: ClassVar[str] = names.CHANGE_EVENT
    text: Text
    kind: ChangeKind = "other"
    service: Name | None = None
    environment: Name | None = None

    def arrival(self, received_at: int) -> Arrival:
        """The item as it goes into the inbox."""
        record = self._record(
            {names.CHANGE_KIND: self.kind, names.CHANGE_TEXT: self.text, names.CHANGE_ID: self.id},
            received_at,
        )
        place = {
            names.SERVICE_NAME: self.service,
            names.DEPLOYMENT_ENVIRONMENT_NAME: self.environment,
        }
        return Arrival("changes", _NO_TRACE, _logs(record, place), received_at)


KINDS: Mapping[str, type[Told]] = {"feedback": Feedback, "changes": Change}
"""What may be told, by the last part of the path where it is posted."""

Item = TypeVar("Item", bound=Told)


def items_in(body: bytes, kind: type[Item]) -> list[Item]:
    """The items of a JSON body: one object, or an array of them. Raises Refusal that names the field.

    >>> [item.text for item in items_in(b'{"text": "deployed 1.4", "kind": "deploy"}', Change)]
    ['deployed 1.4']
    """
    try:
        found: object = from_json(body, allow_inf_nan=False)
    except ValueError as error:
        raise Refusal.malformed(f"the body is not valid JSON: {error}") from None
    one = not isinstance(found, list)
    items = [found] if not isinstance(found, list) else cast("list[object]", found)
    if not items or len(items) > MOST_ITEMS:
        raise Refusal.malformed(f"the body must hold 1 to {MOST_ITEMS} items, got {len(items)}")
    return [_item(each, kind, "" if one else f"[{place}].") for place, each in enumerate(items)]


def _item(found: object, kind: type[Item], place: str) -> Item:
    try:
        return kind.model_validate(found)
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False)[0]
        field = str(problem["loc"][0]) if problem["loc"] else ""
        if not field and problem["type"] in ("model_type", "model_attributes_type"):
            raise Refusal.malformed(f"{place.rstrip('.') or 'the body'}: must be a JSON object") from None
        said = _in_words(problem, field, kind)
        raise Refusal.malformed(f"{place}{field}: {said}" if field else f"{place}{said}") from None


def _in_words(problem: ErrorDetails, field: str, kind: type[Told]) -> str:
    if problem["type"] == "extra_forbidden":
        return f"unknown field; {meant(field, list(kind.model_fields))}"
    if problem["type"] == "missing":
        choices = get_args(kind.model_fields[field].annotation)
        return "is missing" + (f"; one of {', '.join(map(str, choices))}" if choices else "")
    if problem["type"].startswith(("datetime_", "timezone_")):
        return 'must be a moment such as "2026-03-01T09:30:00Z"'
    words = _WORDS.get(problem["type"])
    return words.format_map(problem.get("ctx", {})) if words else problem["msg"].removeprefix("Value error, ")


_WORDS = {
    "literal_error": "must be {expected}",
    "string_type": "must be a text",
    "string_too_short": "is empty",
    "string_too_long": "must have at most {max_length} characters",
}
"""What pydantic finds wrong, in words for whoever tells it."""


def _logs(record: LogRecord, resource: Mapping[str, str | None]) -> bytes:
    data = LogsData()
    entry = data.resource_logs.add()
    for key, value in resource.items():
        if value is not None:
            entry.resource.attributes.add(key=key).value.string_value = value
    entry.scope_logs.add().log_records.append(record)
    return data.SerializeToString()
