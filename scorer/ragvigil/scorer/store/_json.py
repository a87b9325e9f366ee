"""Values as JSON that any store takes."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import cast

import pydantic_core

_ENCODE = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=str, allow_nan=False).encode


def to_json(value: object) -> str:
    """Compact JSON of anything: what JSON cannot say becomes its text, a number that is none becomes null."""
    try:
        return pydantic_core.to_json(value, fallback=str, inf_nan_mode="null").decode()
    except ValueError:  # half a surrogate pair, or lists in lists beyond what it counts
        return _patiently(value)


def _patiently(value: object) -> str:
    """The same by the standard library, which takes more, in many times as long."""
    try:
        text = _ENCODE(value)
    except ValueError:
        text = _ENCODE(_finite(value))
    return storable(text)


def storable(text: str) -> str:
    r"""The text with lone surrogates replaced: JSON may smuggle them in, no UTF-8 store can hold them.

    >>> storable("a\ud800b")
    'a?b'
    """
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


def _finite(value: object) -> object:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        pairs = cast("Mapping[object, object]", value)
        return {str(key): _finite(inner) for key, inner in pairs.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(inner) for inner in cast("Sequence[object]", value)]
    return value
