"""An application traced by a vendor's decorators: `python ask_by_decorators.py CASE`, vendor in `INSTRUMENTATION`."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Callable, Iterator
from typing import Any

from scenario import API, FARE, FERRY, INPUT_TOKENS, MODEL, OUTPUT_TOKENS, TRAIN, Scenario
from telemetry import provider, run

VENDOR = os.environ.get("INSTRUMENTATION", "langfuse")


def traced(kind: str, name: str | None = None) -> Callable[[Any], Any]:
    """The vendor's decorator of a root, a retriever or a model call."""
    if VENDOR == "langfuse":
        from langfuse import observe

        types = {
            "root": "span",
            "retriever": "retriever",
            "reranker": "chain",
            "model": "generation",
            "tool": "tool",
        }
        if not hasattr(observe, "__self__") and "3.0" in __import__("importlib.metadata").metadata.version(
            "langfuse"
        ):
            return observe(as_type="generation" if kind == "model" else None, name=name)
        return observe(as_type=types[kind], name=name)
    if VENDOR == "mlflow":
        import mlflow

        types = {
            "root": "CHAIN",
            "retriever": "RETRIEVER",
            "reranker": "RERANKER",
            "model": "CHAT_MODEL",
            "tool": "TOOL",
        }
        return mlflow.trace(span_type=types[kind], name=name)
    from langsmith import traceable

    types = {
        "root": "chain",
        "retriever": "retriever",
        "reranker": "retriever",
        "model": "llm",
        "tool": "tool",
    }
    return traceable(run_type=types[kind], name=name)


def report_usage() -> None:
    """What the model call tells its vendor about model and tokens."""
    if VENDOR == "langfuse":
        from langfuse import get_client

        usage = {"input": INPUT_TOKENS, "output": OUTPUT_TOKENS}
        get_client().update_current_generation(model=MODEL, usage_details=usage)
    elif VENDOR == "mlflow":
        import mlflow

        span = mlflow.get_current_active_span()
        span.set_attribute("mlflow.llm.model", MODEL)
        usage = {"input_tokens": INPUT_TOKENS, "output_tokens": OUTPUT_TOKENS, "total_tokens": 78}
        span.set_attribute("mlflow.chat.tokenUsage", usage)
    else:
        from langsmith import get_current_run_tree

        usage = {"input_tokens": INPUT_TOKENS, "output_tokens": OUTPUT_TOKENS, "total_tokens": 78}
        get_current_run_tree().add_metadata(
            {"usage_metadata": usage, "ls_model_name": MODEL, "ls_provider": "tiny"}
        )


def shaped(scenario: Scenario, shape: str) -> Any:
    """The passages in one of the shapes in which applications keep them."""
    if shape == "pages":
        return [
            {"page_content": each.text, "type": "Document", "metadata": {"id": each.id, "score": each.score}}
            for each in scenario.passages
        ]
    if shape == "chroma":
        return {
            "ids": [[each.id for each in scenario.passages]],
            "documents": [[each.text for each in scenario.passages]],
            "distances": [[each.score for each in scenario.passages]],
        }
    if shape == "hits":
        return {
            "matches": [
                {"id": each.id, "score": each.score, "metadata": {"text": each.text}}
                for each in scenario.passages
            ]
        }
    if shape == "pairs":
        return [({"doc_id": each.id, "text": each.text}, each.score) for each in scenario.passages]
    if shape == "texts":
        return [each.text for each in scenario.passages]
    return [{"id": each.id, "content": each.text, "score": each.score} for each in scenario.passages]


def ask(
    scenario: Scenario,
    shape: str = "plain",
    *,
    broken: bool = False,
    rerank: bool = False,
    messages: bool = True,
) -> Any:
    """Retrieve, maybe rerank, answer."""

    @traced("retriever")
    def find(query: str, top_k: int = 3) -> Any:
        if broken:
            raise ConnectionError("index 'ferry' unreachable")
        return shaped(scenario, shape)

    @traced("reranker")
    def reorder(query: str, documents: list[Any]) -> Any:
        return list(reversed(documents))[:2]

    @traced("model")
    def complete(messages: Any) -> str:
        report_usage()
        return scenario.answer

    @traced("root", "ask")
    def root(question: str, user: str = "anonymous") -> str:
        found = find(question)
        found = reorder(question, found) if rerank else found
        prompt = f"Context:\n{scenario.plain()}\n\nQuestion: {question}"
        return complete(
            [{"role": "system", "content": "Be brief."}, {"role": "user", "content": prompt}]
            if messages
            else prompt
        )

    return root(scenario.question)


def streamed(scenario: Scenario) -> None:
    @traced("retriever")
    def find(query: str) -> Any:
        return shaped(scenario, "plain")

    @traced("model")
    def complete(messages: Any) -> Iterator[str]:
        report_usage()
        for place in range(0, len(scenario.answer), 6):
            yield scenario.answer[place : place + 6]

    @traced("root", "ask")
    def root(question: str) -> Iterator[str]:
        find(question)
        yield from complete([{"role": "user", "content": question}])

    list(root(scenario.question))


def as_dictionary(scenario: Scenario) -> Any:
    """Question and answer in mappings, the sources beside the answer; asynchronous."""

    @traced("retriever")
    async def find(request: dict[str, Any]) -> Any:
        return shaped(scenario, "plain")

    @traced("model")
    async def complete(prompt: str, temperature: float = 0.0) -> dict[str, Any]:
        report_usage()
        return {"role": "assistant", "content": scenario.answer}

    @traced("root", "ask")
    async def root(request: dict[str, Any]) -> Any:
        found = await find(request)
        reply = await complete(f"Context:\n{scenario.plain()}\n\nQuestion: {request['question']}")
        return {"answer": reply["content"], "sources": [each["id"] for each in found]}

    return asyncio.run(root({"question": scenario.question, "language": "fr", "user_id": "u-2"}))


def conversation() -> None:
    """Two turns in one trace."""

    @traced("root", "conversation")
    def talk() -> None:
        ask(FERRY)
        ask(FARE)

    talk()


def with_session() -> None:
    if VENDOR == "langfuse":
        import langfuse

        if hasattr(langfuse, "propagate_attributes"):
            with langfuse.propagate_attributes(session_id="s-4", user_id="u-4"):
                ask(API)
        else:
            client = langfuse.get_client()
            with client.start_as_current_span(name="request"):
                client.update_current_trace(session_id="s-4", user_id="u-4")
                ask(API)
    elif VENDOR == "langsmith":
        from langsmith import tracing_context

        with tracing_context(enabled=True, metadata={"session_id": "s-4", "user_id": "u-4"}):
            ask(API)
    else:
        ask(API)


def caught(case: Callable[[], Any]) -> Callable[[], None]:
    def tried() -> None:
        with contextlib.suppress(ConnectionError):
            case()

    return tried


CASES = {
    "plain": lambda: ask(FERRY),
    "pages": lambda: ask(TRAIN, "pages"),
    "hits": lambda: ask(API, "hits"),
    "pairs": lambda: ask(FARE, "pairs"),
    "texts": lambda: ask(FARE, "texts"),
    "chroma": lambda: ask(FERRY, "chroma"),
    "one_prompt": lambda: ask(API, messages=False),
    "reranked": lambda: ask(FERRY, rerank=True),
    "stream": lambda: streamed(TRAIN),
    "dictionary": lambda: as_dictionary(FERRY),
    "conversation": conversation,
    "session": with_session,
    "retriever_error": caught(lambda: ask(FERRY, broken=True)),
}


if __name__ == "__main__":
    if VENDOR == "langfuse":
        os.environ.setdefault("LANGFUSE_PUBLIC_KEY", "pk")
        os.environ.setdefault("LANGFUSE_SECRET_KEY", "sk")
        os.environ.setdefault("LANGFUSE_HOST", os.environ["OTEL_EXPORTER_OTLP_ENDPOINT"])
    elif VENDOR == "langsmith":
        provider()
    run(CASES)
    if VENDOR == "langfuse":
        from langfuse import get_client

        get_client().flush()
    elif VENDOR == "langsmith":
        from langsmith import Client

        Client().flush()
