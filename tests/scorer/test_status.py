"""What status says of a series that cannot be compared yet."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.scorer.metrics.filled import NOW, SECOND, evaluated, fill, record, settings_in
from tests.scorer.test_commands import ragvigil

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
