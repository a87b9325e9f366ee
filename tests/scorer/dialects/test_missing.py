"""What a trace shows to be missing: it marks the record, for nobody can tell what it was."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ragvigil.scorer.span import Span, SpanEvent

from .conftest import ANSWER, PASSAGES, QUESTION, as_json, chain, generation, ids, only, retrieval, span

Attributes = dict[str, object]
HITS = [{"id": key, "text": text, "score": score} for key, text, score in PASSAGES]
CALL = {"type": "tool_call", "id": "c1", "name": "search_docs", "arguments": '{"query": "ferry"}'}


def chat(*messages: object, answer: str = ANSWER) -> Attributes:
    """A model call in GenAI conventions."""
    said = {"role": "assistant", "parts": [{"type": "text", "content": answer}]}
    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "tiny-chat-1",
        "gen_ai.usage.input_tokens": 20,
        "gen_ai.usage.output_tokens": 5,
        "gen_ai.input.messages": as_json([*messages]),
        "gen_ai.output.messages": as_json([said]),
    }


ASKING = {"role": "user", "parts": [{"type": "text", "content": QUESTION}]}


def steps(search: Attributes, model: Attributes, *, parent: str = "a1") -> list[Span]:
    """A chain of a search and a model."""
    return [
        span("a1", chain(), start=1, end=90),
        span("a2", search, parent=parent, start=2, end=9),
        span("a3", model, parent="a1", start=10, end=80),
    ]


def test_a_span_that_nobody_sent_may_have_searched() -> None:
    """Another span names it as the one above."""
    embedding: Attributes = {"openinference.span.kind": "EMBEDDING"}
    assert only(steps(embedding, generation(), parent="gone")).completeness == "partial_evidence"
    assert only(steps(embedding, generation())).completeness == "complete"


def test_a_root_that_speaks_misses_nothing_above_it() -> None:
    """Old exporters do not say that what is above it is in another process."""
    asked = [span("a1", chain(), parent="a0", start=1, end=90), *steps({}, generation())[2:]]
    assert only(asked).completeness == "complete"
    local = span("a1", chain(), parent="a0", start=1, end=90, flags=0x100)
    assert only([local, *asked[1:]]).completeness == "partial_evidence"
    silent = span("a1", {"openinference.span.kind": "CHAIN"}, parent="a0", start=1, end=90)
    assert only([silent, *asked[1:]]).completeness == "partial_evidence"


def test_what_was_found_all_the_same_is_not_marked_for_a_lost_span_beside() -> None:
    """Filters leave out a client's spans, and the search tells what it found."""
    lost = span("a4", name="GET /health", parent="gone", start=3, end=4)
    assert only([*steps(retrieval(), generation()), lost]).completeness == "complete"


def test_a_gap_in_the_numbers_of_passages_marks_the_record() -> None:
    """Whoever passed the span on took attributes out, and counted none of them."""
    three = retrieval((*PASSAGES, ("map-3", "The quay is in the north.", 0.1)))
    left = {key: value for key, value in three.items() if ".documents.1." not in key}
    assert only(steps(left, generation())).completeness == "partial_evidence"
    assert only(steps(three, generation())).completeness == "complete"


def test_a_search_that_was_called_and_never_answered_marks_the_record() -> None:
    """The answer came after it."""
    calling = {"role": "assistant", "parts": [CALL]}
    told = {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": as_json(HITS)}]}
    assert only([span("a1", chat(ASKING, calling), start=1, end=9)]).completeness == "partial_evidence"
    whole = only([span("a1", chat(ASKING, calling, told), start=1, end=9)])
    assert (whole.completeness, ids(whole)) == ("complete", [key for key, *_ in PASSAGES])
    other = {"role": "assistant", "parts": [{**CALL, "name": "add"}]}
    assert only([span("a1", chat(ASKING, other), start=1, end=9)]).completeness == "complete"


@pytest.mark.parametrize("mark", ["[REDACTED]", "<redacted>", "[Filtered]"])
def test_a_mark_that_stands_alone_is_no_text(mark: str) -> None:
    """Whoever takes texts out whole writes one word for each."""
    assert only(steps(retrieval(), generation(answer=mark))).answer == ANSWER  # as the chain returned it
    model = only([span("a1", chat(ASKING, answer=mark), start=1, end=9)])
    assert (model.answer, model.completeness) == (None, "content_off")
    passages = tuple((key, mark, score) for key, _, score in PASSAGES)
    record = only(steps(retrieval(passages), generation()))
    assert ([each.text for each in record.documents], record.completeness) == (
        [None, None],
        "partial_evidence",
    )


@pytest.mark.parametrize("name", ["llm.invocation_parameters", "gen_ai.request.headers", "input.value"])
def test_a_mark_in_place_of_a_key_hides_nothing_that_was_said(name: str) -> None:
    """The model called a tool and said nothing: that is no content kept back."""
    called = {**CALL, "name": "add"}
    calling: Attributes = {
        **chat(ASKING),
        "gen_ai.output.messages": as_json([{"role": "assistant", "parts": [called]}]),
    }
    plain = only([span("a1", calling, start=1, end=9)])
    assert (plain.answer, plain.completeness) == (None, "complete")
    kept: Attributes = {**calling, name: as_json({"api_key": "[REDACTED]"})}
    assert only([span("a1", kept, start=1, end=9)]).completeness == plain.completeness


def test_a_mark_within_a_text_is_a_part_of_it() -> None:
    """It stands for a name."""
    assert (
        only([span("a1", chat(ASKING, answer="Ask [REDACTED]."), start=1, end=9)]).answer == "Ask [REDACTED]."
    )


def test_two_libraries_that_trace_one_call_tell_its_tokens_once() -> None:
    """Beside each other, as where a client's own spans have neither content nor a name of the reply."""
    inner: Attributes = {
        "gen_ai.request.model": "tiny-chat-1",
        "gen_ai.usage.input_tokens": 20,
        "gen_ai.usage.output_tokens": 5,
    }
    spans = [
        span("a0", name="POST /ask", start=0, end=99),
        span("a1", chat(ASKING), parent="a0", start=1, end=20, scope="instrumentation"),
        span("a2", inner, parent="a0", start=2, end=19, scope="client"),
    ]
    record = only(spans)
    assert (record.answer, record.tokens.input, record.tokens.output) == (ANSWER, 20, 5)
    again = span("a2", inner, parent="a0", start=30, end=40, scope="client")
    assert only([*spans[:2], again]).tokens.input == 40


def test_a_sentence_is_read_with_the_window_that_the_model_was_shown() -> None:
    """LlamaIndex's parser of sentences keeps it beside them; without it in the prompt the sentence stands."""
    found = retrieval()
    windows = [f"Before. {text} Behind." for _, text, _ in PASSAGES]
    for place, window in enumerate(windows):
        found[f"retrieval.documents.{place}.document.metadata"] = as_json({"window": window, "file": "a.md"})
    shown = generation(question="\n\n".join([*windows, QUESTION]))
    assert [each.text for each in only(steps(found, shown)).documents] == windows
    assert [each.text for each in only(steps(found, generation())).documents] == [
        text for _, text, _ in PASSAGES
    ]


def test_what_langfuse_sends_alone_lacks_no_root() -> None:
    """Its processor sends its own spans and no others: the request above them never comes."""
    said: Attributes = {
        "langfuse.observation.type": "generation",
        "langfuse.observation.input": as_json([{"role": "user", "content": QUESTION}]),
        "langfuse.observation.output": ANSWER,
    }
    alone = span("a1", {**said, "langfuse.internal.is_app_root": True}, parent="a0", start=1, end=9)
    assert only([alone]).completeness == "complete"
    assert only([span("a1", said, parent="a0", start=1, end=9)]).completeness == "partial_evidence"


def test_a_call_that_tells_nothing_of_its_reply_marks_the_record() -> None:
    """OpenLLMetry's agents over chat completions, or a call that was cancelled. One that called a tool said so."""
    silent = {
        key: value
        for key, value in chat(ASKING).items()
        if "output" not in key and key != "gen_ai.usage.input_tokens"
    }
    record = only([span("a1", silent, start=1, end=9)])
    assert (record.query, record.answer, record.completeness) == (QUESTION, None, "partial_evidence")
    calling = {**silent, "gen_ai.response.finish_reasons": ["tool_calls"]}
    assert only([span("a1", calling, start=1, end=9)]).completeness == "complete"
    failed = span("a1", silent, start=1, end=9, failed=True)
    assert only([failed]).completeness == "complete"


def test_what_python_writes_of_a_reply_to_come_is_no_answer() -> None:
    """A client that was asked for its raw response streams: the call around it has the answer."""
    outer = span("a1", generation(), start=1, end=9)
    inner = span(
        "a2", generation("<coroutine object Reply.parse at 0x7f854ca6f3d0>"), parent="a1", start=2, end=8
    )
    assert only([outer, inner]).answer == ANSWER


@pytest.mark.parametrize(
    ("instructions", "completeness"),
    [
        ("Answer only from the search results.", "partial_evidence"),
        ("Antworte nur anhand der Dokumente.", "partial_evidence"),
        ("Réponds seulement à partir du contexte.", "partial_evidence"),
        ("コンテキストだけから答えてください。", "partial_evidence"),
        ("You are a friendly guide.", "complete"),
        ("Context:\n[1] The ferry leaves at nine.\n[2] A ticket costs four crowns.", "complete"),
    ],
)
def test_bedrock_s_instructions_speak_of_a_search_that_openllmetry_does_not_tell(
    instructions: str, completeness: str
) -> None:
    """It may have failed: its spans tell the model's calls alone."""
    said = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "aws.bedrock",
        "gen_ai.system_instructions": as_json([{"type": "text", "content": instructions}]),
        "gen_ai.input.messages": as_json(
            [{"role": "user", "parts": [{"type": "text", "content": QUESTION}]}]
        ),
        "gen_ai.output.messages": as_json(
            [{"role": "assistant", "parts": [{"type": "text", "content": ANSWER}]}]
        ),
    }
    record = only([span("a1", said, end=9, scope="opentelemetry.instrumentation.bedrock")])
    assert (record.query, record.answer, record.completeness) == (QUESTION, ANSWER, completeness)
    assert only([span("a1", said, end=9)]).completeness == "complete"


def _without(events: int, told: Attributes, *left: SpanEvent, role: str = "chat") -> str:
    """How complete the record is of a step that lost so many events, beside a chain that speaks."""
    step = span("a2", {"gen_ai.operation.name": role, **told}, parent="a1", start=2, end=9, events=left)
    spans = [span("a1", chain(), start=1, end=90), replace(step, dropped_events=events)]
    model = [span("a3", generation(), parent="a1", start=10, end=80)] if role == "execute_tool" else []
    return only([*spans, *model]).completeness


def test_events_that_were_dropped_are_missed_where_nothing_else_tells_what_they_told() -> None:
    """The prompt of a model whose reply is told, or all of a tool's; not opinions, nor messages told twice."""
    whole = chat(ASKING)
    reply: Attributes = {"gen_ai.output.messages": whole["gen_ai.output.messages"]}
    opinion = SpanEvent("gen_ai.evaluation.result", 0, {"gen_ai.evaluation.name": "x"}, dropped_attributes=1)
    assert _without(4, reply) == "partial_evidence"
    assert _without(0, reply) == "complete"
    assert _without(3, whole, opinion) == "complete"
    assert _without(200, whole, SpanEvent("gen_ai.content.chunk", 0, {})) == "complete"
    tool: Attributes = {"gen_ai.tool.name": "fahrplan"}
    assert _without(2, tool, role="execute_tool") == "partial_evidence"
    assert _without(2, {**tool, "gen_ai.tool.call.result": "At nine."}, role="execute_tool") == "complete"
