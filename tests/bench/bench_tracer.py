"""What tracing costs a service: our decorators beside spans written by hand with the same content, and peers.

One request is a root, a retriever of ten passages of 1 kB, and a generator. Blocks are interleaved in one
process. The figures are ratios of CPU time, which other programs on the machine move little; wall is for scale. Peers
are installed in throw-away environments. Run it with ``python tests/bench/bench_tracer.py [--no-peers]``.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.bench.tracer_cost.broken import broken_cost
from tests.bench.tracer_cost.calls import call_cost, export_cost
from tests.bench.tracer_cost.loading import import_cost
from tests.bench.tracer_cost.peers_cost import peers_cost
from tests.bench.tracer_cost.quiet import quiet_cost
from tests.bench.tracer_cost.streams import memory_of_a_long_stream, stream_cost


def main() -> None:
    """Print the table."""
    quiet_cost()
    call_cost()
    export_cost()
    stream_cost()
    memory_of_a_long_stream()
    import_cost()
    broken_cost()  # last: for half a minute after it, calls outside of a request are passed by
    if "--no-peers" not in sys.argv:
        peers_cost()


if __name__ == "__main__":
    main()
