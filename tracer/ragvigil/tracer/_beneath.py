"""Spans of vendors' clients beneath LangChain's, whose instrumentation does not make its spans current.

Without a parent each model call would be a request of its own, and its tokens would count twice.
"""

from __future__ import annotations

import sys
from contextvars import ContextVar
from importlib import import_module
from types import MappingProxyType
from typing import Any
from uuid import UUID

from opentelemetry.context import Context
from opentelemetry.sdk.trace import Tracer, TracerProvider
from opentelemetry.trace import Span, get_current_span, set_span_in_context
from opentelemetry.trace import Tracer as AnyTracer

from ragvigil.tracer._notices import notices

_INSTRUMENTATION = "openinference.instrumentation.langchain"
_BESIDE = "a vendor's call may stand beside LangChain's"
_model_run: ContextVar[UUID | None] = ContextVar("ragvigil_langchain_model_run", default=None)
"""LangChain's id of the model call around; it may be over, as a streamed one leaves it in its reader's context."""


class VendorsProvider(TracerProvider):
    """Makes tracers whose spans look for LangChain's around them."""

    def get_tracer(self, *args: Any, **kwargs: Any) -> AnyTracer:
        """As the SDK's provider does."""
        tracer = super().get_tracer(*args, **kwargs)
        if type(tracer) is Tracer:
            # By its class: OpenInference calls the function that it finds there, with a proxy around the tracer.
            tracer.__class__ = _VendorsTracer
        return tracer


class _VendorsTracer(Tracer):
    def start_span(self, name: str, context: Context | None = None, *args: Any, **kwargs: Any) -> Span:
        return Tracer.start_span(self, name, _around(context), *args, **kwargs)


def _around(context: Context | None) -> Context | None:
    """The context with LangChain's open model call, or where nothing else is around, its open chain; never raises."""
    try:
        module = sys.modules.get(_INSTRUMENTATION)
        if module is None:
            return context
        instrumentor: Any = module.LangChainInstrumentor()
        if not instrumentor.is_instrumented_by_opentelemetry:
            return context
        run = _model_run.get()
        span = None if run is None else instrumentor.get_span(run)
        if span is None and not get_current_span(context).get_span_context().is_valid:
            span = module.get_current_span()
        return context if span is None else set_span_in_context(span, context)
    except (Exception, SystemExit) as error:
        notices.say(_BESIDE, error)
        return context


def follow_langchain() -> None:
    """Note LangChain's model calls from now on, in the context of each; never raises."""
    try:
        base: Any = import_module("langchain_core.callbacks").BaseCallbackHandler
        # Run inline: LangChain's other handlers see an asynchronous call in another thread's context.
        handler: Any = type("RagvigilModelRuns", (base,), {**_NOTING, "run_inline": True})()
        given: ContextVar[Any] = ContextVar("ragvigil_langchain_handler", default=handler)
        import_module("langchain_core.tracers.context").register_configure_hook(given, inheritable=True)
    except (Exception, SystemExit) as error:
        notices.say(_BESIDE, error)


def _note(_handler: object, _serialized: object, _prompts: object, *, run_id: UUID, **_: object) -> None:
    _model_run.set(run_id)


_NOTING = MappingProxyType({"on_chat_model_start": _note, "on_llm_start": _note})
