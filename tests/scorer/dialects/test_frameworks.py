"""What agents' frameworks write around a question and its answer, each as a run of the framework itself wrote it.

Run on 2026-11-26: Google ADK 2.13, AutoGen 0.7, CrewAI 1.15, smolagents 1.26, Agno 3.1 and OpenAI agents 0.24 through
OpenInference; Cohere 5 through OpenLLMetry; Strands 1.62, Semantic Kernel 1.45 and LiteLLM 1.110 by themselves. On
2026-11-27: BeeAI 0.1.85 through OpenInference (0.1.30).
"""

from __future__ import annotations

import pytest
from tests.scorer.dialects.conftest import (
    ANSWER,
    PASSAGES,
    QUESTION,
    as_json,
    captured,
    chain,
    generation,
    only,
    span,
)

from ragvigil.scorer.span import Span, SpanEvent

NUMBERED = "\n".join(f"[{place}] {text}" for place, (_, text, _) in enumerate(PASSAGES, 1))
PROMPT = f"Answer from:\n{NUMBERED}\n\nQuestion: {QUESTION}"
TEXTS = [text for _, text, _ in PASSAGES]
ADK = {"user_id": "u", "session_id": "s", "new_message": {"parts": [{"text": QUESTION}], "role": "user"}}
AUTOGEN = {
    "messages": [f"id='1' source='user' content='{QUESTION}' type='TextMessage'"],
    "token": "<autogen.Token object at 0x7f>",
}
CREW = {
    "raw": ANSWER,
    "pydantic": None,
    "json_dict": None,
    "tasks_output": [{"description": "d", "raw": ANSWER}],
}


def framework(scope: str, given: object, made: object, *, mime: bool = True) -> dict[str, object]:
    """Attributes of what OpenInference's instrumentation of a framework writes of a run."""
    said: dict[str, object] = {"openinference.span.kind": "AGENT", "input.value": as_json(given)}
    said |= {"input.mime_type": "application/json"} if mime else {}
    if made is not None:
        said |= {"output.value": made if isinstance(made, str) else as_json(made)}
        said |= {} if isinstance(made, str) else {"output.mime_type": "application/json"}
    return {**said, "scope": scope}


def ran(attributes: dict[str, object], *below: Span, failed: bool = False) -> list[Span]:
    """The spans of a run."""
    scope = f"openinference.instrumentation.{attributes.pop('scope')}"
    return [span("a1", attributes, start=1, end=90, scope=scope, failed=failed), *below]


def test_google_adk_is_given_the_new_message_of_a_session() -> None:
    """Its role was taken for the question, and the event of a failure for the answer."""
    told = only(
        ran(framework("google_adk", ADK, None), span("a2", generation(), parent="a1", start=2, end=9))
    )
    assert (told.query, told.answer, told.completeness) == (QUESTION, ANSWER, "complete")
    event = {"error_code": "ConnectionError", "error_message": "unreachable", "author": "assistant"}
    assert only(ran(framework("google_adk", ADK, event), failed=True)).answer is None


@pytest.mark.parametrize("given", [AUTOGEN, {"task": QUESTION, "cancellation_token": None}])
def test_autogen_forgets_that_what_it_is_given_is_json(given: object) -> None:
    """Of printed messages the model's own tell the question; a team is given a task."""
    below = span("a2", generation(), parent="a1", start=2, end=9)
    record = only(ran(framework("autogen_agentchat", given, None, mime=False), below))
    assert (record.query, record.completeness) == (QUESTION, "complete")


def test_a_crew_answers_with_what_it_says_as_it_is() -> None:
    """Around it stand tasks, messages and usage."""
    record = only(ran(framework("crewai", {"question": QUESTION}, CREW)))
    assert (record.query, record.answer) == (QUESTION, ANSWER)


@pytest.mark.parametrize(
    ("context", "texts", "completeness"),
    [(NUMBERED, TEXTS, "complete"), ("\n\n".join(TEXTS), [], "partial_evidence")],
)
def test_a_context_that_a_crew_is_given_by_name_is_its_evidence(
    context: str, texts: list[str], completeness: str
) -> None:
    """No span of a model is there to show it: the record was complete without a passage."""
    record = only(ran(framework("crewai", {"question": QUESTION, "context": context}, CREW)))
    assert [each.text for each in record.documents] == texts
    assert record.completeness == completeness


def test_an_agent_that_is_given_the_prompt_was_asked_the_question_in_it() -> None:
    """Agno, Strands and ADK: who searches for itself asks the agent so. Where a tool searched, all of it is asked."""
    agent = span("a1", chain(query=PROMPT), start=1, end=90)
    record = only([agent, span("a2", generation(question=PROMPT), parent="a1", start=2, end=9)])
    assert (record.query, [each.text for each in record.documents]) == (QUESTION, TEXTS)


def test_a_run_whose_output_is_printed_objects_does_not_answer() -> None:
    """Of a stream, smolagents tells what it printed: the answer is unknown, and the record says so."""
    printed = "ToolCall(name='final_answer', arguments={'answer': 'At nine.'}, id='c')"
    record = only(ran(framework("smolagents", {"task": QUESTION}, printed)))
    assert (record.answer, record.completeness) == (None, "partial_evidence")


def test_what_a_failed_tool_says_is_no_passage() -> None:
    """OpenAI's agents tell the model that an error occurred: that was the evidence of a complete record."""
    said = {
        "openinference.span.kind": "TOOL",
        "tool.name": "find_passages",
        "output.value": "An error occurred.",
    }
    agent = span("a1", chain(), start=1, end=90)
    record = only([agent, span("a2", said, parent="a1", start=2, end=9, failed=True)])
    assert (record.documents, record.error_where) == ((), "find_passages tool")
    (document,) = only([agent, span("a2", said, parent="a1", start=2, end=9)]).documents
    assert document.text == "An error occurred."  # where nothing failed, nobody can tell


def test_a_question_that_only_a_call_of_a_tool_tells_is_unknown() -> None:
    """Semantic Kernel keeps its messages off its spans: what the model searched for is not what was asked."""
    found = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "find_passages",
        "gen_ai.tool.call.arguments": as_json({"query": "last ferry"}),
        "gen_ai.tool.call.result": NUMBERED,
    }
    agent = {"gen_ai.operation.name": "invoke_agent", "gen_ai.input.messages": "[]"}
    agent |= {"gen_ai.output.messages": as_json([{"role": "assistant", "content": ANSWER}])}
    record = only([span("a1", agent, start=1, end=90), span("a2", found, parent="a1", start=2, end=9)])
    assert (record.answer, record.completeness) == (ANSWER, "partial_evidence")


def test_strands_writes_messages_as_bedrock_has_them() -> None:
    """Blocks, as JSON in an event: question and answer were JSON, and the prompt's passages lost."""
    said = {"gen_ai.operation.name": "chat", "gen_ai.system": "strands-agents"}
    asked = SpanEvent("gen_ai.user.message", 1, {"content": as_json([{"text": PROMPT}])})
    chosen = SpanEvent(
        "gen_ai.choice", 2, {"message": as_json([{"text": ANSWER}]), "finish_reason": "end_turn"}
    )
    record = only([span("a1", said, start=1, end=9, events=(asked, chosen))])
    assert (record.query, record.answer) == (QUESTION, ANSWER)
    assert [each.text for each in record.documents] == TEXTS
    plainly = SpanEvent("gen_ai.user.message", 1, {"content": PROMPT})
    kept = only([span("a1", said, start=1, end=9, events=(plainly, chosen))])
    assert kept.answer == as_json([{"text": ANSWER}])  # a model may answer in JSON


def test_details_may_come_in_several_events() -> None:
    """Strands tells what was asked in one and what came back in the next: only the last was read."""
    asked = {
        "gen_ai.input.messages": as_json([{"role": "user", "parts": [{"type": "text", "content": PROMPT}]}])
    }
    said = {
        "gen_ai.output.messages": as_json(
            [{"role": "assistant", "parts": [{"type": "text", "content": ANSWER}]}]
        )
    }
    name = "gen_ai.client.inference.operation.details"
    events = (SpanEvent(name, 1, asked), SpanEvent(name, 2, said))
    record = only([span("a1", {"gen_ai.operation.name": "chat"}, start=1, end=9, events=events)])
    assert (record.query, record.answer, len(record.documents)) == (QUESTION, ANSWER, len(TEXTS))


def test_one_block_that_a_search_returned_is_its_words() -> None:
    """Bedrock and Strands put the text of a tool into a block: three numbered passages were one."""
    found = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "find_passages",
        "gen_ai.tool.call.result": as_json([{"text": NUMBERED}]),
    }
    record = only([span("a1", chain(), start=1, end=90), span("a2", found, parent="a1", start=2, end=9)])
    assert [each.text for each in record.documents] == TEXTS


def _chat(messages: list[object], reply: object, reason: str, scope: str = "app") -> Span:
    said = {
        "gen_ai.operation.name": "chat",
        "gen_ai.input.messages": as_json(messages),
        "gen_ai.output.messages": as_json([reply]),
        "gen_ai.response.finish_reasons": [reason],
    }
    return span("a1", said, start=1, end=9, scope=scope)


def test_litellm_puts_what_a_tool_said_into_parts() -> None:
    """The calls stand beside the parts, as OpenAI has them."""
    asked = {"role": "user", "parts": [{"type": "text", "content": QUESTION}]}
    called = {
        "role": "assistant",
        "parts": [],
        "tool_calls": [{"id": "c", "function": {"name": "find_passages"}}],
    }
    found = [{"id": key, "text": text} for key, text, _ in PASSAGES]
    told = {"role": "tool", "tool_call_id": "c", "parts": [{"type": "text", "content": as_json(found)}]}
    reply = {"role": "assistant", "parts": [{"type": "text", "content": ANSWER}]}
    record = only([_chat([asked, called, told], reply, "stop", "litellm")])
    assert [(each.id, each.text) for each in record.documents] == [(key, text) for key, text, _ in PASSAGES]
    assert record.completeness == "complete"


@pytest.mark.parametrize(
    ("tool", "completeness"), [("find_passages", "partial_evidence"), ("book_a_seat", "complete")]
)
def test_a_search_that_a_model_called_last_and_nothing_tells_of_marks_the_record(
    tool: str, completeness: str
) -> None:
    """The rest of the trace is lost; a call of anything else may be what was asked for."""
    asked = {"role": "user", "parts": [{"type": "text", "content": QUESTION}]}
    calling = {
        "role": "assistant",
        "parts": [{"type": "tool_call", "id": "c", "name": tool}],
    }
    assert only([_chat([asked], calling, "tool_calls")]).completeness == completeness


@pytest.mark.parametrize(("failed", "completeness"), [(True, "complete"), (False, "partial_evidence")])
def test_a_knowledge_base_that_awss_client_searched_is_a_search(failed: bool, completeness: str) -> None:
    """botocore's span tells neither question nor passages; a failed one is the error of the record."""
    found = {"rpc.system": "aws-api", "rpc.service": "Bedrock Agent Runtime", "rpc.method": "Retrieve"}
    search = span("a1", found, parent="a0", start=1, end=4, failed=failed)
    request, model = span("a0", start=0, end=9), span("a2", generation(), parent="a0", start=5, end=9)
    record = only([request, search, model])
    assert (record.completeness, record.error_where) == (completeness, "retriever" if failed else None)
    shown = only([request, search, span("a2", generation(question=PROMPT), parent="a0", start=5, end=9)])
    assert [each.text for each in shown.documents] == TEXTS


def _laminar(kind: str, given: object, made: object) -> dict[str, object]:
    said = {"lmnr.span.type": kind, "lmnr.span.input": as_json(given), "lmnr.span.output": as_json(made)}
    return {**said, "lmnr.association.properties.session_id": "s-1"}


@pytest.mark.parametrize("listed", [True, False])
def test_functions_under_laminars_decorator_ask_find_and_answer(listed: bool) -> None:
    """A list of passages is a search, any other result an answer; the model's own span is GenAI's."""
    found = [{"id": key, "text": text, "score": score} for key, text, score in PASSAGES]
    search = _laminar("DEFAULT", {"q": QUESTION}, found if listed else "nothing")
    said = {
        "gen_ai.request.model": "m",
        "gen_ai.input.messages": as_json([{"role": "user", "content": QUESTION}]),
    }
    choice = {"finish_reason": "stop", "index": 0, "message": {"role": "assistant", "content": ANSWER}}
    record = only(
        [
            span("a1", _laminar("DEFAULT", {"question": QUESTION, "how": "l"}, ANSWER), start=1, end=90),
            span("a2", search, parent="a1", start=2, end=9),
            span(
                "a3",
                {"lmnr.span.type": "LLM", **said, "gen_ai.output.messages": as_json([choice])},
                parent="a1",
                start=10,
                end=80,
            ),
        ]
    )
    assert (record.query, record.answer, record.conversation_id) == (QUESTION, ANSWER, "s-1")
    assert [each.id for each in record.documents] == ([key for key, _, _ in PASSAGES] if listed else [])


def test_openllmetry_does_not_say_which_documents_cohere_was_given() -> None:
    """They are the point of its interface: a record without passages is no complete one."""
    said = {
        "gen_ai.system": "Cohere",
        "llm.request.type": "chat",
        "gen_ai.prompt.0.role": "user",
        "gen_ai.prompt.0.content": QUESTION,
        "gen_ai.completion.0.content": ANSWER,
    }
    scope = "opentelemetry.instrumentation.cohere"
    assert only([span("a1", said, start=1, end=9, scope=scope)]).completeness == "partial_evidence"
    shown = {**said, "gen_ai.prompt.0.content": PROMPT}
    assert only([span("a1", shown, start=1, end=9, scope=scope)]).completeness == "complete"


@pytest.mark.parametrize("order", ["Answer from:", "Answer only based on:", "Réponds à partir de :"])
def test_an_order_that_ends_where_the_evidence_begins_points_at_it(order: str) -> None:
    """Passages without marks below it were no evidence at all, and the record complete."""
    plain = f"{order}\n{TEXTS[0]}\n\n{TEXTS[1]}\n\nQuestion: {QUESTION}"
    record = only([span("a1", generation(question=plain), start=1, end=9)])
    assert (record.query, record.documents, record.completeness) == (QUESTION, (), "partial_evidence")


def test_a_tool_of_strands_tells_in_events_what_it_was_given_and_returned() -> None:
    """Of one that found nothing, the record was incomplete, and what was searched for was unknown."""
    tool = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "find_passages"}
    given = SpanEvent("gen_ai.tool.message", 1, {"role": "tool", "content": as_json({"query": "last ferry"})})
    for found, texts in (([], []), ([{"id": key, "text": text} for key, text, _ in PASSAGES], TEXTS)):
        made = SpanEvent("gen_ai.choice", 2, {"message": as_json([{"json": {"results": found}}])})
        record = only(
            [
                span("a1", chain(), start=1, end=90),
                span("a2", tool, parent="a1", start=2, end=9, events=(given, made)),
                span("a3", generation(), parent="a1", start=10, end=80),
            ]
        )
        assert (record.retrievals[0].query, record.completeness) == ("last ferry", "complete")
        assert [each.text for each in record.documents] == texts


ASKED = "Wann fährt die letzte Fähre nach Föhr?"
LAST = "Um 19:45 Uhr, im Winter um 18:30 Uhr [1]."
KNOWN, UNKNOWN = ["plan-3", "preis/1"], [None, None]


@pytest.mark.parametrize(
    ("name", "searched", "found", "answer", "person"),
    [
        ("strands-tool", "letzte Fähre Föhr", KNOWN, LAST, ("s-9", "u-7")),
        ("strands-empty", "letzte Fähre Föhr", [], "Das weiß ich nicht.", ("s-9", "u-7")),
        ("openlit-langchain-chain", ASKED, UNKNOWN, LAST, (None, None)),
        ("openlit-langchain-empty", ASKED, [], "Das weiß ich nicht.", (None, None)),
        ("traceloop-decorators", ASKED, KNOWN, LAST, ("s-9", "u-7")),
    ],
)
def test_a_framework_that_was_run_reads_as_it_ran(
    name: str, searched: str, found: list[str | None], answer: str, person: tuple[str | None, str | None]
) -> None:
    """`tests/fixtures/make_frameworks.py` made the files; some tell passages within texts, also ids."""
    record = only(captured(name if name.startswith("openlit") else f"../in_texts/{name}"))
    assert (record.query, record.answer, record.completeness) == (ASKED, answer, "complete")
    assert ([each.id for each in record.documents], record.retrievals[0].query) == (found, searched)
    assert all(each.text for each in record.documents)
    assert (record.conversation_id, record.user_id, record.model) == (*person, "tiny-chat-1")
    calls = 2 if name.startswith("strands") else 1
    assert (record.tokens.input, record.tokens.output) == (61 * calls, 17 * calls)


def test_beeai_puts_an_error_in_the_place_of_an_answer() -> None:
    """Its text was the answer of a complete record."""
    explained = {
        **generation(None, tokens=None, question=PROMPT),
        "output.value": "ChatModelError(beeai_framework.backend.errors): Chat Model error",
        "output.mime_type": "text/plain",
    }
    event = {
        "openinference.span.kind": "LLM",
        "metadata.path": "backend.openai.chat.error",
        "input.value": as_json({"error": "Chat Model error", "input": {"messages": []}}),
        "input.mime_type": "application/json",
    }
    scope = "openinference.instrumentation.beeai"
    failed = span("a1", explained, start=1, end=9, scope=scope, failed=True)
    record = only([failed, span("a2", event, parent="a1", name="error", start=5, end=6, scope=scope)])
    assert (record.query, record.answer, record.error_where) == (QUESTION, None, "generator")
    assert [each.text for each in record.documents] == TEXTS


@pytest.mark.parametrize(
    ("tool", "scope", "completeness"),
    [
        ("search_handbook", "genai.smolagents", "partial_evidence"),
        ("add", "genai.smolagents", "complete"),
        ("search_handbook", "genai.agno", "complete"),
    ],
)
def test_what_smolagents_searched_is_on_no_span_of_opentelemetrys(
    tool: str, scope: str, completeness: str
) -> None:
    """Question, answer and names of tools are all that it tells (1.2b0): the record was complete without passages."""
    said = [("input", "user", QUESTION), ("output", "assistant", ANSWER)]
    told = {
        f"gen_ai.{side}.messages": as_json([{"role": role, "parts": [{"type": "text", "content": text}]}])
        for side, role, text in said
    }
    told |= {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.tool.definitions": as_json([{"type": "function", "name": tool}]),
    }
    record = only([span("a1", told, start=1, end=9, scope=f"opentelemetry.instrumentation.{scope}")])
    assert (record.answer, record.completeness) == (ANSWER, completeness)


def test_why_a_model_failed_is_no_answer_of_agnos() -> None:
    """A run that failed returns the words of the error, and does not fail itself."""
    error = SpanEvent(
        "exception", 8, {"exception.type": "ModelProviderError", "exception.message": "model is down"}
    )
    model = span("a2", generation(None), parent="a1", start=2, end=9, events=(error,), failed=True)
    record = only(ran(framework("agno", QUESTION, "model is down", mime=False), model))
    assert (record.answer, record.error_message) == (None, "model is down")


def test_what_code_returns_where_a_call_behind_the_answer_failed_is_the_answer() -> None:
    """A call that checks an answer fails with the provider's apology, and the user is told that and not the draft."""
    sorry = "I'm sorry, I can't help with that."
    error = SpanEvent("exception", 8, {"exception.type": "ContentFilterError", "exception.message": sorry})
    draft = span("a2", generation(ANSWER), parent="a1", start=2, end=5)
    checking = span("a3", generation(None), parent="a1", start=6, end=9, events=(error,), failed=True)
    assert only(ran(framework("agno", QUESTION, sorry, mime=False), draft, checking)).answer == sorry
