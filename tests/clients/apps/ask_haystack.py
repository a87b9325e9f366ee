"""Haystack applications: `python ask_haystack.py CASE`, instrumented as `INSTRUMENTATION` says."""

import asyncio
import contextlib
import os
from typing import Any

from haystack import Document, Pipeline, component
from haystack.components.builders import AnswerBuilder, ChatPromptBuilder, PromptBuilder
from haystack.components.joiners import DocumentJoiner
from haystack.dataclasses import ChatMessage, StreamingChunk
from scenario import API, FARE, FERRY, INPUT_TOKENS, MODEL, OUTPUT_TOKENS, TRAIN, Scenario
from telemetry import provider, run

META = {
    "model": MODEL,
    "finish_reason": "stop",
    "usage": {"prompt_tokens": INPUT_TOKENS, "completion_tokens": OUTPUT_TOKENS},
}


@component
class SiteRetriever:
    """Finds what the scenario says."""

    def __init__(self, scenario: Scenario, empty: bool = False, broken: bool = False) -> None:
        self.scenario, self.empty, self.broken = scenario, empty, broken

    @component.output_types(documents=list[Document])
    def run(self, query: str, top_k: int = 10) -> dict[str, Any]:
        if self.broken:
            raise ConnectionError("index 'ferry' unreachable")
        found = () if self.empty else self.scenario.passages
        return {
            "documents": [
                Document(id=each.id, content=each.text, score=each.score, meta={"page": 4}) for each in found
            ][:top_k]
        }


@component
class VectorRetriever:
    """The same by a vector that an embedder makes."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario

    @component.output_types(documents=list[Document])
    def run(self, query_embedding: list[float]) -> dict[str, Any]:
        return {
            "documents": [
                Document(id=each.id, content=each.text, score=each.score) for each in self.scenario.passages
            ]
        }


@component
class TinyTextEmbedder:
    """A vector of any text."""

    @component.output_types(embedding=list[float])
    def run(self, text: str) -> dict[str, Any]:
        return {"embedding": [0.25] * 4}


@component
class TurnRanker:
    """Turns the order round and keeps two."""

    @component.output_types(documents=list[Document])
    def run(self, query: str, documents: list[Document], top_k: int = 2) -> dict[str, Any]:
        kept = list(reversed(documents))[:top_k]
        return {
            "documents": [
                Document(id=each.id, content=each.content, score=0.9 - place / 10)
                for place, each in enumerate(kept)
            ]
        }


@component
class TinyChatGenerator:
    """Says its lines in turn."""

    def __init__(self, lines: list[str], broken: bool = False) -> None:
        self.lines, self.broken, self.said = lines, broken, 0

    @component.output_types(replies=list[ChatMessage])
    def run(
        self, messages: list[ChatMessage], streaming_callback: Any = None, tools: Any = None
    ) -> dict[str, Any]:
        if self.broken:
            raise ValueError("context window exceeded: 9000 > 8192")
        self.said += 1
        line = self.lines[min(self.said, len(self.lines)) - 1]
        if streaming_callback:
            for place in range(0, len(line), 5):
                streaming_callback(StreamingChunk(content=line[place : place + 5]))
        if isinstance(line, dict):
            from haystack.dataclasses import ToolCall

            return {
                "replies": [
                    ChatMessage.from_assistant(
                        tool_calls=[ToolCall("search_site", line, id="call_1")], meta=META
                    )
                ]
            }
        return {"replies": [ChatMessage.from_assistant(line, meta=META)]}


@component
class TinyGenerator:
    """The same by one prompt."""

    def __init__(self, line: str) -> None:
        self.line = line

    @component.output_types(replies=list[str], meta=list[dict[str, Any]])
    def run(self, prompt: str) -> dict[str, Any]:
        return {"replies": [self.line], "meta": [META]}


CHAT = [
    ChatMessage.from_system("Answer from the passages."),
    ChatMessage.from_user(
        "{% for d in documents %}[{{ loop.index }}] {{ d.content }}\n{% endfor %}\nQuestion: {{ query }}\nAnswer:"
    ),
]
TEXT = "Passages:\n{% for d in documents %}{{ d.content }}\n{% endfor %}\nQuestion: {{ query }}\nAnswer:"


def chat_pipeline(
    scenario: Scenario,
    *,
    retriever: Any = None,
    ranker: bool = False,
    broken: bool = False,
    kind: Any = Pipeline,
) -> Any:
    """Retrieve, maybe rerank, prompt, answer."""
    pipeline = kind()
    pipeline.add_component("retriever", retriever or SiteRetriever(scenario))
    pipeline.add_component("prompt", ChatPromptBuilder(template=CHAT, required_variables="*"))
    pipeline.add_component("llm", TinyChatGenerator([scenario.answer], broken))
    source = "retriever.documents"
    if ranker:
        pipeline.add_component("ranker", TurnRanker())
        pipeline.connect(source, "ranker.documents")
        source = "ranker.documents"
    pipeline.connect(source, "prompt.documents")
    pipeline.connect("prompt.prompt", "llm.messages")
    return pipeline


def ask(scenario: Scenario, **options: Any) -> Any:
    names = ("retriever", "prompt", *(("ranker",) if options.get("ranker") else ()))
    return chat_pipeline(scenario, **options).run({name: {"query": scenario.question} for name in names})


def text_pipeline() -> Any:
    """A generator of texts, and a builder that joins answer and documents."""
    pipeline = Pipeline()
    pipeline.add_component("retriever", SiteRetriever(API))
    pipeline.add_component("prompt", PromptBuilder(template=TEXT, required_variables="*"))
    pipeline.add_component("llm", TinyGenerator(API.answer))
    pipeline.add_component("answers", AnswerBuilder())
    pipeline.connect("retriever", "prompt.documents")
    pipeline.connect("prompt", "llm")
    pipeline.connect("llm.replies", "answers.replies")
    pipeline.connect("llm.meta", "answers.meta")
    pipeline.connect("retriever", "answers.documents")
    return pipeline.run({name: {"query": API.question} for name in ("retriever", "prompt", "answers")})


def hybrid() -> Any:
    """Words and vectors are searched, then joined and reranked."""
    pipeline = Pipeline()
    pipeline.add_component("words", SiteRetriever(FERRY))
    pipeline.add_component("embedder", TinyTextEmbedder())
    pipeline.add_component("vectors", VectorRetriever(FARE))
    pipeline.add_component("joiner", DocumentJoiner())
    pipeline.add_component("ranker", TurnRanker())
    pipeline.add_component("prompt", ChatPromptBuilder(template=CHAT, required_variables="*"))
    pipeline.add_component("llm", TinyChatGenerator([FERRY.answer]))
    for start, end in (
        ("embedder.embedding", "vectors.query_embedding"),
        ("words.documents", "joiner.documents"),
        ("vectors.documents", "joiner.documents"),
        ("joiner.documents", "ranker.documents"),
        ("ranker.documents", "prompt.documents"),
        ("prompt.prompt", "llm.messages"),
    ):
        pipeline.connect(start, end)
    question = FERRY.question
    return pipeline.run(
        {
            "words": {"query": question},
            "embedder": {"text": question},
            "ranker": {"query": question},
            "prompt": {"query": question},
        }
    )


def joined() -> Any:
    """Two indexes, joined, no reranker."""
    pipeline = Pipeline()
    pipeline.add_component("words", SiteRetriever(FERRY))
    pipeline.add_component("more", SiteRetriever(FARE))
    pipeline.add_component("joiner", DocumentJoiner(sort_by_score=True))
    pipeline.add_component("prompt", ChatPromptBuilder(template=CHAT, required_variables="*"))
    pipeline.add_component("llm", TinyChatGenerator([FERRY.answer]))
    pipeline.connect("words.documents", "joiner.documents")
    pipeline.connect("more.documents", "joiner.documents")
    pipeline.connect("joiner.documents", "prompt.documents")
    pipeline.connect("prompt.prompt", "llm.messages")
    return pipeline.run({name: {"query": FERRY.question} for name in ("words", "more", "prompt")})


def asynchronous() -> Any:
    try:
        from haystack import AsyncPipeline
    except ImportError:
        AsyncPipeline = Pipeline
    pipeline = chat_pipeline(TRAIN, kind=AsyncPipeline)
    return asyncio.run(
        pipeline.run_async({name: {"query": TRAIN.question} for name in ("retriever", "prompt")})
    )


def streamed() -> Any:
    pipeline = chat_pipeline(TRAIN)
    return pipeline.run(
        {
            "retriever": {"query": TRAIN.question},
            "prompt": {"query": TRAIN.question},
            "llm": {"streaming_callback": lambda chunk: None},
        }
    )


def agent() -> Any:
    """The model calls a tool that finds passages, and answers from them."""
    from haystack.components.agents import Agent
    from haystack.tools import Tool

    search = Tool(
        name="search_site",
        description="Search the ferry company's site.",
        parameters={"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
        function=lambda query: FERRY.numbered(),
    )
    made = Agent(
        chat_generator=TinyChatGenerator([{"query": "dernier bateau Groix"}, FERRY.answer]), tools=[search]
    )
    made.warm_up()
    return made.run(messages=[ChatMessage.from_user(FERRY.question)])


def caught(case: Any) -> Any:
    def tried() -> None:
        with contextlib.suppress(Exception):  # the pipeline wraps what its component raises
            case()

    return tried


def conversation() -> None:
    from opentelemetry import trace

    with trace.get_tracer("desk").start_as_current_span("chat"):
        for scenario in (FERRY, FARE):
            ask(scenario)


CASES = {
    "plain": lambda: ask(FERRY),
    "reranked": lambda: ask(FERRY, ranker=True),
    "text": text_pipeline,
    "hybrid": hybrid,
    "joined": joined,
    "async": asynchronous,
    "stream": streamed,
    "agent": agent,
    "empty": lambda: ask(FERRY, retriever=SiteRetriever(FERRY, empty=True)),
    "conversation": conversation,
    "retriever_error": caught(lambda: ask(FERRY, retriever=SiteRetriever(FERRY, broken=True))),
    "model_error": caught(lambda: ask(TRAIN, broken=True)),
}


def instrument() -> None:
    """Switch on the instrumentation that the environment names."""
    name = os.environ.get("INSTRUMENTATION", "openinference")
    if name == "zero_code":
        return
    made = provider()
    if name == "openinference":
        from openinference.instrumentation.haystack import HaystackInstrumentor

        HaystackInstrumentor().instrument(tracer_provider=made)
    elif name == "openllmetry":
        from opentelemetry.instrumentation.haystack import HaystackInstrumentor

        HaystackInstrumentor().instrument(tracer_provider=made)
    else:
        from haystack import tracing

        try:
            from haystack_integrations.tracing.opentelemetry import OpenTelemetryTracer
        except ImportError:
            from haystack.tracing import OpenTelemetryTracer
        tracing.tracer.is_content_tracing_enabled = name != "haystack_silent"
        tracing.enable_tracing(OpenTelemetryTracer(made.get_tracer("haystack")))


if __name__ == "__main__":
    instrument()
    run(CASES)
