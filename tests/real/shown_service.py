"""A small service traced by our decorators, sent to where the environment says."""

from __future__ import annotations

import os

from ragvigil.tracer import configure, context, trace_generator, trace_rag, trace_retriever

QUESTION = "When does water boil?"
PASSAGES = (
    ("p1", "Water boils at 100 °C at sea level.", 0.875),
    ("p2", "Ice melts at 0 °C.", 0.5),
)
ANSWER = "At 100 °C [p1]."


@trace_retriever(source="manual")
def search(query: str) -> list[tuple[str, str, float]]:
    """The passages."""
    return list(PASSAGES)


@trace_generator(model="tiny-chat-1", provider="openai")
def write(question: str, passages: list[tuple[str, str, float]]) -> dict[str, object]:
    """The answer, as a vendor gives it."""
    return {"answer": ANSWER, "model": "tiny-chat-1", "usage": {"input_tokens": 61, "output_tokens": 17}}


@trace_rag
def ask(question: str) -> str:
    """One request."""
    context(conversation_id="c-42", user_id="ana")
    return str(write(question, search(question))["answer"])


if __name__ == "__main__":
    tracing = configure(openinference=os.environ.get("MORE") == "openinference")
    ask(QUESTION)
    assert tracing.flush(timeout_seconds=120)
