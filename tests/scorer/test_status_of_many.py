"""What status and the dashboard show where preview environments come and go by the hundred."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from tests.scorer.metrics.filled import NOW, evaluated, fill, record, settings_in
from typer.testing import CliRunner

from ragvigil.exporters import Measurement
from ragvigil.scorer.commands._app import app
from ragvigil.scorer.config import Settings
from ragvigil.scorer.dashboard.overview import overview
from ragvigil.scorer.dashboard.page import Asked
from ragvigil.scorer.moments import DAY
from ragvigil.scorer.monitor.monitor import Monitor
from ragvigil.scorer.monitoring import Incident, SeriesKey
from ragvigil.scorer.store.reading import open_for_reading
from ragvigil.scorer.store.sqlite import SqliteStore
from ragvigil.scorer.trace import RagTrace


def answers(environment: str, first: int, count: int) -> Sequence[RagTrace]:
    """So many of one environment."""
    return [replace(record(first + number), environment=environment) for number in range(count)]


@pytest.fixture
def many(tmp_path: Path) -> Settings:
    """Production, and fifty previews with an answer each."""
    settings = settings_in(tmp_path)
    with SqliteStore(settings, durable=False) as store:
        fill(store, answers("production", 0, 300))
        for number in range(50):
            fill(store, answers(f"pr-{number:02}", 1_000 + number, 1))
        evaluated(store, settings)
    return settings


def status(settings: Settings, *options: str) -> str:
    """What it says."""
    told = CliRunner().invoke(app, ["status", "--store", str(settings.store.url), *options])
    assert told.exit_code == 0, told.output
    return told.output


def test_the_busiest_are_shown_and_the_others_counted(many: Settings) -> None:
    """1,258 lines of environments that were torn down hid the one that matters."""
    told = status(many)
    assert "docs, production" in told
    assert "31 more services and environments are silent or learning: ragvigil status --all" in told
    assert len(told.splitlines()) < 70
    every = status(many, "--all")
    assert every.count("docs, pr-") >= 50
    assert "more services" not in every


@pytest.mark.parametrize("later", [30 * DAY, 20 * DAY // 24], ids=["last month", "today"])
def test_the_first_page_begins_with_what_is_ill_now_and_ends_somewhere(tmp_path: Path, later: int) -> None:
    """Every preview that was torn down stood there as silent, before the service that had fallen."""
    settings = settings_in(tmp_path)
    with SqliteStore(settings, durable=False) as store:
        for number in range(220):
            fill(store, answers(f"pr-{number:03}", 1_000 + number, 1))
        watching = Monitor(store.monitoring, settings.monitor, [], settings.links)
        watching.tick(NOW)
        watching.tick(NOW + later)
        production = [
            replace(one, started_at=one.started_at + later) for one in answers("production", 0, 300)
        ]
        fill(store, production)
        watching.tick(NOW + later)
    with closing(open_for_reading(settings.store.path)) as connection:
        page = overview(Asked(connection, settings, NOW + later, {}, {}, NOW + later))
    assert page.rows[0].key.environment == "production"
    assert [len(page.rows), page.left_out] == [200, 242]
    assert {row.state for row in page.rows[2:]} == {"no_data"}


def test_few_are_all_shown(tmp_path: Path) -> None:
    """Also those that learn."""
    settings = settings_in(tmp_path)
    with SqliteStore(settings, durable=False) as store:
        for number in range(12):
            fill(store, answers(f"pr-{number}", 10 * number, 1))
        evaluated(store, settings)
    assert status(settings).count("citation ") == 12


def test_what_is_no_rate_is_told_in_words(tmp_path: Path) -> None:
    """A leak was told as 0.0 %, 0.0 % wanted."""
    settings = settings_in(tmp_path)
    none = Measurement(0.0, 0.0, 0.0, 2, None, "none")
    key = SeriesKey("leak", "docs", "production")
    with SqliteStore(settings, durable=False) as store:
        incident = Incident("i", key, "k", NOW, NOW, none, none, none, note="Kinds: CARD")
        store.monitoring.save_incident(incident, None, ())
    assert "leak of docs: kinds: CARD, open" in status(settings)
