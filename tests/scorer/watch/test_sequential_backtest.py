"""The sequential detectors over stored records page for what they paged for when they ran."""

from __future__ import annotations

from contextlib import closing

from tests.scorer.watch.conftest import HOUR, Hour, Service

from ragvigil.scorer.backtest.backtest import backtest
from ragvigil.scorer.store.reading import open_for_reading


def test_the_history_pages_in_the_hour_in_which_the_running_detector_paged(service: Service) -> None:
    """And a detector that learns for longer would have been silent."""
    told = service.live(Hour(cited=0.5), 6)
    at = next(int(alert.at.timestamp() * 1e9) for alert in told if alert.series == "citation")
    longer = service.settings.model_copy(
        update={"detect": service.settings.detect.model_copy(update={"learning_days": 10.0})}
    )
    service.store.checkpoint()
    with closing(open_for_reading(service.settings.store.path)) as connection:
        found = backtest(connection, service.settings, longer)
    assert found is not None
    pages = [one for one in found.present.pages if one.detector == "sequential" and one.series == "citation"]
    assert pages
    assert abs(pages[0].at - at) <= HOUR
    assert [one for one in found.other.pages if one.detector == "sequential"] == []
