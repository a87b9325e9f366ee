"""Runs as plain tables: medians of each kind, and every ratio that a goal names."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import fields

from tests.bench.ingest.measure import Run
from tests.bench.ingest.traces import SPANS_PER_TRACE

_COLUMNS = "{:<30} {:<5} {:<13} {:>9} {:>9} {:>8} {:>8} {:>8} {:>8} {:>8} {:>7} {:>6} {:>7} {:>7}"
_TITLES = (
    *("server", "proto", "load", "stored/s", "acked/s", "p50 ms", "p99 ms", "CPU/10k"),
    *("idle MB", "peak MB", "disk/w", "start", "refused", "missing"),
)


def middle(runs: Sequence[Run], name: str) -> float:
    """The median of one figure."""
    values = [value for run in runs if isinstance(value := getattr(run, name), int | float)]
    return statistics.median(values) if values else float("nan")


def table(runs: Sequence[Run]) -> None:
    """One line for each server, protocol and load: medians; refused and missing are sums."""
    print(_COLUMNS.format(*_TITLES))
    for kind in dict.fromkeys((run.server, run.protocol, run.load) for run in runs):
        same = [run for run in runs if (run.server, run.protocol, run.load) == kind]
        figure = {field.name: middle(same, field.name) for field in fields(Run)[3:]}
        print(
            _COLUMNS.format(
                *kind,
                f"{figure['stored_per_second']:,.0f}",
                f"{figure['acked_per_second']:,.0f}",
                f"{figure['ack_p50_ms']:.1f}",
                f"{figure['ack_p99_ms']:.1f}",
                f"{figure['cpu_per_10k_spans']:.3f}",
                f"{figure['rss_idle_mb']:.0f}",
                f"{figure['rss_peak_mb']:.0f}",
                f"{figure['disk_over_wire']:.2f}",
                f"{figure['start_seconds']:.2f}",
                sum(run.refused for run in same),
                sum(run.missing for run in same),
            )
        )


def ratios(runs: Sequence[Run]) -> None:
    """Ours over the floor and over Phoenix, of the same interleaved rounds, closed loop."""
    floor = {protocol: _rate(runs, "floor", protocol, "closed loop") for protocol in ("http", "grpc")}
    phoenix = _rate(runs, "phoenix", "http", "closed loop")
    for server, protocol, load in _ours(runs):
        rate = _rate(runs, server, protocol, load)
        told = [f"{rate / base:.0%} of the floor" for base in [floor[protocol]] if base]
        told += [f"{rate / base:.1f} x Phoenix" for base in [phoenix] if base]
        print(f"{server}, {protocol}, {load}: {', '.join(told) or 'nothing to compare with'}")


def costs(runs: Sequence[Run], loop: float) -> None:
    """What ours cost, by the roles that ran: CPU seconds for 10,000 spans, memory, and the time to the first ack.

    `loop`: CPU seconds of the plain loop for one answer, as measured between these runs.
    """
    print(f"the plain-Python loop: {1000 * loop:.2f} ms of CPU an answer")
    phoenix = middle([run for run in runs if run.server == "phoenix"], "cpu_per_10k_spans")
    for server, protocol, load in _ours(runs):
        same = [run for run in runs if (run.server, run.protocol, run.load) == (server, protocol, load)]
        cpu = middle(same, "cpu_per_10k_spans")
        loops = cpu * SPANS_PER_TRACE / 10_000 / loop
        beside = "" if math.isnan(phoenix) else f" and 1/{phoenix / cpu:.0f} of Phoenix"
        print(
            f"{server}, {protocol}, {load}: {cpu:.2f} CPU s per 10,000 spans, {loops:.2f} loops a trace{beside}, "
            f"{middle(same, 'rss_idle_mb'):.0f} MB idle, {middle(same, 'rss_peak_mb'):.0f} MB at most, "
            f"first ack after {middle(same, 'start_seconds'):.2f} s"
        )


def _ours(runs: Sequence[Run]) -> list[tuple[str, str, str]]:
    """Kinds of our runs that go as fast as they can."""
    kinds = dict.fromkeys((run.server, run.protocol, run.load) for run in runs)
    return [kind for kind in kinds if kind[0].startswith("ragvigil") and "/s" not in kind[2]]


def _rate(runs: Sequence[Run], server: str, protocol: str, load: str) -> float:
    same = [run for run in runs if (run.server, run.protocol, run.load) == (server, protocol, load)]
    return middle(same, "stored_per_second") if same else 0.0
