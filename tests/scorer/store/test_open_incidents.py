"""What ``ragvigil status`` shows of incidents and messages, however many there are."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from ragvigil.exporters import Alert, Measurement
from ragvigil.scorer.config import load
from ragvigil.scorer.monitoring import Incident, SeriesKey
from ragvigil.scorer.store import reading
from ragvigil.scorer.store.sqlite import SqliteStore

RATE = Measurement(0.5, 0.4, 0.6, 50)
MOMENT = datetime(2026, 3, 1, tzinfo=UTC)


def alert(number: int) -> Alert:
    """What is told of one incident."""
    return Alert(
        f"i{number}", f"key{number}", "trigger", "error", "citation", "docs", None, "fell", "", RATE, RATE,
        since=MOMENT, at=MOMENT,
    )  # fmt: skip


def test_an_open_incident_is_shown_however_many_came_and_went_after_it(tmp_path: Path) -> None:
    """A quiet service's stands for days while a busy one's flicker."""
    settings = load(overrides={"store": {"url": f"sqlite:///{tmp_path / 'a.db'}"}})
    with SqliteStore(settings) as store:
        for number in range(4):
            key = SeriesKey("citation", "busy" if number else "quiet", None)
            incident = Incident(
                f"i{number}", key, f"key{number}", number, number, RATE, RATE, RATE, None, number or None
            )
            store.monitoring.save_incident(incident, alert(number), ["oncall"])
        first = store.outbox.due(2**62, 1)[0]
        store.outbox.delivered(first.id, 5, None)
    with closing(reading.open_for_reading(settings.store.path)) as connection:
        assert [one.id for one in reading.incidents(connection, limit=2)] == ["i3", "i2", "i0"]
        assert reading.undelivered(connection) == 3
