"""Decorators that trace a RAG service without slowing, blocking or breaking it.

>>> from ragvigil.tracer import trace_generator, trace_rag, trace_retriever

Decorate the function that answers, the one that searches and the one that writes; call ``configure`` once to
send their spans to ragvigil, or leave it out to use the service's own OpenTelemetry provider.
"""

from __future__ import annotations

from ragvigil.tracer._configure import Tracing, configure
from ragvigil.tracer._context import RequestContext, context
from ragvigil.tracer._decorators import trace_generator, trace_rag, trace_reranker, trace_retriever
from ragvigil.tracer._settings import Limits

__all__ = [
    "Limits",
    "RequestContext",
    "Tracing",
    "configure",
    "context",
    "trace_generator",
    "trace_rag",
    "trace_reranker",
    "trace_retriever",
]
