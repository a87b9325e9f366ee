"""How long one tick of the window rules takes over many series. Prints a table; asserts nothing.

    python tests/bench/bench_tick.py [--series N] [--records N] [--days N] [--ticks N]

The store holds rollups a minute wide, as that many records leave them, and no record: what a tick reads are rollups
alone. The first tick reads every baseline; those after it, ten seconds apart, are what a running scorer does. Every
ten minutes baselines are due to be read again, some of them in each tick: the last line has all of them due.
"""

from __future__ import annotations

import argparse
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np

from ragvigil.scorer.config import Links, Settings, load
from ragvigil.scorer.monitor.monitor import Monitor
from ragvigil.scorer.store.sqlite import SqliteStore

MINUTE = 60 * 10**9
NOW = 1_788_220_800 * 10**9
NAMES = ("citation", "faithfulness")
JUDGED = 0.1


def main() -> None:
    """Build, tick, print."""
    parser = argparse.ArgumentParser(description="Time a tick.")
    parser.add_argument("--series", type=int, default=200)
    parser.add_argument("--records", type=int, default=10_000_000)
    parser.add_argument("--days", type=int, default=8)
    parser.add_argument("--late-seconds", type=int, default=700, help="so late that baselines are due")
    parser.add_argument("--ticks", type=int, default=5)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        settings = load(overrides={"store": {"url": f"sqlite:///{Path(folder) / 'ragvigil.db'}"}})
        rows = build(settings, arguments.series, arguments.records, arguments.days)
        size = settings.store.path.stat().st_size
        seconds = tick(settings, arguments.ticks, step=10)
        later = tick(settings, arguments.ticks, step=arguments.late_seconds)[1:]
    print(f"{arguments.series} series, {arguments.records:,} records, {rows:,} rollups, {size / 1e6:,.0f} MB")
    late = f"ticks {arguments.late_seconds} s after each other, median"
    rows_of = (
        ("first tick, baselines unread", seconds[:1]),
        ("ticks after it, median", seconds[1:]),
        (late, later),
    )
    for what, some in rows_of:
        wall, processor = (statistics.median(column) for column in zip(*some, strict=True))
        print(f"{what}: {wall:.2f} s, {processor:.2f} s of processor")


def build(settings: Settings, series: int, records: int, days: int) -> int:
    """A store with the rollups of `records`; how many rows that is."""
    with SqliteStore(settings):
        pass
    services = max(1, series // len(NAMES))
    buckets = days * 1440
    each = records / services / buckets
    random = np.random.default_rng(1)
    with closing(sqlite3.connect(settings.store.path)) as connection, connection:
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("INSERT INTO instruments VALUES (1, 'bench', '1', '', '')")
        for service in range(services):
            for name in NAMES:
                place = (name, f"service-{service}", "production", 1)
                connection.execute(
                    "INSERT INTO series (series, service, environment, instrument_id, first_bucket, state) "
                    "VALUES (?, ?, ?, ?, ?, 'ok')",
                    (*place, NOW - buckets * MINUTE),
                )
                connection.executemany(
                    "INSERT INTO rollups (series, service, environment, instrument_id, bucket, n, w, wx, "
                    "w2, w2x, w2x2) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    _rollups(place, buckets, each if name == "citation" else each * JUDGED, random),
                )
    return services * len(NAMES) * buckets


def _rollups(
    place: tuple[str, str, str, int], buckets: int, each: float, random: np.random.Generator
) -> Iterator[tuple[object, ...]]:
    counts = random.poisson(each, buckets)
    passed = random.binomial(counts, 0.95)
    weight = 1.0 if place[0] == "citation" else 1.0 / JUDGED
    for number, (n, x) in enumerate(zip(counts.tolist(), passed.tolist(), strict=True)):
        squares = weight * weight
        yield (
            *place,
            NOW - (buckets - number) * MINUTE,
            *(n, weight * n, weight * x, squares * n, squares * x, squares * x),
        )


def tick(settings: Settings, ticks: int, *, step: int) -> list[tuple[float, float]]:
    """Seconds of each tick by the clock and of the processor, `step` seconds apart, the first with nothing read."""
    seconds: list[tuple[float, float]] = []
    with SqliteStore(settings) as store:
        monitor = Monitor(store.monitoring, settings.monitor, [], Links())
        for number in range(ticks + 1):
            began, spent = time.perf_counter(), time.process_time()
            with store.transaction():
                monitor.tick(NOW + number * step * 10**9)
            seconds.append((time.perf_counter() - began, time.process_time() - spent))
    return seconds


if __name__ == "__main__":
    main()
