"""Runs in a peer's environment: by hand, ours and the peer, interleaved in one process."""

from __future__ import annotations

import json
import sys
from importlib import import_module

from tests.bench.tracer_cost.by_hand import by_hand
from tests.bench.tracer_cost.clock import asynchronous, interleaved, synchronous
from tests.bench.tracer_cost.decorated import decorated
from tests.bench.tracer_cost.sinks import Sink

from ragvigil.tracer import configure


def main() -> None:
    """Print the times and attribute bytes of the three, in this order, as one line of JSON."""
    sinks = [Sink(), Sink(), Sink()]
    peer = import_module(f"tests.bench.tracer_cost.peers.{sys.argv[1]}").peer(sinks[2])
    tracing = configure(service_name="bench", exporter=sinks[1])
    contestants = [by_hand(sinks[0]), decorated(tracing), peer]
    measured = {
        "sync": interleaved(contestants, synchronous),
        "async": interleaved(contestants, asynchronous),
    }
    tracing.shutdown()
    print(json.dumps({**measured, "bytes": [sink.per_request() for sink in sinks]}))


if __name__ == "__main__":
    main()
