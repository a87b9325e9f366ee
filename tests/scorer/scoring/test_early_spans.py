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


def with_service(arrival: Arrival) -> Arrival:
    """The same, of a service that says its name."""
    data = TracesData.FromString(arrival.payload)
    name = data.resource_spans[0].resource.attributes.add()
    name.key, name.value.string_value = "service.name", "shop"
    return arrival._replace(payload=data.SerializeToString())
