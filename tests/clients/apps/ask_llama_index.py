"""LlamaIndex applications: `python ask_llama_index.py CASE`, instrumented as `INSTRUMENTATION` says."""

from __future__ import annotations

import asyncio
import contextlib
import os
from typing import Any

from llama_index.core import MockEmbedding, PromptTemplate, Settings, VectorStoreIndex
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.base.llms.types import ChatMessage, ChatResponse, MessageRole
from llama_index.core.chat_engine import CondensePlusContextChatEngine, ContextChatEngine
from llama_index.core.llms import CompletionResponse, CustomLLM, LLMMetadata
from llama_index.core.llms.callbacks import llm_chat_callback, llm_completion_callback
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.postprocessor import SimilarityPostprocessor
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
from scenario import API, FARE, FERRY, INPUT_TOKENS, MODEL, OUTPUT_TOKENS, TRAIN, Scenario
from telemetry import provider, run

USAGE = {
    "prompt_tokens": INPUT_TOKENS,
    "completion_tokens": OUTPUT_TOKENS,
    "total_tokens": INPUT_TOKENS + OUTPUT_TOKENS,
}


class TinyModel(CustomLLM):
    """Says its lines in turn."""

    lines: list[str]
    said: int = 0
    broken: bool = False

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(context_window=4096, num_output=64, model_name=MODEL)

    def _next(self) -> str:
        if self.broken:
            raise ValueError("context window exceeded: 9000 > 8192")
        self.said += 1
        return self.lines[min(self.said, len(self.lines)) - 1]

    @llm_completion_callback()
    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        return CompletionResponse(text=self._next(), raw={"usage": USAGE, "model": MODEL})

    @llm_completion_callback()
    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Any:
        line = self._next()

        def parts() -> Any:
            for place in range(0, len(line), 5):
                yield CompletionResponse(text=line[: place + 5], delta=line[place : place + 5])

        return parts()


class TinyChatModel(TinyModel):
    """The same by chat messages."""

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(context_window=4096, num_output=64, model_name=MODEL, is_chat_model=True)

    def _reply(self, text: str, delta: str | None = None) -> ChatResponse:
        said = ChatMessage(role=MessageRole.ASSISTANT, content=text)
        return ChatResponse(message=said, delta=delta, raw={"usage": USAGE, "model": MODEL})

    @llm_chat_callback()
    def chat(self, messages: Any, **kwargs: Any) -> ChatResponse:
        return self._reply(self._next())

    @llm_chat_callback()
    def stream_chat(self, messages: Any, **kwargs: Any) -> Any:
        line = self._next()

        def parts() -> Any:
            for place in range(0, len(line), 5):
                yield self._reply(line[: place + 5], line[place : place + 5])

        return parts()

    @llm_chat_callback()
    async def achat(self, messages: Any, **kwargs: Any) -> ChatResponse:
        return self._reply(self._next())

    @llm_chat_callback()
    async def astream_chat(self, messages: Any, **kwargs: Any) -> Any:
        line = self._next()

        async def parts() -> Any:
            for place in range(0, len(line), 5):
                yield self._reply(line[: place + 5], line[place : place + 5])

        return parts()


class Search(BaseRetriever):
    """Finds what the scenario says."""

    def __init__(self, scenario: Scenario, *, empty: bool = False, broken: bool = False) -> None:
        self._scenario, self._empty, self._broken = scenario, empty, broken
        super().__init__()

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        if self._broken:
            raise ConnectionError("index 'ferry' unreachable")
        found = () if self._empty else self._scenario.passages
        return [
            NodeWithScore(node=TextNode(id_=each.id, text=each.text, metadata={"page": 4}), score=each.score)
            for each in found
        ]


class Rerank(BaseNodePostprocessor):
    """Turns the order round and keeps two."""

    def _postprocess_nodes(self, nodes: list[NodeWithScore], query_bundle: Any = None) -> list[NodeWithScore]:
        kept = list(reversed(nodes))[:2]
        return [NodeWithScore(node=each.node, score=0.9 - place / 10) for place, each in enumerate(kept)]


def engine(
    scenario: Scenario, *, chat: bool = True, broken: bool = False, search: Any = None, **options: Any
) -> RetrieverQueryEngine:
    model = (TinyChatModel if chat else TinyModel)(lines=[scenario.answer], broken=broken)
    return RetrieverQueryEngine.from_args(search or Search(scenario), llm=model, **options)


def caught(ask: Any) -> Any:
    def case() -> None:
        with contextlib.suppress(ConnectionError, ValueError):
            ask()

    return case


def vectors() -> Any:
    """An index over embeddings: a retriever with an embedding call below it."""
    Settings.embed_model = MockEmbedding(embed_dim=4)
    nodes = [TextNode(id_=each.id, text=each.text) for each in FERRY.passages]
    index = VectorStoreIndex(nodes)
    return index.as_query_engine(llm=TinyChatModel(lines=[FERRY.answer]), similarity_top_k=3).query(
        FERRY.question
    )


def condensed_chat() -> Any:
    """The second turn is condensed to a question of its own before the search."""
    model = TinyChatModel(lines=["Quel est le prix du bateau de Groix pour un enfant ?", FARE.answer])
    history = [
        ChatMessage(role="user", content=FERRY.question),
        ChatMessage(role="assistant", content=FERRY.answer),
    ]
    memory = ChatMemoryBuffer.from_defaults(chat_history=history, llm=model)
    return CondensePlusContextChatEngine.from_defaults(Search(FARE), llm=model, memory=memory).chat(
        FARE.question
    )


def context_chat(stream: bool = False) -> Any:
    model = TinyChatModel(lines=[FERRY.answer])
    chat = ContextChatEngine.from_defaults(Search(FERRY), llm=model)
    return list(chat.stream_chat(FERRY.question).response_gen) if stream else chat.chat(FERRY.question)


def own_prompt() -> Any:
    template = PromptTemplate("Réponds d'après :\n{context_str}\n\nDemande : {query_str}\nRéponse : ")
    return engine(FERRY, text_qa_template=template).query(FERRY.question)


def by_hand() -> Any:
    """No engine: the application searches, writes the prompt and asks the model itself, under its own span."""
    from opentelemetry import trace

    with trace.get_tracer("gare").start_as_current_span("GET /ask"):
        nodes = Search(TRAIN).retrieve(TRAIN.question)
        context = "\n".join(f"[{place}] {node.get_content()}" for place, node in enumerate(nodes, 1))
        messages = [
            ChatMessage(role="system", content=context),
            ChatMessage(role="user", content=TRAIN.question),
        ]
        return TinyChatModel(lines=[TRAIN.answer]).chat(messages)


async def drained() -> None:
    response = await engine(TRAIN, streaming=True).aquery(TRAIN.question)
    async for _ in response.async_response_gen():
        pass


def conversation() -> None:
    """Two turns below one span of the service."""
    from opentelemetry import trace

    with trace.get_tracer("desk").start_as_current_span("chat"):
        for scenario in (FERRY, FARE):
            engine(scenario).query(scenario.question)


def session() -> Any:
    if os.environ.get("INSTRUMENTATION") != "openinference":
        return engine(API).query(API.question)
    from openinference.instrumentation import using_attributes

    with using_attributes(session_id="s-3", user_id="u-3"):
        return engine(API).query(API.question)


def multi_step() -> Any:
    """Two searches and two answers of parts before the final one."""
    from llama_index.core.query_engine import SubQuestionQueryEngine
    from llama_index.core.question_gen.types import SubQuestion
    from llama_index.core.tools import QueryEngineTool

    class Split:
        def _get_prompts(self) -> Any:
            return {}

        def _get_prompt_modules(self) -> Any:
            return {}

        def get_prompts(self) -> Any:
            return {}

        def generate(self, tools: Any, query: Any) -> Any:
            return [
                SubQuestion(sub_question=FERRY.question, tool_name="ferry"),
                SubQuestion(sub_question=FARE.question, tool_name="fare"),
            ]

        async def agenerate(self, tools: Any, query: Any) -> Any:
            return self.generate(tools, query)

    from llama_index.core import get_response_synthesizer
    from llama_index.core.question_gen.types import BaseQuestionGenerator

    class Splitter(Split, BaseQuestionGenerator):
        def _update_prompts(self, prompts: Any) -> None: ...

    tools = [
        QueryEngineTool.from_defaults(engine(one), name=name, description=name)
        for name, one in (("ferry", FERRY), ("fare", FARE))
    ]
    final = TinyChatModel(lines=["19 h 45, et 22 € pour un enfant."])
    made = SubQuestionQueryEngine.from_defaults(
        tools,
        question_gen=Splitter(),
        response_synthesizer=get_response_synthesizer(llm=final),
        llm=final,
        use_async=False,
        verbose=False,
    )
    return made.query("Horaire et prix enfant ?")


def agent() -> Any:
    """A function-calling agent whose tool is a query engine."""
    from llama_index.core.agent.workflow import ReActAgent
    from llama_index.core.tools import FunctionTool

    def search_site(query: str) -> str:
        """Search the ferry company's site."""
        return FERRY.numbered()

    lines = [
        'Thought: I need a tool.\nAction: search_site\nAction Input: {"query": "dernier bateau Groix"}',
        f"Thought: I can answer without using any more tools.\nAnswer: {FERRY.answer}",
    ]
    made = ReActAgent(
        tools=[FunctionTool.from_defaults(search_site)], llm=TinyChatModel(lines=lines), streaming=False
    )

    async def ask() -> Any:
        return await made.run(FERRY.question)

    return asyncio.run(ask())


def engine_tool() -> Any:
    """An agent whose tool is a whole query engine, with a model of its own."""
    from llama_index.core.agent.workflow import ReActAgent
    from llama_index.core.tools import QueryEngineTool

    made = engine(Scenario("?", FERRY.passages, "19 h 45."))
    lines = [
        'Thought: I need a tool.\nAction: site\nAction Input: {"input": "dernier bateau Groix"}',
        f"Thought: I can answer without using any more tools.\nAnswer: {FERRY.answer}",
    ]
    asking = ReActAgent(
        tools=[QueryEngineTool.from_defaults(made, name="site", description="The ferry company's site.")],
        llm=TinyChatModel(lines=lines),
        streaming=False,
    )

    async def ask() -> Any:
        return await asking.run(FERRY.question)

    return asyncio.run(ask())


CASES = {
    "plain": lambda: engine(FERRY).query(FERRY.question),
    "completion": lambda: engine(TRAIN, chat=False).query(TRAIN.question),
    "stream": lambda: list(engine(TRAIN, streaming=True).query(TRAIN.question).response_gen),
    "completion_stream": lambda: list(
        engine(API, chat=False, streaming=True).query(API.question).response_gen
    ),
    "async": lambda: asyncio.run(engine(API).aquery(API.question)),
    "async_stream": lambda: asyncio.run(drained()),
    "reranked": lambda: engine(FERRY, node_postprocessors=[Rerank()]).query(FERRY.question),
    "cut_off": lambda: engine(
        FERRY, node_postprocessors=[SimilarityPostprocessor(similarity_cutoff=0.4)]
    ).query(FERRY.question),
    "refined": lambda: engine(FERRY, response_mode="refine").query(FERRY.question),
    "summarised": lambda: engine(FERRY, response_mode="tree_summarize").query(FERRY.question),
    "empty": lambda: engine(FERRY, search=Search(FERRY, empty=True)).query(FERRY.question),
    "vectors": vectors,
    "condensed_chat": condensed_chat,
    "context_chat": context_chat,
    "context_chat_stream": lambda: context_chat(stream=True),
    "own_prompt": own_prompt,
    "by_hand": by_hand,
    "conversation": conversation,
    "session": session,
    "multi_step": multi_step,
    "agent": agent,
    "engine_tool": engine_tool,
    "retriever_error": caught(lambda: engine(FERRY, search=Search(FERRY, broken=True)).query(FERRY.question)),
    "model_error": caught(lambda: engine(TRAIN, broken=True).query(TRAIN.question)),
}


def instrument() -> None:
    """Switch on the instrumentation that the environment names."""
    name = os.environ.get("INSTRUMENTATION", "openinference")
    if name == "zero_code":
        return
    if name == "openinference":
        from openinference.instrumentation.llama_index import LlamaIndexInstrumentor
    else:
        from opentelemetry.instrumentation.llamaindex import LlamaIndexInstrumentor
    LlamaIndexInstrumentor().instrument(tracer_provider=provider())


if __name__ == "__main__":
    instrument()
    run(CASES)
