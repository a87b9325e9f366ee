"""Records: passages that are JSON, read value by value with the path that names each."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Literal, cast

_LONGEST_RECORD = 400_000
_DENIALS = frozenset({"false", "no", "none"})
_MISSING = frozenset({"null", "n/a", ""})
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|_")
_OPEN = re.compile(r"(\d{1,2}):(\d{1,2})\s?[-\u2013]\s?(\d{1,2}):(\d{1,2})\Z")

Path = tuple[str, ...]
Absence = Literal["false", "null"]


def parse(text: str) -> object | None:
    """The JSON object or array that a passage may be; None when it is something else."""
    if text[:1] not in "{[" or len(text) > _LONGEST_RECORD:
        return None
    try:
        loaded: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return loaded


def leaves(node: object) -> Iterator[tuple[Path, object]]:
    """Every value with its path; iterative, for nesting may be as deep as the parser allows.

    >>> list(leaves({"a": [1, {"b": None}]}))
    [(('a',), 1), (('a', 'b'), None)]
    """
    stack: list[tuple[Path, object]] = [((), node)]
    while stack:
        path, node = stack.pop()
        if isinstance(node, dict):
            members = cast("dict[str, object]", node)
            stack += [((*path, key), members[key]) for key in reversed(members)]
        elif isinstance(node, list):
            stack += [(path, item) for item in reversed(cast("list[object]", node))]
        else:
            yield path, node


def absence(value: object) -> Absence | None:
    """Whether a value denies what its name says, or is missing.

    >>> absence("No"), absence(False), absence("N/A"), absence(0)
    ('false', 'false', 'null', None)
    """
    lowered = value.strip().lower() if isinstance(value, str) else value
    if lowered is False or lowered in _DENIALS:
        return "false"
    return "null" if lowered is None or lowered in _MISSING else None


def spaced(name: str) -> str:
    """The words of a name written as one.

    >>> spaced("OutdoorSeating"), spaced("good_for_meal")
    ('Outdoor Seating', 'good for meal')
    """
    return _CAMEL.sub(" ", name)


def naming(path: Path) -> str:
    """The words of the last names of a path; the last one also as one word, where it is several: WiFi is Wi-Fi.

    >>> naming(("attributes", "WiFi")), naming(("attributes", "valet"))
    ('WiFi attributes Wi Fi', 'attributes valet')
    """
    names = spaced(" ".join(path[-3:]))
    return f"{path[-1]} {names}" if path and spaced(path[-1]) != path[-1] else names


def opening(value: object) -> tuple[int, int] | None:
    """Minutes after midnight at which something opens and closes, where a value says so.

    >>> opening("9:0-17:30"), opening("by appointment")
    ((540, 1050), None)
    """
    match = _OPEN.match(value) if isinstance(value, str) else None
    return (int(match[1]) * 60 + int(match[2]), int(match[3]) * 60 + int(match[4])) if match else None


def place_of(text: str, path: Path, value: object) -> tuple[int, int] | None:
    """Offsets of `value` in the record's `text`, name included; None where it is written in another way."""
    literal = json.dumps(value, ensure_ascii=False)
    if not path:
        return None
    name = json.dumps(path[-1], ensure_ascii=False)
    start = text.find(name)
    while start >= 0:
        after = re.compile(r"\s*:\s*").match(text, start + len(name))
        if after and text.startswith(literal, after.end()):
            return start, after.end() + len(literal)
        start = text.find(name, start + 1)
    start = text.find(literal)
    return (start, start + len(literal)) if start >= 0 and len(literal) > 3 else None
