"""One OTLP file as messages: whatever its framing and compression, from any position on, as far as it is written.

Traces and logs as the Collector's file exporter writes them: JSON lines, protobuf with lengths, its own zstd a
record or a file; a single request in protobuf or JSON; gzip and zstd over any of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Self

from ragvigil.scorer.receive.decode import LOGS, SPANS, Encoding, Signal
from ragvigil.scorer.sources.cut import Cutter, Framing, Record, framing_of, is_array, is_json
from ragvigil.scorer.sources.inflate import INFLATES, CompressionError, Inflate, inflated

_PIECE = 2**20
_HEAD = 4
_SIGNAL_WITHIN = 200
_LOGS_NAME = re.compile(r"(^|[._-])logs?([._-]|$)")
_NOTHING_FOR_US = b'"resourceMetrics"'


@dataclass(frozen=True, slots=True)
class Place:
    """How far a file was read."""

    framing: Framing
    number: int
    """Messages (lines) before."""
    end: int
    """Bytes before, decompressed."""


class OtlpFile:
    """A file that is open for reading. `records` gives what has come since the last call.

    Raises OSError when it cannot be opened. A stream that turns out damaged is one record with a problem, and
    nothing after it.
    """

    def __init__(self, path: Path | IO[bytes], *, max_bytes: int, after: Place | None = None) -> None:
        self.path = path if isinstance(path, Path) else Path("-")
        self._file = path.open("rb") if isinstance(path, Path) else path
        self._max_bytes = max_bytes
        self._after = after
        self._head = b""
        self._inflate: Inflate | None = None
        self._cutter: Cutter | None = None
        self._start = b""
        self._skip = 0
        self._damaged = False
        self.ended = False
        """Whether the last read came to the end."""

    @property
    def place(self) -> Place | None:
        """How far it was cut; None while nothing is known of it."""
        cutter = self._cutter
        return self._after if cutter is None else Place(cutter.framing, cutter.number, cutter.end)

    @property
    def waiting(self) -> bool:
        """Whether there are bytes that are no message yet."""
        return bool(self._head or self._start or (self._cutter and self._cutter.waiting))

    def records(self) -> Iterator[Record]:
        """The messages that are complete by now."""
        while not self._damaged and (data := self._file.read(_PIECE)):
            yield from self._taken(data)

    def once(self) -> Iterator[Record]:
        """The messages that are complete after one read, for a stream in which another might wait."""
        data = b"" if self._damaged else self._file.read(_PIECE)
        self.ended = not data
        if data:
            yield from self._taken(data)

    def rest(self) -> Iterator[Record]:
        """All that is left, taken for complete: nothing more is to come."""
        yield from self.records()
        if self._damaged:
            return
        if self._head:
            head, self._head = self._head, b""
            yield from self._plain(head)
        if self._start:
            yield from self._begin(self._start)
        if self._cutter is not None:
            yield from (self._opened(record) for record in self._cutter.rest())
        if self._inflate is not None and self._inflate.open:
            yield self._broken("the compressed data is cut short")

    @property
    def resumable(self) -> bool:
        """Whether going on later from what is in memory spares undoing the compression again, and holds little."""
        held = len(self._start) + (self._cutter.waiting if self._cutter else 0)
        return self._inflate is not None and not self._damaged and held <= _PIECE

    def pause(self) -> int:
        """Let go of the file for now; how many of its bytes were read."""
        read = self._file.tell()
        self._file.close()
        return read

    def resume(self, path: Path, read: int) -> None:
        """Go on with the same file, perhaps under a new name. Raises OSError."""
        self.path = path
        self._file = path.open("rb")
        self._file.seek(read)

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _taken(self, data: bytes) -> Iterator[Record]:
        """Bytes as they stand in the file."""
        if self._inflate is None and self._cutter is None and not self._start:
            data, self._head = self._head + data, b""
            if len(data) < _HEAD:
                self._head = data
                return
            make = next((make for magic, make in INFLATES.items() if data.startswith(magic)), None)
            self._inflate = make() if make else None
        if self._inflate is None:
            if self._cutter is None and not self._start and self._after is not None:
                self._file.seek(self._after.end)
                data = self._file.read(_PIECE)
            yield from self._plain(data)
            return
        try:
            for piece in self._inflate.feed(data):
                yield from self._plain(piece)
        except CompressionError as error:
            yield self._broken(str(error))

    def _plain(self, data: bytes) -> Iterator[Record]:
        """Decompressed bytes."""
        if self._cutter is None and self._after is not None:
            self._skip = self._after.end if self._inflate else 0
            self._cutter = Cutter(
                self._after.framing,
                max_bytes=self._max_bytes,
                number=self._after.number,
                end=self._after.end,
            )
        if self._skip:
            gone = min(self._skip, len(data))
            self._skip -= gone
            data = data[gone:]
        if self._cutter is None:
            self._start += data
            decided = b"\n" in data or not is_json(self._start) or len(self._start) > self._max_bytes
            if len(self._start) >= _HEAD and decided:
                yield from self._begin(self._start)
        else:
            yield from (self._opened(record) for record in self._cutter.feed(data))

    def _begin(self, start: bytes) -> Iterator[Record]:
        self._start = b""
        self._cutter = Cutter(framing_of(start), max_bytes=self._max_bytes)
        yield from (self._opened(record) for record in self._cutter.feed(start))

    def _opened(self, record: Record) -> Record:
        """The record without a compression of its own."""
        if record.problem is not None:
            return record
        try:
            return replace(record, body=inflated(record.body, limit=self._max_bytes))
        except CompressionError as error:
            return replace(record, body=b"", problem=str(error))

    def _broken(self, problem: str) -> Record:
        self._damaged = True
        place = self.place
        return Record(place.number + 1 if place else 1, place.end if place else 0, b"", problem)


def place_of(path: Path, record: Record, framing: Framing | None) -> str:
    """Where a record stands, in words.

    >>> place_of(Path("day.jsonl"), Record(7, 0, b""), "lines")
    'day.jsonl line 7'
    """
    noun = {"lines": "line", "lengths": "message"}.get(framing or "")
    return f"{path} {noun} {record.number}" if noun else str(path)


def signal_of(path: Path, body: bytes) -> Signal | None:
    """Spans or log records, as the content or else the name says; None for metrics, which nobody needs here.

    >>> signal_of(Path("a.pb"), b"") is SPANS, signal_of(Path("a.logs.pb"), b"") is LOGS
    (True, True)
    """
    head = body[:_SIGNAL_WITHIN]
    if b'"resourceLogs"' in head:
        return LOGS
    if b'"resourceSpans"' in head:
        return SPANS
    if _NOTHING_FOR_US in head:
        return None
    return LOGS if _LOGS_NAME.search(path.name.lower()) else SPANS


def encoding_of(body: bytes, framing: Framing | None) -> Encoding:
    """JSON or protobuf, as the first bytes say; a line is never protobuf."""
    told = framing == "lines" or is_json(body[:_HEAD]) or is_array(body[:_HEAD])
    return "json" if told else "protobuf"
