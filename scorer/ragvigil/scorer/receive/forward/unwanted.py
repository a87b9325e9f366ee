"""What a request to erase says of what waits to be forwarded, and the files in the inbox that carry it to and fro."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar, cast, get_type_hints

from ragvigil.scorer.request_files import RequestFiles

_LATEST = 1e11
"""Unix seconds; what is no number is not less, either."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Unwanted:
    """Whose content is not to be sent on."""

    before: float
    """What arrived later (Unix seconds) is new data."""
    names: list[str]
    """All that the id of the user or conversation may be called."""
    key: str
    """Where only a pseudonym of the id is known, the key by which those of others are made; else ""."""
    tombstones: list[str]
    """Of traces that never come back, in hex."""

    def __post_init__(self) -> None:
        """Raises ValueError for what nobody could look for."""
        self.key.encode()
        for digest in self.tombstones:
            bytes.fromhex(digest)


@dataclass(frozen=True, slots=True)
class Unsent:
    """What became of it, by backend."""

    cut: dict[str, int]
    """Requests that lost something, or all."""
    late: dict[str, int]
    """Requests that were being sent at that moment, as they had come."""


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_moment(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < _LATEST


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and all(map(_is_text, cast("list[object]", value)))


def _are_counts(value: object) -> bool:
    return isinstance(value, dict) and all(
        type(one) is int for one in cast("dict[str, object]", value).values()
    )


_HOLDS: Mapping[object, Callable[[object], bool]] = {
    str: _is_text,
    float: _is_moment,
    list[str]: _are_texts,
    dict[str, int]: _are_counts,
}
"""What a field of each type may hold."""


class _Plain(Generic[T]):
    """A dataclass of plain values in JSON: what validates settings has no place in the receiving process."""

    def __init__(self, make: type[T]) -> None:
        self._make = make
        self._types = get_type_hints(make)

    def dump_json(self, value: Any, /) -> bytes:
        """The value as JSON."""
        return json.dumps(asdict(value)).encode()

    def validate_json(self, text: bytes, /) -> T:
        """What `dump_json` was given. Raises ValueError."""
        try:
            found: object = json.loads(text)
        except RecursionError:
            raise ValueError("nested too deeply") from None
        fields = cast("dict[str, object]", found) if isinstance(found, dict) else {}
        if fields.keys() != self._types.keys():
            raise ValueError(f"is not an object of {', '.join(self._types)}")
        for name, value in fields.items():
            if not _HOLDS[self._types[name]](value):
                raise ValueError(f"{name} holds another type")
        return self._make(**fields)


def unsent_requests(inbox: Path) -> RequestFiles[Unwanted, Unsent]:
    """The folder of them in an inbox."""
    return RequestFiles(inbox / "forget-unsent", _Plain(Unwanted), _Plain(Unsent))
