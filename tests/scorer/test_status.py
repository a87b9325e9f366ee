"""What status says of a series that cannot be compared yet."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.command_line import ragvigil
from tests.scorer.incidents.scripted_channels import DOWN, Scripted
from tests.scorer.metrics.filled import NOW, SECOND, evaluated, fill, record, settings_in
from tests.scorer.store.test_open_incidents import RATE, alert

from ragvigil.scorer.incidents.deliver import Courier
from ragvigil.scorer.monitoring import Incident, SeriesKey
from ragvigil.scorer.store._sqlite_outbox import OutboxHere
from ragvigil.scorer.store.sqlite import SqliteStore

HOUR = 3600 * SECOND


@pytest.mark.parametrize(
    ("earlier", "lately", "environment", "end"),
    [
        (0, 80, "production", "; can page from 2026-03-01 00:55 UTC on"),
        (0, 80, None, "; can page from 2026-03-01 00:55 UTC on"),
        (0, 80, "staging", " n=80"),
        (200, 80, "production", "; needs a baseline of n=300"),
        (320, 30, "production", "; needs n=50 in about 3 hours"),
        (320, 80, "production", " n=320)"),
    ],
)
def test_a_series_that_cannot_be_compared_yet_says_what_it_waits_for(
    tmp_path: Path, earlier: int, lately: int, environment: str | None, end: str
) -> None:
    """A line "insufficient_sample 100.0% n=282" did not say that it was the baseline that lacked answers."""
    settings = settings_in(tmp_path)
    with SqliteStore(settings) as store:
        past = [
            replace(record(n), started_at=NOW - 5 * HOUR, environment=environment) for n in range(earlier)
        ]
        fill(store, [*past, *(replace(record(1_000 + n), environment=environment) for n in range(lately))])
        evaluated(store, settings)
    said = ragvigil("status", "--store", str(settings.store.path)).stdout.splitlines()
    (line,) = [line for line in said if line.startswith("citation ")]
    assert line.endswith(end), line


def test_series_of_environments_that_page_nobody_are_counted_with_the_setting(tmp_path: Path) -> None:
    """A fall in staging was shown as one of production, and nobody heard of it."""
    settings = settings_in(tmp_path)
    places = ("production", "staging", "dev", None)
    with SqliteStore(settings) as store:
        fill(store, [replace(record(n), environment=places[n % 4]) for n in range(320)])
        evaluated(store, settings)
    said = ragvigil("status", "--store", str(settings.store.path)).stdout
    shown = json.loads(ragvigil("status", "--json", "--store", str(settings.store.path)).stdout)["series"]
    mute = [one for one in shown if one["environment"] in ("staging", "dev")]
    assert (
        f"without paging: {len(mute)} series in 'dev', 'staging' (monitor.page_environments: 'production', 'prod')"
        in said
    )
    assert [one for one in shown if not one["told"]] == mute
    assert len(mute) < len(shown)


def test_nothing_is_said_of_paging_where_every_series_can(tmp_path: Path) -> None:
    """One line less to read."""
    settings = settings_in(tmp_path)
    with SqliteStore(settings) as store:
        fill(store, [record(n) for n in range(20)])
        evaluated(store, settings)
    assert "without paging" not in ragvigil("status", "--store", str(settings.store.path)).stdout


ODD = (
    "x" * 10_000,
    "y" * 10_000 + "1",
    "y" * 10_000 + "2",
    "nul\0nul",
    "rtl\u202egnp",
    "red\x1b[31m",
    "two\nlines\tx",
)


def test_odd_names_leave_the_table_readable_and_json_whole(tmp_path: Path) -> None:
    """One of 10,000 characters padded every line to its width; NUL and bidi overrides went to the terminal."""
    settings = settings_in(tmp_path)
    with SqliteStore(settings) as store:
        fill(store, [replace(record(n), service=ODD[n % len(ODD)]) for n in range(140)])
        evaluated(store, settings)
    said = ragvigil("status", "--all", "--store", str(settings.store.path)).stdout
    assert max(map(len, said.splitlines())) < 250
    for shown in ("xx…xx", "yy1 ", "yy2 ", r"nul\x00nul", r"rtl\u202egnp", r"red\x1b[31m", r"two\nlines\tx"):
        assert shown in said
    assert said.replace("\n", "").isprintable()
    whole = json.loads(ragvigil("status", "--json", "--store", str(settings.store.path)).stdout)
    assert {one["service"] for one in whole["series"]} == {*ODD}


def test_a_channel_that_nobody_configures_is_named_with_what_waits_for_it(tmp_path: Path) -> None:
    """Renamed while a page waited, it was in the log alone; status said nothing, and a day later the page was gone."""
    settings = settings_in(tmp_path)
    with SqliteStore(settings) as store:
        for number in range(3):
            key = SeriesKey("citation", f"docs-{number}", None)
            incident = Incident(f"i{number}", key, f"key{number}", number, number, RATE, RATE, RATE)
            channels = ["pager", "old"] if number else ["pager"]
            store.monitoring.save_incident(incident, replace(alert(number), at=datetime.now(UTC)), channels)
        taken = Scripted([DOWN])
        asyncio.run(Courier(OutboxHere(store.outbox), {"pager": taken}).deliver_due(time.time_ns()))
    said = ragvigil("status", "--store", str(settings.store.path)).stdout
    named = [line for line in said.splitlines() if line.startswith("channel ")]
    assert named == [
        "channel old: NOT CONFIGURED where the scorer runs; messages that wait for it: 2, each until it is a day old"
    ]
    shown = json.loads(ragvigil("status", "--json", "--store", str(settings.store.path)).stdout)
    assert (shown["undelivered"], shown["unconfigured_channels"]) == (5, {"old": 2})
