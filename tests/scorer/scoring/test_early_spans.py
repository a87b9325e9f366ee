"""Traces of which spans are read before the answer is there: nothing of the way to it counts as the answer."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from opentelemetry.proto.trace.v1.trace_pb2 import TracesData
from tests.scorer.scoring.bench import SECOND, Bench, question, span

from ragvigil.scorer.inbox import Arrival
from ragvigil.scorer.receive.told import Feedback


def rows(bench: Bench, query: str) -> list[tuple[object, ...]]:
    """What the store says."""
    with closing(sqlite3.connect(bench.settings.store.path)) as connection:
        return connection.execute(query).fetchall()


def test_an_answer_that_comes_long_after_the_first_spans_is_an_arrival(bench: Bench) -> None:
    """Its middleware's span is exported at once, the model takes a minute: the service has not stopped."""
    early = [with_service(span(number, "redis", parent=True)) for number in (1, 2)]
    bench.receive(early)
    bench.settle()
    assert rows(bench, "SELECT sum(traces), sum(answers) FROM arrivals") == [(2, 0)]
    for _ in range(2):
        bench.receive([with_service(each) for each in question(1)])
        bench.settle()
        assert rows(bench, "SELECT sum(traces), sum(answers) FROM arrivals") == [(2, 1)]
        bench.receive([with_service(span(1, "late", parent=True))])
        bench.settle()
    assert rows(bench, "SELECT sum(traces), sum(answers) FROM arrivals") == [(2, 1)]


def test_a_trace_of_which_feedback_came_first_is_an_arrival_when_its_spans_come(bench: Bench) -> None:
    """Nobody knew of which service it was."""
    bench.receive([Feedback(trace_id=f"{1:032x}", kind="thumbs", value="up", id="v").arrival(SECOND)])
    bench.settle()
    assert rows(bench, "SELECT * FROM arrivals") == []
    bench.receive([with_service(each) for each in question(1)])
    bench.settle()
    assert rows(bench, "SELECT service, traces, answers FROM arrivals") == [("shop", 1, 1)]


def test_a_span_that_is_told_while_it_runs_and_when_it_ends_says_the_same_in_any_order(bench: Bench) -> None:
    """A pull of what is under way and one an hour later, in two rounds or in one."""
    told: dict[int, tuple[list[Arrival], ...]] = {}
    for number in (1, 2, 3):
        search, ended = question(number)
        asked = f"What does part {number} weigh?"
        running = span(number, "root", parent=False, openinference__span__kind="CHAIN", input__value=asked)
        told[number] = {
            1: ([search, running], [ended]),
            2: ([search, ended], [running]),
            3: ([search, running, ended],),
        }[number]
    for round_ in (0, 1):
        bench.receive(
            [arrival for each in told.values() for part in each[round_ : round_ + 1] for arrival in part]
        )
        bench.settle()
    answers = [(f"Part {number} weighs {number} grams [p1].", "complete") for number in (1, 2, 3)]
    assert rows(bench, "SELECT answer, completeness FROM records ORDER BY trace_id") == answers
    bench.receive([arrival for each in told.values() for part in each for arrival in part])
    before = rows(bench, "SELECT trace_id, length(spans), span_count FROM traces ORDER BY trace_id")
    bench.settle()
    assert rows(bench, "SELECT trace_id, length(spans), span_count FROM traces ORDER BY trace_id") == before


def with_service(arrival: Arrival) -> Arrival:
    """The same, of a service that says its name."""
    data = TracesData.FromString(arrival.payload)
    name = data.resource_spans[0].resource.attributes.add()
    name.key, name.value.string_value = "service.name", "shop"
    return arrival._replace(payload=data.SerializeToString())
