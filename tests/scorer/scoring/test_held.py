"""What came of traces whose texts are withheld is held for a while, and no more of it than there is room for."""

from __future__ import annotations

from ragvigil.scorer.assembly.assemble import Assembled
from ragvigil.scorer.inbox import Position
from ragvigil.scorer.scoring.held import Held

MINUTE = 60 * 10**9
MEGABYTE = 2**20


def came(trace_id: str, *spans: bytes, logs: tuple[bytes, ...] = ()) -> Assembled:
    """A delivery of that trace."""
    return Assembled(trace_id, spans, logs, Position(1, 1), False, 0)


def test_what_comes_late_is_joined_with_all_that_came_before() -> None:
    """Each once: what could not be stored is read again."""
    held = Held(lambda: 0)
    assert held.with_earlier(came("a", b"1"), first=True) == came("a", b"1")
    assert held.with_earlier(came("a", b"1"), first=True) == came("a", b"1")
    assert held.with_earlier(came("a", logs=(b"x",)), first=False) == came("a", b"1", logs=(b"x",))
    assert held.with_earlier(came("a", b"2"), first=False) == came("a", b"1", b"2", logs=(b"x",))


def test_nothing_is_joined_whose_beginning_is_not_held() -> None:
    """It came to another process: half a trace would be read as the whole."""
    held = Held(lambda: 0)
    assert held.with_earlier(came("a", b"2"), first=False) is None
    assert held.with_earlier(came("a", b"3"), first=False) is None


def test_no_text_is_held_for_longer_than_ten_minutes() -> None:
    """From when the first of the trace came, however often more comes; also where nothing comes any more."""
    now = 0
    held = Held(lambda: now)
    held.with_earlier(came("a", b"1"), first=True)
    now = 9 * MINUTE
    assert held.with_earlier(came("a", b"2"), first=False) is not None
    now = 10 * MINUTE
    held.tidy()
    now = 9 * MINUTE
    assert held.with_earlier(came("a", b"3"), first=False) is None


def test_the_oldest_goes_where_there_is_no_room() -> None:
    """32 MB of all; a trace that is larger is read, and not held."""
    held = Held(lambda: 0)
    for name in ("a", "b", "c", "d"):
        held.with_earlier(came(name, bytes(10 * MEGABYTE)), first=True)
    assert held.with_earlier(came("a", b"2"), first=False) is None
    assert held.with_earlier(came("d", b"2"), first=False) is not None
    large = came("e", bytes(40 * MEGABYTE))
    assert held.with_earlier(large, first=True) == large
    assert held.with_earlier(came("d", b"3"), first=False) is None


def test_what_is_erased_is_let_go_of() -> None:
    """Also what is not held."""
    held = Held(lambda: 0)
    held.with_earlier(came("a", b"1"), first=True)
    held.drop(["a", "b"])
    assert held.with_earlier(came("a", b"2"), first=False) is None
