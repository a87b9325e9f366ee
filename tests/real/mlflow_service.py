"""A small RAG service traced by MLflow's own SDK: three answers, one that looks like a number, one failure.

Runs in MLflow's venv, so it imports nothing of ours.
"""

# mypy: disable-error-code="import-not-found, untyped-decorator, no-any-return"
# pyright: basic, reportMissingImports=false

import contextlib
from typing import Any

import mlflow
from mlflow.entities import Document, SpanType

PASSAGES = [
    Document(page_content="Part 7 costs 10 euros.", metadata={"doc_uri": "p7", "score": 0.9}, id="p7"),
    Document(page_content="Part 8 costs 11 euros.", metadata={"doc_uri": "p8"}, id="p8"),
]


@mlflow.trace(span_type=SpanType.RETRIEVER)
def retrieve(query: str) -> Any:
    """Find passages."""
    return PASSAGES


@mlflow.trace(span_type=SpanType.CHAT_MODEL)
def chat(messages: list[dict[str, str]]) -> dict[str, Any]:
    """Answer as a provider does."""
    span = mlflow.get_current_active_span()
    span.set_attribute("mlflow.llm.model", "tiny-chat-1")
    usage = {"input_tokens": 61, "output_tokens": 17, "total_tokens": 78}
    span.set_attribute("mlflow.chat.tokenUsage", usage)
    reply = {"role": "assistant", "content": "Part 7 costs 10 euros [p7]."}
    return {"model": "tiny-chat-1-2026", "choices": [{"message": reply}]}


@mlflow.trace(span_type=SpanType.LLM)
def count(query: str) -> str:
    """Answer with a number as a text."""
    return "42"


@mlflow.trace(span_type=SpanType.CHAIN)
def answer(query: str) -> str:
    """Search and answer."""
    mlflow.update_current_trace(
        metadata={"mlflow.trace.session": "session-9", "mlflow.trace.user": "reader-4"}
    )
    found = retrieve(query)
    reply = chat([{"role": "user", "content": f"{query}\n{found[0].page_content}"}])
    return reply["choices"][0]["message"]["content"]


@mlflow.trace(span_type=SpanType.CHAIN)
def number(query: str) -> str:
    """Search and count."""
    retrieve(query)
    return count(query)


@mlflow.trace(span_type=SpanType.CHAIN)
def broken(query: str) -> None:
    """Fail."""
    raise TimeoutError("index did not answer")


mlflow.set_experiment("native")
for _ in range(3):
    answer("What does part 7 cost?")
number("How many parts?")
with contextlib.suppress(TimeoutError):
    broken("What?")
mlflow.flush_trace_async_logging()
