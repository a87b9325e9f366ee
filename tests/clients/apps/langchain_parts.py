"""What the LangChain applications are made of: a model, retrievers, prompts, and the instrumentations that see them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from scenario import INPUT_TOKENS, MODEL, OUTPUT_TOKENS
from telemetry import provider

USAGE = {
    "input_tokens": INPUT_TOKENS,
    "output_tokens": OUTPUT_TOKENS,
    "total_tokens": INPUT_TOKENS + OUTPUT_TOKENS,
}
TOKEN_USAGE = {
    "prompt_tokens": INPUT_TOKENS,
    "completion_tokens": OUTPUT_TOKENS,
    "total_tokens": INPUT_TOKENS + OUTPUT_TOKENS,
}


class TinyChat(BaseChatModel):
    """Says its lines in turn: a text, or the arguments of a call of the tool `find_passages`."""

    lines: list[Any]
    model_name: str = MODEL
    broken: bool = False
    said: int = 0

    @property
    def _llm_type(self) -> str:
        return "tiny"

    @property
    def _identifying_params(self) -> dict[str, Any]:
        return {"model_name": self.model_name}

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        return self

    def _next(self) -> Any:
        if self.broken:
            raise ValueError("context window exceeded: 9000 > 8192")
        line = self.lines[min(self.said, len(self.lines) - 1)]
        self.said += 1
        return line

    def _generate(
        self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> ChatResult:
        line = self._next()
        calls = (
            []
            if isinstance(line, str)
            else [{"name": "find_passages", "args": line, "id": f"call_{self.said}"}]
        )
        message = AIMessage(
            content=line if isinstance(line, str) else "",
            tool_calls=calls,
            response_metadata={"model_name": MODEL, "token_usage": TOKEN_USAGE},
            usage_metadata=USAGE,
        )
        return ChatResult(
            generations=[ChatGeneration(message=message)],
            llm_output={"token_usage": TOKEN_USAGE, "model_name": MODEL},
        )

    def _stream(
        self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> Iterator[Any]:
        line = self._next()
        for place in range(0, len(line), 7):
            yield ChatGenerationChunk(message=AIMessageChunk(content=line[place : place + 7]))
        yield ChatGenerationChunk(message=AIMessageChunk(content="", usage_metadata=USAGE))


class TinyRetriever(BaseRetriever):
    """Finds what the scenario says, or as asked for, less."""

    scenarios: list[Any]
    ids: bool = True
    empty: bool = False
    broken: bool = False

    def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
        if self.broken:
            raise ConnectionError("index 'ferry' unreachable")
        known = [each for each in self.scenarios if each.question == query]
        found = () if self.empty else (known or self.scenarios)[0].passages
        return [
            Document(
                page_content=each.text,
                **({"id": each.id, "metadata": {"score": each.score}} if self.ids else {}),
            )
            for each in found
        ]


class Rerank(BaseRetriever):
    """Turns the order of another retriever round and keeps two, as contextual compression does."""

    base: Any

    def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
        return self.base.invoke(query, config={"callbacks": run_manager.get_child()})[::-1][:2]


def numbered(documents: list[Document]) -> str:
    return "\n".join(f"[{place}] {each.page_content}" for place, each in enumerate(documents, 1))


def plain(documents: list[Document]) -> str:
    return "\n\n".join(each.page_content for each in documents)


PROMPT = ChatPromptTemplate.from_messages([("system", "Answer from:\n{context}"), ("user", "{question}")])
ONE_PROMPT = ChatPromptTemplate.from_template(
    "Use the context.\n\nContext:\n{context}\n\nQuestion: {question}\n\nAnswer:"
)


def instrument() -> None:
    """Switch on the instrumentations that the environment names, joined by `+`."""
    names = os.environ.get("INSTRUMENTATION", "openinference").split("+")
    tracers = provider() if names != ["mlflow"] and names != ["zero_code"] else None
    for name in names:
        _instrument(name, tracers)


def _instrument(name: str, tracers: Any) -> None:
    if name == "openinference":
        from openinference.instrumentation.langchain import LangChainInstrumentor

        LangChainInstrumentor().instrument(tracer_provider=tracers)
    elif name == "openinference_openai":
        from openinference.instrumentation.openai import OpenAIInstrumentor

        OpenAIInstrumentor().instrument(tracer_provider=tracers)
    elif name == "openllmetry":
        from opentelemetry.instrumentation.langchain import LangchainInstrumentor

        LangchainInstrumentor().instrument(tracer_provider=tracers)
    elif name == "genai":
        from opentelemetry.instrumentation.genai.langchain import LangChainInstrumentor as GenAIInstrumentor

        os.environ["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"] = "SPAN_ONLY"
        GenAIInstrumentor().instrument(tracer_provider=tracers)
    elif name == "mlflow":
        import mlflow

        mlflow.langchain.autolog()
