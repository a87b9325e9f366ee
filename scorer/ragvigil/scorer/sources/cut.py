"""A stream of bytes cut into OTLP messages, as files hold them.

Framings: `lines` (one JSON object a line), `lengths` (each message after its length in four bytes, big end
first, as the Collector's file exporter writes protobuf and compressed records), `whole` (one message a file).
The first byte tells them apart: a protobuf request begins with 0x0a, and a length that did would be over 160 MB.
Text that is no JSON is a line that was torn, or another program's, before others that may be sound.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Framing = Literal["lines", "lengths", "whole"]

_LENGTH = 4
_BLANK = b" \t\r\n"
_MARK = b"\xef\xbb\xbf"
"""Byte order mark, which some editors put before JSON."""
_EXPORT = re.compile(rb"\n[ \t\r]*\{[ \t]*\"resource(?:Spans|Logs|Metrics)\"")
"""A line that begins an export: none within one does."""
_TEXT_WITHIN = 1024
_UNFINISHED = 3
"""Bytes of a character of which the last may be missing."""


@dataclass(frozen=True, slots=True)
class Record:
    """One message of a file."""

    number: int
    """1 for the first; the line number where there are lines."""
    end: int
    """Bytes before the next one, in the decompressed stream."""
    body: bytes
    problem: str | None = None
    """Why it cannot be read; then `body` is empty."""


def is_json(head: bytes) -> bool:
    """Whether a message that begins so is JSON; protobuf may begin with a line feed, and go on with a brace.

    >>> is_json(b' {"resourceSpans"'), is_json(b"\\n{\\n\\5"), is_json(b"\\n\\x10")
    (True, False, False)
    """
    seen = head.removeprefix(_MARK).lstrip(_BLANK)
    return seen[:1] == b"{" and not (head[:2] == b"\n{" and seen[1:2] not in (b'"', b" ", b"}"))


def is_array(head: bytes) -> bool:
    """Whether a message that begins so is a JSON list of objects, as some tools print what they exported.

    >>> is_array(b'[{"resourceSpans"'), is_array(b"[\\n  {"), is_array(b"[info] starting")
    (True, True, False)
    """
    seen = head.removeprefix(_MARK).lstrip(_BLANK)
    return seen[:1] == b"[" and seen[1:].lstrip(_BLANK)[:1] in (b"{", b"")


def framing_of(start: bytes) -> Framing:
    """How a stream that begins so is framed: with its first line, if it has lines, and as much more as there is.

    A first line that is no whole object begins one document over many lines, unless others are exports themselves.

    >>> framing_of(b'{"resourceSpans": []}'), framing_of(b"\\n\\x10"), framing_of(b"\\0\\0\\1\\x2a")
    ('lines', 'whole', 'lengths')
    >>> framing_of(b'{\\n  "resourceSpans": ['), framing_of(b'lue": 1}]}\\n'), framing_of(b"\\x12\\x10")
    ('whole', 'lines', 'whole')
    """
    if is_json(start):
        ends = start.lstrip().partition(b"\n")[0].rstrip().endswith(b"}")
        return "lines" if ends or _EXPORT.search(start) else "whole"
    if is_array(start):
        return "whole"
    if start and start[0] < ord("\n") and start[0] != ord("\t"):
        return "lengths"
    return "lines" if _is_text(start) and (start[0] >= ord(" ") or _EXPORT.search(start)) else "whole"


def _is_text(start: bytes) -> bool:
    head = start[:_TEXT_WITHIN]
    try:
        head.decode()
    except UnicodeDecodeError as error:
        if error.start < len(head) - _UNFINISHED:
            return False
    return bool(head) and b"\0" not in head


class Cutter:
    """Cuts what it is fed; what has no end yet waits. Used from one thread.

    Starts after `end` bytes and `number` messages that were cut before.
    """

    def __init__(self, framing: Framing, *, max_bytes: int, number: int = 0, end: int = 0) -> None:
        self.framing: Framing = framing
        self.number = number
        self.end = end
        self._max_bytes = max_bytes
        self._held = bytearray()
        self._searched = 0
        self._skip = 0
        self._too_long = False

    @property
    def waiting(self) -> int:
        """Bytes whose message has no end yet."""
        return len(self._held) + self._skip

    def feed(self, data: bytes) -> Iterator[Record]:
        """The messages that end within `data`."""
        self._held += data
        if self.framing == "whole" and self._has_exports():
            self.framing = "lines"
        if self.framing == "lines":
            yield from self._lines()
        elif self.framing == "lengths":
            yield from self._lengths()
        elif len(self._held) > self._max_bytes:
            self._give_up()

    def rest(self) -> Iterator[Record]:
        """What is left when nothing more is to come: a last line without its end, a whole file, a torn message."""
        held, self._held, self._searched = bytes(self._held), bytearray(), 0
        if self.framing == "lengths":
            if held or self._skip:
                yield self._record(b"", len(held), "cut short: the file ends within it")
        elif self._too_long:
            yield self._record(b"", len(held), self._over())
        elif held.strip(_BLANK):
            over = len(held) > self._max_bytes
            yield self._record(b"" if over else held, len(held), self._over() if over else None)

    def _has_exports(self) -> bool:
        """Whether the first line only looked like the beginning of a document: it was torn."""
        since = max(0, self._searched - _TEXT_WITHIN)
        self._searched = len(self._held)
        head = bytes(self._held[:_TEXT_WITHIN])
        found = (is_json(head) or _is_text(head)) and _EXPORT.search(self._held, since)
        self._searched = 0 if found else self._searched
        return bool(found)

    def _lines(self) -> Iterator[Record]:
        while (at := self._held.find(b"\n", self._searched)) >= 0:
            line = bytes(self._held[:at])
            del self._held[: at + 1]
            self._searched = 0
            too_long, self._too_long = self._too_long or len(line) > self._max_bytes, False
            if line.strip(_BLANK) or too_long:
                yield self._record(b"" if too_long else line, at + 1, self._over() if too_long else None)
            else:
                self.number += 1
                self.end += at + 1
        self._searched = len(self._held)
        if len(self._held) > self._max_bytes:
            self._give_up()

    def _lengths(self) -> Iterator[Record]:
        while self._held:
            if self._skip:
                gone = min(self._skip, len(self._held))
                del self._held[:gone]
                self._skip -= gone
                continue
            size = int.from_bytes(self._held[:_LENGTH])
            if len(self._held) < _LENGTH or (len(self._held) < _LENGTH + size <= _LENGTH + self._max_bytes):
                return
            if size > self._max_bytes:
                self._skip = _LENGTH + size
                yield self._record(b"", _LENGTH + size, f"says that it has {size} bytes; {self._over()}")
                continue
            body = bytes(self._held[_LENGTH : _LENGTH + size])
            del self._held[: _LENGTH + size]
            yield self._record(body, _LENGTH + size)

    def _give_up(self) -> None:
        """Let go of what is too long already; its end is still looked for."""
        self._too_long = True
        self.end += len(self._held)
        self._held.clear()
        self._searched = 0

    def _record(self, body: bytes, size: int, problem: str | None = None) -> Record:
        self.number += 1
        self.end += size
        return Record(self.number, self.end, body, problem)

    def _over(self) -> str:
        return f"the limit is {self._max_bytes} bytes"
