"""The floor: the cheapest receiver that parses and commits one SQLite row a span before the ack.

    python -m tests.bench.ingest.floor http|grpc PORT FILE

No schema, no splitting by trace, no limits, no reading side: what any durable receiver in Python pays at least.
"""

from __future__ import annotations

import asyncio
import sqlite3
import sys
from collections.abc import Awaitable, Callable
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

Store = Callable[[bytes], None]


def store_in(file: str) -> Store:
    """Commits each body to that file."""
    connection = sqlite3.connect(file, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE spans (trace_id, span_id, name, began, ended, span)")

    def store(body: bytes) -> None:
        rows = [
            (
                span.trace_id,
                span.span_id,
                span.name,
                span.start_time_unix_nano,
                span.end_time_unix_nano,
                span.SerializeToString(),
            )
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]
        connection.execute("BEGIN")
        connection.executemany("INSERT INTO spans VALUES (?, ?, ?, ?, ?, ?)", rows)
        connection.execute("COMMIT")

    return store


def serve_http(store: Store, port: int) -> None:
    """An ASGI application of one answer."""
    import uvicorn

    async def app(
        scope: dict[str, Any],
        receive: Callable[[], Awaitable[dict[str, Any]]],
        send: Callable[[dict[str, Any]], Awaitable[None]],
    ) -> None:
        parts, more = list[bytes](), True
        while more:
            message = await receive()
            parts.append(message.get("body", b""))
            more = bool(message.get("more_body"))
        store(b"".join(parts))
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"0")]})
        await send({"type": "http.response.body", "body": b""})

    uvicorn.run(app, port=port, log_level="error", access_log=False, lifespan="off")


async def serve_grpc(store: Store, port: int) -> None:
    """One method on raw bytes."""
    import grpc.aio

    async def export(body: bytes, _: object) -> bytes:
        store(body)
        return b""

    server = grpc.aio.server(options=[("grpc.max_receive_message_length", -1)])
    service = "opentelemetry.proto.collector.trace.v1.TraceService"
    methods: dict[str, grpc.RpcMethodHandler[bytes, bytes]] = {
        "Export": grpc.unary_unary_rpc_method_handler(export)
    }
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, methods),))
    server.add_insecure_port(f"127.0.0.1:{port}")
    await server.start()
    await server.wait_for_termination()


if __name__ == "__main__":
    kept = store_in(sys.argv[3])
    if sys.argv[1] == "http":
        serve_http(kept, int(sys.argv[2]))
    else:
        asyncio.run(serve_grpc(kept, int(sys.argv[2])))
