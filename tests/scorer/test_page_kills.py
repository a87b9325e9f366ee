"""kill -9 between detection and delivery; `make soak` does it 200 times."""

from __future__ import annotations

from pathlib import Path

from tests.exporters.conftest import serving
from tests.soak.killed_pages import MOMENTS, KilledPages


def test_no_page_is_lost_and_one_that_is_doubled_has_the_same_key(tmp_path: Path) -> None:
    """Ten kills: anywhere, before the page leaves, while it arrives, just after."""
    with serving() as service:
        soak = KilledPages(tmp_path, service)
        try:
            for number in range(10):
                soak.kill_once(MOMENTS[number % len(MOMENTS)])
            soak.finish()
        finally:
            soak.close()
        keys = soak.keys()
    assert len(keys) == soak.falls == soak.incidents() == 10
    assert {len(counts) for counts in keys.values()} == {1}
    assert sum(sum(counts.values()) for counts in keys.values()) <= 20
