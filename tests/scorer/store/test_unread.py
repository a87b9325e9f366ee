"""What a dialect of the operator's own could not read is counted for ever, and told while it is new."""

from __future__ import annotations

import time
from contextlib import closing
from pathlib import Path

import pytest

from ragvigil.scorer.commands import _unread_spans
from ragvigil.scorer.config import load
from ragvigil.scorer.moments import HOUR
from ragvigil.scorer.store.port import Taken
from ragvigil.scorer.store.reading import open_for_reading
from ragvigil.scorer.store.sqlite import SqliteStore


def failed(folder: Path, *hours_ago: int) -> Path:
    """A store after three failures at each of these moments."""
    settings = load(overrides={"store": {"url": f"sqlite:///{folder / 'store.db'}"}})
    with SqliteStore(settings, durable=False) as store:
        for hours in hours_ago:
            store.records.commit([], None, time.time_ns() - hours * HOUR, Taken(unread={"odd": 3}))
    return settings.store.path


@pytest.mark.parametrize(
    ("hours_ago", "lately", "ever"), [((30, 2, 1), 6, 9), ((30, 29), 0, 6), ((0,), 3, 3)]
)
def test_status_tells_what_failed_in_the_last_day_only(
    tmp_path: Path, hours_ago: tuple[int, ...], lately: int, ever: int
) -> None:
    """A dialect that was mended a year ago was told with every look."""
    with closing(open_for_reading(failed(tmp_path, *hours_ago))) as connection:
        found = _unread_spans.as_json(connection)["odd"]
        said = _unread_spans.as_text(connection)
    assert (found["lately"], found["ever"]) == (lately, ever)
    assert found["last_at"] is not None
    assert [f"failed on a span {lately} times in the last 24 hours" in line for line in said] == [True] * (
        lately > 0
    )
