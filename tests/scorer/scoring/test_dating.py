"""Spans whose moment cannot be right count as of when they came, and status says whose they are, and what is wrong."""

from __future__ import annotations

import time
from contextlib import closing
from dataclasses import replace

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData
from tests.scorer.scoring.bench import SECOND, Bench, question

from ragvigil.scorer.commands import _misdated
from ragvigil.scorer.inbox import Arrival
from ragvigil.scorer.moments import DAY, HOUR
from ragvigil.scorer.scoring.dating import dated, misdated
from ragvigil.scorer.store import reading
from ragvigil.scorer.trace import RagTrace

_IN_2500 = 16_725_225_600 * SECOND
_NOW = 1_790_000_000 * SECOND


def _at(began: int, ended: int, received_at: int, trace: int = 1) -> list[Arrival]:
    """A question of a service `shop`, each of whose spans tells these moments."""
    found: list[Arrival] = []
    for arrival in question(trace):
        data = TracesData.FromString(arrival.payload)
        name = data.resource_spans[0].resource.attributes.add()
        name.key, name.value.string_value = "service.name", "shop"
        span = data.resource_spans[0].scope_spans[0].spans[0]
        span.start_time_unix_nano, span.end_time_unix_nano = began, ended
        found.append(arrival._replace(payload=data.SerializeToString(), received_at=received_at))
    return found


@pytest.mark.parametrize(
    ("per_second", "unit"), [(1, "seconds"), (10**3, "milliseconds"), (10**6, "microseconds")]
)
def test_moments_in_another_unit_are_told_and_move_the_series_of_now(
    bench: Bench, per_second: int, unit: str
) -> None:
    """They were scored as of 1970, where no window looks, and nobody was told."""
    now = time.time_ns()
    began = now * per_second // SECOND
    for trace in (1, 2):
        bench.receive(_at(began, began + 3 * per_second, now, trace))
    records = [job.record for job in bench.settle()]
    assert [(record.started_at, record.total_seconds) for record in records] == [(now, None)] * 2
    bench.receive(_at(began, began + 2 * per_second, now, 2))
    bench.settle()
    with closing(reading.open_for_reading(bench.settings.store.path)) as connection:
        (line,) = _misdated.as_text(connection)
        (shown,) = _misdated.as_json(connection)
    assert "shop: spans of 2 traces in the last 24 hours" in line
    assert f"its exporter writes {unit} where OTLP has nanoseconds" in line
    assert (shown["traces"], shown["told_nanoseconds"], shown["unit"]) == (2, began, unit)


@pytest.mark.parametrize(("began", "year"), [(600 * SECOND, "1970"), (_IN_2500, "2500")])
def test_a_clock_that_is_off_by_years_is_told(bench: Bench, began: int, year: str) -> None:
    """Its durations may well be right."""
    now = time.time_ns()
    bench.receive(_at(began, began + 3 * SECOND, now))
    (job,) = bench.settle()
    assert (job.record.started_at, job.record.total_seconds) == (now, 3.0)
    with closing(reading.open_for_reading(bench.settings.store.path)) as connection:
        (line,) = _misdated.as_text(connection)
    assert f"{began:,} ns, {year}-" in line
    assert "the clock of its machine is wrong" in line


def test_what_may_be_right_is_left_as_it_is() -> None:
    """History that is read in later, a zone that was forgotten, a scorer whose own clock was never set, no moment."""
    record = RagTrace("0" * 32, "1" * 16, "shop", _NOW)
    for received_at in (_NOW, _NOW + 3_000 * DAY, _NOW - 14 * HOUR, 5 * SECOND, 0):
        assert misdated((), [record], received_at) is None
        assert dated(record, received_at) == record
    untold = replace(record, started_at=0)
    assert misdated((), [untold], _NOW) is None
    assert dated(untold, _NOW) == record
