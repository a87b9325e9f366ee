"""Erasure requests for what waits in memory to be forwarded, as ``ragvigil forget`` leaves them in the inbox."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar, cast, get_type_hints

from ragvigil.scorer.receive.forward.item import Item
from ragvigil.scorer.receive.forward.queue import Forwarder
from ragvigil.scorer.receive.limits import Limits
from ragvigil.scorer.request_files import RequestFiles

logger = logging.getLogger(__name__)

_LOOK_SECONDS = 0.5
_LONGEST_PAUSE_SECONDS = 60.0
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


@asynccontextmanager
async def erasing(inbox: Path, forwarders: Iterable[Forwarder], limits: Limits) -> AsyncGenerator[None]:
    """Requests are answered until the end of the block, also where nothing is forwarded."""
    looking = asyncio.create_task(_keep_answering(unsent_requests(inbox), tuple(forwarders), limits))
    try:
        yield
    finally:
        looking.cancel()
        with suppress(asyncio.CancelledError):
            await looking


async def _keep_answering(
    requests: RequestFiles[Unwanted, Unsent], forwarders: Iterable[Forwarder], limits: Limits
) -> None:
    """One log line for each new fault, and ever longer pauses while it lasts; what failed lets the others pass."""
    pause, told = _LOOK_SECONDS, ""
    failed = set[str]()
    while True:
        await asyncio.sleep(pause)
        name = ""
        try:
            found = await asyncio.to_thread(requests.next, failed)
            if found is None and failed:
                failed.clear()
                found = await asyncio.to_thread(requests.next)
            if found is not None:
                name, unwanted = found
                requests.answer(name, await _erased(unwanted, forwarders, limits))
            pause, told = _LOOK_SECONDS, ""
        except Exception as error:
            if name:
                failed.add(name)
            pause = min(2 * pause, _LONGEST_PAUSE_SECONDS)
            if (fault := repr(error)) != told:
                logger.exception(
                    "a request to forget in what waits to be forwarded cannot be answered; trying again"
                )
            told = fault


async def _erased(unwanted: Unwanted, forwarders: Iterable[Forwarder], limits: Limits) -> Unsent:
    """Whatever is asked of all backends is learned before anything is cut from one: a trace may be split."""
    from ragvigil.scorer.receive.forward.cutting import Cut  # the rules for names come with it

    cut = await asyncio.to_thread(Cut, unwanted, limits)
    concerned = [
        (forwarder, waiting)
        for forwarder in forwarders
        for waiting in forwarder.waiting
        if waiting.arrived <= unwanted.before
    ]
    for _, waiting in concerned:
        if waiting.item is not None:
            await asyncio.to_thread(cut.learn, waiting.item)
    found = Unsent({}, {})
    for forwarder, waiting in concerned:
        if (item := waiting.item) is None:
            continue
        left: Item | None = await asyncio.to_thread(cut.cut, item)
        if left is not item:
            counts = found.cut if forwarder.replace(waiting, left) else found.late
            counts[forwarder.name] = counts.get(forwarder.name, 0) + 1
    return found
