"""What SDKs write around an application's own functions: each file is a run of the SDK itself, and of one that failed.

Made by `tests/fixtures/make_sdks.py`, which tells the versions.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.scorer.dialects.conftest import ANSWER, PASSAGES, QUESTION, as_json, chain, generation, only, span

from ragvigil.scorer.dialects import read_records
from ragvigil.scorer.span import Span, spans_of
from ragvigil.scorer.trace import RagTrace, Tokens

SDKS = Path(__file__).parents[2] / "fixtures" / "sdks"
ASKED = "Wann fährt die letzte Fähre nach Föhr?"
TOLD = "Um 19:45 Uhr, im Winter um 18:30 Uhr [1]."
FOUND = [
    ("plan-3", "Die letzte Fähre fährt um 19:45 Uhr; im Winter um 18:30 Uhr.", 0.83),
    ("preis/1", "Hin und zurück kostet es 38 €, für Kinder 22 €.", 0.44),
]
ONE_CALL, TWO_CALLS, NO_CALL = Tokens(61, 17), Tokens(122, 34), Tokens()
HITS = [{"id": key, "text": text, "score": score} for key, text, score in PASSAGES]


def runs(sdk: str) -> list[RagTrace]:
    """The records of a file, one a trace."""
    traces: dict[str, list[Span]] = {}
    for each in spans_of((SDKS / f"{sdk}.pb").read_bytes()):
        traces.setdefault(each.trace_id, []).append(each)
    return [record for trace in traces.values() for record in read_records(trace)]


def passages(record: RagTrace) -> list[tuple[str | None, str | None, float | None]]:
    """What the record knows of its passages."""
    return [(each.id, each.text, each.score) for each in record.documents]


@pytest.mark.parametrize(
    ("sdk", "tokens"),
    [
        ("langwatch", ONE_CALL),
        ("traceai", ONE_CALL),
        ("netra", ONE_CALL),
        ("judgment", ONE_CALL),
        ("agentops", ONE_CALL),
        ("genkit", ONE_CALL),
        ("promptflow", ONE_CALL),
        ("agentscope", TWO_CALLS),
        ("ag2", TWO_CALLS),
        ("honeyhive", NO_CALL),
        ("trulens", NO_CALL),
        ("mirascope", NO_CALL),
    ],
)
def test_an_application_under_an_sdk_reads_as_its_author_knows_it(sdk: str, tokens: Tokens) -> None:
    """Of most there was no record, or one without content; AgentScope's tools answered with the id of a block."""
    record = runs(sdk)[0]
    assert (record.query, record.answer, record.completeness) == (ASKED, TOLD, "complete")
    assert passages(record) == FOUND
    assert (record.tokens, record.error) == (tokens, None)


@pytest.mark.parametrize(
    "sdk",
    [
        "langwatch",
        "traceai",
        "netra",
        "judgment",
        "agentops",
        "agentscope",
        "honeyhive",
        "trulens",
        "mirascope",
        "promptflow",
    ],
)
def test_a_search_that_failed_under_an_sdk_is_the_error(sdk: str) -> None:
    """Netra leaves the status as it is, AgentScope says it in what the tool returned: its words were the evidence."""
    record = runs(sdk)[1]
    assert (record.query, record.documents, record.error_message) == (ASKED, (), "store unreachable")
    assert record.error_where in ("retriever", *(f"{name} tool" for name in _TOOLS))


_TOOLS = ("find_passages", "find_passages.tool", "__main__.find_passages")


def test_langwatch_tells_conversation_and_user_as_metadata() -> None:
    """Beside what the functions were given."""
    record = runs("langwatch")[0]
    assert (record.conversation_id, record.user_id) == ("s-9", "u-7")


def test_a_model_that_failed_under_genkit_keeps_what_it_was_shown() -> None:
    """The flow itself ends well, with an empty answer."""
    record = runs("genkit")[1]
    assert (record.query, record.answer, passages(record)) == (ASKED, None, FOUND)
    assert (record.error, record.error_where) == ("model unreachable", "generator")


@pytest.mark.parametrize("place", [0, 1])
def test_instructors_call_tells_the_prompt_where_no_model_has_a_span(place: int) -> None:
    """It was complete, and without a passage."""
    record = runs("instructor")[place]
    assert [each.text for each in record.documents] == [text for _, text, _ in FOUND]
    assert (record.query, record.model, record.completeness) == (ASKED, "tiny-chat-1", "complete")
    assert (record.answer, record.error_where) == [(TOLD, None), (None, "root")][place]


def test_a_call_that_failed_keeps_the_prompt_that_its_clients_own_span_does_not_tell() -> None:
    """Anthropic's client writes one below OpenInference's: the record was complete, and without a passage."""
    (record,) = runs("anthropic")
    assert (record.query, record.error) == (ASKED, "anthropic.APIConnectionError")
    assert [each.text for each in record.documents] == [text for _, text, _ in FOUND]


def test_what_ag2_cut_marks_the_record() -> None:
    """JSON that ends in the middle was one passage of a complete record."""
    record = runs("ag2")[1]
    assert (record.query, record.answer, record.completeness) == (ASKED, TOLD, "partial_evidence")
    assert record.documents == ()


@pytest.mark.parametrize("name", ["find_passages", "timetable"])
def test_passages_that_were_cut_mark_the_record_whatever_the_tool_is_called(name: str) -> None:
    """A tool of another name found nothing, and the record was complete."""
    said: dict[str, object] = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name}
    cut = {**said, "gen_ai.tool.call.result": as_json(HITS)[:-20]}
    told = {**said, "gen_ai.tool.call.result": "[1] One.\n[2] Two...", "ag2.tool.call.result.truncated": True}
    for attributes in (cut, told):
        above = [
            span("a1", chain(), start=1, end=90),
            span("a3", generation(), parent="a1", start=21, end=80),
        ]
        record = only([*above, span("a2", attributes, parent="a1", start=3, end=20)])
        assert (record.query, record.completeness) == (QUESTION, "partial_evidence")


def test_a_function_may_return_its_passages_beside_a_figure() -> None:
    """The record was incomplete, or complete without a passage where no model has a span."""
    made = {**chain(answer=as_json({"documents": HITS, "total": 2})), "output.mime_type": "application/json"}
    spans = [
        span("a1", chain(), start=1, end=90),
        span("a2", made, parent="a1", name="look", start=3, end=20),
    ]
    record = only(spans)
    assert (passages(record), record.answer) == ([*PASSAGES], ANSWER)
    state = {**made, "output.value": as_json({"documents": HITS, "question": QUESTION})}
    assert only([spans[0], span("a2", state, parent="a1", start=3, end=20)]).documents == ()


@pytest.mark.parametrize(
    ("name", "completeness"), [("find_passages", "partial_evidence"), ("ask", "complete")]
)
def test_a_search_that_returned_bare_texts_marks_a_record_without_passages(
    name: str, completeness: str
) -> None:
    """They may be queries, too: nobody can tell, and no model has a span that shows them."""
    texts = as_json([text for _, text, _ in PASSAGES])
    found = {"langwatch.span.type": "span", "langwatch.input": QUESTION, "langwatch.output": texts}
    asked = {"langwatch.span.type": "span", "langwatch.input": QUESTION, "langwatch.output": ANSWER}
    record = only(
        [span("a1", asked, start=1, end=90), span("a2", found, name=name, parent="a1", start=3, end=20)]
    )
    assert (record.query, record.answer, record.completeness) == (QUESTION, ANSWER, completeness)


def test_a_stream_that_was_printed_is_no_answer_in_quotes_either() -> None:
    """Instructor's streams in OpenInference: the name of an object was the answer."""
    printed = {
        **chain(answer='"<async_generator object Reply.parse at 0x7f00>"'),
        "output.mime_type": "application/json",
    }
    record = only(
        [
            span("a1", printed, start=1, end=90),
            span("a2", generation(None, tokens=None), parent="a1", start=2, end=80),
        ]
    )
    assert (record.answer, record.completeness) == (None, "partial_evidence")


AGNO = {"traceloop.span.kind": "agent", "traceloop.entity.input": QUESTION}


def agno(returned: str) -> RagTrace:
    """An agent of Agno's through OpenLLMetry 0.62, whose tool returned that."""
    tool = {
        "traceloop.span.kind": "tool",
        "traceloop.entity.name": "find_passages",
        "traceloop.entity.output": returned,
    }
    above = span("a1", {**AGNO, "traceloop.entity.output": ANSWER}, start=1, end=90)
    return only([above, span("a2", tool, parent="a1", start=3, end=20)])


def test_agno_prints_what_its_tools_returned_and_asks_in_words() -> None:
    """The question was one of a tool's call, and the printed object the evidence."""
    record = agno(
        f"status='success' result='{as_json(HITS)}' error=None updated_session_state=None images=None"
    )
    assert (record.query, record.answer, record.completeness) == (QUESTION, ANSWER, "complete")
    assert passages(record) == [*PASSAGES]
    failed = agno(
        "status='failure' result=None error='store unreachable' updated_session_state=None images=None"
    )
    assert (failed.documents, failed.error_where, failed.error) == (
        (),
        "find_passages tool",
        "store unreachable",
    )


def test_a_question_of_which_nothing_else_is_told_is_incomplete() -> None:
    """Agno's agents that stream: what they found and said is in other traces, or nowhere."""
    assert only([span("a1", AGNO, start=1, end=90)]).completeness == "partial_evidence"


def test_search_results_that_anthropic_was_given_by_a_tool_have_their_source_as_id() -> None:
    """As those have that stand in a request."""
    results = [
        {"type": "search_result", "source": key, "title": "t", "content": [{"type": "text", "text": text}]}
        for key, text, _ in PASSAGES
    ]
    said = {"openinference.span.kind": "TOOL", "tool.name": "find_passages", "output.value": as_json(results)}
    record = only([span("a1", chain(), start=1, end=90), span("a2", said, parent="a1", start=3, end=20)])
    assert passages(record) == [(key, text, None) for key, text, _ in PASSAGES]
