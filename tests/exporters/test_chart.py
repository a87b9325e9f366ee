"""The chart on a page: a picture that any reader opens, and that shows what the figures say."""

from __future__ import annotations

import struct
import zlib
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.exporters.situations import SITUATIONS, bare, hostile

from ragvigil.exporters import Alert, Measurement
from ragvigil.exporters._chart import HEIGHT, WIDTH, chart_of
from ragvigil.exporters._page import colour_of

GOLDEN = Path(__file__).parent / "golden"
TRIGGER = SITUATIONS["trigger"]
Pixel = tuple[int, int, int]


def drawn(alert: Alert) -> bytes:
    """The picture of an alert that has one."""
    chart = chart_of(alert)
    assert chart is not None
    return chart.png


def pixels(png: bytes) -> list[list[Pixel]]:
    """Rows of a picture with a palette, read as its specification says, checksums and all."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    parts: dict[bytes, bytes] = {}
    place = 8
    while place < len(png):
        (length,) = struct.unpack(">I", png[place : place + 4])
        name, data = png[place + 4 : place + 8], png[place + 8 : place + 8 + length]
        assert struct.unpack(">I", png[place + 8 + length : place + 12 + length]) == (
            zlib.crc32(name + data),
        )
        parts[name] = data
        place += 12 + length
    assert list(parts) == [b"IHDR", b"PLTE", b"IDAT", b"IEND"]
    width, height, *rest = struct.unpack(">IIBBBBB", parts[b"IHDR"])
    assert rest == [8, 3, 0, 0, 0]
    colours = [(red, green, blue) for red, green, blue in zip(*[iter(parts[b"PLTE"])] * 3, strict=True)]
    rows, size = zlib.decompress(parts[b"IDAT"]), width + 1
    assert len(rows) == height * size
    assert {rows[number * size] for number in range(height)} == {0}
    return [[colours[code] for code in rows[n * size + 1 : (n + 1) * size]] for n in range(height)]


def line(alert: Alert, share: float) -> float:
    """Height, in pixels from above, at which the fall's colour stands at that share of the drawing's width."""
    column = round(100 + share * 690)
    fallen = bytes.fromhex(colour_of(alert))
    inked = [y for y, row in enumerate(pixels(drawn(alert))[:280]) if bytes(row[column]) == fallen]
    return sum(inked) / len(inked)


@pytest.mark.parametrize("situation", ["trigger", "update", "resolve"])
def test_a_chart_is_what_a_reviewer_saw(situation: str) -> None:
    """golden/chart_SITUATION.png; compared by pixels, for compression differs by the version of zlib."""
    told = pixels(drawn(SITUATIONS[situation]))
    assert told == pixels((GOLDEN / f"chart_{situation}.png").read_bytes())
    assert (len(told[0]), len(told)) == (2 * WIDTH, 2 * HEIGHT)


def test_a_fall_is_seen_where_and_as_deep_as_it_was() -> None:
    """The upper end of the drawing is 100 %, its lower end the tenth under the lowest value."""
    begin = TRIGGER.at - timedelta(hours=1)
    alert = replace(
        TRIGGER,
        history=(0.9,) * 5 + (0.5,) * 5,
        history_from=begin,
        history_until=TRIGGER.at,
        since=begin + timedelta(minutes=30),
    )
    assert line(alert, 0.75) == pytest.approx(272, abs=1.0)
    assert line(replace(alert, history=(0.9,) * 5 + (0.75,) * 5), 0.75) == pytest.approx(
        18 + 254 * 0.25 / 0.3, abs=1.0
    )
    early = pixels(drawn(alert))
    assert bytes.fromhex(colour_of(alert)) not in {bytes(row[300]) for row in early[:280]}


def test_a_gap_stays_a_gap() -> None:
    """No data is never zero, and no line leads through it."""
    fallen = bytes.fromhex(colour_of(TRIGGER))
    alert = replace(TRIGGER, history=(0.9, None, 0.9), history_from=TRIGGER.since, history_until=TRIGGER.at)
    rows = pixels(drawn(alert))[:280]
    assert fallen in {bytes(row[round(100 + 690 / 6)]) for row in rows}
    assert fallen not in {bytes(row[round(100 + 690 / 2)]) for row in rows}


@pytest.mark.parametrize(
    ("history", "begin", "end"),
    [
        ((0.0, 1.0), 0, 60),
        ((1.0,) * 2_000, 0, 90 * 86_400),
        ((0.0,) * 3, 0, 0),
        ((0.5, 0.5), 60, 0),
        ((2.0, -1.0), 0, 60),
    ],
)
def test_whatever_the_history_there_is_a_picture(history: tuple[float, ...], begin: int, end: int) -> None:
    """Of no length, of three months, that ends before it begins, out of bounds: at most a few kilobytes."""
    start = datetime(2026, 3, 1, tzinfo=UTC)
    since, at = start + timedelta(seconds=begin), start + timedelta(seconds=end)
    png = drawn(replace(TRIGGER, history=history, history_from=since, history_until=at))
    assert len(pixels(png)) == 2 * HEIGHT
    assert len(png) < 10_000


def test_hostile_text_is_not_drawn_and_little_history_is_no_chart() -> None:
    """Figures and times are all that a chart says."""
    assert drawn(hostile()) == drawn(
        replace(hostile(), title="x", summary="x", service="x", segment={}, examples=())
    )
    assert chart_of(bare()) is None
    assert chart_of(replace(TRIGGER, history=(0.5, None))) is None


def test_a_level_that_was_set_is_wanted_and_not_what_was_before() -> None:
    """A page about a floor: nothing fell from there."""
    chart = chart_of(replace(TRIGGER, before=Measurement(0.9, 0.9, 0.9, 0, None, "floor")))
    assert chart is not None
    assert chart.words.endswith("; broken line: 90.0 % wanted.")
