"""Python's OTLP exporters: `python ask_exporters.py rag`, exporter (grpc, http) in `INSTRUMENTATION`."""

from __future__ import annotations

import json
import os

from scenario import FERRY, INPUT_TOKENS, MODEL, OUTPUT_TOKENS
from telemetry import provider, run


def said(role: str, text: str) -> str:
    """One message as the GenAI conventions write it."""
    return json.dumps([{"role": role, "parts": [{"type": "text", "content": text}]}])


def rag() -> None:
    """A service that instruments itself with the GenAI conventions."""
    tracer = provider().get_tracer("ferry-site")
    documents = [{"id": each.id, "content": each.text, "score": each.score} for each in FERRY.passages]
    with tracer.start_as_current_span("ask", attributes={"gen_ai.operation.name": "invoke_workflow"}):
        with tracer.start_as_current_span("retrieval site") as search:
            search.set_attribute("gen_ai.operation.name", "retrieval")
            search.set_attribute("gen_ai.retrieval.query.text", FERRY.question)
            search.set_attribute("gen_ai.retrieval.documents", json.dumps(documents))
        with tracer.start_as_current_span(f"chat {MODEL}") as chat:
            chat.set_attribute("gen_ai.operation.name", "chat")
            chat.set_attribute("gen_ai.request.model", MODEL)
            chat.set_attribute("gen_ai.input.messages", said("user", FERRY.question))
            chat.set_attribute("gen_ai.output.messages", said("assistant", FERRY.answer))
            chat.set_attribute("gen_ai.usage.input_tokens", INPUT_TOKENS)
            chat.set_attribute("gen_ai.usage.output_tokens", OUTPUT_TOKENS)


if __name__ == "__main__":
    os.environ["OTEL_EXPORTER_OTLP_PROTOCOL"] = os.environ.get("INSTRUMENTATION", "http")
    run({"rag": rag})
