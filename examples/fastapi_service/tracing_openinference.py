"""The same three decorators made of OpenInference's, for a service that uses it already.

Its exporter reads the same standard ``OTEL_…`` variables as ragvigil's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from openinference.instrumentation import (
    Document,
    Message,
    OITracer,
    TraceConfig,
    TracerProvider,
    get_llm_attributes,
    get_retriever_attributes,
)
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace.export import BatchSpanProcessor

P = ParamSpec("P")
R = TypeVar("R")

provider = TracerProvider()
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
tracer = OITracer(provider.get_tracer(__name__), config=TraceConfig())


def trace_rag(function: Callable[P, R]) -> Callable[P, R]:
    """A CHAIN span."""
    return tracer.chain(function)


def trace_retriever(function: Callable[P, list[Any]]) -> Callable[P, list[Any]]:
    """A RETRIEVER span with its documents; OpenInference's own decorator records only the result's text."""

    @wraps(function)
    def retrieve(*args: P.args, **kwargs: P.kwargs) -> list[Any]:
        found = function(*args, **kwargs)
        documents = [Document(id=one.id, content=one.text, score=one.score) for one in found]
        trace.get_current_span().set_attributes(get_retriever_attributes(documents=documents))
        return found

    return tracer.retriever(retrieve)


def trace_generator(function: Callable[P, str]) -> Callable[P, str]:
    """An LLM span with the question and the answer as messages."""

    def of_input(question: str, _passages: object) -> Mapping[str, Any]:
        return get_llm_attributes(input_messages=[Message(role="user", content=question)])

    def of_output(answer: str) -> Mapping[str, Any]:
        return get_llm_attributes(output_messages=[Message(role="assistant", content=answer)])

    return tracer.llm(process_input=of_input, process_output=of_output)(function)
