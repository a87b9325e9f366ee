"""Plain functions that search, as tracers of functions write them."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from ragvigil.scorer.dialects import read_records
from ragvigil.scorer.dialects.documents import passages_of
from ragvigil.scorer.span import Span
from ragvigil.scorer.trace import RagTrace

from .conftest import ANSWER, PASSAGES, QUESTION, as_json, chain, generation, ids, only, retrieval, span

HITS: list[object] = [{"id": key, "text": text, "score": score} for key, text, score in PASSAGES]
PAGES: list[object] = [
    {"id": key, "page_content": text, "metadata": {}, "type": "Document"} for key, text, _ in PASSAGES
]
MESSAGES: list[object] = [
    {"id": "m1", "role": "user", "content": QUESTION},
    {"id": "m2", "role": "assistant", "content": ANSWER},
]
Write = Callable[[object, object], dict[str, object]]


def openinference(given: object, made: object) -> dict[str, object]:
    """A chain with JSON on both sides."""
    return {
        "openinference.span.kind": "CHAIN",
        "input.value": as_json(given),
        "input.mime_type": "application/json",
        "output.value": as_json(made),
        "output.mime_type": "application/json",
    }


def mlflow(given: object, made: object) -> dict[str, object]:
    """`@mlflow.trace` without a type."""
    told: dict[str, object] = {"mlflow.spanInputs": as_json(given), "mlflow.spanOutputs": as_json(made)}
    return {"mlflow.spanType": '"UNKNOWN"', **told}


def langsmith(given: object, made: object) -> dict[str, object]:
    """`@traceable` without a type."""
    told: dict[str, object] = {
        "gen_ai.prompt": as_json(given),
        "gen_ai.completion": as_json({"output": made}),
    }
    return {"langsmith.span.kind": "chain", **told}


def openllmetry(given: object, made: object) -> dict[str, object]:
    """Traceloop's `@task`."""
    told: dict[str, object] = {
        "traceloop.entity.input": as_json({"args": [], "kwargs": given}),
        "traceloop.entity.output": as_json(made),
    }
    return {"traceloop.span.kind": "task", **told}


def langfuse(given: object, made: object) -> dict[str, object]:
    """`@observe` without a type."""
    told: dict[str, object] = {
        "langfuse.observation.input": as_json({"args": [], "kwargs": given}),
        "langfuse.observation.output": as_json(made),
    }
    return {"langfuse.observation.type": "span", **told}


WRITERS: tuple[Write, ...] = (openinference, mlflow, langsmith, openllmetry, langfuse)
every = pytest.mark.parametrize("write", WRITERS)


def asked(write: Write, *calls: tuple[object, object]) -> RagTrace:
    """The record of a question that called these functions, one after the other."""
    root: dict[str, object] = {
        "openinference.span.kind": "CHAIN",
        "input.value": QUESTION,
        "output.value": ANSWER,
    }
    return only(
        [
            span("a0", root, start=0, end=99),
            *(
                span(f"a{place}", write(*call), parent="a0", name=f"step {place}", start=place, end=place + 1)
                for place, call in enumerate(calls, 1)
            ),
        ]
    )


@every
def test_a_function_that_returns_passages_searches(write: Write) -> None:
    """Whatever its name is."""
    record = asked(write, ({"question": QUESTION}, HITS))
    assert [(each.id, each.text, each.score) for each in record.documents] == list(PASSAGES)
    assert [(each.stage, each.query) for each in record.retrievals] == [("retrieve", QUESTION)]
    assert (record.answer, record.completeness) == (ANSWER, "complete")


@every
def test_a_function_that_takes_and_returns_passages_reranks(write: Write) -> None:
    """What it returned replaces what it took."""
    call: tuple[object, object] = ({"question": QUESTION, "hits": HITS}, HITS[1:])
    record = asked(write, ({"question": QUESTION}, HITS), call)
    assert ids(record) == ["fares-2"]
    assert [each.stage for each in record.retrievals] == ["retrieve", "rerank"]


@every
@pytest.mark.parametrize("made", [MESSAGES, ["a", "b"], {"found": 2}, [{"name": "Bob", "age": 3}], "nothing"])
def test_a_function_that_returns_anything_else_searches_nothing(write: Write, made: object) -> None:
    """Messages have ids and texts, too."""
    record = asked(write, ({"question": QUESTION}, made))
    assert (record.documents, record.retrievals, record.answer) == ((), (), ANSWER)


@pytest.mark.parametrize("write", [openinference, mlflow, langsmith])
def test_langchains_own_documents_are_what_a_retriever_of_theirs_found(write: Write) -> None:
    """A chain that hands them on fills a gap, and is no search of its own."""
    record = asked(write, ({"question": QUESTION}, PAGES))
    assert (ids(record), record.retrievals) == (["timetable-1", "fares-2"], ())


@every
def test_a_step_that_hands_on_some_of_langchains_documents_reranks(write: Write) -> None:
    """So nodes of LangGraph grade what was found, and the model sees what is left."""
    state: dict[str, object] = {"question": QUESTION, "docs": PAGES}
    given, made = (
        ({"inputs": state}, {"outputs": {"docs": PAGES[1:]}})
        if write is openllmetry
        else (state, {"docs": PAGES[1:]})
    )
    call = write(given, made)
    if write is openllmetry:
        call["traceloop.entity.input"] = as_json(given)
        call["gen_ai.operation.name"] = "execute_task"
    if write is langfuse:
        call["langfuse.observation.input"] = as_json(given)
    found = retrieval()
    spans = [span("a0", chain(), start=0, end=99), span("a1", found, parent="a0", start=1, end=9)]
    record = only([*spans, span("a2", call, parent="a0", start=10, end=20)])
    assert ids(record) == ["fares-2"]
    assert [each.stage for each in record.retrievals] == ["retrieve", "rerank"]


@every
def test_a_function_that_was_given_nothing_asks_nothing(write: Write) -> None:
    """Two questions below it are two: a worker that takes no arguments has no question of its own."""
    root = write({}, None)
    if write is openllmetry:
        root["traceloop.span.kind"] = "workflow"
    spans = [span("a0", root, start=0, end=99)]
    for place, asked_for in enumerate((QUESTION, "What does it cost?")):
        first = 1 + 20 * place
        spans += [
            span(f"b{place}", chain(asked_for), parent="a0", start=first, end=first + 10),
            span(f"c{place}", retrieval(query=asked_for), parent=f"b{place}", start=first, end=first + 2),
            span(f"d{place}", generation(), parent=f"b{place}", start=first + 3, end=first + 9),
        ]
    assert [each.query for each in read_records(spans)] == [QUESTION, "What does it cost?"]


OTHERS: list[object] = [{"page_content": "Else.", "metadata": {}}]


@pytest.mark.parametrize(
    "made",
    [as_json({"docs": PAGES}), as_json({"docs": PAGES[1:], "answer": ANSWER}), as_json({"docs": OTHERS})],
)
def test_a_step_that_hands_on_anything_else_found_nothing(made: object) -> None:
    """All of them, some with an answer, and others."""
    call = {**openinference({"question": QUESTION, "docs": PAGES}, None), "output.value": made}
    spans = [span("a0", chain(), start=0, end=99), span("a1", retrieval(), parent="a0", start=1, end=9)]
    record = only([*spans, span("a2", call, parent="a0", start=10, end=20)])
    assert ids(record) == ["timetable-1", "fares-2"]
    assert [each.stage for each in record.retrievals] == ["retrieve"]


def test_messages_are_no_passages() -> None:
    """In OpenAI's shape or LangChain's, whole or in chunks."""
    assert passages_of(MESSAGES) is None
    assert passages_of([{"id": "m1", "type": "ai", "content": ANSWER}]) is None
    assert passages_of([{"id": "m1", "type": "AIMessageChunk", "content": ANSWER}]) is None
    assert passages_of([{"id": "p1", "type": "chunk", "content": ANSWER}]) is not None


LISTED = as_json([{"id": "s1", "text": "It leaves at nine."}, {"id": "s2", "text": "Four crowns."}])
"""An answer in JSON that has the shape of passages."""


def answered(write: Write, *below: Span) -> RagTrace:
    """The record of a function that returned that answer, decoded."""
    root = write({"question": QUESTION}, json.loads(LISTED))
    if write is openllmetry:
        root["traceloop.span.kind"] = "workflow"
    return only([span("a0", root, start=0, end=99), *below])


@every
def test_a_list_that_a_model_answered_is_an_answer(write: Write) -> None:
    """A function that hands it on has not searched, however alike they look."""
    found = span("a1", retrieval(), parent="a0", start=1, end=9)
    step = span(
        "a2", write({"question": QUESTION, "hits": HITS}, json.loads(LISTED)), parent="a0", start=10, end=90
    )
    model = span("a3", generation(f"```json\n{LISTED}\n```"), parent="a2", start=11, end=80)
    record = answered(write, found, step, model)
    assert (ids(record), record.query) == (["timetable-1", "fares-2"], QUESTION)
    assert json.loads((record.answer or "").strip("`json\n")) == json.loads(LISTED)
    assert [each.stage for each in record.retrievals] == ["retrieve"]
    bare = answered(write, span("a3", generation(LISTED), parent="a0", start=11, end=80))
    assert (bare.documents, bare.answer) == ((), LISTED)


@every
def test_passages_that_a_model_chose_among_those_given_are_reranked(write: Write) -> None:
    """It says them as they are, and the function hands them on."""
    found = span("a1", retrieval(), parent="a0", start=1, end=9)
    step = span("a2", write({"question": QUESTION, "hits": HITS}, HITS[1:]), parent="a0", start=10, end=20)
    choosing = span("a3", generation(as_json(HITS[1:])), parent="a2", start=11, end=19)
    answering = span("a4", generation(), parent="a0", start=21, end=80)
    record = only([span("a0", chain(), start=0, end=99), found, step, choosing, answering])
    assert (ids(record), record.answer) == (["fares-2"], ANSWER)
    assert [each.stage for each in record.retrievals] == ["retrieve", "rerank"]


@pytest.mark.parametrize("write", [openinference, mlflow, langsmith, langfuse])
def test_what_a_question_returned_beside_what_it_found_is_its_answer(write: Write) -> None:
    """Where no model has a span, nothing that was found is in it; passages that hold what was found are passages."""
    found = span("a1", write({"q": QUESTION}, HITS), parent="a0", start=1, end=9)
    record = answered(write, found)
    assert (ids(record), json.loads(record.answer or "")) == (["timetable-1", "fares-2"], json.loads(LISTED))
    whole = [{"id": "file", "text": f"Timetables. {PASSAGES[0][1]} Fares."}]
    search = span("a2", write({"question": QUESTION}, whole), parent="a0", start=1, end=19)
    inner = span("a3", retrieval(), parent="a2", start=2, end=9)
    record = only([span("a0", chain(), start=0, end=99), search, inner])
    assert (ids(record), record.answer) == (["file"], ANSWER)
