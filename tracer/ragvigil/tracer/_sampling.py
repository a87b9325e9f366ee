"""How often the service's own sampler keeps what it sees, so that whoever counts its spans can weigh them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from opentelemetry import trace

_RATIO = r"TraceIdRatioBased\{([\d.eE+-]+)\}"


@dataclass(slots=True)
class Sampling:
    """How often the service's own provider records, as its sampler describes itself; None when always or unknown."""

    _provider: object = None
    _probability: float | None = field(default=None)

    def probability(self) -> float | None:
        """The probability of the global provider's sampler, when it is one below 1."""
        provider = trace.get_tracer_provider()
        if provider is not self._provider:
            self._provider, self._probability = provider, _probability(provider)
        return self._probability


def _probability(provider: object) -> float | None:
    describe = getattr(getattr(provider, "sampler", None), "get_description", None)
    found = re.search(_RATIO, str(describe())) if callable(describe) else None
    given = float(found[1]) if found else None
    return given if given is not None and 0 < given < 1 else None


sampling = Sampling()
"""What is known of the service's own sampling."""
