"""The service's own provider of spans."""

from __future__ import annotations

import os
from collections.abc import Mapping

from opentelemetry import trace
from opentelemetry.trace import ProxyTracerProvider, TracerProvider

_api: Mapping[str, object] = vars(trace)
_asked = trace.get_tracer_provider
_by_name = "OTEL_PYTHON_TRACER_PROVIDER" in os.environ


def global_provider() -> TracerProvider | None:
    """The global provider; None while the service has set none.

    Where there is none, ``get_tracer_provider`` reads the environment in each call, which costs as much as a span's
    start does.
    """
    if _api.get("_TRACER_PROVIDER", _api) is None and not _by_name and trace.get_tracer_provider is _asked:
        return None
    provider = trace.get_tracer_provider()
    return None if isinstance(provider, ProxyTracerProvider) else provider
