"""One JSON object read into the protobuf message it stands for, field by field.

Driven by the message's descriptor, as the OTLP specification wants it and a little kinder: hex ids in either
case, enums as numbers (names too), 64-bit integers as strings or numbers, base64 bytes, NaN and Infinity,
unknown fields ignored, null as absent. The general protobuf JSON reader reads ids as base64 and takes many
times as long.
"""

from __future__ import annotations

import base64
import json
import math
import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, NamedTuple, cast

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

_HEX_FIELDS = frozenset({"trace_id", "span_id", "parent_span_id"})
_WHOLE = re.compile(r"-?[0-9]{1,20}")
_NUMBERS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
_INTEGERS = {
    FieldDescriptor.CPPTYPE_INT32: (-(2**31), 2**31 - 1),
    FieldDescriptor.CPPTYPE_INT64: (-(2**63), 2**63 - 1),
    FieldDescriptor.CPPTYPE_UINT32: (0, 2**32 - 1),
    FieldDescriptor.CPPTYPE_UINT64: (0, 2**64 - 1),
}

_SHALLOWER = "keep lists and objects within 40 levels, or send them as one JSON string"
_LONGEST_NAME = 60

_Reader = Callable[[object, str, int], Any]


class UnreadableError(ValueError):
    """A value that does not fit its field; names the field, the attribute around it, and what it takes."""

    def __init__(self, field: str, wanted: str, got: object) -> None:
        super().__init__(f"{field} must be {wanted}, got {json.dumps(got, default=str)[:60]}")
        self.attribute: str | None = None

    def __str__(self) -> str:
        said = super().__str__()
        return said if self.attribute is None else f"{said} (attribute {self.attribute!r})"


class TooDeepError(UnreadableError):
    """A value that is nested so deep that protobuf itself would not read it."""

    def __init__(self) -> None:
        super().__init__("its value", _SHALLOWER, None)

    def __str__(self) -> str:
        where = "a value" if self.attribute is None else f"attribute {self.attribute!r}"
        return f"{where} is nested too deep: {_SHALLOWER}"


class _Field(NamedTuple):
    name: str
    read: _Reader
    repeated: bool


def message(value: Mapping[str, object], kind: Descriptor, depth: int) -> Message:
    """The message of type `kind`, with at most `depth` more levels. Raises UnreadableError."""
    try:
        return GetMessageClass(kind)(**_arguments(value, kind, depth))
    except (TypeError, ValueError) as error:
        if isinstance(error, UnreadableError):
            raise
        raise UnreadableError(kind.name, "as the OTLP definitions say", str(error)) from None


def _arguments(value: Mapping[str, object], kind: Descriptor, depth: int) -> dict[str, Any]:
    """Constructor arguments of the message: protobuf builds nested messages from nested dicts."""
    if depth < 0:
        raise TooDeepError
    fields = _fields(kind)
    arguments: dict[str, Any] = {}
    for key, one in value.items():
        field = fields.get(key)
        if field is None or one is None:
            continue
        if not field.repeated:
            arguments[field.name] = field.read(one, key, depth)
        elif isinstance(one, list):
            arguments[field.name] = [field.read(each, key, depth) for each in cast("list[object]", one)]
        else:
            raise UnreadableError(key, "a list", one)
    return arguments


@cache
def _fields(kind: Descriptor) -> dict[str, _Field]:
    return {field.json_name: _Field(field.name, _reader(field), field.is_repeated) for field in kind.fields}


def _reader(field: FieldDescriptor) -> _Reader:
    if field.message_type is not None:
        return _nested(field.message_type)
    if field.enum_type is not None:
        return _named({name: one.number for name, one in field.enum_type.values_by_name.items()})
    if field.type == FieldDescriptor.TYPE_BYTES:
        return _hex if field.name in _HEX_FIELDS else _base64
    if field.cpp_type in _INTEGERS:
        return _integer(*_INTEGERS[field.cpp_type])
    return {
        FieldDescriptor.CPPTYPE_BOOL: _boolean,
        FieldDescriptor.CPPTYPE_DOUBLE: _double,
        FieldDescriptor.CPPTYPE_FLOAT: _double,
        FieldDescriptor.CPPTYPE_STRING: _text,
    }[field.cpp_type]


def _nested(kind: Descriptor) -> _Reader:
    def read(value: object, name: str, depth: int) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise UnreadableError(name, "an object", value)
        fields = cast("dict[str, object]", value)
        try:
            return _arguments(fields, kind, depth - 1)
        except UnreadableError as error:
            if kind.name == "KeyValue" and isinstance(key := fields.get("key"), str):
                error.attribute = key[:_LONGEST_NAME]  # the outermost is the one that its sender knows
            raise

    return read


def _named(names: Mapping[str, int]) -> _Reader:
    whole = _integer(-(2**31), 2**31 - 1)

    def read(value: object, name: str, depth: int) -> int:
        known = names.get(value) if isinstance(value, str) else None
        return known if known is not None else cast("int", whole(value, name, depth))

    return read


def _integer(lowest: int, highest: int) -> _Reader:
    wanted = f"a whole number from {lowest} to {highest}"

    def read(value: object, name: str, depth: int) -> int:
        del depth
        number = _whole(value)
        if number is None or not lowest <= number <= highest:
            raise UnreadableError(name, wanted, value)
        return number

    return read


def _whole(value: object) -> int | None:
    if isinstance(value, str):
        return int(value) if _WHOLE.fullmatch(value) else None
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _double(value: object, name: str, depth: int) -> float:
    del depth
    try:
        if isinstance(value, str):
            return _NUMBERS[value] if value in _NUMBERS else float(value)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return float(value)
    except (ValueError, OverflowError):
        pass
    raise UnreadableError(name, "a number", value)


def _boolean(value: object, name: str, depth: int) -> bool:
    del depth
    if isinstance(value, bool):
        return value
    raise UnreadableError(name, "true or false", value)


def _text(value: object, name: str, depth: int) -> str:
    """Half of a surrogate pair, as a careless truncation leaves it, becomes U+FFFD."""
    del depth
    if not isinstance(value, str):
        raise UnreadableError(name, "a string", value)
    if value.isascii():
        return value
    try:
        value.encode()
    except UnicodeEncodeError:
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return value


def _base64(value: object, name: str, depth: int) -> bytes:
    del depth
    if isinstance(value, str):
        try:
            padded = value.replace("-", "+").replace("_", "/") + "=" * (-len(value) % 4)
            return base64.b64decode(padded, validate=True)
        except ValueError:
            pass
    raise UnreadableError(name, "base64", value)


def _hex(value: object, name: str, depth: int) -> bytes:
    del depth
    if isinstance(value, str) and value.isalnum():
        try:
            return bytes.fromhex(value)
        except ValueError:
            pass
    if value == "":
        return b""
    raise UnreadableError(name, "hex characters, 32 for a trace id and 16 for a span id", value)
