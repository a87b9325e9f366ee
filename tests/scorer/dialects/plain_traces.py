"""The plain trace of the tests as each vendor's tracer would send it."""

from __future__ import annotations

from ragvigil.scorer.span import Span

from .conftest import ANSWER, PASSAGES, QUESTION, as_json, span

PAGES = [{"id": key, "page_content": text, "metadata": {"score": score}} for key, text, score in PASSAGES]
HITS = [{"id": key, "content": text, "score": score} for key, text, score in PASSAGES]
CONTEXT = "\n".join(f"[{place}] {text}" for place, (_, text, _) in enumerate(PASSAGES, 1))
ASKING = [{"role": "system", "content": CONTEXT}, {"role": "user", "content": QUESTION}]
PARTS = [
    {"role": message["role"], "parts": [{"type": "text", "content": message["content"]}]}
    for message in ASKING
]
SAID = [{"role": "assistant", "parts": [{"type": "text", "content": ANSWER}]}]
CHOICES = {"choices": [{"message": {"role": "assistant", "content": ANSWER}}]}
LC_PAGES = [
    {"lc": 1, "type": "constructor", "id": ["langchain", "Document"], "kwargs": {**page, "type": "Document"}}
    for page in PAGES
]
LC_ASKING = {
    "messages": [
        [
            {"lc": 1, "type": "constructor", "kwargs": {"content": CONTEXT, "type": "system"}},
            {"lc": 1, "type": "constructor", "kwargs": {"content": QUESTION, "type": "human"}},
        ]
    ]
}
LC_SAID = {"generations": [[{"text": ANSWER, "message": {"kwargs": {"content": ANSWER, "type": "ai"}}}]]}
CHAT: dict[str, object] = {
    "gen_ai.operation.name": "chat",
    "gen_ai.request.model": "tiny-chat-1",
    "gen_ai.usage.input_tokens": 20,
    "gen_ai.usage.output_tokens": 5,
}


def steps(
    root: dict[str, object],
    search: dict[str, object],
    chat: dict[str, object],
    *,
    scope: str = "app",
    name: str = "x",
) -> list[Span]:
    """A root, a search and a model call."""
    return [
        span("a1", root, start=1, end=99, scope=scope, name=name if name != "x" else "rag"),
        span("a2", search, parent="a1", start=2, end=20, scope=scope),
        span("a3", chat, parent="a1", start=21, end=90, scope=scope),
    ]


LANGFUSE = steps(
    {
        "langfuse.observation.type": "span",
        "langfuse.observation.input": as_json({"args": [QUESTION], "kwargs": {}}),
        "langfuse.observation.output": ANSWER,
        "langfuse.environment": "production",
    },
    {
        "langfuse.observation.type": "retriever",
        "langfuse.observation.input": as_json({"args": [QUESTION], "kwargs": {}}),
        "langfuse.observation.output": as_json(HITS),
    },
    {
        "langfuse.observation.type": "generation",
        "langfuse.observation.input": as_json(ASKING),
        "langfuse.observation.output": ANSWER,
        "langfuse.observation.model.name": "tiny-chat-1",
        "langfuse.observation.usage_details": as_json({"input": 20, "output": 5}),
    },
    scope="langfuse-sdk",
)
MLFLOW = steps(
    {
        "mlflow.spanType": '"CHAIN"',
        "mlflow.spanInputs": as_json({"q": QUESTION, "fast": False}),
        "mlflow.spanOutputs": as_json(ANSWER),
    },
    {
        "mlflow.spanType": '"RETRIEVER"',
        "mlflow.spanInputs": as_json({"q": QUESTION}),
        "mlflow.spanOutputs": as_json(PAGES),
    },
    {
        "mlflow.spanType": '"CHAT_MODEL"',
        "mlflow.spanInputs": as_json({"messages": ASKING}),
        "mlflow.spanOutputs": as_json(CHOICES),
        "mlflow.llm.model": '"tiny-chat-1"',
        "mlflow.chat.tokenUsage": as_json({"input_tokens": 20, "output_tokens": 5}),
    },
    scope="mlflow.tracing.provider",
)
LANGSMITH = steps(
    {
        "langsmith.span.kind": "chain",
        "gen_ai.operation.name": "chain",
        "gen_ai.prompt": as_json({"input": QUESTION}),
        "gen_ai.completion": as_json({"output": ANSWER}),
    },
    {
        "langsmith.span.kind": "retriever",
        "gen_ai.operation.name": "embeddings",
        "gen_ai.prompt": as_json({"query": QUESTION}),
        "gen_ai.completion": as_json({"documents": PAGES}),
    },
    {
        **CHAT,
        "langsmith.span.kind": "llm",
        "gen_ai.prompt": as_json(LC_ASKING),
        "gen_ai.completion": as_json(LC_SAID),
    },
    scope="langsmith",
)
OPENLLMETRY = steps(
    {
        "traceloop.span.kind": "workflow",
        "traceloop.entity.input": as_json({"inputs": QUESTION}),
        "traceloop.entity.output": as_json({"outputs": ANSWER}),
    },
    {
        "traceloop.span.kind": "task",
        "gen_ai.operation.name": "vector_db_retrieve",
        "traceloop.entity.input": as_json({"query": QUESTION, "tags": []}),
        "traceloop.entity.output": as_json({"documents": PAGES}),
    },
    {
        **CHAT,
        "gen_ai.request.model": "unknown",
        "gen_ai.response.model": "tiny-chat-1",
        "gen_ai.input.messages": as_json(PARTS),
        "gen_ai.output.messages": as_json(SAID),
    },
    scope="opentelemetry.instrumentation.langchain",
)
HAYSTACK = steps(
    {"haystack.pipeline.input_data": as_json({"retriever": {"query": QUESTION}})},
    {
        "haystack.component.type": "InMemoryBM25Retriever",
        "haystack.component.output_spec": as_json({"documents": {"type": "list"}}),
        "haystack.component.input": as_json({"query": QUESTION}),
        "haystack.component.output": as_json({"documents": HITS}),
    },
    {
        "haystack.component.type": "TinyChatGenerator",
        "haystack.component.output_spec": as_json({"replies": {"type": "list"}}),
        "haystack.component.input": as_json(
            {"messages": [{"role": "user", "content": [{"text": QUESTION}]}]}
        ),
        "haystack.component.output": as_json(
            {
                "replies": [
                    {
                        "role": "assistant",
                        "content": [{"text": ANSWER}],
                        "meta": {
                            "model": "tiny-chat-1",
                            "usage": {"prompt_tokens": 20, "completion_tokens": 5},
                        },
                    }
                ]
            }
        ),
    },
    name="haystack.pipeline.run",
)
PYDANTIC_AI = steps(
    {
        "gen_ai.operation.name": "invoke_agent",
        "pydantic_ai.all_messages": as_json(PARTS),
        "final_result": ANSWER,
        "gen_ai.aggregated_usage.input_tokens": 20,
    },
    {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "retrieve",
        "tool_arguments": as_json({"search_query": "ferry"}),
        "tool_response": as_json(HITS),
        "logfire.msg": "running tool: retrieve",
    },
    {**CHAT, "gen_ai.input.messages": as_json(PARTS), "gen_ai.output.messages": as_json(SAID)},
    scope="pydantic-ai",
)
VERCEL_AI = steps(
    {
        "ai.operationId": "ai.generateText",
        "ai.prompt": as_json({"system": "Be brief.", "prompt": QUESTION}),
        "ai.response.text": ANSWER,
        "ai.usage.inputTokens": 20,
        "ai.usage.outputTokens": 5,
    },
    {
        "ai.operationId": "ai.toolCall",
        "ai.toolCall.name": "searchFerries",
        "ai.toolCall.args": as_json({"query": "ferry"}),
        "ai.toolCall.result": as_json(HITS),
    },
    {
        "ai.operationId": "ai.generateText.doGenerate",
        "ai.prompt.messages": as_json([{"role": "user", "content": [{"type": "text", "text": QUESTION}]}]),
        "ai.response.text": ANSWER,
        "ai.model.id": "tiny-chat-1",
        "ai.usage.promptTokens": 20,
        "ai.usage.completionTokens": 5,
    },
    scope="ai",
)
OTEL_GENAI = steps(
    {"http.request.method": "POST"},
    {
        "gen_ai.operation.name": "retrieval",
        "gen_ai.retrieval.query.text": QUESTION,
        "gen_ai.retrieval.documents": HITS,
    },
    {**CHAT, "gen_ai.input.messages": PARTS, "gen_ai.output.messages": as_json(SAID)},
)
PLAIN = {
    "langfuse": LANGFUSE,
    "mlflow": MLFLOW,
    "langsmith": LANGSMITH,
    "openllmetry": OPENLLMETRY,
    "haystack": HAYSTACK,
    "pydantic_ai": PYDANTIC_AI,
    "vercel_ai": VERCEL_AI,
    "otel_genai": OTEL_GENAI,
}
