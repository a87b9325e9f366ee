"""Which application is run with which instrumentation, and the records that must come of it."""

from __future__ import annotations

from dataclasses import dataclass

from tests.clients.apps.scenario import (
    API,
    FARE,
    FERRY,
    INPUT_TOKENS,
    MODEL,
    OUTPUT_TOKENS,
    TRAIN,
    Passage,
    Scenario,
)

from ragvigil.scorer.trace import Document, RagTrace

TURNED = (
    Passage(FERRY.passages[2].id, FERRY.passages[2].text, 0.9),
    Passage(FERRY.passages[1].id, FERRY.passages[1].text, 0.8),
)
"""What the applications' rerankers make of the first scenario."""


@dataclass(frozen=True)
class Case:
    """One run of one application, and its one record as the application's author knows it."""

    environment: str
    """`current`, `sdks` (clients that pin other versions), `earlier` (packages of June 2025), `node` or `mastra`."""
    instrumentation: str
    app: str
    name: str
    scenario: Scenario
    passages: tuple[Passage, ...] | None = None
    """What the model was shown, where it differs from the scenario."""
    ids: bool = True
    """Whether the wire carries the passages' ids and scores."""
    calls: int = 1
    """Model calls; 0 where none reports its tokens."""
    model: str | None = MODEL
    session: str | None = None
    user: str | None = None
    answered: bool = True
    error: tuple[str, str] | None = None
    """Type and place."""
    streaming: bool | None = None

    @property
    def id(self) -> str:
        """Name of the case, of its fixture, and of the service that it runs as."""
        return f"{self.environment}-{self.instrumentation}-{self.app}-{self.name}"

    def check(self, record: RagTrace) -> None:
        """Hold the record against what the application did."""
        shown = self.scenario.passages if self.passages is None else self.passages
        assert record.query == self.scenario.question
        assert [_told(document, ids=self.ids) for document in record.documents] == [
            (each.id if self.ids else None, each.text, each.score if self.ids else None) for each in shown
        ]
        assert record.answer == (self.scenario.answer if self.answered else None)
        assert record.model == self.model
        tokens = (INPUT_TOKENS * self.calls, OUTPUT_TOKENS * self.calls) if self.calls else (None, None)
        assert (record.tokens.input, record.tokens.output) == tokens
        assert (record.conversation_id, record.user_id) == (self.session, self.user)
        assert self.error == ((record.error, record.error_where) if record.error else None)
        assert record.streaming is self.streaming
        assert record.completeness == "complete"


def _told(document: Document, *, ids: bool) -> tuple[str | None, str | None, float | None]:
    return (document.id, document.text, document.score) if ids else (None, document.text, None)


def _failed(environment: str, instrumentation: str, app: str, model: str | None = None) -> Case:
    return Case(
        environment,
        instrumentation,
        app,
        "retriever_error",
        FERRY,
        passages=(),
        calls=0,
        model=model,
        answered=False,
        error=("ConnectionError", "retriever"),
    )


CASES = (
    Case("current", "openinference", "langchain", "plain", FERRY, session="s-1", user="u-9"),
    Case("current", "openinference", "langchain", "async_stream", API, streaming=True),
    Case("current", "openinference", "langchain", "by_function", TRAIN),
    Case("current", "openinference", "langchain", "with_context", FARE, session="s-77", user="u-5"),
    Case("current", "openinference", "langchain", "graph", TRAIN, session="t-12"),
    Case("current", "openinference", "langchain", "agent", FERRY, ids=False, calls=2, session="s-8"),
    Case("current", "openinference", "langchain", "retriever_tool", FERRY, calls=3),
    Case("current", "openinference", "langchain", "corrective", FERRY, calls=3),
    _failed("current", "openinference", "langchain"),
    Case("earlier", "openinference", "langchain", "agent", FERRY, ids=False, calls=2, session="s-8"),
    Case("current", "openllmetry", "langchain", "plain", FERRY, session="s-1", user="u-9"),
    Case("current", "openllmetry", "langchain", "stream", TRAIN, model=None, streaming=True),
    Case("current", "openllmetry", "langchain", "retrieval_chain", API),
    Case("current", "openllmetry", "langchain", "agent", FERRY, ids=False, calls=2, session="s-8"),
    Case("current", "genai", "langchain", "plain", FERRY, session="s-1"),
    Case("current", "genai", "langchain", "stream", TRAIN, streaming=True),
    Case("current", "genai", "langchain", "graph", TRAIN, session="t-12"),
    Case("current", "genai", "langchain", "agent", FERRY, ids=False, calls=2, session="s-8"),
    Case("current", "genai", "langchain", "retrieval_qa", TRAIN),
    Case("current", "langsmith", "langchain", "plain", FERRY, session="s-1", user="u-9"),
    Case("current", "langsmith", "langchain", "by_function", TRAIN),
    _failed("current", "langsmith", "langchain"),
    Case("current", "openinference+openllmetry", "langchain", "requested", FERRY),
    Case(
        "current",
        "openinference+openllmetry",
        "langchain",
        "requested_agent",
        FERRY,
        ids=False,
        calls=2,
        session="s-8",
    ),
    Case("current", "openinference+genai", "langchain", "requested_stream", TRAIN, streaming=True),
    Case("current", "openllmetry+genai", "langchain", "requested", FERRY),
    Case("current", "openinference+openinference_openai", "langchain", "requested_by_vendor", FERRY),
    Case("current", "openinference", "llama_index", "reranked", FERRY, passages=TURNED),
    Case("current", "openinference", "llama_index", "session", API, session="s-3", user="u-3"),
    Case("current", "openinference", "llama_index", "context_chat_stream", FERRY, streaming=True),
    Case("current", "openinference", "llama_index", "agent", FERRY, ids=False, calls=2),
    Case("current", "openinference", "llama_index", "engine_tool", FERRY, calls=3),
    _failed("current", "openinference", "llama_index"),
    Case("current", "openllmetry", "llama_index", "reranked", FERRY, passages=TURNED),
    Case("current", "openllmetry", "llama_index", "async", API),
    Case("current", "openllmetry", "llama_index", "by_hand", TRAIN),
    Case("current", "openllmetry", "llama_index", "agent", FERRY, ids=False, calls=2),
    Case("current", "openinference", "haystack", "reranked", FERRY, passages=TURNED),
    Case("current", "openinference", "haystack", "text", API),
    _failed("current", "openinference", "haystack"),
    Case("earlier", "openinference", "haystack", "reranked", FERRY, passages=TURNED),
    _failed("earlier", "openinference", "haystack"),
    Case("current", "native", "haystack", "async", TRAIN),
    Case("current", "native", "haystack", "agent", FERRY, ids=False, calls=2),
    Case("earlier", "native", "haystack", "plain", FERRY),
    _failed("current", "native", "haystack"),
    Case("current", "langfuse", "by_decorators", "session", API, session="s-4", user="u-4"),
    Case("current", "langfuse", "by_decorators", "pairs", FARE),
    Case("earlier", "langfuse", "by_decorators", "plain", FERRY),
    Case("current", "langsmith", "by_decorators", "stream", TRAIN, calls=0),
    Case("current", "zero_code", "langchain", "plain", FERRY, session="s-1", user="u-9"),
    Case("current", "zero_code", "langchain", "by_vendor", FERRY),
    Case("current", "zero_code", "langchain", "by_vendor_traced", FERRY),
    Case("current", "zero_code", "llama_index", "reranked", FERRY, passages=TURNED),
    Case("current", "zero_code", "haystack", "reranked", FERRY, passages=TURNED),
    Case("current", "zero_code", "vendors", "openai", FERRY),
    Case("current", "zero_code", "vendors", "openai_stream", TRAIN, streaming=True),
    Case("current", "zero_code", "vendors", "anthropic", API),
    Case("sdks", "logfire", "pydantic_ai", "tool", FERRY, calls=2, session="s-5"),
    Case("sdks", "logfire", "pydantic_ai", "pasted", API, ids=False, session="s-5"),
    Case("sdks", "logfire", "logfire", "stream", TRAIN, ids=False, streaming=True),
    Case("sdks", "logfire", "logfire", "tool", FERRY, calls=2),
    Case("sdks", "mlflow", "by_decorators", "plain", FERRY),
    Case("sdks", "mlflow", "by_decorators", "stream", TRAIN, streaming=True),
    _failed("sdks", "mlflow", "by_decorators"),
    Case("sdks", "openai_v2", "openai", "plain", FERRY),
    Case("sdks", "openai_v2", "openai", "stream", TRAIN),
    Case("earlier", "openai_v2", "openai", "plain", FERRY),
    Case("node", "ai5", "vercel", "tool_stream", FERRY, calls=2, session="s-6", user="u-6", streaming=True),
    Case("node", "ai6", "vercel", "tool_text", FERRY, ids=False, calls=2, session="s-6", user="u-6"),
    Case("node", "ai7", "vercel", "tool_text", FERRY, ids=False, calls=2),
    Case("node", "ai7", "vercel", "stream", FERRY, ids=False, streaming=True),
    Case("mastra", "exporter", "mastra", "tool", FERRY, calls=2, session="s-6", user="u-6"),
    Case("mastra", "exporter", "mastra", "vector_tool", FERRY, calls=2),
    Case("mastra", "exporter", "mastra", "pasted", FERRY, ids=False),
    Case("mastra", "exporter", "mastra", "workflow", FERRY),
    Case("node", "proto", "exporters", "rag", FERRY),
    Case("node", "json", "exporters", "rag", FERRY),
    Case("node", "grpc", "exporters", "rag", FERRY),
    Case("current", "grpc", "exporters", "rag", FERRY),
    Case("current", "http", "exporters", "rag", FERRY),
)
