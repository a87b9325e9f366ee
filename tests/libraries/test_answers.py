"""Answers of the real libraries, whole and streamed: text, model, usage, why it ended, the response's id."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.libraries.conftest import ENVIRONMENT, Answered, Recorder, library
from tests.libraries.vendors import ANSWER, MODEL, PIECES, TOKENS, Vendors

MESSAGES = [{"role": "user", "content": "When does water boil?"}]


def assert_complete(
    answer: Answered, *, id_: str, finish: str | None = "stop", streamed: bool = False
) -> None:
    """Hold the answer against what the vendor sent."""
    assert answer.unreadable == ()
    assert answer.text == ANSWER
    assert (answer.model, answer.response_id, answer.tokens) == (MODEL, id_, TOKENS)
    assert answer.finish == (None if finish is None else (finish,))
    assert answer.streamed is streamed


def read(stream: Any) -> None:
    """Read it to its end, as a service does."""
    for _ in stream:
        pass


def read_in_block(manager: Any) -> None:
    """Read what the block hands out."""
    with manager as stream:
        read(stream)


async def read_later(stream: Any) -> None:
    """Read it to its end."""
    async for _ in stream:
        pass


async def read_in_block_later(manager: Any) -> None:
    """Read what the block hands out."""
    async with manager as stream:
        await read_later(stream)


def openai(vendors: Vendors, kind: str = "OpenAI") -> Any:
    """The client, of the server here."""
    return getattr(library("openai"), kind)(api_key="unused", base_url=f"{vendors.url}/v1", max_retries=0)


def anthropic(vendors: Vendors, kind: str = "Anthropic") -> Any:
    """The client, of the server here."""
    return getattr(library("anthropic"), kind)(api_key="unused", base_url=vendors.url, max_retries=0)


CHAT: dict[str, Any] = {"model": MODEL, "messages": MESSAGES}
USAGE: dict[str, Any] = {"stream_options": {"include_usage": True}}


def test_openai_chat(vendors: Vendors, recorded: Recorder) -> None:
    """Whole, raw chunks, and the helper that hands its stream out in a block."""
    chat = openai(vendors).chat.completions
    assert_complete(recorded(lambda: chat.create(**CHAT)), id_="chatcmpl-1")
    streamed = recorded(lambda: chat.create(**CHAT, stream=True, **USAGE), read)
    assert_complete(streamed, id_="chatcmpl-1", streamed=True)
    helper = getattr(chat, "stream", None) or openai(vendors).beta.chat.completions.stream
    assert_complete(recorded(lambda: helper(**CHAT, **USAGE), read_in_block), id_="chatcmpl-1", streamed=True)
    refused = recorded(lambda: chat.create(model="refusing", messages=MESSAGES))
    assert (refused.text, refused.unreadable) == ("I cannot help with that.", ())


async def test_openai_chat_later(vendors: Vendors, recorded: Recorder) -> None:
    """The asynchronous client."""
    chat = openai(vendors, "AsyncOpenAI").chat.completions
    assert_complete(await recorded.later(lambda: chat.create(**CHAT)), id_="chatcmpl-1")
    stream = await recorded.later(lambda: chat.create(**CHAT, stream=True, **USAGE), read_later)
    assert_complete(stream, id_="chatcmpl-1", streamed=True)


def test_openai_responses(vendors: Vendors, recorded: Recorder) -> None:
    """Each text once, though the events repeat it four times, and thoughts are no part of the answer."""
    responses = openai(vendors).responses
    asked: dict[str, Any] = {"model": MODEL, "input": "When does water boil?"}
    assert_complete(recorded(lambda: responses.create(**asked)), id_="resp_1", finish=None)
    streamed = recorded(lambda: responses.create(**asked, stream=True), read)
    assert_complete(streamed, id_="resp_1", finish=None, streamed=True)
    if ENVIRONMENT != "oldest":  # whose helper cannot parse what vendors send by now
        helper = recorded(lambda: responses.stream(**asked), read_in_block)
        assert_complete(helper, id_="resp_1", finish=None, streamed=True)


ASKED: dict[str, Any] = {"model": MODEL, "messages": MESSAGES, "max_tokens": 100}


def read_text(manager: Any) -> None:
    """Read nothing but the text."""
    with manager as stream:
        assert "".join(stream.text_stream) == ANSWER


@pytest.mark.parametrize("consume", [read_in_block, read_text])
def test_anthropic_streams_by_its_helper(
    vendors: Vendors, recorded: Recorder, consume: Callable[[Any], None]
) -> None:
    """Its events repeat each piece, and say the whole at the end; the text may be read alone."""
    helper = anthropic(vendors).messages.stream
    assert_complete(recorded(lambda: helper(**ASKED), consume), id_="msg_1", finish="end_turn", streamed=True)


def test_anthropic(vendors: Vendors, recorded: Recorder) -> None:
    """Whole, and raw events. What was read from its cache is input."""
    create = anthropic(vendors).messages.create
    assert_complete(recorded(lambda: create(**ASKED)), id_="msg_1", finish="end_turn")
    events = recorded(lambda: create(**ASKED, stream=True), read)
    assert (events.text, events.model, events.response_id) == (ANSWER, MODEL, "msg_1")
    assert (events.finish, events.tokens, events.unreadable) == (("end_turn",), TOKENS, ())


async def test_anthropic_later(vendors: Vendors, recorded: Recorder) -> None:
    """The asynchronous client."""
    messages = anthropic(vendors, "AsyncAnthropic").messages
    assert_complete(await recorded.later(lambda: messages.create(**ASKED)), id_="msg_1", finish="end_turn")
    events = await recorded.later(lambda: messages.create(**ASKED, stream=True), read_later)
    assert (events.text, events.tokens) == (ANSWER, TOKENS)
    helper = await recorded.later(lambda: messages.stream(**ASKED), read_in_block_later)
    assert_complete(helper, id_="msg_1", finish="end_turn", streamed=True)


def said(messages: Any, kind: str, content: Any, *, usage: tuple[int, int] | None = TOKENS) -> Any:
    """A message as LangChain's integrations make it."""
    told = {"model_name": MODEL, "finish_reason": "stop", "id": "chatcmpl-1"} if usage else {}
    counted = usage and {"input_tokens": usage[0], "output_tokens": usage[1], "total_tokens": sum(usage)}
    return getattr(messages, kind)(
        content=content, response_metadata=told, usage_metadata=counted, id="run-1"
    )


def test_langchain_messages(recorded: Recorder) -> None:
    """Messages, blocks with thoughts, results of models, and states of graphs."""
    messages = library("langchain_core.messages")
    outputs = library("langchain_core.outputs")
    message = said(messages, "AIMessage", ANSWER)
    blocks = said(
        messages, "AIMessage", [{"type": "thinking", "thinking": "So."}, {"type": "text", "text": ANSWER}]
    )
    for given in (message, blocks, {"messages": [messages.HumanMessage("When?"), message]}):
        assert_complete(recorded(lambda given=given: given), id_="chatcmpl-1")
    result = outputs.ChatResult(generations=[outputs.ChatGeneration(message=message)])
    assert_complete(recorded(lambda: result), id_="chatcmpl-1")
    batch = outputs.LLMResult(
        generations=[[outputs.Generation(text=ANSWER)]],
        llm_output={"model_name": MODEL, "token_usage": {"prompt_tokens": 61, "completion_tokens": 17}},
    )
    assert_complete(recorded(lambda: batch), id_=None, finish=None)  # type: ignore[arg-type]


def test_langchain_answers_to_several_questions(recorded: Recorder) -> None:
    """The answer is the first one; what was counted for all together is not its count."""
    messages = library("langchain_core.messages")
    outputs = library("langchain_core.outputs")
    together = {"model_name": MODEL, "token_usage": {"prompt_tokens": 900, "completion_tokens": 90}}
    told = outputs.ChatGeneration(message=said(messages, "AIMessage", ANSWER))
    untold = outputs.Generation(text=ANSWER)
    for first, tokens in ((told, TOKENS), (untold, (None, None))):
        batch = outputs.LLMResult(
            generations=[[first], [outputs.Generation(text="No.")]], llm_output=together
        )
        answer = recorded(lambda batch=batch: batch)
        assert (answer.text, answer.model, answer.tokens) == (ANSWER, MODEL, tokens)
        assert answer.unreadable == ()


def test_langchain_chunks(recorded: Recorder) -> None:
    """Their counts add up, as in LangChain itself; in a graph's stream they come with what is said of them."""
    messages = library("langchain_core.messages")
    first = said(messages, "AIMessageChunk", PIECES[0], usage=(TOKENS[0], 0))
    chunks = [first, *(said(messages, "AIMessageChunk", piece, usage=None) for piece in PIECES[1:])]
    chunks.append(said(messages, "AIMessageChunk", "", usage=(0, TOKENS[1])))
    assert_complete(recorded(lambda: (chunk for chunk in chunks), read), id_="chatcmpl-1", streamed=True)
    with_facts = ((chunk, {"langgraph_node": "write"}) for chunk in chunks)
    assert recorded(lambda: with_facts, read).text == ANSWER


async def test_langchain_events(recorded: Recorder) -> None:
    """A chain's stream of events says each piece several times."""
    models = library("langchain_core.language_models")
    runnables = library("langchain_core.runnables")
    messages = library("langchain_core.messages")
    model = models.GenericFakeChatModel(messages=iter([messages.AIMessage(ANSWER)]))
    chain = model | runnables.RunnableLambda(lambda message: message.content)
    events = await recorded.later(lambda: chain.astream_events("When?", version="v2"), read_later)
    assert (events.text, events.unreadable) == (ANSWER, ())


def test_llama_index(recorded: Recorder) -> None:
    """Responses, what models answer with the vendor's own answer beside it, and streams that repeat what was."""
    llms = library("llama_index.core.llms")
    schema = library("llama_index.core.base.response.schema")
    assert recorded(lambda: schema.Response(response=ANSWER)).text == ANSWER
    raw = {"id": "chatcmpl-1", "model": MODEL, "choices": [{"finish_reason": "stop"}]}
    raw |= {"usage": {"prompt_tokens": TOKENS[0], "completion_tokens": TOKENS[1]}}

    def replies(text: str, **more: Any) -> list[Any]:
        message = llms.ChatMessage(role="assistant", content=text)
        return [llms.ChatResponse(message=message, **more), llms.CompletionResponse(text=text, **more)]

    for whole in replies(ANSWER, raw=raw):
        assert_complete(recorded(lambda whole=whole: whole), id_="chatcmpl-1")
    for kind in (0, 1):
        growing = ["".join(PIECES[: end + 1]) for end in range(len(PIECES))]
        pieces = [replies(text, delta=PIECES[at])[kind] for at, text in enumerate(growing)]
        pieces.append(replies(ANSWER, delta="", raw=raw)[kind])
        assert_complete(
            recorded(lambda pieces=pieces: (piece for piece in pieces), read), id_="chatcmpl-1", streamed=True
        )


def test_llama_index_streaming_responses(recorded: Recorder) -> None:
    """The response stays the object that the query engine returned, and is one span until it is read."""
    schema = library("llama_index.core.base.response.schema")
    made: list[Any] = []

    def make() -> Any:
        made.append(schema.StreamingResponse(response_gen=(piece for piece in PIECES), source_nodes=[]))
        return made[-1]

    def check(given: Any) -> None:
        assert given is made[-1]
        assert str(given) == ANSWER

    for consume in (check, lambda given: read(given.response_gen)):
        answer = recorded(make, consume)
        assert (answer.text, answer.streamed, answer.unreadable) == (ANSWER, True, ())


async def test_llama_index_streaming_responses_later(recorded: Recorder) -> None:
    """The asynchronous one."""
    schema = library("llama_index.core.base.response.schema")

    async def pieces() -> Any:
        for piece in PIECES:
            yield piece

    async def consume(given: Any) -> None:
        assert str(await given.get_response()) == ANSWER

    answer = await recorded.later(lambda: schema.AsyncStreamingResponse(response_gen=pieces()), consume)
    assert (answer.text, answer.streamed, answer.unreadable) == (ANSWER, True, ())


def test_llama_index_chat_engine(recorded: Recorder) -> None:
    """A thread writes its stream; what is not written when it is returned is traced when it is asked for."""
    core = library("llama_index.core")
    library("tiktoken")
    core.Settings.llm = library("llama_index.core.llms").MockLLM(max_tokens=3)
    engines = library("llama_index.core.chat_engine")
    engine = engines.SimpleChatEngine.from_defaults()

    def consume(given: Any) -> None:
        assert "".join(given.response_gen)
        assert type(given) is library("llama_index.core.chat_engine.types").StreamingAgentChatResponse

    answer = recorded(lambda: engine.stream_chat("When does water boil?"), consume)
    assert answer.text
    assert answer.unreadable == ()


def test_haystack(recorded: Recorder) -> None:
    """Messages, what generators and answer builders give, alone and in a pipeline's outputs."""
    dataclasses = library("haystack.dataclasses")
    usage = {"prompt_tokens": TOKENS[0], "completion_tokens": TOKENS[1]}
    meta = {"id": "chatcmpl-1", "model": MODEL, "finish_reason": "stop", "usage": usage}
    message = dataclasses.ChatMessage.from_assistant(ANSWER, meta=meta)
    built = dataclasses.GeneratedAnswer(data=ANSWER, query="When?", documents=[], meta=meta)
    for outputs in ({"replies": [message]}, {"replies": [ANSWER], "meta": [meta]}, {"answers": [built]}):
        assert_complete(recorded(lambda outputs=outputs: outputs), id_="chatcmpl-1")
        assert_complete(recorded(lambda outputs=outputs: {"retriever": {}, "llm": outputs}), id_="chatcmpl-1")
    assert_complete(recorded(lambda: message), id_="chatcmpl-1")
