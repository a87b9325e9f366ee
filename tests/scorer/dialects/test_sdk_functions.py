"""What functions returned that are no searches, or say that they are one and are more: none of it is evidence."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from tests.scorer.dialects.conftest import ANSWER, PASSAGES, QUESTION, as_json, chain, generation, only, span

from ragvigil.scorer.dialects import read_records
from ragvigil.scorer.span import Span
from ragvigil.scorer.trace import RagTrace, Tokens

TEXTS = [text for _, text, _ in PASSAGES]
HITS = [{"id": key, "text": text, "score": score} for key, text, score in PASSAGES]
CLAIM = [{"id": 1, "text": ANSWER}]
NUMBERED = "\n".join(f"[{place}] {text}" for place, text in enumerate(TEXTS, 1))
Made = Mapping[str, object]


def model(start: int = 30, *, shows: bool = True, answer: str = ANSWER, parent: str = "a1") -> Span:
    """A call, whose prompt shows the passages or not."""
    prompt = f"Context:\n{NUMBERED}\n\nQuestion: {QUESTION}" if shows else QUESTION
    return span("a3", generation(answer, question=prompt), parent=parent, start=start, end=start + 20)


def told(record: RagTrace) -> tuple[str | None, list[str | None], str]:
    """What the record says was answered, by what, and whether that is all."""
    return record.answer, [each.text for each in record.documents], record.completeness


def langwatch(kind: str, made: object) -> Made:
    """A function under LangWatch."""
    return {"langwatch.span.type": kind, "langwatch.input": QUESTION, "langwatch.output": made}


def function(made: object) -> Made:
    """A function under OpenInference."""
    return {**chain(answer=as_json(made)), "output.mime_type": "application/json"}


def root(made: Made | None = None) -> Span:
    """What is around all others."""
    return span("a1", made or chain(), name="answer", start=1, end=90)


PIPELINES: list[Made] = [
    langwatch("rag", ANSWER),
    langwatch("rag", as_json({"answer": ANSWER, "sources": ["plan.pdf"]})),
    {"gen_ai.span.kind": "RETRIEVER", "input.value": QUESTION, "output.value": ANSWER},
    {"ai.observability.span_type": "retrieval", "ai.observability.call.return": ANSWER},
    {"judgment.span_kind": "retriever", "judgment.input": QUESTION, "judgment.output": ANSWER},
    {"genkit:metadata:subtype": "retriever", "genkit:type": "action", "genkit:output": as_json(ANSWER)},
]


@pytest.mark.parametrize("made", PIPELINES)
def test_an_answer_is_no_evidence_of_itself_whatever_the_kind_of_the_span(made: Made) -> None:
    """LangWatch calls a whole pipeline `rag`: its answer was the one passage of a complete record."""
    assert told(only([root(made), model()])) == (ANSWER, TEXTS, "complete")
    below = [span("a2", made, parent="a1", start=2, end=80), model(parent="a2")]
    assert told(only([root(), *below])) == (ANSWER, TEXTS, "complete")
    inner = span("a4", function(HITS), parent="a2", start=3, end=9)
    assert told(only([root(), *below, inner])) == (ANSWER, TEXTS, "complete")


def test_a_pipeline_without_a_model_has_an_answer_and_untold_evidence() -> None:
    """It was a passage, and there was no answer."""
    for made in (ANSWER, as_json({"answer": ANSWER})):
        assert told(only([root(langwatch("rag", made))])) == (ANSWER, [], "partial_evidence")
        inner = span("a2", langwatch("rag", made), parent="a1", start=2, end=9)
        assert told(only([root(), inner])) == (ANSWER, [], "partial_evidence")
    both = root(langwatch("rag", as_json({"answer": ANSWER, "documents": HITS})))
    assert told(only([both])) == (ANSWER, TEXTS, "complete")
    searched = [root(langwatch("rag", ANSWER)), span("a2", function(HITS), parent="a1", start=2, end=9)]
    assert told(only(searched)) == (ANSWER, TEXTS, "complete")


def test_an_extract_that_a_model_repeats_stays_its_evidence() -> None:
    """The model stands beside the search, not in it."""
    search = span("a2", langwatch("rag", TEXTS[0]), parent="a1", start=2, end=9)
    spans = [root(chain(answer=TEXTS[0])), search, model(shows=False, answer=TEXTS[0])]
    assert told(only(spans)) == (TEXTS[0], TEXTS[:1], "complete")


KINDS = (
    *("gen_ai.span.kind", "langwatch.span.type", "ai.observability.span_type", "honeyhive_event_type"),
    *("netra.span.type", "judgment.span_kind", "mirascope.type", "agentops.span.kind"),
)


@pytest.mark.parametrize("key", KINDS)
def test_a_kind_leaves_to_the_genai_conventions_what_they_tell(key: str) -> None:
    """LoongSuite writes both: the tool had found nothing, and a call alone was no record."""
    tool = {
        key: "TOOL",
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "fahrplan",
        "gen_ai.tool.call.result": as_json(HITS),
    }
    search = span("a2", tool, parent="a1", start=2, end=9)
    assert told(only([root(), search, model(shows=False)])) == (ANSWER, TEXTS, "complete")
    call = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "tiny-chat-1",
        "gen_ai.input.messages": as_json(
            [
                {"role": "system", "parts": [{"type": "text", "content": f"Context:\n{NUMBERED}"}]},
                {"role": "user", "parts": [{"type": "text", "content": QUESTION}]},
            ]
        ),
        "gen_ai.output.messages": as_json(
            [{"role": "assistant", "parts": [{"type": "text", "content": ANSWER}]}]
        ),
    }
    for kind in ("LLM", "CHAIN"):
        record = only([root(), span("a2", {**call, key: kind, "input.value": QUESTION}, parent="a1", end=9)])
        assert (*told(record), record.model) == (ANSWER, TEXTS, "complete", "tiny-chat-1")


@pytest.mark.parametrize("name", ["items", "results", "nodes", "rows"])
def test_items_beside_a_figure_are_anything(name: str) -> None:
    """Verdicts, entities, to-dos and claims took the place of the passages that the prompt shows."""
    for made in ({name: CLAIM, "total": 1}, {"total": 1, name: CLAIM}):
        step = span("a2", function(made), name="moderate", parent="a1", start=2, end=9)
        assert told(only([root(), step, model()])) == (ANSWER, TEXTS, "complete")


@pytest.mark.parametrize("made", [{"documents": HITS, "total": 2}, {"total": 2, "took": 0.5, "chunks": HITS}])
def test_passages_beside_a_figure_are_found_in_objects_and_in_json(made: dict[str, object]) -> None:
    """Wherever the figure stands."""
    step = span("a2", function(made), parent="a1", start=2, end=9)
    assert told(only([root(), step])) == (ANSWER, TEXTS, "complete")
    traced = span("a2", langwatch("span", as_json({"type": "json", "value": made})), parent="a1", end=9)
    assert told(only([root(), traced])) == (ANSWER, TEXTS, "complete")


def test_lists_made_of_the_answer_are_no_evidence() -> None:
    """Its claims were, where the prompt had the only passages."""
    for made in (function(CLAIM), langwatch("span", as_json(CLAIM))):
        split = span("a2", made, name="split_claims", parent="a1", start=60, end=70)
        assert told(only([root(), model(), split])) == (ANSWER, TEXTS, "complete")


WHOLE = [
    '[{"id": 1, "text": "Snow"}, // the first\n {"id": 2, "text": "Coal"}, // and the second, which is longer\n]',
    '[{"id": 1, "text": "Snow", "at": datetime(2026, 1, 1)}]',
    '{"id": 1, ...} is the shape of what the interface returns to whoever asks.',
    '[{"id": 1, "text": "Snow\nis white."}, {"id": 2, "text": "Coal\nis black."}]',
    '{"routes": {% for route in routes %}"{{ route }}",{% endfor %}}',
]


@pytest.mark.parametrize("words", WHOLE)
def test_what_a_search_returned_is_not_cut_because_it_is_no_json(words: str) -> None:
    """Any error was taken for a cut, and the record was marked."""
    found: Made = {"openinference.span.kind": "TOOL", "tool.name": "search_docs", "output.value": words}
    record = only([root(), span("a2", found, parent="a1", start=2, end=9), model(shows=False)])
    assert (bool(record.documents), record.completeness) == (True, "complete")


def test_what_another_tool_cut_is_missed_only_without_other_evidence() -> None:
    """A note that was saved after the answer marked a record whose search told everything."""
    cut = {"openinference.span.kind": "TOOL", "tool.name": "notes", "output.value": as_json(HITS)[:-20]}
    search = span("a4", function(HITS), parent="a1", start=2, end=5)
    for start, others, passages, completeness in (
        (6, [search], TEXTS, "complete"),
        (6, [], [], "partial_evidence"),
        (60, [], [], "complete"),
    ):
        tool = span("a2", cut, parent="a1", start=start, end=start + 5)
        record = only([root(), *others, tool, model(shows=False)])
        assert told(record) == (ANSWER, passages, completeness)


@pytest.mark.parametrize("dialect", ["openinference", "langfuse", "laminar", "langwatch"])
@pytest.mark.parametrize("name", ["rewrite_search_query", "research_plan", "vectorize"])
def test_a_name_alone_marks_no_record_whose_prompt_is_told(dialect: str, name: str) -> None:
    """Answers without a search were incomplete, for a function had one of many words in its name."""
    made = as_json([0.25, 0.5] if name == "vectorize" else ["ferry times"])
    under: dict[str, Made] = {
        "openinference": {**chain(answer=made), "output.mime_type": "application/json"},
        "langfuse": {"langfuse.observation.type": "span", "langfuse.observation.output": made},
        "laminar": {"lmnr.span.type": "DEFAULT", "lmnr.span.output": made},
        "langwatch": langwatch("span", made),
    }
    step = span("a2", under[dialect], name=name, parent="a1", start=2, end=9)
    assert told(only([root(), step, model(shows=False)])) == (ANSWER, [], "complete")
    unmarked = told(only([root(), step]))[2] == "complete"
    assert unmarked is (name == "vectorize")


def test_the_outermost_function_is_no_search_whatever_it_is_called() -> None:
    """An assistant that returned its sources was marked."""
    made = function({"message": ANSWER, "sources": ["plan.pdf"]})
    assert only([span("a1", made, name="search_assistant", start=1, end=9)]).completeness == "complete"


def sdk(prefix: str, told: Made) -> dict[str, object]:
    """Attributes whose names begin so."""
    return {f"{prefix}{name}": value for name, value in told.items()}


def flat(prefix: str, items: list[dict[str, object]]) -> dict[str, object]:
    """A list spelled in names."""
    return {f"{prefix}{place}.{key}": item[key] for place, item in enumerate(items) for key in item}


def test_trulens_evaluations_are_no_questions() -> None:
    """Their grader's figure was the answer, and one alone was a record."""
    told = {"span_type": "eval", "call.kwargs.question": QUESTION, "call.return": "0.7"}
    judging = span("a4", sdk("ai.observability.", told), parent="a1", start=50, end=80)
    assert read_records([judging]) == []
    grader = span("a5", generation("3"), parent="a4", start=51, end=70)
    assert only([root(), model(), judging, grader]).answer == ANSWER


def test_trulens_tells_question_and_answer_of_the_record_itself() -> None:
    """A setting was the question, and a printed object the answer."""
    application = {
        "span_type": "record_root",
        "record_root.input": QUESTION,
        "record_root.output": ANSWER,
        "call.kwargs.config": '{"configurable": {"thread_id": "t"}}',
        "call.return": "Reply(text='...')",
    }
    search = {"span_type": "mcp", "call.return": as_json({"content": [{"type": "text", "text": NUMBERED}]})}
    record = only(
        [
            root(sdk("ai.observability.", application)),
            span("a2", sdk("ai.observability.", search), name="search_docs", parent="a1", start=2, end=9),
        ]
    )
    assert (record.query, *told(record)) == (QUESTION, ANSWER, TEXTS, "complete")


def test_langwatch_contexts_are_the_passages_whatever_the_span_returned() -> None:
    """They were read nowhere."""
    contexts = as_json([{"document_id": key, "content": text} for key, text, _ in PASSAGES])
    for made in (None, ANSWER, as_json(["plan.pdf"])):
        search = {**langwatch("rag", made), "langwatch.rag.contexts": contexts}
        search = {key: value for key, value in search.items() if value}
        record = only([root(), span("a2", search, parent="a1", start=2, end=9)])
        assert told(record) == (ANSWER, TEXTS, "complete")
        assert [each.id for each in record.documents] == [key for key, _, _ in PASSAGES]
    alone = {**langwatch("rag", ANSWER), "langwatch.rag.contexts": contexts}
    assert told(only([root(alone)])) == (ANSWER, TEXTS, "complete")


def test_honeyhive_model_events_tell_messages_reply_and_tokens() -> None:
    """They were read as what a function was given: there was no prompt, and no passage."""
    sent: list[dict[str, object]] = [
        {"role": "user", "content": f"Context:\n{NUMBERED}\n\nQuestion: {QUESTION}"}
    ]
    event = {
        "honeyhive_event_type": "model",
        **flat("honeyhive_inputs.chat_history.", sent),
        "honeyhive_outputs.role": "assistant",
        "honeyhive_outputs.content": ANSWER,
        "honeyhive_metadata.prompt_tokens": 20,
        "honeyhive_metadata.completion_tokens": 5,
    }
    record = only([root(), span("a2", event, parent="a1", start=2, end=9)])
    assert (*told(record), record.tokens) == (ANSWER, TEXTS, "complete", Tokens(20, 5))
    chat = {
        "honeyhive_event_type": "chain",
        "honeyhive_outputs.result": ANSWER,
        "honeyhive_inputs.question": QUESTION,
    }
    function = span("a1", {**chat, **flat("honeyhive_inputs.chat_history.", sent)}, end=9)
    assert (only([function]).query, only([function]).answer) == (QUESTION, ANSWER)


@pytest.mark.parametrize(
    "kind", ["rag_pipeline", "ragas_eval", "retrieval_grader", "llm_router", "embedding_search"]
)
def test_a_kind_of_ones_own_is_a_function(kind: str) -> None:
    """Any that began like a search was one, and its verdict the evidence."""
    for key, given, made in (
        ("judgment.span_kind", "judgment.input", "judgment.output"),
        ("gen_ai.span.kind", "input.value", "output.value"),
    ):
        grading = span("a2", {key: kind, given: QUESTION, made: "small"}, parent="a1", start=2, end=9)
        assert told(only([root(), grading, model()])) == (ANSWER, TEXTS, "complete")
        search = span("a2", {key: kind, given: QUESTION, made: as_json(HITS)}, parent="a1", start=2, end=9)
        assert told(only([root(), search])) == (ANSWER, TEXTS, "complete")


def test_passages_that_begin_like_agnos_failures_stay_passages() -> None:
    """They were an error."""
    words = "status='failure' result=None error='x' is what the interface prints."
    found: Made = {"openinference.span.kind": "TOOL", "tool.name": "search_docs", "output.value": words}
    record = only([root(), span("a2", found, parent="a1", start=2, end=9)])
    assert (told(record), record.error) == ((ANSWER, [words], "complete"), None)


def test_an_answer_of_a_type_and_a_value_is_whole() -> None:
    """LangWatch alone writes such objects around values."""
    made = as_json({"type": "faq", "value": "nine"})
    assert only([root({"netra.span.type": "SPAN", "input": QUESTION, "output": made})]).answer == made
    assert only([root(langwatch("span", made))]).answer == "nine"


def test_mirascopes_calls_answer_with_their_content() -> None:
    """The response as Python prints it was the answer."""
    call = {
        "type": "call",
        "trace.output": "**Response** of a call",
        "response.content": as_json([{"type": "text", "text": ANSWER}]),
        "response.messages": as_json([{"role": "user", "content": QUESTION}]),
    }
    assert only([span("a1", sdk("mirascope.", call), end=9)]).answer == ANSWER


@pytest.mark.parametrize("prefix", ["gen_ai.retrieval.documents.", "retrieval.documents."])
def test_traceai_spells_what_a_retriever_found_in_names(prefix: str) -> None:
    """It was a search that told nothing."""
    listed = flat(prefix, [{"document.id": key, "document.content": text} for key, text, _ in PASSAGES])
    for also in ({}, {"gen_ai.operation.name": "retrieval"}):
        search = {"gen_ai.span.kind": "RETRIEVER", **listed, **also}
        record = only([root(), span("a2", search, parent="a1", start=2, end=9)])
        assert [(each.id, each.text) for each in record.documents] == [
            (key, text) for key, text, _ in PASSAGES
        ]
        assert record.completeness == "complete"


def test_conversation_and_user_are_read_under_each_sdks_own_names() -> None:
    """An attribute `metadata` of any SDK came before `session.id`."""
    metadata = as_json({"session_id": "m-1", "user_id": "m-2"})
    for made, conversation, user in (
        (
            {**langwatch("span", ANSWER), "langwatch.thread.id": "s-1", "langwatch.user.id": "u-1"},
            "s-1",
            "u-1",
        ),
        ({**langwatch("span", ANSWER), "metadata": metadata}, "m-1", "m-2"),
        (
            {
                "gen_ai.span.kind": "CHAIN",
                "input.value": QUESTION,
                "output.value": ANSWER,
                "metadata": metadata,
                "session.id": "s-1",
                "user.id": "u-1",
            },
            "s-1",
            "u-1",
        ),
    ):
        record = only([root(made)])
        assert (record.conversation_id, record.user_id) == (conversation, user)


def test_a_search_after_a_call_that_only_called_it_is_evidence() -> None:
    """Only lists made after an answer may be made of it."""
    asking = span("a3", generation(None), parent="a1", start=2, end=9)
    search = span("a2", function(HITS), parent="a1", start=10, end=20)
    assert told(only([root(), asking, search]))[:2] == (ANSWER, TEXTS)


ASKED = f"Context:\n{NUMBERED}\n\nQuestion: {QUESTION}"


def under(sdk_name: str, given: object, made: object) -> Made:
    """A plain function under an SDK, which writes what it was given as JSON."""
    return {
        "langwatch": {**langwatch("span", made), "langwatch.input": as_json(given)},
        "mirascope": {
            "mirascope.type": "trace",
            "mirascope.trace.arg_values": as_json(given),
            "mirascope.trace.output": made,
        },
        "langfuse": {
            "langfuse.observation.type": "span",
            "langfuse.observation.input": as_json(given),
            "langfuse.observation.output": made,
        },
    }[sdk_name]


@pytest.mark.parametrize("sdk_name", ["langwatch", "mirascope", "langfuse"])
@pytest.mark.parametrize(
    "given",
    [
        {"prompt": ASKED},
        {"messages": [{"role": "user", "content": ASKED}]},
        {
            "args": [[{"role": "system", "content": "Be brief."}, {"role": "user", "content": ASKED}]],
            "kwargs": {},
        },
        {"question": QUESTION, "context": NUMBERED},
    ],
)
def test_a_function_that_calls_an_untraced_model_tells_what_it_showed(sdk_name: str, given: object) -> None:
    """The record was complete, and without a passage."""
    calling = span("a2", under(sdk_name, given, ANSWER), name="generate", parent="a1", start=2, end=9)
    assert told(only([root(under(sdk_name, {"question": QUESTION}, ANSWER)), calling])) == (
        ANSWER,
        TEXTS,
        "complete",
    )


@pytest.mark.parametrize("sdk_name", ["langwatch", "mirascope", "langfuse"])
def test_a_search_that_returned_one_text_marks_a_record_that_tells_no_more(sdk_name: str) -> None:
    """A list of texts did."""
    for made, completeness in (
        (NUMBERED, "partial_evidence"),
        (as_json({"context": NUMBERED}), "partial_evidence"),
        ("No results found.", "complete"),
    ):
        found = under(sdk_name, {"query": QUESTION}, made)
        search = span("a2", found, name="search_docs", parent="a1", start=2, end=9)
        assert told(only([root(), search])) == (ANSWER, [], completeness)
        assert told(only([root(), search, model()])) == (ANSWER, TEXTS, "complete")


def test_a_call_that_failed_lends_its_prompt_to_no_other() -> None:
    """What the first try showed was the evidence of the second."""
    sent = {"llm.input_messages.0.message.role": "user", "llm.model_name": "tiny-chat-1"}
    tried = {**chain(answer=None), **sent, "llm.input_messages.0.message.content": ASKED}
    again = {**chain(), **sent, "llm.input_messages.0.message.content": QUESTION}
    tries = [
        span("a2", tried, parent="a1", start=2, end=9, failed=True),
        span("a3", again, parent="a1", start=10, end=20),
    ]
    assert only([root(), *tries]).documents == ()
    assert [each.text for each in only([root(chain(answer=None)), tries[0]]).documents] == TEXTS
