"""How fast the receiving role stores what it is sent, and what that costs. Prints a table; asserts nothing.

    python tests/bench/bench_ingest.py [--traces N] [--rounds N] [--json]

Server on core 0, load on core 1, loopback only. A trace is 4 spans and about 14.7 kB; "stored" means committed
before the ack. RAGVIGIL_BENCH_TOOLS may name a folder with ``loadgen.py`` and ``floor_server.py`` (the cheapest
receiver that parses and commits one SQLite row a span before the ack); then the load comes from there and the
floor runs in turn with ours, so that the ratios hold on a noisy machine. Open-loop runs always use the small
generator of this file, whose connections are open before the clock starts. RAGVIGIL_BENCH_PYTHON is the
interpreter for the floor when it needs packages of its own.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import socket
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import cast

import grpc
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from ragvigil.scorer.inbox import InboxReader

SERVER_CORE, LOAD_CORE = 0, 1
SPANS_PER_TRACE = 4
EXPORT = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
TICKS = os.sysconf("SC_CLK_TCK")

RECEIVER = """
import asyncio, sys
from pathlib import Path
from ragvigil.scorer.config import load
from ragvigil.scorer.receive.serve import receive

async def main():
    free = {"grpc": "127.0.0.1:0", "http": "127.0.0.1:0"}
    settings = load(overrides={"receive": free, "inbox": {"path": Path(sys.argv[1])}})
    await receive(settings, ready=lambda bound: print(bound.http, bound.grpc, flush=True), stop=asyncio.Event())

asyncio.run(main())
"""


@dataclass(frozen=True, slots=True)
class Run:
    """One server under one load."""

    server: str
    protocol: str
    load: str
    traces_per_second: float
    ack_p50_ms: float
    ack_p99_ms: float
    cpu_per_10k_spans: float
    rss_idle_mb: float
    rss_peak_mb: float
    start_seconds: float
    errors: int
    missing: int
    """Acked traces that are not in the server's file."""


@dataclass(slots=True)
class Server:
    """A server process, its addresses by protocol, and how to count what it stored."""

    name: str
    process: subprocess.Popen[str]
    addresses: dict[str, str]
    stored_traces: Callable[[], float]
    start_seconds: float = 0.0

    def cpu_seconds(self) -> float:
        """User and system time so far."""
        stat = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(stat[11]) + int(stat[12])) / TICKS

    def memory_mb(self, field: str) -> float:
        """VmRSS or VmHWM."""
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith(field):
                return int(line.split()[1]) / 1024
        return 0.0


def spawn(command: list[str], core: int, **environment: str) -> subprocess.Popen[str]:
    """A process on one core, its standard output piped."""
    plain = {key: value for key, value in os.environ.items() if not key.startswith("RAGVIGIL_")}
    pin = (
        ["taskset", "-c", str(core)]
        if (os.cpu_count() or 1) > core and Path("/usr/bin/taskset").exists()
        else []
    )
    return subprocess.Popen([*pin, *command], stdout=subprocess.PIPE, text=True, env={**plain, **environment})


@contextmanager
def ragvigil(folder: Path) -> Generator[Server]:
    """Our receiving role on an empty inbox."""
    began = time.perf_counter()
    with spawn([sys.executable, "-c", RECEIVER, str(folder)], SERVER_CORE) as process:
        try:
            assert process.stdout is not None
            http_address, grpc_address = process.stdout.readline().split()
            server = Server(
                "ragvigil",
                process,
                {"http": http_address, "grpc": grpc_address},
                lambda: rows_in_inbox(folder),
            )
            send_one(http_address)
            server.start_seconds = time.perf_counter() - began
            yield server
        finally:
            process.terminate()


@contextmanager
def floor(folder: Path, protocol: str, tools: Path) -> Generator[Server]:
    """The cheapest durable receiver: parse, one row a span, commit, ack."""
    folder.mkdir(parents=True, exist_ok=True)
    file, port = folder / "floor.db", free_port()
    kind = "uvicorn" if protocol == "http" else "grpc_aio"
    python = os.environ.get("RAGVIGIL_BENCH_PYTHON", sys.executable)
    began = time.perf_counter()
    command = [python, str(tools / "floor_server.py"), kind, str(port), "storefull"]
    with spawn(command, SERVER_CORE, FLOOR_DB=str(file)) as process:
        try:
            address = f"127.0.0.1:{port}"
            wait_until_open(address, process)
            yield Server(
                "floor",
                process,
                {protocol: address},
                lambda: rows_in_floor(file),
                time.perf_counter() - began,
            )
        finally:
            process.terminate()


def rows_in_inbox(folder: Path) -> float:
    """Rows, of which there is one a trace, without the one of the first ack."""
    with closing(InboxReader(folder)) as reader:
        return reader.backlog()[0] - 1


def rows_in_floor(file: Path) -> float:
    """Rows, of which there is one a span."""
    with closing(sqlite3.connect(file)) as connection:
        rows: int = connection.execute("select count(*) from spans").fetchone()[0]
    return rows / SPANS_PER_TRACE


def free_port() -> int:
    """A port that was free a moment ago."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
        return port


def wait_until_open(address: str, process: subprocess.Popen[str]) -> None:
    """Poll until it listens."""
    host, _, port = address.rpartition(":")
    deadline = time.monotonic() + 20
    while True:
        try:
            socket.create_connection((host, int(port)), timeout=1).close()
        except OSError:
            if process.poll() is not None or time.monotonic() > deadline:
                raise SystemExit("the floor server did not start; see RAGVIGIL_BENCH_PYTHON") from None
            time.sleep(0.005)
        else:
            return


def send_one(address: str) -> None:
    """One span, acked."""
    request = ExportTraceServiceRequest()
    request.resource_spans.add().scope_spans.add().spans.add(trace_id=b"1" * 16, span_id=b"1" * 8)
    with closing(http.client.HTTPConnection(address, timeout=10)) as connection:
        post(connection, request.SerializeToString())


def post(connection: http.client.HTTPConnection, body: bytes) -> bool:
    """Whether the body was acked."""
    connection.request("POST", "/v1/traces", body, {"Content-Type": "application/x-protobuf"})
    answer = connection.getresponse()
    answer.read()
    return answer.status == http.HTTPStatus.OK


def load_command(address: str, protocol: str, traces: int, rate: float, tools: Path | None) -> list[str]:
    """The process that sends; ours when there are no tools."""
    script = [str(tools / "loadgen.py")] if tools else [__file__, "--as-load"]
    batch = 5 if rate else 20
    options = {"endpoint": address, "protocol": protocol, "traces": traces, "rate": rate, "batch": batch}
    return [sys.executable, *script, *(f"--{key}={value}" for key, value in options.items())]


def measure(server: Server, protocol: str, traces: int, rate: float, tools: Path | None) -> Run:
    """The server under that load."""
    idle, before, stored = server.memory_mb("VmRSS"), server.cpu_seconds(), server.stored_traces()
    with spawn(load_command(server.addresses[protocol], protocol, traces, rate, tools), LOAD_CORE) as load:
        output, _ = load.communicate(timeout=300)
    sent = json.loads(output.splitlines()[-1])
    spans = max(1.0, sent["acked_traces"] * SPANS_PER_TRACE)
    return Run(
        server=server.name,
        protocol=protocol,
        load=f"{rate:g} traces/s" if rate else "closed loop",
        traces_per_second=sent["traces_s"],
        ack_p50_ms=sent["ack_p50_ms"],
        ack_p99_ms=sent["ack_p99_ms"],
        cpu_per_10k_spans=(server.cpu_seconds() - before) / spans * 10_000,
        rss_idle_mb=idle,
        rss_peak_mb=server.memory_mb("VmHWM"),
        start_seconds=server.start_seconds,
        errors=sum(sent["errors"].values()),
        missing=round(sent["acked_traces"] - (server.stored_traces() - stored)),
    )


def compare(traces: int, rounds: int, tools: Path | None) -> list[Run]:
    """Floor and ours in turn, then ours at fixed rates."""
    runs: list[Run] = []
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        for number in range(rounds):
            for protocol in ("http", "grpc"):
                place = scratch / f"{number}-{protocol}"
                if tools and (tools / "floor_server.py").exists():
                    with floor(place / "floor", protocol, tools) as server:
                        runs.append(measure(server, protocol, traces, 0, tools))
                with ragvigil(place / "inbox") as server:
                    runs.append(measure(server, protocol, traces, 0, tools))
        for rate in (30, 500):
            with ragvigil(scratch / f"rate-{rate}") as server:
                runs += [measure(server, protocol, rate * 10, rate, None) for protocol in ("http", "grpc")]
    return runs


def report(runs: list[Run]) -> None:
    """The medians of each kind of run, and ours over the floor's."""
    columns = "{:<9} {:<5} {:<14} {:>9} {:>9} {:>8} {:>8} {:>9} {:>9} {:>8} {:>7} {:>6} {:>7}"
    titles = ("server", "proto", "load", "traces/s", "spans/s", "p50 ms", "p99 ms", "CPU s/10k", "RSS idle")
    print(columns.format(*titles, "peak MB", "start s", "errors", "missing"))
    rates: dict[tuple[str, str], tuple[float, float]] = {}
    for kind in dict.fromkeys((run.server, run.protocol, run.load) for run in runs):
        same = [run for run in runs if (run.server, run.protocol, run.load) == kind]
        middle = {
            name: statistics.median(value)
            for name in asdict(same[0])
            if all(isinstance(value[0], (int, float)) for value in [[getattr(run, name) for run in same]])
            for value in [[getattr(run, name) for run in same]]
        }
        rate, cpu = middle["traces_per_second"], middle["cpu_per_10k_spans"]
        if kind[2] == "closed loop":
            rates[kind[0], kind[1]] = rate, cpu
        print(
            columns.format(
                *kind,
                f"{rate:,.0f}",
                f"{rate * SPANS_PER_TRACE:,.0f}",
                f"{middle['ack_p50_ms']:.1f}",
                f"{middle['ack_p99_ms']:.1f}",
                f"{cpu:.3f}",
                f"{middle['rss_idle_mb']:.0f}",
                f"{middle['rss_peak_mb']:.0f}",
                f"{middle['start_seconds']:.2f}",
                sum(run.errors for run in same),
                sum(run.missing for run in same),
            )
        )
    for protocol in ("http", "grpc"):
        ours, theirs = rates.get(("ragvigil", protocol)), rates.get(("floor", protocol))
        if ours and theirs:
            print(
                f"{protocol}: {ours[0] / theirs[0]:.0%} of the floor's rate, {ours[1] / theirs[1]:.2f} x its CPU"
            )


def body_of(batch: int) -> bytes:
    """A request of `batch` traces with ten passages of 1 kB each and an answer of 1 kB."""
    request = ExportTraceServiceRequest()
    scope = request.resource_spans.add().scope_spans.add()
    text = "the retrieval service returned evidence about water pressure " * 17
    for trace in range(1, batch + 1):
        for number, name in enumerate(("embed", "retrieve", "generate", "rag"), 1):
            span = scope.spans.add(
                trace_id=trace.to_bytes(16, "big"), span_id=bytes((number,)) * 8, name=name
            )
            span.attributes.add(key="input.value").value.string_value = text[:120]
            if name in ("generate", "rag"):
                span.attributes.add(key="output.value").value.string_value = text[:1_000]
            for rank in range(10 if name == "retrieve" else 0):
                key = f"retrieval.documents.{rank}.document.content"
                span.attributes.add(key=key).value.string_value = text[:1_000]
    return request.SerializeToString()


def sender(address: str, protocol: str) -> Callable[[bytes], bool]:
    """Sends one body at a time over a connection of its own."""
    if protocol == "http":
        connection = http.client.HTTPConnection(address, timeout=30)
        return lambda body: post(connection, body)
    channel = grpc.insecure_channel(address, [("grpc.use_local_subchannel_pool", 1)])
    export = cast("Callable[..., bytes]", channel.unary_unary(EXPORT))

    def call(body: bytes) -> bool:
        try:
            export(body, timeout=30)
        except grpc.RpcError:
            return False
        return True

    return call


def send_load(options: argparse.Namespace) -> None:
    """The small load generator: the same body again and again over 4 connections; one JSON line at the end."""
    body, requests = body_of(options.batch), options.traces // options.batch
    numbers, lock = iter(range(requests)), threading.Lock()
    latencies: list[float] = []
    senders = [sender(options.endpoint, options.protocol) for _ in range(4)]
    for send in senders:
        send(b"")
    began = time.perf_counter()

    def work(send: Callable[[bytes], bool]) -> None:
        while True:
            with lock:
                number = next(numbers, None)
            if number is None:
                return
            due = began + number * options.batch / options.rate if options.rate else time.perf_counter()
            time.sleep(max(0.0, due - time.perf_counter()))
            acked = send(body)
            with lock:
                if acked:
                    latencies.append(time.perf_counter() - due)

    threads = [threading.Thread(target=work, args=(send,)) for send in senders]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    acked, wall = len(latencies) * options.batch, time.perf_counter() - began
    ranked = sorted(latencies) or [0.0]
    found = {
        "acked_traces": acked,
        "traces_s": acked / wall,
        "ack_p50_ms": 1e3 * ranked[len(ranked) // 2],
        "ack_p99_ms": 1e3 * ranked[int(len(ranked) * 0.99)],
        "errors": {"refused": requests - len(latencies)},
    }
    print(json.dumps(found))


def main() -> None:
    """Parse, measure, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--traces", type=int, default=20_000, help="traces of a closed-loop run")
    parser.add_argument("--rounds", type=int, default=3, help="interleaved rounds")
    parser.add_argument("--json", action="store_true", help="one JSON object a run instead of the table")
    hidden = parser.add_argument_group("when run as load")
    hidden.add_argument("--as-load", action="store_true", help=argparse.SUPPRESS)
    hidden.add_argument("--endpoint", help=argparse.SUPPRESS)
    hidden.add_argument("--protocol", help=argparse.SUPPRESS)
    hidden.add_argument("--rate", type=float, default=0, help=argparse.SUPPRESS)
    hidden.add_argument("--batch", type=int, default=20, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.as_load:
        send_load(options)
        return
    tools = os.environ.get("RAGVIGIL_BENCH_TOOLS")
    runs = compare(options.traces, options.rounds, Path(tools) if tools else None)
    if options.json:
        for run in runs:
            print(json.dumps(asdict(run)))
    else:
        report(runs)


if __name__ == "__main__":
    main()
