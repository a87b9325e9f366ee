"""What the store knows of sampling before the scorer."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ragvigil.exporters import Alert, Measurement
from ragvigil.scorer.commands._upstream import told
from ragvigil.scorer.config import load
from ragvigil.scorer.monitoring import AnyName, Incident, SeriesKey
from ragvigil.scorer.store.port import LedgerEntry, RawTrace, ScoredRecord, ScoredTrace
from ragvigil.scorer.store.reading import open_for_reading
from ragvigil.scorer.store.sqlite import SqliteStore
from ragvigil.scorer.store.upstream import Upstream, upstream
from ragvigil.scorer.trace import RagTrace

RECORD = RagTrace("a" * 32, "1" * 16, "docs", 120 * 10**9, query="Why?", answer="Because.")


@pytest.mark.parametrize(
    ("told", "caveat"),
    [
        ((None, None), "upstream sampling unknown, assumed none: its senders do not say (tracestate ot=th)"),
        ((0.1, None), "upstream sampling unknown of 1 of 2 answers, assumed none"),
        ((1.0, 1.0), None),
        ((0.1, 0.1), "upstream sampling known: 0.1 of answers arrive, and are weighted"),
        ((0.1, 1.0), "upstream sampling known: 0.1 to 1 of answers arrive, and are weighted"),
    ],
)
def test_what_senders_leave_out_stands_beside_the_numbers(
    tmp_path: Path, told: tuple[float | None, ...], caveat: str | None
) -> None:
    """Known, unknown, unknown of some; silent only where all arrives."""
    settings = load(overrides={"store": {"url": f"sqlite:///{tmp_path / 'a.db'}"}})
    traces = [
        ScoredTrace(
            f"{number:032x}",
            RawTrace(b"", b""),
            timed_out=False,
            records=(
                ScoredRecord(
                    replace(RECORD, trace_id=f"{number:032x}", upstream_probability=probability),
                    (),
                    LedgerEntry("checked_only", 0.1),
                ),
            ),
        )
        for number, probability in enumerate(told, 1)
    ]
    with SqliteStore(settings) as store:
        store.records.commit(traces, None, 1)
    with closing(open_for_reading(settings.store.path)) as connection:
        (found,) = upstream(connection, 0)
        assert (found.service, found.answers, found.caveat) == ("docs", 2, caveat)
        assert not upstream(connection, RECORD.started_at + 1)


def test_a_sampler_that_does_not_say_its_rate_makes_a_told_rate_unknown(tmp_path: Path) -> None:
    """A tail sampler behind a head sampler: the trace state tells of the first only."""
    record = replace(RECORD, upstream_probability=0.5, upstream_sampler="tail sampling policy keep-errors")
    settings = load(overrides={"store": {"url": f"sqlite:///{tmp_path / 'a.db'}"}})
    scored = ScoredRecord(record, (), LedgerEntry("pending", 0.1))
    with SqliteStore(settings) as store:
        store.records.commit([ScoredTrace(record.trace_id, RawTrace(b"", b""), False, (scored,))], None, 1)
        assert store.records.pending()[0].record == record
    with closing(open_for_reading(settings.store.path)) as connection:
        (found,) = upstream(connection, 0)
        assert found.caveat == (
            "upstream sampling unknown of 1 of 1 answers, assumed none, though there was some: "
            "tail sampling policy keep-errors"
        )


@pytest.mark.parametrize(("probability", "said"), [(None, True), (1.0, False)])
def test_what_is_not_known_of_sampling_stands_in_the_page(
    tmp_path: Path, probability: float | None, said: bool
) -> None:
    """Of the answers of the hour before, beside the numbers that it makes uncertain; a ticket has none."""
    moment = 10_000 * 10**9
    record = replace(RECORD, started_at=moment, upstream_probability=probability)
    scored = ScoredRecord(record, (), LedgerEntry("pending", 0.1))
    level, at = Measurement(0.5, 0.4, 0.6, 80), datetime.fromtimestamp(10_001, UTC)
    settings = load(overrides={"store": {"url": f"sqlite:///{tmp_path / 'a.db'}"}})
    with SqliteStore(settings) as store:
        store.records.commit([ScoredTrace(record.trace_id, RawTrace(b"", b""), False, (scored,))], None, 1)
        names: tuple[AnyName, ...] = ("citation", "traffic")
        for name in names:
            incident = Incident(name, SeriesKey(name, "docs", None), name, 1, 1, level, level, level)
            alert = Alert(
                name, "key", "trigger", "error", name, "docs", None, "It fell", "Now: 50 %.", level, level,
                since=at, at=at,
            )  # fmt: skip
            store.monitoring.save_incident(incident, alert, ["oncall"])
        page, ticket = (due.alert.summary for due in store.outbox.due(2**62, 10))
    unknown = "Upstream sampling unknown, assumed none: its senders do not say (tracestate ot=th)."
    assert page == ("Now: 50 %.\n" + unknown if said else "Now: 50 %.")
    assert ticket == "Now: 50 %."


def test_services_of_which_the_same_is_unknown_share_a_line() -> None:
    """Ten services had the same line ten times."""
    unknown = Upstream("shop", "production", answers=3, told=0, least=None, most=None)
    lines = told([unknown, replace(unknown, service="bank", environment=None)])
    assert lines == [f"shop, production; bank: {unknown.caveat}"]
