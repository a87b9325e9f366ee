"""From a store to the metrics that Prometheus scrapes."""

from __future__ import annotations

import math
import shutil
import sqlite3
import subprocess
from collections.abc import Iterable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from prometheus_client.metrics_core import Metric
from prometheus_client.openmetrics import parser as open_metrics
from prometheus_client.parser import text_string_to_metric_families as plain_text
from prometheus_client.samples import Sample
from tests.scorer.metrics.filled import (
    NOW,
    VERDICT,
    collected,
    evaluated,
    fill,
    record,
    scored,
    settings_in,
    vitals,
)

from ragvigil.scorer.errors import ConfigError
from ragvigil.scorer.metrics import collect, file
from ragvigil.scorer.metrics.collect import Collector
from ragvigil.scorer.metrics.exposition import exposition
from ragvigil.scorer.metrics.measures import Measures
from ragvigil.scorer.metrics.scrape import Scrape
from ragvigil.scorer.monitor.monitor import Monitor
from ragvigil.scorer.monitor.shares import Coverage
from ragvigil.scorer.store import reading
from ragvigil.scorer.store.audit import audit
from ragvigil.scorer.store.reading import open_for_reading
from ragvigil.scorer.store.sqlite import SqliteStore
from ragvigil.scorer.verdict import State

OPEN_METRICS = "application/openmetrics-text; version=1.0.0"
PROMTOOL = shutil.which("promtool")
CITATION = ("citation", "docs", "production", "", "citation_correctness 3")
FAITHFULNESS = ("faithfulness", "docs", "production", "", f"builtin 4 {'d' * 12}")


def test_a_series_is_told_with_its_interval_and_n(tmp_path: Path) -> None:
    """The same numbers as ragvigil status, under a name for each."""
    settings = settings_in(tmp_path)
    with SqliteStore(settings) as store:
        fill(store, [record(number) for number in range(1, 101)])
        evaluated(store, settings)
        told = collected(settings)
    value = told.samples["ragvigil_series_ratio", CITATION]
    lower = told.samples["ragvigil_series_lower_ratio", CITATION]
    upper = told.samples["ragvigil_series_upper_ratio", CITATION]
    assert value == 0.75
    assert 0.6 < lower < value < upper < 0.9
    assert told.samples["ragvigil_series_observations", CITATION] == 100
    assert told.samples["ragvigil_series_ratio", FAITHFULNESS] == 1.0
    assert told.samples["ragvigil_series_represented_answers", FAITHFULNESS] == 200
    states = {
        labels[3]: number
        for (name, labels), number in told.samples.items()
        if name == "ragvigil_series_state" and labels[0] == "citation"
    }
    assert len(states) == 7
    assert [state for state, number in states.items() if number] == ["cold_start"]


def test_no_data_is_no_value(tmp_path: Path) -> None:
    """Never zero: an alert on the level must not fire because nobody asked anything."""
    settings = settings_in(tmp_path)
    with SqliteStore(settings) as store:
        fill(store, [record(number) for number in range(1, 6)])
        evaluated(store, settings)
        told = collected(settings)
    assert not [name for name, _ in told.samples if name == "ragvigil_series_ratio"]
    assert told.samples["ragvigil_ledger_records", ("judged",)] == 5


def test_the_ledger_verdicts_and_costs_are_counted(tmp_path: Path) -> None:
    """A counter of records that entered a state, a gauge of those that stand in it; the audit holds both."""
    settings = settings_in(tmp_path)
    with SqliteStore(settings) as store:
        fill(store, [record(number) for number in range(1, 4)])
        fill(store, [record(4)], verdict=None)
        store.records.commit([scored(record(5), judged=False)], None, NOW)
        told = collected(settings)
        assert not audit(settings.store.path, settings.inbox_path).problems
        with closing(sqlite3.connect(settings.store.path)) as damaging, damaging:
            damaging.execute("UPDATE ledger_counts SET standing = standing + 1 WHERE state = 'judged'")
        (problem,) = audit(settings.store.path, settings.inbox_path).problems
    assert "judged supported: 4 counted, 3 standing" in problem
    entered = {
        labels: number for (name, labels), number in told.samples.items() if name.endswith("records_total")
    }
    assert entered == {
        ("pending", ""): 4,
        ("judged", "supported"): 3,
        ("failed", "http_500"): 1,
        ("checked_only", ""): 1,
    }
    standing = {
        labels[0]: number
        for (name, labels), number in told.samples.items()
        if name == "ragvigil_ledger_records"
    }
    assert standing == {"pending": 0, "judged": 3, "failed": 1, "checked_only": 1}
    assert told.samples["ragvigil_verdicts_total", ("supported",)] == 3
    assert told.samples["ragvigil_verdicts_total", ("failed",)] == 1
    assert told.samples["ragvigil_judge_failures_total", ("http_500",)] == 1
    assert told.samples["ragvigil_judge_tokens_total", ("input",)] == 210


def test_what_nobody_could_judge_is_not_counted_as_judged(tmp_path: Path) -> None:
    """The ledger and coverage said 2 judged of 5, the metric 5; an alert on their share saw nothing."""
    settings = settings_in(tmp_path)
    with SqliteStore(settings) as store:
        fill(store, [record(1), record(2)])
        states: tuple[State, ...] = ("partial_evidence", "not_scoreable", "unparseable")
        for number, state in enumerate(states, start=3):
            fill(store, [record(number)], verdict=replace(VERDICT, state=state))
        told = collected(settings)
        (coverage,) = store.monitoring.coverage(0)
        with closing(open_for_reading(settings.store.path)) as connection:
            ledger = reading.ledger(connection)
    standing = {
        labels[0]: int(number)
        for (name, labels), number in told.samples.items()
        if name == "ragvigil_ledger_records" and number
    }
    assert standing == ledger.told == {"judged": 2, "not_scoreable": 2, "failed": 1}
    assert told.samples["ragvigil_records_total", ("not_scoreable", "partial_evidence")] == 1
    assert coverage.not_scoreable == 2


def test_a_bucket_names_a_trace(tmp_path: Path) -> None:
    """From a bad bucket in a graph to an answer in it; a forgotten trace is named no more."""
    settings = settings_in(tmp_path)
    with SqliteStore(settings) as store:
        fill(store, [record(number) for number in range(1, 9)])
        evaluated(store, settings)
        (citations, faithful) = collected(settings).histograms
        edge, count, worst = citations.buckets[0]
        assert (edge, count, worst and worst.trace_id) == (0.0, 2, f"{5:032x}")
        assert [number for _, number, _ in citations.buckets][-2:] == [8, 8]
        assert citations.total == 6.0
        assert math.isinf(faithful.buckets[-1][0])
        assert faithful.buckets[9][1:] == (0, None)
        assert faithful.buckets[10][1] == 8
        text, kind = exposition(collected(settings), OPEN_METRICS)
        assert kind.startswith("application/openmetrics-text")
        shown = [sample.exemplar for sample in _samples(text) if sample.exemplar]
        assert f"{5:032x}" in {exemplar.labels["trace_id"] for exemplar in shown}
        store.retention.expire_scores(NOW + 10**12, 100, counter="records_expired")
        assert [row[2] for one in collected(settings).histograms for row in one.buckets if row[2]] == []


def test_segments_have_levels_and_ten_thousand_tenants_are_bounded(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The busiest keep their names, the rest is told together, and the numbers still add up."""
    settings = settings_in(tmp_path, metrics={"segment_by": ["language", "tenant"], "most_segments": 20})
    busy = [record(number, language="de" if number % 2 else "en", tenant="big") for number in range(1, 201)]
    many = [record(number, tenant=f"t{number}\n") for number in range(1000, 11_000)]
    with SqliteStore(settings) as store:
        fill(store, busy)
        for start in range(0, len(many), 2000):
            store.records.commit([scored(one, judged=False) for one in many[start : start + 2000]], None, NOW)
        evaluated(store, settings)
        told = collected(settings)
    n = {
        labels[3]: number
        for (name, labels), number in told.samples.items()
        if name == "ragvigil_series_observations" and labels[0] == "citation"
    }
    assert n[""] == 10_200
    assert (n["language=de"], n["language=en"], n["tenant=big"]) == (100, 100, 200)
    assert n["tenant=other"] == 10_000 - 19
    assert len(told.samples) < 400
    assert told.samples["ragvigil_label_values_folded", ("segment",)] >= 200
    assert "more than 20 values of segment tenant" in caplog.text


@pytest.mark.parametrize("names", [["a=b"], ["tenant", "tenant"]])
def test_dimensions_whose_labels_would_clash_are_refused(tmp_path: Path, names: list[str]) -> None:
    """Two levels under one label set would be a scrape that Prometheus throws away."""
    with pytest.raises(ConfigError, match=r"metrics\.segment_by: names dimensions, each once"):
        settings_in(tmp_path, metrics={"segment_by": names})


def test_many_services_are_bounded(tmp_path: Path) -> None:
    """A label that an attacker or a bug fills is one label more, not one for each value."""
    settings = settings_in(tmp_path, metrics={"most_services": 3})
    with SqliteStore(settings) as store:
        for service in range(20):
            fill(store, [record(100 * service + number, f"service-{service}") for number in range(30)])
        fill(store, [record(9000 + number, "other") for number in range(30)])
        evaluated(store, settings)
        told = collected(settings)
    places = {labels[1] for (name, labels) in told.samples if name == "ragvigil_series_ratio"}
    assert len(places) == 4
    assert told.samples["ragvigil_series_observations", ("citation", "other", "", "", "other")] == 18 * 30
    assert told.samples["ragvigil_label_values_folded", ("service",)] == 17
    text, _ = exposition(told, OPEN_METRICS)
    assert len({(sample.name, *sample.labels.items()) for sample in _samples(text)}) == len(_samples(text))


def test_previews_that_live_leave_production_its_name(tmp_path: Path) -> None:
    """They were there first: a new service was told as other for as long as they lived."""
    settings = settings_in(tmp_path, metrics={"most_services": 2})
    with SqliteStore(settings) as store:
        previews = [replace(record(number, f"shop-{number % 3}"), environment="pr-1") for number in range(90)]
        fill(store, previews)
        evaluated(store, settings)
        collector = Collector(settings, vitals, now=lambda: NOW)
        assert not _named(collector.collect()) & {"new-1", "new-2"}
        for place in (1, 2, 3):
            service = f"new-{place}"
            fill(
                store,
                [replace(record(9_000 * place + n, service), environment="production") for n in range(30)],
            )
        evaluated(store, settings)
        collector.collect()
        named = _named(collector.collect())
    assert len(named) == 2
    assert {name[:4] for name in named} == {"new-"}


def _named(told: Measures) -> set[str]:
    return {labels[1] for (name, labels) in told.samples if name == "ragvigil_series_state"}


def test_services_that_are_gone_give_their_names_to_new_ones(tmp_path: Path) -> None:
    """Preview environments of last month kept theirs for ever, and a new service was told as other."""
    settings = settings_in(tmp_path, metrics={"most_services": 3})
    month = 30 * 86_400 * 10**9
    with SqliteStore(settings) as store:
        for service in range(5):
            fill(store, [record(100 * service + number, f"old-{service}") for number in range(30)])
        evaluated(store, settings)
        later = NOW + month
        collector = Collector(settings, vitals, now=lambda: later)
        collector.collect()
        told = collector.collect()  # those of last month are there first
        assert told.samples["ragvigil_label_values_folded", ("service",)] == 2
        fresh = [
            replace(record(9000 + number, "new"), started_at=later - 300 * 10**9) for number in range(30)
        ]
        store.records.commit([scored(one) for one in fresh], None, later)
        Monitor(store.monitoring, settings.monitor, [], settings.links).tick(later)
        told = collector.collect()
    named = {labels[1] for (name, labels) in told.samples if name == "ragvigil_series_state"}
    assert "new" in named
    assert len(named) == 3


def test_services_told_together_have_all_shares_of_their_coverage(tmp_path: Path) -> None:
    """Of texts that were withheld nothing was summed up: of the others all seemed to be there."""
    settings = settings_in(tmp_path, metrics={"most_services": 1})
    found = [Coverage(f"s{place}", None, 10, 30, 0, 0, 10, 0, 0, withheld=5 * place) for place in range(3)]
    own = replace(vitals(), coverage=found)
    with SqliteStore(settings):
        told = Collector(settings, lambda: own, now=lambda: NOW).collect()
    assert told.samples["ragvigil_coverage_ratio", ("texts", "other", "")] == pytest.approx(0.25)


@pytest.mark.parametrize("accept", [OPEN_METRICS, "text/plain"])
def test_hostile_names_are_escaped_and_stay_apart(tmp_path: Path, accept: str) -> None:
    """Quotes, new lines, surrogates: no line of the exposition ends where a service says so."""
    names = ['a"b\\c', "a\nragvigil_scorer_up 0", "a ragvigil_scorer_up 0", "x" * 500, "x" * 501, "é\u202e"]
    settings = settings_in(tmp_path)
    with SqliteStore(settings) as store:
        for place, name in enumerate(names):
            fill(store, [record(1000 * place + number, name) for number in range(30)])
        evaluated(store, settings)
        text, _ = exposition(collected(settings), accept)
    told = {
        sample.labels["service"]
        for sample in _samples(text, accept)
        if sample.name == "ragvigil_series_ratio"
    }
    assert len(told) == len(names)
    assert {'a"b\\c', "a ragvigil_scorer_up 0"} <= told
    assert not [line for line in text.decode().splitlines() if line.startswith("ragvigil_scorer_up")]


def _samples(text: bytes, accept: str = OPEN_METRICS) -> list[Sample]:
    if accept != OPEN_METRICS:
        return [sample for family in plain_text(text.decode()) for sample in family.samples]
    families = cast(
        "Iterable[Metric]",
        open_metrics.text_string_to_metric_families(text.decode()),  # type: ignore[no-untyped-call]  # pyright: ignore[reportUnknownMemberType]
    )
    return [sample for family in families for sample in family.samples]


@pytest.mark.skipif(PROMTOOL is None, reason="promtool is not installed (Debian: prometheus)")
def test_promtool_finds_no_fault(tmp_path: Path) -> None:
    """Names, units, suffixes and help are as Prometheus wants them."""
    assert PROMTOOL is not None
    settings = settings_in(tmp_path)
    with SqliteStore(settings) as store:
        fill(store, [record(number, language="de") for number in range(1, 101)])
        evaluated(store, settings)
        file.write(settings.inbox_path, collected(settings))
    scrape = Scrape(settings.inbox_path, 60.0, now=lambda: NOW)
    received = {"spans": 3, "requests.http spans": 1, "refused.full": 2, "forwarded.tempo.dropped.full": 1}
    text, _ = scrape.answer(received, "text/plain")
    done = subprocess.run([PROMTOOL, "check", "metrics"], input=text, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_look_costs_the_same_however_many_records_there_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counted in steps of the database, not in time: sums and counters are read, never records."""
    steps = [0]

    def counted(path: Path) -> sqlite3.Connection:
        connection = open_for_reading(path)

        def step() -> int:
            steps[0] += 1
            return 0

        connection.set_progress_handler(step, 10)
        return connection

    monkeypatch.setattr(collect, "open_for_reading", counted)
    settings = settings_in(tmp_path, metrics={"segment_by": []})
    costs: list[int] = []
    with SqliteStore(settings) as store:
        for size in (100, 3000):
            fill(store, [record(number + size) for number in range(size)])
            evaluated(store, settings)
            steps[0] = 0
            Collector(settings, vitals, now=lambda: NOW).collect()
            costs.append(steps[0])
    assert costs[0] > 10
    assert costs[1] <= 1.1 * costs[0]


def test_a_dead_scorer_does_not_look_healthy(tmp_path: Path) -> None:
    """Its counts and its last evaluation stay; its levels go, so that nobody believes them."""
    settings = settings_in(tmp_path)
    with SqliteStore(settings) as store:
        fill(store, [record(number) for number in range(1, 101)])
        evaluated(store, settings)
        file.write(settings.inbox_path, collected(settings))
    fresh = Scrape(settings.inbox_path, 60.0, now=lambda: NOW + 59 * 10**9).measures({})
    stale = Scrape(settings.inbox_path, 60.0, now=lambda: NOW + 61 * 10**9).measures({})
    assert fresh.samples["ragvigil_scorer_up", ()] == 1.0
    assert ("ragvigil_series_ratio", CITATION) in fresh.samples
    assert stale.samples["ragvigil_scorer_up", ()] == 0.0
    assert not [name for name, _ in stale.samples if name.startswith("ragvigil_series")]
    assert stale.samples["ragvigil_records_total", ("judged", "supported")] == 100


@pytest.mark.parametrize("damage", [None, b"", b"[]", b'{"at": 1}', b"[" * 100_000])
def test_without_a_snapshot_the_receiver_tells_of_itself(tmp_path: Path, damage: bytes | None) -> None:
    """Before the first one, and when the file is damaged."""
    if damage is not None:
        (tmp_path / "metrics.json").write_bytes(damage)
    told = Scrape(tmp_path, 60.0).measures({"spans": 7, "bytes": 9, "unheard.of": 1})
    assert told.samples["ragvigil_received_spans_total", ()] == 7
    assert told.samples["ragvigil_scorer_up", ()] == 0.0


def test_a_snapshot_survives_the_way_through_the_file(tmp_path: Path) -> None:
    """What the receive process reads is what the score process wrote."""
    settings = settings_in(tmp_path)
    with SqliteStore(settings) as store:
        fill(store, [record(number) for number in range(1, 101)], VERDICT)
        evaluated(store, settings)
        told = collected(settings)
    file.write(tmp_path, told)
    assert file.read(tmp_path) == told
    assert (tmp_path / "metrics.json").stat().st_mode & 0o077 == 0


def test_erased_traces_are_no_exemplars_of_a_store_that_is_read(tmp_path: Path) -> None:
    """The buckets stay, without the id."""
    settings = settings_in(tmp_path)
    with SqliteStore(settings) as store:
        fill(store, [record(1)])
        store.retention.expire_scores(NOW + 10**12, 100, counter="records_expired")
    with closing(open_for_reading(settings.store.path)) as connection:
        rows = connection.execute("SELECT n, trace_id FROM score_counts").fetchall()
    assert [tuple(row) for row in rows] == [(1, None), (1, None)]
