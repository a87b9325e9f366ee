"""Traces of which spans are read before the answer is there: nothing of the way to it counts as the answer."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing

from opentelemetry.proto.trace.v1.trace_pb2 import TracesData
from tests.scorer.scoring.bench import SECOND, Bench, question, span

from ragvigil.scorer.inbox import Arrival
from ragvigil.scorer.receive.told import Feedback

CALL = '{"query": "weight of part 1"}'
SAID = "I will look up the weight of part 1 in the catalogue now."
FOUND = '[{"id": "p1", "content": "Part 1 weighs 1 grams."}]'
ANSWER = "Part 1 weighs 1 grams [p1]."


def rows(bench: Bench, query: str) -> list[tuple[object, ...]]:
    """What the store says."""
    with closing(sqlite3.connect(bench.settings.store.path)) as connection:
        return connection.execute(query).fetchall()


def step(name: str, said: str, *, call: bool) -> Arrival:
    """A call of the model that asks for a search, or one that answers by what was found."""
    message = "llm__output_messages__0__message__"
    told = {
        "openinference__span__kind": "LLM",
        "llm__model_name": "m1",
        "llm__input_messages__0__message__role": "user",
        "llm__input_messages__0__message__content": "What does part 1 weigh?",
        f"{message}role": "assistant",
        f"{message}content": said,
    }
    asked = f"{message}tool_calls__0__tool_call__function__"
    return span(
        1,
        name,
        parent=True,
        **told,
        **({f"{asked}name": "search", f"{asked}arguments": CALL} if call else {}),
    )


def known(bench: Bench) -> None:
    """A service whose root came once: another one's is still to come."""
    bench.receive([with_service(each) for each in question(2)])
    bench.settle()


def agent() -> list[Arrival]:
    """What an agent says and finds before it answers."""
    found = {"tool__name": "search", "input__value": CALL, "output__value": FOUND}
    tool = span(1, "tool", parent=True, openinference__span__kind="TOOL", **found)
    return [with_service(step("chat 1", SAID, call=True)), with_service(tool)]


def root() -> Arrival:
    """The span above all of it, which ends last."""
    asked = {"input__value": "What does part 1 weigh?", "output__value": ANSWER}
    return span(1, "root", parent=False, openinference__span__kind="CHAIN", **asked)


def test_what_an_agent_says_on_its_way_enters_no_series(bench: Bench) -> None:
    """A step of its model takes longer than a trace without its root is waited for: it has not answered yet."""
    bench.crash()
    bench.start()
    known(bench)
    told = "SELECT answer, completeness FROM records WHERE id = 2"
    scored = (
        "SELECT value FROM scores JOIN instruments i ON i.id = instrument_id "
        "WHERE name = 'citation_correctness' AND record_id = 2"
    )
    observed = "SELECT series, value FROM observations WHERE record_id = 2"
    counted = "SELECT sum(n), sum(total) FROM score_counts"
    bench.receive(agent())
    bench.settle()
    assert rows(bench, told) == [(SAID, "partial_evidence")]
    assert rows(bench, scored) == [(0.0,)]
    assert (rows(bench, observed), rows(bench, counted)) == ([], [(1, 1.0)])
    bench.receive([step("chat 2", ANSWER, call=False)])
    bench.settle()
    assert rows(bench, told) == [(ANSWER, "partial_evidence")]
    assert rows(bench, observed) == []
    bench.receive([root()])
    bench.settle()
    assert (rows(bench, observed), rows(bench, counted)) == ([("citation", 1.0)], [(2, 2.0)])


def test_citations_of_a_service_that_sends_no_roots_count(bench: Bench) -> None:
    """Something takes its servers' spans out on the way: waiting for them would be waiting for ever."""
    bench.receive([*agent(), with_service(step("chat 2", ANSWER, call=False))])
    bench.settle()
    assert rows(bench, "SELECT answer, completeness FROM records") == [(ANSWER, "partial_evidence")]
    assert rows(bench, "SELECT series, value FROM observations") == [("citation", 1.0)]


def test_a_node_of_a_graph_that_called_a_tool_has_not_answered_yet(bench: Bench) -> None:
    """It tells question and words itself; the span above it, which ends last, is one of the same process."""
    known(bench)
    asked = {"input__value": "What does part 1 weigh?", "output__value": SAID}
    said, tool = agent()
    data = TracesData.FromString(said.payload)
    data.resource_spans[0].scope_spans[0].spans[0].parent_span_id = b"agent 1 "
    node = span(1, "agent 1", parent=True, openinference__span__kind="CHAIN", **asked)
    bench.receive([said._replace(payload=data.SerializeToString()), tool, with_service(node)])
    bench.settle()
    assert rows(bench, "SELECT answer, completeness FROM records WHERE id = 2") == [
        (SAID, "partial_evidence")
    ]
    assert rows(bench, "SELECT * FROM observations WHERE record_id = 2") == []
    bench.receive([step("chat 2", ANSWER, call=False), root()])
    (job,) = bench.settle()
    assert (job.record.answer, job.record.completeness) == (ANSWER, "complete")


def test_an_answer_is_counted_once_however_often_its_trace_is_read(bench: Bench) -> None:
    """A late span that changes nothing of the answer makes no second score."""
    bench.receive(question(1))
    bench.settle()
    bench.receive([span(1, "late", parent=True)])
    bench.settle()
    assert rows(bench, "SELECT sum(n), sum(total) FROM score_counts") == [(1, 1.0)]
    assert rows(bench, "SELECT series, value FROM observations") == [("citation", 1.0)]


def test_detectors_see_no_score_of_what_an_agent_says_on_its_way(bench: Bench) -> None:
    """They learn what it scores with the span above it."""
    known(bench)
    bench.receive([of_now(each) for each in agent()])
    bench.settle()
    assert rows(bench, "SELECT cheap, citation_ok FROM sightings WHERE record_id = 2") == [(None, None)]
    bench.receive([of_now(step("chat 2", ANSWER, call=False)), of_now(root())])
    bench.settle()
    ((cheap, citation_ok),) = rows(bench, "SELECT cheap, citation_ok FROM sightings WHERE record_id = 2")
    assert isinstance(cheap, float)
    assert citation_ok == 1


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


def of_now(arrival: Arrival) -> Arrival:
    """The same, begun just now: detectors look at nothing that is old."""
    data = TracesData.FromString(arrival.payload)
    (made,) = data.resource_spans[0].scope_spans[0].spans
    made.start_time_unix_nano = time.time_ns()
    made.end_time_unix_nano = made.start_time_unix_nano + SECOND
    return arrival._replace(payload=data.SerializeToString())


def with_service(arrival: Arrival) -> Arrival:
    """The same, of a service that says its name."""
    data = TracesData.FromString(arrival.payload)
    name = data.resource_spans[0].resource.attributes.add()
    name.key, name.value.string_value = "service.name", "shop"
    return arrival._replace(payload=data.SerializeToString())
