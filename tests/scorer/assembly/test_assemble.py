"""When a trace is complete, given up, or over the bounds."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans, Span, TracesData

from ragvigil.scorer.assembly.assemble import Assembled, Assembler
from ragvigil.scorer.assembly.payload import look, without_repeats
from ragvigil.scorer.config import Assemble
from ragvigil.scorer.inbox import Position

SECOND = 1_000_000_000
ONE, TWO = "1" * 32, "2" * 32


def payload(*, parent: bytes = b"", size: int = 0, service: str | None = None, number: int = 1) -> bytes:
    """An encoded span, with a parent or without."""
    span = Span(trace_id=b"1" * 16, span_id=number.to_bytes(8, "big"), parent_span_id=parent, name="x" * size)
    data = TracesData(resource_spans=[ResourceSpans(scope_spans=[ScopeSpans(spans=[span])])])
    if service is not None:
        name = data.resource_spans[0].resource.attributes.add()
        name.key, name.value.string_value = "service.name", service
    return data.SerializeToString()


ROOT, CHILD = payload(), payload(parent=b"0" * 8)


def row(number: int) -> Position:
    """A place in the first segment."""
    return Position(1, number)


def taken(assembler: Assembler, seconds: float) -> list[tuple[str, bool]]:
    """Trace id and whether it was given up, of what is due."""
    return [(item.trace_id, item.timed_out) for item in assembler.due(int(seconds * SECOND))]


def test_a_trace_with_its_root_is_complete_once_it_is_quiet() -> None:
    """Children may come after the root; each one starts the quiet time again."""
    assembler = Assembler(Assemble())
    assembler.add(row(1), "spans", ONE, ROOT, 0)
    assembler.add(row(2), "spans", ONE, CHILD, 1 * SECOND)
    assert taken(assembler, 2.9) == []
    assert assembler.due(3 * SECOND) == [Assembled(ONE, (ROOT, CHILD), (), row(1), timed_out=False)]
    assert (assembler.open_traces, assembler.open_bytes, assembler.oldest()) == (0, 0, None)


def test_a_trace_without_a_root_waits_longer() -> None:
    """Its root may be a remote parent that is never sent here."""
    assembler = Assembler(Assemble())
    assembler.add(row(1), "spans", ONE, CHILD, 0)
    assert taken(assembler, 29.9) == []
    assert taken(assembler, 30) == [(ONE, False)]


def test_a_late_root_shortens_the_wait() -> None:
    """From then on quiet time is enough."""
    assembler = Assembler(Assemble())
    assembler.add(row(1), "spans", ONE, CHILD, 0)
    assembler.add(row(2), "spans", ONE, ROOT, 5 * SECOND)
    assert taken(assembler, 7) == [(ONE, False)]


def test_a_trace_that_never_falls_quiet_is_given_up() -> None:
    """And says so."""
    assembler = Assembler(Assemble(timeout_seconds=10))
    for second in range(10):
        assembler.add(row(second), "spans", ONE, ROOT, second * SECOND)
        assert taken(assembler, second) == []
    assert taken(assembler, 10) == [(ONE, True)]


def test_a_late_look_does_not_make_a_complete_trace_timed_out() -> None:
    """The scorer may have been down for an hour."""
    assembler = Assembler(Assemble(timeout_seconds=10))
    assembler.add(row(1), "spans", ONE, ROOT, 0)
    assert taken(assembler, 3600) == [(ONE, False)]


def test_a_span_after_the_end_opens_the_trace_again() -> None:
    """At its own place in the inbox."""
    assembler = Assembler(Assemble())
    assembler.add(row(1), "spans", ONE, ROOT, 0)
    assert taken(assembler, 2) == [(ONE, False)]
    assembler.add(row(9), "spans", ONE, CHILD, 3 * SECOND)
    assert assembler.oldest() == row(9)
    assert taken(assembler, 33) == [(ONE, False)]


def test_log_records_are_kept_apart_and_are_no_root() -> None:
    """An evaluation may arrive long before or after its spans."""
    assembler = Assembler(Assemble())
    assembler.add(row(1), "logs", ONE, b"log", 0)
    assembler.add(row(2), "spans", ONE, CHILD, 0)
    assert taken(assembler, 2) == []
    assert assembler.due(30 * SECOND) == [Assembled(ONE, (CHILD,), (b"log",), row(1), timed_out=False)]


def test_too_many_open_traces_are_read_early_oldest_first() -> None:
    """Memory is bounded, and what was cut short says so."""
    assembler = Assembler(Assemble(max_open_traces=2))
    for number in range(3):
        assembler.add(row(number), "spans", f"{number:032x}", CHILD, 0)
    assert taken(assembler, 0) == [(f"{0:032x}", True)]
    assert assembler.open_traces == 2


def test_too_many_open_bytes_are_read_early() -> None:
    """Bytes count as traces do."""
    large = payload(parent=b"0" * 8, size=600)
    assembler = Assembler(Assemble(max_open_bytes=1000))
    assembler.add(row(1), "spans", ONE, large, 0)
    assembler.add(row(2), "spans", TWO, large, 0)
    assert taken(assembler, 0) == [(ONE, True)]
    assert assembler.open_bytes == len(large)


def test_everything_is_taken_as_it_stands_on_demand() -> None:
    """At the end of a replay nothing more will come."""
    assembler = Assembler(Assemble())
    assembler.add(row(2), "spans", TWO, CHILD, 0)
    assembler.add(row(1), "spans", ONE, ROOT, 0)
    assert [item.trace_id for item in assembler.due(0, everything=True)] == [ONE, TWO]
    assert assembler.open_traces == 0


def test_bytes_that_are_no_spans_do_not_stop_the_assembly() -> None:
    """The reader will say what is wrong with them."""
    assembler = Assembler(Assemble())
    assembler.add(row(1), "spans", ONE, b"\xff\xff", 0)
    assert taken(assembler, 30) == [(ONE, False)]


def test_a_clock_that_steps_back_delays_nothing_for_ever() -> None:
    """The latest time seen counts."""
    assembler = Assembler(Assemble())
    assembler.add(row(1), "spans", ONE, ROOT, 10 * SECOND)
    assembler.add(row(2), "spans", ONE, CHILD, 4 * SECOND)
    assert taken(assembler, 12) == [(ONE, False)]


def test_quiet_time_is_learned_per_service_within_bounds() -> None:
    """From the gaps behind the root; other services keep the configured time."""
    assembler = Assembler(Assemble())
    shop, bank = (payload(service=service) for service in ("shop", "bank"))
    for number in range(20):
        now = number * 100 * SECOND
        assembler.add(row(2 * number), "spans", f"{number:032x}", shop, now)
        assembler.add(row(2 * number + 1), "spans", f"{number:032x}", CHILD, now + SECOND // 2)
        assert len(assembler.due(now + 50 * SECOND)) == 1
    for trace_id, root, quiet in ((ONE, shop, 1.0), (TWO, bank, 2.0)):
        assembler.add(row(100), "spans", trace_id, root, 5_000 * SECOND)
        assert taken(assembler, 4_999.9 + quiet) == []
        assert taken(assembler, 5_000 + quiet) == [(trace_id, False)]


def test_late_spans_teach_a_longer_quiet_time() -> None:
    """A service that exports every four seconds is waited for, once it is known."""
    assembler = Assembler(Assemble())
    shop = payload(service="shop")
    for number in range(20):
        now, trace_id = number * 100 * SECOND, f"{number:032x}"
        assembler.add(row(2 * number), "spans", trace_id, shop, now)
        assert len(assembler.due(now + 2 * SECOND)) == (number < 10)
        assembler.add(row(2 * number + 1), "spans", trace_id, CHILD, now + 4 * SECOND)
        assert len(assembler.due(now + 50 * SECOND)) == 1


def test_what_comes_later_than_anybody_waits_teaches_nothing() -> None:
    """A vote a minute behind each answer: neither are the others waited for, nor does it hide the gaps of spans."""
    assembler = Assembler(Assemble())
    shop = payload(service="shop")
    for number in range(30):
        now, trace_id = number * 100 * SECOND, f"{number:032x}"
        assembler.add(row(4 * number), "spans", trace_id, shop, now)
        if number % 15 == 0:  # one of fifteen, or of thirty if votes counted as traces without a gap
            assembler.add(row(4 * number + 1), "spans", trace_id, CHILD, now + SECOND)
        assert len(assembler.due(now + 20 * SECOND)) == 1
        assembler.add(row(4 * number + 2), "logs", trace_id, b"vote", now + 60 * SECOND)
        assembler.add(row(4 * number + 3), "logs", trace_id, b"words", now + 61 * SECOND)
        assert len(assembler.due(now + 99 * SECOND)) == 1
    assembler.add(row(200), "spans", ONE, shop, 5_000 * SECOND)
    assert taken(assembler, 5_001.9) == []
    assert taken(assembler, 5_002) == [(ONE, False)]


@pytest.mark.parametrize("together", [1, 3])
def test_spans_that_come_together_teach_no_shorter_quiet_time(together: int) -> None:
    """Two services export at the same moment, a second and a half behind the root: that is still the gap."""
    assembler = Assembler(Assemble())
    shop = payload(service="shop")
    scored = 0
    for number in range(40):
        now, trace_id = number * 100 * SECOND, f"{number:032x}"
        assembler.add(row(4 * number), "spans", trace_id, shop, now)
        scored += len(assembler.due(now + int(1.4 * SECOND)))
        for place in range(together):
            child = payload(parent=b"0" * 8, number=place + 2)
            assembler.add(row(4 * number + place + 1), "spans", trace_id, child, now + int(1.5 * SECOND))
        scored += len(assembler.due(now + 50 * SECOND))
    assert scored == 40


def test_what_comes_before_the_root_teaches_nothing() -> None:
    """A root that ends four seconds behind its spans is the last that comes: nobody need wait for long."""
    assembler = Assembler(Assemble())
    shop = payload(service="shop")
    for number in range(20):
        now, trace_id = number * 100 * SECOND, f"{number:032x}"
        child = payload(parent=b"0" * 8, service="shop", number=2)
        assembler.add(row(2 * number), "spans", trace_id, child, now)
        assembler.add(row(2 * number + 1), "spans", trace_id, shop, now + 4 * SECOND)
        assert len(assembler.due(now + 50 * SECOND)) == 1
    assembler.add(row(100), "spans", ONE, shop, 5_000 * SECOND)
    assert taken(assembler, 5_000.5) == [(ONE, False)]


def test_a_known_root_shortens_the_wait_and_nothing_else() -> None:
    """Somebody who has stored it says so; for a trace that is not open it means nothing."""
    assembler = Assembler(Assemble())
    assert assembler.add(row(1), "spans", ONE, CHILD, 0)
    assembler.root_is_known(ONE)
    assembler.root_is_known(TWO)
    assert not assembler.add(row(2), "spans", ONE, CHILD, 0)
    assert taken(assembler, 2) == [(ONE, False)]


@pytest.mark.parametrize("bound", ["max_trace_spans", "max_trace_bytes"])
def test_what_is_beyond_the_bounds_of_one_trace_is_dropped_and_counted(bound: str) -> None:
    """And the trace says that it is not whole."""
    limit = 3 if bound == "max_trace_spans" else 3 * len(CHILD)
    assembler = Assembler(Assemble(**{bound: limit}))
    for number in range(10):
        assembler.add(row(number), "spans", ONE, payload(parent=b"0" * 8, number=number + 1), 0)
    assert assembler.open_bytes == 3 * len(CHILD)
    (trace,) = assembler.due(30 * SECOND)
    assert (look(b"".join(trace.spans)).spans, trace.dropped, trace.timed_out) == (3, 7, True)


@pytest.mark.parametrize("bound", ["max_trace_spans", "max_trace_bytes"])
def test_bytes_that_are_no_spans_stay_and_hinder_no_bound(bound: str) -> None:
    """Whoever reads the trace says that it cannot be read."""
    limit = 2 if bound == "max_trace_spans" else 2 * len(CHILD) + 3
    assembler = Assembler(Assemble(**{bound: limit}))
    assembler.add(row(0), "spans", ONE, b"\xff\xff\xff", 0)
    for number in (1, 2, 2, 3):
        assembler.add(row(number), "spans", ONE, payload(parent=b"0" * 8, number=number), 0)
    (trace,) = assembler.due(30 * SECOND)
    assert trace.spans[0] == b"\xff\xff\xff"
    assert trace.dropped > 0


@pytest.mark.parametrize("bound", ["max_trace_spans", "max_trace_bytes"])
@given(order=st.permutations([*range(1, 6)] * 3), joined=st.booleans())
def test_what_is_sent_again_takes_no_room_at_the_bounds(bound: str, order: list[int], joined: bool) -> None:
    """A trace that just fits stays whole however often, and in whatever pieces, its spans come."""
    spans = {number: payload(parent=b"0" * 8, number=number) for number in order}
    limit = 5 if bound == "max_trace_spans" else 5 * len(CHILD)
    assembler = Assembler(Assemble(**{bound: limit}))
    pieces = [spans[first] + spans[second] for first, second in pairwise(order)] if joined else []
    for number, piece in enumerate(pieces or [spans[number] for number in order]):
        assembler.add(row(number), "spans", ONE, piece, 0)
    assert assembler.open_bytes <= 5 * len(CHILD) or bound == "max_trace_spans"
    (trace,) = assembler.due(30 * SECOND)
    assert (trace.dropped, trace.timed_out) == (0, False)
    assert look(without_repeats(b"".join(trace.spans))).spans == 5


@given(
    st.lists(st.tuples(st.sampled_from("abcdef"), st.booleans(), st.integers(0, 40)), min_size=1, max_size=60)
)
def test_nothing_is_lost_and_the_oldest_position_is_right(steps: list[tuple[str, bool, int]]) -> None:
    """Every payload comes out once, and no open trace has anything before `oldest`."""
    assembler = Assembler(Assemble(max_open_traces=4))
    now, first, out = 0, dict[str, Position](), list[Assembled]()
    for number, (trace_id, rooted, seconds) in enumerate(steps):
        now += seconds * SECOND // 4
        assembler.add(row(number), "spans", trace_id, ROOT if rooted else CHILD, now)
        first.setdefault(trace_id, row(number))
        done = assembler.due(now)
        for item in done:
            assert item.first_position == first.pop(item.trace_id)
        out += done
        assert assembler.oldest() == min(first.values(), default=None)
        assert assembler.open_traces == len(first) <= 4
    out += assembler.due(now, everything=True)
    assert sum(len(item.spans) for item in out) == len(steps)
    assert (assembler.oldest(), assembler.open_bytes) == (None, 0)
