"""Runs as plain tables: medians of each kind, and every ratio that a goal names."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import fields

from tests.bench.ingest.measure import Run

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
    closed = [run for run in runs if run.load == "closed loop"]
    for server, protocol in dict.fromkeys((run.server, run.protocol) for run in closed):
        if not server.startswith("ragvigil"):
            continue
        rate = _rate(closed, server, protocol)
        told = [f"{rate / base:.0%} of the floor" for base in [_rate(closed, "floor", protocol)] if base]
        told += [f"{rate / base:.1f} x Phoenix" for base in [_rate(closed, "phoenix", "http")] if base]
        print(f"{server}, {protocol}: {', '.join(told) or 'nothing to compare with'}")


def _rate(runs: Sequence[Run], server: str, protocol: str) -> float:
    same = [run for run in runs if (run.server, run.protocol) == (server, protocol)]
    return middle(same, "stored_per_second") if same else 0.0
