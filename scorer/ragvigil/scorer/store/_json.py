"""Values as JSON that any store takes."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import cast

_ENCODE = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=str, allow_nan=False).encode
"""Made once: `json.dumps` makes an encoder at each call that asks for anything of its own."""


def to_json(value: object) -> str:
    """Compact JSON of anything: what JSON cannot say becomes its text, a number that is none becomes null."""
    if not value and isinstance(value, (dict, list)):
        return "{}" if isinstance(value, dict) else "[]"
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
