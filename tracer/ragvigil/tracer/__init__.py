"""Decorators that trace a RAG service without slowing, blocking or breaking it.

>>> from ragvigil.tracer import trace_generator, trace_rag, trace_retriever

Decorate the function that answers, the one that searches and the one that writes; call ``configure`` once to
send their spans to ragvigil, or leave it out to use the service's own OpenTelemetry provider. Code that cannot
be decorated has the ``…_span`` blocks and the ``record_…`` functions.
"""

from __future__ import annotations

from ragvigil.tracer._blocks import (
    Block,
    generator_span,
    rag_span,
    record_generation,
    record_request,
    record_retrieval,
    reranker_span,
    retriever_span,
)
from ragvigil.tracer._configure import Tracing, configure
from ragvigil.tracer._context import RequestContext, context
from ragvigil.tracer._decorators import trace_generator, trace_rag, trace_reranker, trace_retriever
from ragvigil.tracer._feedback import current_trace_id, in_context, record_feedback, record_retry
from ragvigil.tracer._instrumenting import Instrumented, instrument, uninstrument
from ragvigil.tracer._settings import Limits

__all__ = [
    "Block",
    "Instrumented",
    "Limits",
    "RequestContext",
    "Tracing",
    "configure",
    "context",
    "current_trace_id",
    "generator_span",
    "in_context",
    "instrument",
    "rag_span",
    "record_feedback",
    "record_generation",
    "record_request",
    "record_retrieval",
    "record_retry",
    "reranker_span",
    "retriever_span",
    "trace_generator",
    "trace_rag",
    "trace_reranker",
    "trace_retriever",
    "uninstrument",
]
