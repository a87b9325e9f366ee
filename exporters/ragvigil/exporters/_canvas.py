"""A small picture with lines and figures, as PNG: what a chart needs, and no library for it in a service."""

from __future__ import annotations

import json
import math
import struct
import zlib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import Literal

Point = tuple[float, float]

_SHADES = 15
"""Steps from paper to full ink, so that slanted strokes have soft edges."""
_GLYPH_HEIGHT = 6.0
_ADVANCE = 5.8
"""From one character to the next, on the grid of the glyphs, which are 4 wide and 6 high."""
_NARROW = {":": 3.0, ".": 3.0, " ": 3.0}
_WEIGHT = 0.42
"""Half the width of a character's strokes, on the same grid."""


class Canvas:
    """Pixels in a few inks on white.

    >>> canvas = Canvas(4, 2, ("336699",))
    >>> canvas.fill(0, 0, 2, 2, 0)
    >>> canvas.png()[:8]
    b'\\x89PNG\\r\\n\\x1a\\n'
    """

    def __init__(self, width: int, height: int, inks: Sequence[str]) -> None:
        """`width` and `height` in pixels; up to 16 `inks` of six hexadecimal digits each, named by their place."""
        self._width, self._height = width, height
        self._inks = [bytes.fromhex(ink) for ink in inks]
        self._rows = [bytearray(width) for _ in range(height)]

    def fill(self, left: float, top: float, right: float, bottom: float, ink: int) -> None:
        """A rectangle, cut to whole pixels and to the picture."""
        begin, end = max(0, round(left)), min(self._width, round(right))
        for row in self._rows[max(0, round(top)) : max(0, round(bottom))]:
            row[begin:end] = bytes([self._code(ink, _SHADES)]) * max(0, end - begin)

    def write(
        self,
        text: str,
        x: float,
        y: float,
        *,
        size: float,
        ink: int,
        align: Literal["left", "right"] = "left",
    ) -> None:
        """Text `size` pixels high whose upper left (or right) corner is at (x, y); unknown characters are blank."""
        unit = size / _GLYPH_HEIGHT
        left = x if align == "left" else x - text_width(text, size=size)
        for character in text:
            for line in _glyphs().get(character, ()):
                points = [(left + across * unit, y + down * unit) for across, down in line]
                for begin, end in pairwise(points):
                    self._stroke(begin, end, _WEIGHT * unit, ink)
            left += _NARROW.get(character, _ADVANCE) * unit

    def png(self) -> bytes:
        """The picture, with a palette."""
        size = struct.pack(">IIBBBBB", self._width, self._height, 8, 3, 0, 0, 0)
        palette = b"\xff\xff\xff" + b"".join(
            _shade(ink, step) for ink in self._inks for step in range(1, _SHADES + 1)
        )
        pixels = zlib.compress(b"".join(b"\x00" + bytes(row) for row in self._rows), 9)
        parts = ((b"IHDR", size), (b"PLTE", palette), (b"IDAT", pixels), (b"IEND", b""))
        return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, data) for name, data in parts)

    def _stroke(self, begin: Point, end: Point, radius: float, ink: int) -> None:
        """A line with round ends; each pixel is inked by how near its middle is to the line."""
        reach = radius + 1.0
        across, down = (begin[0], end[0]), (begin[1], end[1])
        for y in range(max(0, int(min(down) - reach)), min(self._height, int(max(down) + reach) + 1)):
            row = self._rows[y]
            for x in range(max(0, int(min(across) - reach)), min(self._width, int(max(across) + reach) + 1)):
                shade = round(_SHADES * (radius + 0.5 - _distance((x + 0.5, y + 0.5), begin, end)))
                if shade > 0:
                    row[x] = max(row[x], self._code(ink, min(_SHADES, shade)))

    def _code(self, ink: int, shade: int) -> int:
        return ink * _SHADES + shade


def text_width(text: str, *, size: float) -> float:
    """Pixels that a text takes.

    >>> round(text_width("1:2", size=6.0), 1)
    12.8
    """
    advances = [_NARROW.get(character, _ADVANCE) for character in text]
    return max(0.0, sum(advances) - (_ADVANCE - 4.0)) * size / _GLYPH_HEIGHT


def _distance(point: Point, begin: Point, end: Point) -> float:
    (x, y), (left, top), (right, bottom) = point, begin, end
    across, down = right - left, bottom - top
    length = across * across + down * down
    along = 0.0 if length == 0.0 else ((x - left) * across + (y - top) * down) / length
    along = min(1.0, max(0.0, along))
    return math.hypot(x - left - along * across, y - top - along * down)


def _shade(ink: bytes, step: int) -> bytes:
    return bytes(round(255 - (255 - part) * step / _SHADES) for part in ink)


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


@cache
def _glyphs() -> dict[str, list[list[Point]]]:
    text = files("ragvigil.exporters").joinpath("glyphs.json").read_text(encoding="utf-8")
    glyphs: dict[str, list[list[Point]]] = json.loads(text)["glyphs"]
    return glyphs
