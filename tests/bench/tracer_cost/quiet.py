"""Three decorators when nothing is recorded: no provider, switched off, configure() failed."""

from __future__ import annotations

import os

from tests.bench.tracer_cost.clock import plain_cost, row
from tests.bench.tracer_cost.content import ANSWER
from tests.bench.tracer_cost.decorated import decorated

from ragvigil.tracer import configure


def quiet_cost() -> None:
    """Over the cost of a bare call."""
    plain = plain_cost(lambda: ANSWER)
    ask = decorated().request
    row("three decorators, no provider", f"{plain_cost(ask) - plain:.2f} us")
    os.environ["RAGVIGIL_DISABLED"] = "1"
    try:
        off = decorated().request
        row(
            "three functions, RAGVIGIL_DISABLED=1",
            f"{plain_cost(off) - plain:.2f} us",
            "the calls themselves",
        )
    finally:
        del os.environ["RAGVIGIL_DISABLED"]
    configure(service_name="bench", endpoint="no scheme")
    row("three decorators, configure() failed", f"{plain_cost(ask) - plain:.2f} us")
