"""Unusual shapes that are legal, or that spans made by hand have: each is read like the usual one."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from ragvigil.scorer.dialects.failure import failure
from ragvigil.scorer.trace import RagTrace, Tokens

from .conftest import ANSWER, PASSAGES, QUESTION, as_json, chain, generation, only, retrieval, span

HITS = [{"id": key, "text": text, "score": score} for key, text, score in PASSAGES]
PAGES = [{"page_content": text, "metadata": {"score": score}} for _, text, score in PASSAGES]
Attributes = dict[str, object]


def asked(
    root: Mapping[str, object], search: Mapping[str, object], model: Mapping[str, object] | None = None
) -> RagTrace:
    """The record of a search and a generation below a root."""
    return only(
        [
            span("a1", root, start=0, end=99),
            span("a2", search, parent="a1", start=2, end=20),
            span("a3", generation() if model is None else model, parent="a1", start=21, end=80),
        ]
    )


def found(record: RagTrace) -> list[tuple[str | None, str | None, float | None]]:
    """Id, text and score of each document."""
    return [(each.id, each.text, each.score) for each in record.documents]


@pytest.mark.parametrize(
    "hits",
    [
        [as_json(hit) for hit in HITS],
        as_json([{**hit, "score": str(hit["score"])} for hit in HITS]),
        as_json([{**hit, "score": f"np.float32({hit['score']})"} for hit in HITS]),
    ],
    ids=["a list of texts", "scores as texts", "scores as numpy writes them"],
)
def test_documents_in_other_clothes_are_the_same(hits: object) -> None:
    """An attribute may be a list of texts; what JSON cannot say is written as a text."""
    search = {
        "gen_ai.operation.name": "retrieval",
        "gen_ai.retrieval.query.text": QUESTION,
        "gen_ai.retrieval.documents": hits,
    }
    assert found(asked(chain(), search)) == list(PASSAGES)


def test_a_passage_that_is_json_stays_one() -> None:
    """Its names are not a document's."""
    text = as_json({"name": "Harbour Café", "text": "Open all day.", "stars": 4})
    search = {"gen_ai.operation.name": "retrieval", "gen_ai.retrieval.documents": [text]}
    assert found(asked(chain(), search)) == [(None, text, None)]


@pytest.mark.parametrize(
    "names",
    [
        ("session.id", "enduser.id"),
        ("gen_ai.conversation.id", "user.id"),
        ("traceloop.association.properties.chat_id", "traceloop.association.properties.user_id"),
        ("ai.telemetry.metadata.sessionId", "ai.telemetry.metadata.userId"),
        ("langsmith.metadata.thread_id", "langsmith.metadata.user_id"),
    ],
)
def test_who_asked_is_known_from_spans_of_no_dialect(names: tuple[str, str]) -> None:
    """The request's span, or a vendor's client in a process whose SDK puts them on everything."""
    request = dict(zip(names, ("s-1", "u-1"), strict=True))
    record = asked(request, retrieval())
    assert (record.conversation_id, record.user_id) == ("s-1", "u-1")


@pytest.mark.parametrize(
    "found_by_id",
    [
        {"timetable-1": PASSAGES[0][1], "fares-2": PASSAGES[1][1]},
        {"documents": {"timetable-1": PASSAGES[0][1], "fares-2": PASSAGES[1][1]}},
        {"timetable-1": {"text": PASSAGES[0][1], "page": 4}, "fares-2": {"text": PASSAGES[1][1], "page": 5}},
    ],
)
def test_passages_under_their_ids_are_read(found_by_id: dict[str, object]) -> None:
    """As a function returns them that somebody traced as a search, or a tool that is called one."""
    traced = {
        "langfuse.observation.type": "retriever",
        "langfuse.observation.input": QUESTION,
        "langfuse.observation.output": as_json(found_by_id),
    }
    tool = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "search_timetable",
        "gen_ai.tool.call.result": as_json(found_by_id),
    }
    without_scores = [(key, text, None) for key, text, _ in PASSAGES]
    for search in (traced, tool):
        assert found(asked(chain(), search)) == without_scores


@pytest.mark.parametrize(
    "result",
    [
        {"opening_hours": "Nine to five.", "price": "Four crowns each."},
        {"2026-11-22": "Closed all day.", "2026-11-23": "Open from nine."},
        {"title": "The ferry", "text": "It leaves at nine."},
        {"timetable-1": "It leaves at nine.", "found": 1},
        {"line-1": 9, "line-2": 10},
    ],
)
def test_facts_under_their_names_are_no_passages(result: dict[str, object]) -> None:
    """Whatever the search is called."""
    traced = {"langfuse.observation.type": "retriever", "langfuse.observation.output": as_json(result)}
    assert found(asked(chain(), traced)) == []


def test_a_tool_that_is_no_search_finds_no_passages_under_names() -> None:
    """Line 1 and line 2 are things that it tells about."""
    tool = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "departures",
        "gen_ai.tool.call.result": as_json({"line-1": "at nine sharp", "line-2": "at ten sharp"}),
    }
    assert asked(chain(), tool).retrievals == ()


@pytest.mark.parametrize(
    ("request_says", "model_says"),
    [
        ({"session.id": "browser"}, {"gen_ai.conversation.id": "c-1"}),
        ({"session.id": "browser"}, {"session.id": "c-1"}),
        ({"session.id": "browser"}, {"langfuse.session.id": "c-1"}),
        ({"session.id": "browser"}, {"traceloop.association.properties.session_id": "c-1"}),
        ({"session.id": "browser"}, {"ai.telemetry.metadata.chatId": "c-1"}),
        ({"gen_ai.conversation.id": "c-1"}, {"session.id": "browser"}),
        ({"gen_ai.conversation.id": "c-1", "session.id": "browser"}, {"session.id": "browser"}),
        ({"session.id": "c-1"}, {}),
    ],
)
def test_a_browsers_session_is_no_conversation_where_anybody_names_one(
    request_says: dict[str, object], model_says: dict[str, object]
) -> None:
    """It is on the request's span, or by baggage on every span; alone it is the best that is known."""
    model = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "tiny", **model_says}
    spans = [
        span("a0", request_says, name="POST /ask", start=1, end=99),
        span("a1", chain(), parent="a0", start=2, end=90),
        span("a2", {**generation(), **model}, parent="a1", start=21, end=80),
    ]
    assert only(spans).conversation_id == "c-1"


def test_json_without_its_mime_type_is_read_where_nobody_would_write_it() -> None:
    """A search's result and a question's frame; an answer in JSON stays as it is."""
    search = {
        "openinference.span.kind": "RETRIEVER",
        "input.value": as_json({"query": QUESTION, "k": 2}),
        "output.value": as_json(HITS),
    }
    root = {**chain(), "input.value": as_json({"question": QUESTION})}
    record = asked(root, search)
    assert (record.query, found(record)) == (QUESTION, list(PASSAGES))
    assert record.retrievals[0].query == QUESTION
    plain = asked({**chain(), "input.value": '{"city": "Paris"}'}, search)
    assert plain.query == '{"city": "Paris"}'


def test_ids_that_only_a_traceloop_workflow_returned_are_found() -> None:
    """LangChain's retrieval chains answer with the context beside the answer."""
    nothing: Attributes = {}
    pages = [
        {"lc": 1, "kwargs": {"id": hit["id"], "page_content": hit["text"], "metadata": nothing}}
        for hit in HITS
    ]
    root = {
        "traceloop.span.kind": "workflow",
        "traceloop.entity.input": as_json({"inputs": {"input": QUESTION}}),
        "traceloop.entity.output": as_json({"outputs": {"answer": ANSWER, "context": pages}}),
    }
    search = {
        "traceloop.span.kind": "task",
        "gen_ai.operation.name": "vector_db_retrieve",
        "traceloop.entity.input": as_json({"query": QUESTION}),
        "traceloop.entity.output": as_json({"documents": PAGES}),
    }
    record = asked(root, search)
    assert (record.query, found(record)) == (QUESTION, list(PASSAGES))


def test_questions_that_early_langfuse_quoted_are_unquoted() -> None:
    """As answers are."""
    question = 'What does "ferry" mean?'
    root: Attributes = {"langfuse.observation.type": "span", "langfuse.observation.input": as_json(question)}
    assert asked(root, retrieval()).query == question


@pytest.mark.parametrize(
    "reply",
    [
        {"message": {"role": "assistant", "blocks": [{"block_type": "text", "text": ANSWER}]}, "raw": None},
        {"model": "tiny", "message": {"role": "assistant", "content": ANSWER}, "done": True},
        {"id": "x", "message": {"role": "assistant", "content": [{"type": "text", "text": ANSWER}]}},
    ],
    ids=["LlamaIndex", "Ollama", "Cohere"],
)
def test_replies_that_wrap_one_message_are_read(reply: object) -> None:
    """LlamaIndex's, Ollama's and Cohere's."""
    sent = {"messages": [{"role": "user", "blocks": [{"block_type": "text", "text": QUESTION}]}]}
    model = {
        "mlflow.spanType": '"CHAT_MODEL"',
        "mlflow.spanInputs": as_json(sent),
        "mlflow.spanOutputs": as_json(reply),
    }
    record = asked({}, retrieval(), model)
    assert (record.query, record.answer) == (QUESTION, ANSWER)


@pytest.mark.parametrize("written", [list, as_json])
@pytest.mark.parametrize("own", ["document", "document."])
def test_openinference_documents_in_one_attribute_are_read(
    own: str, written: Callable[[object], object]
) -> None:
    """Nobody's instrumentor writes them so, people do."""
    names = {"id": "id", "text": "content", "score": "score"}
    dotted = [{f"document.{names[key]}": value for key, value in hit.items()} for hit in HITS]
    nested = [{"document": {names[key]: value for key, value in hit.items()}} for hit in HITS]
    search = {
        "openinference.span.kind": "RETRIEVER",
        "retrieval.documents": written(dotted if own.endswith(".") else nested),
    }
    assert found(asked(chain(), search)) == list(PASSAGES)


def test_tokens_are_counted_that_came_as_texts() -> None:
    """Loggers of other languages know no numbers."""
    model = {**generation(tokens=None), "llm.token_count.prompt": "12", "llm.token_count.completion": "5"}
    assert asked(chain(), retrieval(), model).tokens == Tokens(12, 5)


def test_langsmith_counts_tokens_without_a_model() -> None:
    """`@traceable` functions name none."""
    model = {
        "langsmith.span.kind": "llm",
        "gen_ai.prompt": as_json({"messages": [{"role": "user", "content": QUESTION}]}),
        "gen_ai.completion": as_json({"role": "assistant", "content": ANSWER}),
        "gen_ai.usage.input_tokens": 12,
        "gen_ai.usage.output_tokens": 5,
    }
    assert asked(chain(), retrieval(), model).tokens == Tokens(12, 5)


@pytest.mark.parametrize(
    ("message", "type_name", "told"),
    [
        ("ConnectionError('store away')Traceback (most recent call last):", "ConnectionError", "store away"),
        ("ServiceUnavailable('503 later')Traceback (most", "ServiceUnavailable", "503 later"),
        ("APIStatusError('boom', 503)Traceback (most", "APIStatusError", "'boom', 503"),
        ("FileNotFoundError(2, 'No such file')Traceback (most", "FileNotFoundError", "2, 'No such file'"),
        ("Sorry (we are closed)", None, "Sorry (we are closed)"),
    ],
)
def test_langsmiths_errors_are_taken_out_of_their_text(
    message: str, type_name: str | None, told: str
) -> None:
    """The type of the event is always Exception."""
    read = failure("Exception", message)
    assert (read.type, read.message) == (type_name, told)


def test_pydantic_ais_first_format_is_read() -> None:
    """Events of the conventions, as JSON in one attribute."""
    call = {"id": "c1", "type": "function", "function": {"name": "retrieve", "arguments": "{}"}}
    events = [
        {"event.name": "gen_ai.user.message", "role": "user", "content": QUESTION},
        {"event.name": "gen_ai.assistant.message", "role": "assistant", "tool_calls": [call]},
        {"event.name": "gen_ai.tool.message", "role": "tool", "id": "c1", "content": as_json(HITS)},
        {"event.name": "gen_ai.choice", "index": 0, "message": {"role": "assistant", "content": ANSWER}},
    ]
    model: Attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "tiny-chat-1",
        "gen_ai.usage.input_tokens": 12,
        "gen_ai.usage.output_tokens": 5,
        "events": as_json(events),
    }
    record = only([span("a3", model, scope="pydantic-ai")])
    assert (record.query, record.answer, found(record)) == (QUESTION, ANSWER, list(PASSAGES))
    assert (record.model, record.tokens) == ("tiny-chat-1", Tokens(12, 5))


@pytest.mark.parametrize("streamed", [False, True])
def test_logfires_own_clients_are_read(streamed: bool) -> None:
    """Request and response as they were; a stream is told in a second span, of no length."""
    sent = {"model": "tiny-chat-1", "messages": [{"role": "user", "content": QUESTION}]}
    usage = {"prompt_tokens": 12, "completion_tokens": 5}
    whole = {"message": {"role": "assistant", "content": ANSWER}, "usage": usage}
    joined = {"combined_chunk_content": ANSWER, "chunk_count": 4}
    request: Attributes = {
        "logfire.msg": "Chat Completion",
        "gen_ai.request.model": "tiny-chat-1",
        "request_data": as_json(sent),
    }
    reply = as_json(joined if streamed else whole)
    below = [
        span(
            "a3", request if streamed else {**request, "response_data": reply}, parent="a1", start=21, end=30
        )
    ]
    if streamed:
        below.append(span("a4", {**request, "response_data": reply}, parent="a1", start=90, end=90))
    record = only([span("a1", start=0, end=99), span("a2", retrieval(), parent="a1", start=2, end=9), *below])
    assert (record.query, record.answer, record.model) == (QUESTION, ANSWER, "tiny-chat-1")
    assert record.tokens == (Tokens() if streamed else Tokens(12, 5))
    assert record.streaming is (True if streamed else None)


def test_a_question_that_a_model_rewrote_for_the_search_is_the_one_that_was_asked() -> None:
    """Without a root that tells it: the last prompt repeats what the rewriting model was sent."""
    rewriter = generation("ferry timetable", question=f"Rewrite for a search engine: {QUESTION}")
    search = retrieval(query="ferry timetable")
    steps = [
        span("a1", start=0, end=99),
        span("a4", rewriter, parent="a1", start=1, end=4),
        span("a2", search, parent="a1", start=5, end=9),
        span(
            "a3", generation(question=f"[1] At nine.\n\nQuestion: {QUESTION}"), parent="a1", start=10, end=90
        ),
    ]
    record = only(steps)
    assert (record.query, record.answer, record.retrievals[0].query) == (QUESTION, ANSWER, "ferry timetable")
    plain = only([steps[0], *steps[2:]])
    assert plain.query == "ferry timetable"


NINE = ("timetable-1", "The ferry leaves at nine.", 0.9)
STORES = {
    "Elasticsearch": {"hits": {"hits": [{"_id": NINE[0], "_score": NINE[2], "_source": {"text": NINE[1]}}]}},
    "Weaviate": {
        "objects": [{"uuid": NINE[0], "properties": {"content": NINE[1]}, "metadata": {"score": NINE[2]}}]
    },
    "Azure": {"value": [{"@search.score": NINE[2], "chunkId": NINE[0], "content": NINE[1]}]},
    "OpenAI": {
        "data": [{"file_id": NINE[0], "score": NINE[2], "content": [{"type": "text", "text": NINE[1]}]}]
    },
    "OpenSearch": [{"doc_id": NINE[0], "passage_text": NINE[1], "similarity_score": NINE[2]}],
    "Qdrant": [{"id": NINE[0], "version": 3, "score": NINE[2], "payload": {"text": NINE[1]}}],
    "Pinecone": {"matches": [{"id": NINE[0], "score": NINE[2], "metadata": {"text": NINE[1]}}]},
}


@pytest.mark.parametrize("result", STORES.values(), ids=STORES)
def test_results_are_read_as_the_stores_give_them(result: object) -> None:
    """Decorators write whatever the function returned."""
    search = {
        "langfuse.observation.type": "retriever",
        "langfuse.observation.input": as_json({"args": [QUESTION], "kwargs": {}}),
        "langfuse.observation.output": as_json(result),
    }
    assert found(asked(chain(), search)) == [NINE]


@pytest.mark.parametrize("key", ["retrievalResults", "contexts"])
def test_results_without_ids_keep_texts_and_scores(key: str) -> None:
    """Bedrock's knowledge bases and Vertex AI's."""
    hit = {"content": {"text": NINE[1], "type": "TEXT"}, "score": NINE[2], "location": {"type": "S3"}}
    held = {key: [hit] if key == "retrievalResults" else {key: [hit]}}
    assert found(
        asked(
            chain(), {"langfuse.observation.type": "retriever", "langfuse.observation.output": as_json(held)}
        )
    ) == [(None, *NINE[1:])]


def test_rows_of_azures_index_keep_the_page_that_answers_cite() -> None:
    """They have it beside the text, and no metadata: what cited it, cited nothing known."""
    rows = [{"content": hit["text"], "sourcepage": f"guide.pdf#page={hit['score']}"} for hit in HITS]
    search = {"openinference.span.kind": "RETRIEVER", "input.value": QUESTION, "output.value": as_json(rows)}
    record = asked(chain(), search, generation())
    pages = [document.metadata.get("sourcepage") for document in record.documents]
    assert pages == ["guide.pdf#page=0.9", "guide.pdf#page=0.5"]
