"""The request with spans written by hand, as a careful engineer would: the floor."""

from __future__ import annotations

import json

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter
from opentelemetry.trace import SpanKind
from tests.bench.tracer_cost.clock import Contestant
from tests.bench.tracer_cost.content import ANSWER, PASSAGES, QUESTION


def by_hand(exporter: SpanExporter) -> Contestant:
    """The request through the SDK's batch processor; its queue drops nothing of a block."""
    provider = TracerProvider(resource=Resource({"service.name": "bench"}), shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(exporter))
    tracer = provider.get_tracer("bench")

    def retrieval() -> list[dict[str, object]]:
        with tracer.start_as_current_span("retrieval kb", kind=SpanKind.CLIENT) as span:
            found = PASSAGES
            rows = [{"id": row["id"], "score": row["score"], "content": row["text"]} for row in found]
            span.set_attribute("gen_ai.operation.name", "retrieval")
            span.set_attribute("openinference.span.kind", "RETRIEVER")
            span.set_attribute("gen_ai.data_source.id", "kb")
            span.set_attribute("gen_ai.retrieval.query.text", QUESTION)
            span.set_attribute("gen_ai.retrieval.top_k", 10)
            documents = json.dumps(rows, ensure_ascii=False, separators=(",", ":"))
            span.set_attribute("gen_ai.retrieval.documents", documents)
            return found

    def message(role: str, text: str) -> str:
        parts = [{"role": role, "parts": [{"type": "text", "content": text}]}]
        return json.dumps(parts, ensure_ascii=False, separators=(",", ":"))

    def generation() -> str:
        with tracer.start_as_current_span("chat m", kind=SpanKind.CLIENT) as span:
            answer = ANSWER
            span.set_attribute("gen_ai.operation.name", "chat")
            span.set_attribute("openinference.span.kind", "LLM")
            span.set_attribute("gen_ai.request.model", "m")
            span.set_attribute("gen_ai.input.messages", message("user", QUESTION))
            span.set_attribute("gen_ai.output.messages", message("assistant", answer))
            return answer

    def request() -> str:
        with tracer.start_as_current_span("invoke_workflow ask") as span:
            span.set_attribute("gen_ai.operation.name", "invoke_workflow")
            span.set_attribute("openinference.span.kind", "CHAIN")
            span.set_attribute("gen_ai.workflow.name", "ask")
            span.set_attribute("input.value", QUESTION)
            retrieval()
            answer = generation()
            span.set_attribute("output.value", answer)
            return answer

    async def request_async() -> str:
        async def retrieve() -> list[dict[str, object]]:
            return retrieval()

        async def generate() -> str:
            return generation()

        with tracer.start_as_current_span("invoke_workflow ask") as span:
            span.set_attribute("gen_ai.operation.name", "invoke_workflow")
            span.set_attribute("openinference.span.kind", "CHAIN")
            span.set_attribute("gen_ai.workflow.name", "ask")
            span.set_attribute("input.value", QUESTION)
            await retrieve()
            answer = await generate()
            span.set_attribute("output.value", answer)
            return answer

    return Contestant("by hand", request, request_async, provider.force_flush)
