"""A value that is common no more makes room for one that is: through the store, and told by the right name."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from tests.scorer.watch.conftest import HOUR, RATE, Hour, Service, settings_in

from ragvigil.scorer.sample import Sampler
from ragvigil.scorer.store import reading
from ragvigil.scorer.store.port import ScoredTrace
from ragvigil.scorer.store.sqlite import SqliteStore
from ragvigil.scorer.watch import segments
from ragvigil.scorer.watch.gold import labels_of
from ragvigil.scorer.watch.port import Place
from ragvigil.scorer.watch.watcher import Watcher

HEALTHY = Hour()
ILL = Hour(unfaithful={"de": 0.6, "en": 0.04})


class Tenants(Service):
    """A third of the questions is of `tenant`, in German, the others of the same tenant always."""

    tenant = "first"

    def trace(self, hour: Hour, place: int) -> ScoredTrace:
        made = super().trace(hour, place)
        (scored,) = made.records
        german = scored.record.segment["language"] == "de"
        record = replace(scored.record, segment={"tenant": self.tenant if german else "loyal"})
        return replace(made, records=(replace(scored, record=record),))

    def codes(self) -> dict[str, int]:
        """As they are saved."""
        saved, _ = self.store.watching.detector(Place("shop", "production"))
        found: dict[str, int] = json.loads(saved or "{}")["book"]["codes"]
        return found


@pytest.fixture
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Tenants]:
    """Room for two values, and weeks that are four hours long."""
    monkeypatch.setattr(segments, "WEEK", 4 * HOUR)
    monkeypatch.setattr(segments, "DAY", HOUR)
    settings = settings_in(tmp_path, segments=2, keep_days=3)
    with SqliteStore(settings, durable=False) as store:
        yield Tenants(settings, store)


def streams(service: Tenants) -> dict[str, set[int]]:
    """Codes that records carry, by tenant."""
    with closing(reading.open_for_reading(service.settings.store.path)) as connection:
        rows = connection.execute(
            "SELECT DISTINCT json_extract(r.segment, '$.tenant'), s.stream FROM sightings s "
            "JOIN records r ON r.id = s.record_id WHERE s.stream >= 0"
        ).fetchall()
    return {name: {stream for of, stream in rows if of == name} for name, _ in rows}


def test_a_new_tenant_is_told_of_by_its_name_and_with_figures_of_its_own(service: Tenants) -> None:
    """The one before had answers that were a fifth unfaithful, and that is neither its level nor a reason to page."""
    service.live(Hour(unfaithful={"de": 0.2, "en": 0.04}), 48)
    assert service.codes() == {"loyal": 0, "first": 1}
    service.tenant = "second"
    told = service.live(HEALTHY, 60)
    assert service.codes() == {"loyal": 0, "second": 3}
    assert [alert.title for alert in told if alert.severity != "warning"] == []
    assert streams(service) == {"loyal": {0}, "first": {1}, "second": {3}}
    (page,) = [alert for alert in service.live(ILL, 12) if alert.severity != "warning"]
    assert page.segment == {"service": "shop", "tenant": "second"}
    assert page.before.value > 0.85
    after = [alert for alert in service.live(HEALTHY, 24) if alert.severity != "warning"]
    assert [(alert.action, alert.dedup_key) for alert in after] == [("resolve", page.dedup_key)]


def test_a_tenant_in_an_incident_keeps_its_room_until_that_is_over(service: Tenants) -> None:
    """It fell, and left: somebody is still looking at it, until nothing of it is kept that could be looked at."""
    service.live(HEALTHY, 48)
    (page,) = [alert for alert in service.live(ILL, 12) if alert.severity != "warning"]
    assert page.segment == {"service": "shop", "tenant": "first"}
    service.tenant = "second"
    service.live(HEALTHY, 40)
    open_ = service.store.watching.open_incidents(Place("shop", "production"))
    assert [one.segment for one in open_] == ["tenant=first"]
    assert "second" not in service.codes()
    (closed,) = [alert for alert in service.live(HEALTHY, 40) if alert.severity != "warning"]
    assert (closed.action, closed.dedup_key) == ("resolve", page.dedup_key)
    assert (
        closed.title == "Closed: faithfulness of shop, tenant=first, no data for 3 days, not known to be well"
    )
    assert "Where: service shop, environment production, segment tenant=first." in closed.summary
    assert "closed (detect.keep_days) and did not recover" in closed.summary
    service.live(HEALTHY, 12)
    assert "second" in service.codes()


def test_settings_that_begin_the_detector_anew_give_no_code_again(service: Tenants) -> None:
    """Records of the last week are still there, with the codes that they were given."""
    service.live(HEALTHY, 30)
    before = set(service.codes().values())
    detect = service.settings.detect.model_copy(update={"segments": 3})
    service.watcher = Watcher(
        service.store.watching,
        service.settings.model_copy(update={"detect": detect}),
        labels_of(service.settings.monitor, service.settings.judge),
        ["on-call"],
        sampler=Sampler(RATE),
        room=lambda _: 10_000,
    )
    service.live(HEALTHY, 3)
    assert len(service.codes()) == 2
    assert not before & set(service.codes().values())
