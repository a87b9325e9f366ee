"""Sends traces over 4 connections, closed loop or at a fixed rate; one JSON line at the end.

In the open loop a latency counts from the scheduled moment, so that a stalled server cannot hide its queue.
"""

from __future__ import annotations

import argparse
import http.client
import json
import threading
import time
from collections.abc import Callable
from typing import cast

from tests.bench.ingest.traces import requests

EXPORT = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
CONNECTIONS = 4


def sender(address: str, protocol: str) -> Callable[[bytes], bool]:
    """Sends one body at a time over a connection of its own; whether it was acked."""
    if protocol == "http":
        connection = http.client.HTTPConnection(address, timeout=60)
        return lambda body: post(connection, body)
    import grpc

    channel = grpc.insecure_channel(address, [("grpc.use_local_subchannel_pool", 1)])
    export = cast("Callable[..., bytes]", channel.unary_unary(EXPORT))

    def call(body: bytes) -> bool:
        try:
            export(body, timeout=60)
        except grpc.RpcError:
            return False
        return True

    return call


def post(connection: http.client.HTTPConnection, body: bytes) -> bool:
    """Whether the body was acked."""
    connection.request("POST", "/v1/traces", body, {"Content-Type": "application/x-protobuf"})
    answer = connection.getresponse()
    answer.read()
    return answer.status == http.HTTPStatus.OK


def main() -> None:
    """Make the bodies, open the connections, then start the clock."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--endpoint", required=True)
    parser.add_argument("--protocol", required=True, choices=["http", "grpc"])
    parser.add_argument("--traces", type=int, required=True)
    parser.add_argument("--batch", type=int, default=20, help="traces a request")
    parser.add_argument("--rate", type=float, default=0, help="traces a second; 0 is as fast as acks allow")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--passages", type=int, default=0, help="passages to draw from; 0: all differ")
    options = parser.parse_args()
    bodies = list(requests(options.traces, options.batch, options.seed, passages=options.passages))
    senders = [sender(options.endpoint, options.protocol) for _ in range(CONNECTIONS)]
    for send in senders:
        send(b"")
    numbers, lock = iter(range(len(bodies))), threading.Lock()
    latencies: list[float] = []
    began, wall_clock = time.perf_counter(), time.time()

    def work(send: Callable[[bytes], bool]) -> None:
        while True:
            with lock:
                number = next(numbers, None)
            if number is None:
                return
            due = began + number * options.batch / options.rate if options.rate else time.perf_counter()
            time.sleep(max(0.0, due - time.perf_counter()))
            if send(bodies[number]):
                with lock:
                    latencies.append(time.perf_counter() - due)

    threads = [threading.Thread(target=work, args=(send,)) for send in senders]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    ranked = sorted(latencies) or [0.0]
    found = {
        "began": wall_clock,
        "seconds": time.perf_counter() - began,
        "acked": len(latencies) * options.batch,
        "ack_p50_ms": 1e3 * ranked[len(ranked) // 2],
        "ack_p99_ms": 1e3 * ranked[int(len(ranked) * 0.99)],
        "refused": len(bodies) - len(latencies),
        "wire_bytes": sum(map(len, bodies)) / options.traces,
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
