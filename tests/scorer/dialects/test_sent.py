"""What a function around a model was given: messages among its arguments, a context by name; and what it returned."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from ragvigil.scorer.span import Span
from ragvigil.scorer.trace import RagTrace

from .conftest import ANSWER, PASSAGES, QUESTION, as_json, chain, ids, only, span

Write = Callable[[Mapping[str, object]], dict[str, object]]
TEXTS = [text for _, text, _ in PASSAGES]
PROMPT = f"Context:\n[1] {TEXTS[0]}\n[2] {TEXTS[1]}\n\nQuestion: {QUESTION}"
SENT = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": PROMPT}]
HITS = [{"id": key, "text": text, "score": score} for key, text, score in PASSAGES]


def langfuse(given: Mapping[str, object], made: object = ANSWER) -> dict[str, object]:
    """`@observe(as_type="generation")`."""
    return {
        "langfuse.observation.type": "generation",
        "langfuse.observation.input": as_json({"args": [], "kwargs": given}),
        "langfuse.observation.output": made if isinstance(made, str) else as_json(made),
    }


def positional(given: Mapping[str, object], made: object = ANSWER) -> dict[str, object]:
    """The same with its arguments in their order."""
    told = as_json({"args": [*given.values(), 0.5], "kwargs": {}})
    return {**langfuse({}, made), "langfuse.observation.input": told}


def mlflow(given: Mapping[str, object]) -> dict[str, object]:
    """`@mlflow.trace(span_type="CHAT_MODEL")`."""
    told = {"mlflow.spanInputs": as_json(given), "mlflow.spanOutputs": as_json(ANSWER)}
    return {"mlflow.spanType": '"CHAT_MODEL"', **told}


def langsmith(given: Mapping[str, object]) -> dict[str, object]:
    """`@traceable(run_type="llm")`."""
    told = {"gen_ai.prompt": as_json(given), "gen_ai.completion": as_json({"output": ANSWER})}
    return {"langsmith.span.kind": "llm", **told}


def asked(call: dict[str, object], *others: Span) -> RagTrace:
    """The record of a question that a function asked a model."""
    root = span("a0", chain(answer=None), start=0, end=99)
    return only([root, *others, span("a9", call, parent="a0", start=50, end=90)])


@pytest.mark.parametrize(
    "call",
    [
        *(write({"messages": SENT}) for write in (langfuse, positional, mlflow, langsmith)),
        *(write({"prompt": PROMPT}) for write in (langfuse, positional, mlflow, langsmith)),
    ],
)
def test_passages_stand_in_the_prompt_that_a_function_was_given(call: dict[str, object]) -> None:
    """Whatever its arguments are called: a record that knew of no prompt said complete, without a passage."""
    record = asked(call)
    assert [each.text for each in record.documents] == TEXTS
    assert (record.query, record.answer, record.completeness) == (QUESTION, ANSWER, "complete")


@pytest.mark.parametrize("write", [langfuse, mlflow, langsmith])
@pytest.mark.parametrize("key", ["context", "context_str", "retrieved_docs", "documents", "kontext"])
@pytest.mark.parametrize("value", [TEXTS, HITS, f"[1] {TEXTS[0]}\n[2] {TEXTS[1]}"])
def test_an_argument_that_is_called_context_is_the_context(write: Write, key: str, value: object) -> None:
    """As texts, as objects, or as the one text that it is made of."""
    record = asked(write({"question": QUESTION, key: value}))
    assert ([each.text for each in record.documents], record.completeness) == (TEXTS, "complete")


def test_passages_that_a_traced_task_was_given_by_name_are_evidence() -> None:
    """Traceloop's decorators tell of a search only what it returned: texts alone may be anything."""
    call: dict[str, object] = {
        "traceloop.span.kind": "task",
        "traceloop.entity.input": as_json({"args": [], "kwargs": {"question": QUESTION, "context": TEXTS}}),
        "traceloop.entity.output": as_json(ANSWER),
    }
    assert [each.text for each in asked(call).documents] == TEXTS


@pytest.mark.parametrize("key", ["context_length", "document_type", "source_language"])
def test_an_argument_that_tells_something_of_a_context_is_none(key: str) -> None:
    """A length, a type, a language."""
    record = asked(mlflow({"question": QUESTION, key: "short"}))
    assert (record.documents, record.completeness) == ((), "complete")


DATA = [
    '{"answer": "At nine.", "sources": ["a"]}',
    '{"text": "At nine."}',
    "[]",
    "{}",
    '{"result": "At nine."}',
]


@pytest.mark.parametrize("answer", DATA)
def test_an_answer_of_a_model_in_json_stays_as_it_wrote_it(answer: str) -> None:
    """Langfuse writes texts and objects alike; OpenLLMetry's legacy instrumentation writes them as they are."""
    assert asked(langfuse({}, answer)).answer == answer
    legacy = {"llm.request.type": "chat", "gen_ai.completion.0.role": "assistant"}
    assert asked({**legacy, "gen_ai.completion.0.content": answer}).answer == answer


@pytest.mark.parametrize(
    "made",
    [
        {"role": "assistant", "content": ANSWER},
        {"model": "m", "response": ANSWER, "done": True},
        {"completion": ANSWER, "stop_reason": "stop_sequence"},
        {"generation": ANSWER, "prompt_token_count": 3},
    ],
)
def test_a_reply_of_a_provider_is_taken_apart(made: object) -> None:
    """Something beside the text says whose it is."""
    assert asked(langfuse({}, made)).answer == ANSWER


@pytest.mark.parametrize("answer", ["[1]", "[]", '["a", "b"]'])
def test_a_reply_that_looks_like_a_list_is_a_text(answer: str) -> None:
    """Of Haystack's generator of texts, and of LangSmith's functions."""
    made: dict[str, object] = {"replies": [answer], "meta": []}
    haystack: dict[str, object] = {
        "haystack.component.type": "TinyGenerator",
        "haystack.component.output": as_json(made),
    }
    assert asked(haystack).answer == answer
    assert asked({**langsmith({}), "gen_ai.completion": as_json({"output": answer})}).answer == answer


@pytest.mark.parametrize(
    "found",
    [
        {"ids": [[key for key, *_ in PASSAGES]], "documents": [TEXTS], "distances": [[0.1, 0.5]]},
        {
            "matches": [
                {"id": key, "score": score, "metadata": {"text": text}} for key, text, score in PASSAGES
            ]
        },
        {"points": [{"id": key, "score": score, "payload": {"text": text}} for key, text, score in PASSAGES]},
    ],
)
def test_a_function_that_returns_what_a_vector_store_found_searches(found: object) -> None:
    """Nobody said that it is a retriever."""
    call = {**langfuse({"q": QUESTION}, found), "langfuse.observation.type": "span"}
    assert ids(asked(langfuse({}), span("a1", call, parent="a0", start=1, end=9))) == [
        "timetable-1",
        "fares-2",
    ]
    traced = {"mlflow.spanType": '"UNKNOWN"', "mlflow.spanOutputs": as_json(found)}
    assert ids(asked(mlflow({}), span("a1", traced, parent="a0", start=1, end=9))) == [
        "timetable-1",
        "fares-2",
    ]


def test_a_retriever_that_takes_and_returns_passages_reranks() -> None:
    """LangSmith and Langfuse have no kind for it."""
    found = {
        "langfuse.observation.type": "retriever",
        "langfuse.observation.input": QUESTION,
        "langfuse.observation.output": as_json(HITS),
    }
    again = {**found, "langfuse.observation.input": as_json({"args": [QUESTION, HITS], "kwargs": {}})}
    again["langfuse.observation.output"] = as_json(HITS[1:])
    spans = [span("a1", found, parent="a0", start=1, end=9), span("a2", again, parent="a0", start=10, end=19)]
    assert ids(asked(langfuse({}), *spans)) == ["fares-2"]
    traced = {
        "langsmith.span.kind": "retriever",
        "gen_ai.prompt": as_json({"q": QUESTION, "documents": HITS}),
    }
    traced["gen_ai.completion"] = as_json({"output": HITS[1:]})
    spans[1] = span("a2", traced, parent="a0", start=10, end=19)
    record = asked(langfuse({}), *spans)
    assert (ids(record), [each.stage for each in record.retrievals]) == (["fares-2"], ["retrieve", "rerank"])


def test_passages_that_haystack_s_tools_answered_are_evidence() -> None:
    """A component calls them, and tells what they answered."""
    result = f"[1] {TEXTS[0]}\n[2] {TEXTS[1]}"
    answered = {
        "tool_call_result": {"result": result, "origin": {"tool_name": "search_site"}, "error": False}
    }
    call = {
        "haystack.component.type": "ToolInvoker",
        "haystack.component.output": as_json({"tool_messages": [{"role": "tool", "content": [answered]}]}),
    }
    record = asked(langfuse({}), span("a1", call, parent="a0", start=1, end=9))
    assert [each.text for each in record.documents] == TEXTS
