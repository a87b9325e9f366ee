"""Chooses the tracer by environment: ``TRACING=ragvigil`` (the default) or ``TRACING=openinference``."""

from __future__ import annotations

import os

if os.environ.get("TRACING", "ragvigil") == "openinference":
    from tracing_openinference import trace_generator, trace_rag, trace_retriever
else:
    from ragvigil.tracer import configure, trace_generator, trace_rag, trace_retriever

    configure()

__all__ = ["trace_generator", "trace_rag", "trace_retriever"]
