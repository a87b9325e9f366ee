"""Mastra's exporter as its versions write, and what its vector tools and workflows find."""

from __future__ import annotations

import pytest

from ragvigil.scorer.span import Span

from .conftest import ANSWER, PASSAGES, QUESTION, as_json, chain, ids, only, span

Attributes = dict[str, object]
HITS = [{"id": key, "text": text, "score": score} for key, text, score in PASSAGES]
PROMPT = "Context:\n" + "\n".join(f"[{place}] {text}" for place, (_, text, _) in enumerate(PASSAGES, 1))


def of(kind: str, given: object = None, made: object = None, **more: object) -> Attributes:
    """A step as version 1 writes one around a call."""
    told = {"input": given, "output": made}
    written = {
        side: value if isinstance(value, str) else as_json(value) for side, value in told.items() if value
    }
    return {
        "mastra.span.type": kind,
        "gen_ai.operation.name": kind,
        **{f"mastra.{kind}.{side}": value for side, value in written.items()},
        **more,
    }


def call(answer: str = ANSWER) -> Attributes:
    """A model call, which does not say what it was sent."""
    said = [{"role": "assistant", "parts": [{"type": "text", "content": answer}]}]
    model: Attributes = {
        "gen_ai.request.model": "tiny-chat-1",
        "gen_ai.output.messages": as_json(said),
        "gen_ai.usage.input_tokens": 20,
        "gen_ai.usage.output_tokens": 5,
    }
    return {**of("model_inference"), "gen_ai.operation.name": "chat", **model}


def agent(prompt: str = QUESTION) -> list[Span]:
    """An agent that answers at once."""
    sent = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": prompt}]
    return [
        span("a1", of("agent_run", prompt, {"text": ANSWER, "files": []}), parent="a0", start=10, end=90),
        span("a2", of("model_generation", {"messages": sent}), parent="a1", start=11, end=89),
        span("a3", of("model_step", sent, {"text": ANSWER}), parent="a2", start=12, end=88),
        span("a4", call(), parent="a3", start=13, end=80),
    ]


def test_the_prompt_of_a_call_is_that_of_the_step_around_it() -> None:
    """The call's own span does not say what it was sent."""
    request = span("a0", name="POST /ask", start=1, end=99)
    record = only([request, *agent(f"{PROMPT}\n\nQuestion: {QUESTION}")])
    assert (record.query, record.answer, record.model) == (QUESTION, ANSWER, "tiny-chat-1")
    assert [each.text for each in record.documents] == [text for _, text, _ in PASSAGES]
    assert (record.tokens.input, record.completeness) == (20, "complete")


def test_a_call_without_the_name_of_its_model_is_one() -> None:
    """Whoever passed the span on took it out; the passages are in the prompt all the same."""
    spans = agent(f"{PROMPT}\n\nQuestion: {QUESTION}")
    nameless = {key: value for key, value in call().items() if key != "gen_ai.request.model"}
    record = only([*spans[:-1], span("a4", nameless, parent="a3", start=13, end=80)])
    assert (record.answer, record.model, len(record.documents)) == (ANSWER, None, 2)


def test_a_prompt_that_nobody_can_take_apart_marks_the_record() -> None:
    """As it does where the call says it itself."""
    plain = "Context:\n" + "\n\n".join(text for _, text, _ in PASSAGES) + f"\n\nQuestion: {QUESTION}"
    record = only([span("a0", name="POST /ask", start=1, end=99), *agent(plain)])
    assert (record.query, record.documents, record.completeness) == (QUESTION, (), "partial_evidence")


def test_the_search_that_a_model_called_is_not_the_question() -> None:
    """The agent says what it was asked; version 0 under one name for all."""
    run: Attributes = {
        "mastra.span.type": "agent_run",
        "input": QUESTION,
        "output": as_json({"text": ANSWER}),
    }
    tool: Attributes = {
        "mastra.span.type": "tool_call",
        "gen_ai.tool.name": "find_passages",
        "gen_ai.tool.input": as_json({"query": "ferry times"}),
        "gen_ai.tool.output": as_json(HITS),
    }
    generation: Attributes = {
        "mastra.span.type": "model_generation",
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "tiny-chat-1",
        "gen_ai.prompt": as_json(
            {"messages": [{"role": "user", "content": [{"type": "text", "text": QUESTION}]}]}
        ),
        "gen_ai.completion": as_json({"text": ANSWER, "toolCalls": []}),
        "mastra.metadata.threadId": "s-1",
        "mastra.metadata.resourceId": "u-1",
    }
    record = only(
        [
            span("a1", run, start=1, end=90),
            span("a2", generation, parent="a1", start=2, end=89),
            span("a3", tool, parent="a2", start=20, end=30),
        ]
    )
    assert (record.query, record.answer, ids(record)) == (QUESTION, ANSWER, [key for key, *_ in PASSAGES])
    assert (record.conversation_id, record.user_id) == ("s-1", "u-1")


def test_a_workflow_hands_on_what_its_steps_found() -> None:
    """One that searches, one that chooses, and one around the agent that answers."""
    found, chosen = {"question": QUESTION, "passages": HITS}, {"question": QUESTION, "passages": HITS[1:]}
    run = of("workflow_run", {"question": QUESTION}, {"answer": ANSWER})
    spans = [
        span("a9", run, start=1, end=99),
        span("b1", of("workflow_step", {"question": QUESTION}, found), parent="a9", start=2, end=5),
        span("b2", of("workflow_step", found, chosen), parent="a9", start=6, end=8),
        span("a0", of("workflow_step", chosen, {"answer": ANSWER}), parent="a9", start=9, end=98),
        *agent(f"Context: {PASSAGES[1][1]}\n\nQuestion: {QUESTION}"),
    ]
    record = only(spans)
    assert (record.query, ids(record), record.completeness) == (QUESTION, [PASSAGES[1][0]], "complete")
    listed = span("b1", of("workflow_step", {"question": QUESTION}, HITS), parent="a9", start=2, end=5)
    assert ids(only([spans[0], listed, *spans[3:]])) == [PASSAGES[1][0]]


def test_a_vector_tool_tells_its_passages_with_ids_unless_told_not_to() -> None:
    """Found nothing is said by both lists."""

    def found(result: object) -> list[tuple[str | None, str | None]] | None:
        tool = of(
            "tool_call", **{"gen_ai.tool.name": "vectorQuery", "gen_ai.tool.call.result": as_json(result)}
        )
        request = span("a0", of("workflow_run", {"question": QUESTION}), start=1, end=99)
        record = only([request, span("b1", tool, parent="a0", start=2, end=5), *agent()])
        assert record.completeness == "complete"
        return [(each.id, each.text) for each in record.documents]

    texts = [{"text": text} for _, text, _ in PASSAGES]
    sources = [{"id": key, "score": score, "metadata": {"text": text}} for key, text, score in PASSAGES]
    assert found({"relevantContext": texts, "sources": sources}) == [(key, text) for key, text, _ in PASSAGES]
    assert found({"relevantContext": texts, "sources": []}) == [(None, text) for _, text, _ in PASSAGES]
    assert found({"relevantContext": [], "sources": []}) == []


def test_sources_without_a_text_are_no_passages() -> None:
    """Addresses, files or titles beside the texts of any tool: where there are as many, they have the ids."""
    texts = [text for _, text, _ in PASSAGES]

    def found(sources: list[object]) -> list[tuple[str | None, str | None]]:
        result = as_json({"relevantContext": texts, "sources": sources})
        tool: Attributes = {
            "openinference.span.kind": "TOOL",
            "tool.name": "searchDocs",
            "output.value": result,
        }
        record = only([span("a0", chain(), end=99), span("t1", tool, parent="a0", start=2, end=5)])
        assert record.completeness == "complete"
        return [(each.id, each.text) for each in record.documents]

    nameless: list[tuple[str | None, str | None]] = [(None, text) for text in texts]
    assert found(["https://a.example/1", "https://a.example/2"]) == nameless
    assert found([{"title": "Timetable", "url": "https://a.example/1"}]) == nameless
    files: list[object] = [{"id": key, "score": 0.5, "metadata": {"file": "a.pdf"}} for key, *_ in PASSAGES]
    assert found(files) == [(key, text) for key, text, _ in PASSAGES]


@pytest.mark.parametrize("key", ["context", "documents"])
def test_passages_handed_on_as_one_text_mark_the_record(key: str) -> None:
    """Nobody can tell how many they are; the prompt shows them without a word for it."""
    text = "\n\n".join(text for _, text, _ in PASSAGES)
    given = {"question": QUESTION, key: text}
    sent = [{"role": "system", "content": f"Be brief.\n\n{text}"}, {"role": "user", "content": QUESTION}]
    spans = [
        span("a9", of("workflow_run", {"question": QUESTION}, {"answer": ANSWER}), start=1, end=99),
        span("b1", of("workflow_step", {"question": QUESTION}, given), parent="a9", start=2, end=5),
        span("a0", of("workflow_step", given, {"answer": ANSWER}), parent="a9", start=9, end=98),
        span("a1", of("agent_run", QUESTION, {"text": ANSWER}), parent="a0", start=10, end=90),
        span("a3", of("model_step", sent, {"text": ANSWER}), parent="a1", start=12, end=88),
        span("a4", call(), parent="a3", start=13, end=80),
    ]
    assert only(spans).completeness == "partial_evidence"
    assert only([spans[0], *spans[2:]]).completeness == "partial_evidence"


def test_a_scorer_of_mastra_answers_nothing() -> None:
    """Its model calls judge."""
    judged = span("c1", of("scorer_run", {"question": QUESTION}), parent="a0", start=91, end=97)
    said = span("c2", call("5"), parent="c1", start=92, end=96)
    record = only([span("a0", name="POST /ask", start=1, end=99), *agent(), judged, said])
    assert (record.answer, record.tokens.input) == (ANSWER, 20)
