"""What a service asks models beside the answer, where no span tells the question or the answer of the whole."""

from __future__ import annotations

import pytest

from .conftest import ANSWER, PASSAGES, QUESTION, as_json, ids, only, span

CONTEXT = "Answer from the context.\n\n" + "\n".join(
    f"[{place}] {text}" for place, (_, text, _) in enumerate(PASSAGES, 1)
)
SEARCH: dict[str, object] = {
    "gen_ai.operation.name": "retrieval",
    "gen_ai.retrieval.documents": as_json([{"id": key, "score": score} for key, _, score in PASSAGES]),
}


def chat(answer: str, *messages: tuple[str, str]) -> dict[str, object]:
    """A model call in GenAI conventions."""

    def said(role: str, text: str) -> dict[str, object]:
        return {"role": role, "parts": [{"type": "text", "content": text}]}

    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.input.messages": as_json([said(*message) for message in messages]),
        "gen_ai.output.messages": as_json([said("assistant", answer)]),
    }


ANSWERING = chat(ANSWER, ("system", CONTEXT), ("user", QUESTION))


@pytest.mark.parametrize(
    "beside",
    [
        chat("Ferry times", ("user", f"Write a title for this conversation:\n{QUESTION}")),
        chat("0.9", ("system", "Rate from 0 to 1."), ("user", f"Question: {QUESTION}\nAnswer: {ANSWER}")),
        chat('{"score": "yes"}', ("user", f"Is this grounded?\n{CONTEXT}\nAnswer: {ANSWER}")),
    ],
)
def test_what_knows_neither_passages_nor_answer_or_judges_it_is_no_answer(beside: dict[str, object]) -> None:
    """Nothing but models and a search has a span."""
    spans = [
        span("a0", name="POST /ask", start=0, end=99),
        span("a1", SEARCH | {"gen_ai.retrieval.query.text": QUESTION}, parent="a0", start=1, end=2),
        span("a2", ANSWERING, parent="a0", start=3, end=9),
        span("a3", beside, parent="a0", start=10, end=20),
    ]
    record = only(spans)
    assert (record.query, record.answer, record.completeness) == (QUESTION, ANSWER, "complete")
    assert [each.text for each in record.documents] == [text for _, text, _ in PASSAGES]


def test_a_model_that_rewords_an_answer_gives_the_last_one() -> None:
    """It was shown the answer, and no passages."""
    friendly = chat("At nine, my friend [1].", ("user", f"Make this friendlier: {ANSWER}"))
    spans = [
        span("a0", name="POST /ask", start=0, end=99),
        span("a2", ANSWERING, parent="a0", start=3, end=9),
        span("a3", friendly, parent="a0", start=10, end=20),
    ]
    assert only(spans).answer == "At nine, my friend [1]."


@pytest.mark.parametrize(
    "said", ["1. ferry times\n2. boats at nine", '["ferry times", "boats at nine"]', "ferry times"]
)
def test_what_was_searched_for_is_no_question_where_a_model_made_it_of_one(said: str) -> None:
    """One query or several, in lines or as a list."""
    spans = [
        span("a0", name="POST /ask", start=0, end=99),
        span(
            "a1",
            chat(said, ("user", f"Write queries for this question.\n{QUESTION}")),
            parent="a0",
            start=1,
            end=2,
        ),
        span("a2", SEARCH | {"gen_ai.retrieval.query.text": "ferry times"}, parent="a0", start=3, end=4),
        span("a3", ANSWERING, parent="a0", start=5, end=9),
    ]
    record = only(spans)
    assert (record.query, record.answer, ids(record)) == (QUESTION, ANSWER, ["timetable-1", "fares-2"])


def test_langfuse_says_of_a_whole_trace_what_its_question_and_answer_are() -> None:
    """Its first step may be called with a request, and return nothing."""
    told: dict[str, object] = {
        "langfuse.observation.type": "span",
        "langfuse.observation.input": as_json({"args": ["POST /ask"], "kwargs": {}}),
        "langfuse.trace.input": as_json({"question": QUESTION}),
        "langfuse.trace.output": ANSWER,
    }
    search: dict[str, object] = {
        "langfuse.observation.type": "retriever",
        "langfuse.observation.input": as_json({"args": ["ferry times"], "kwargs": {}}),
        "langfuse.observation.output": as_json([{"id": key, "content": text} for key, text, _ in PASSAGES]),
    }
    record = only([span("a0", told, start=0, end=99), span("a1", search, parent="a0", start=1, end=2)])
    assert (record.query, record.answer, ids(record)) == (QUESTION, ANSWER, ["timetable-1", "fares-2"])


@pytest.mark.parametrize(
    "key", ["user_query", "userQuestion", "frage", "pregunta", "domanda_utente", "вопрос", "質問"]
)
def test_an_argument_that_is_called_a_question_is_one_in_any_language(key: str) -> None:
    """Beside others that are texts as well."""
    given: dict[str, object] = {
        "mlflow.spanType": '"CHAIN"',
        "mlflow.spanInputs": as_json({"tenant": "acme", key: QUESTION, "locale": "de"}),
        "mlflow.spanOutputs": as_json(ANSWER),
    }
    assert only([span("a0", given, start=0, end=99)]).query == QUESTION


def test_an_agent_that_is_given_objects_was_asked_what_its_conversation_says() -> None:
    """CrewAI without its models' spans: of words of the question there is only a tool's argument beside."""
    task = f"\nCurrent Task: {QUESTION}\n\nThis is the expected criteria: brief"
    said = [{"role": "user", "content": task}, {"role": "assistant", "content": ANSWER}]
    made = as_json({"raw": ANSWER, "messages": said})
    crew = {"openinference.span.kind": "CHAIN", "output.value": as_json({"raw": ANSWER, "tasks_output": []})}
    agent = {"openinference.span.kind": "AGENT", "output.value": made, "output.mime_type": "application/json"}
    tool: dict[str, object] = {
        "openinference.span.kind": "TOOL",
        "tool.name": "search_docs",
        "input.value": as_json({"query": "ferry"}),
        "output.value": as_json([{"id": key, "text": text} for key, text, _ in PASSAGES]),
    }
    spans = [
        span("a1", crew | {"output.mime_type": "application/json"}, start=0, end=99),
        span("a2", agent, parent="a1", start=1, end=98),
        span("a3", tool, parent="a2", start=2, end=9),
    ]
    record = only(spans)
    assert (record.query, record.answer, ids(record)) == (QUESTION, ANSWER, [key for key, *_ in PASSAGES])
