"""One server under one load: how fast it stored what it acked, and what that cost."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import dataclass

from tests.bench.ingest.servers import LOAD_CORE, Server, spawn
from tests.bench.ingest.traces import SPANS_PER_TRACE

_STALLED_SECONDS = 30.0
_POLL_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class Run:
    """What was seen."""

    server: str
    protocol: str
    load: str
    stored_per_second: float
    """Traces from the first send until all that was acked can be read from the server's file."""
    acked_per_second: float
    ack_p50_ms: float
    ack_p99_ms: float
    cpu_per_10k_spans: float
    """Seconds, user and system, of all processes of the server until all was stored."""
    rss_idle_mb: float
    rss_peak_mb: float
    disk_over_wire: float | None
    """Bytes of its file a trace over those on the wire; None where the file is not where traces stay."""
    start_seconds: float
    """From the start of the process to the first ack (ours), or to an open port."""
    refused: int
    missing: int
    """Acked traces that never came into the file."""


def measure(
    server: Server, protocol: str, traces: int, *, rate: float = 0.0, seed: int = 1, passages: int = 0
) -> Run:
    """The server under `traces` in a closed loop, or at that rate; `passages`: drawn from so many, 0: all differ."""
    idle, cpu, before = server.memory_mb("VmRSS"), server.cpu_seconds(), server.stored()
    size = server.bytes_on_disk()
    options = {
        "endpoint": server.addresses[protocol],
        "protocol": protocol,
        "traces": traces,
        "rate": rate,
        "batch": 5 if rate else 20,
        "seed": seed,
        "passages": passages,
    }
    command = [sys.executable, "-m", "tests.bench.ingest.load"]
    with spawn([*command, *(f"--{key}={value}" for key, value in options.items())], LOAD_CORE) as load:
        output, _ = load.communicate(timeout=600)
    sent = json.loads(output.splitlines()[-1])
    stored_at = _settled(server, before + sent["acked"])
    spent = server.cpu_seconds() - cpu
    stored = server.stored() - before
    kept = server.name != "ragvigil"
    return Run(
        server=server.name,
        protocol=protocol,
        load=f"{rate:g} traces/s" if rate else f"{passages} passages" if passages else "closed loop",
        stored_per_second=min(stored, sent["acked"]) / max(stored_at - sent["began"], sent["seconds"], 1e-9),
        acked_per_second=sent["acked"] / sent["seconds"],
        ack_p50_ms=sent["ack_p50_ms"],
        ack_p99_ms=sent["ack_p99_ms"],
        cpu_per_10k_spans=spent / max(1.0, sent["acked"] * SPANS_PER_TRACE) * 10_000,
        rss_idle_mb=idle,
        rss_peak_mb=server.memory_mb("VmHWM"),
        disk_over_wire=(server.bytes_on_disk() - size) / sent["acked"] / sent["wire_bytes"] if kept else None,
        start_seconds=server.start_seconds,
        refused=sent["refused"],
        missing=round(max(0.0, sent["acked"] - stored)),
    )


def _settled(server: Server, wanted: float) -> float:
    """When everything wanted was stored, or nothing more came for a while."""
    last, changed_at = -1.0, time.time()
    while (stored := server.stored()) < wanted and time.time() - changed_at < _STALLED_SECONDS:
        if stored != last:
            last, changed_at = stored, time.time()
        time.sleep(_POLL_SECONDS)
    return time.time() if stored >= wanted else changed_at
