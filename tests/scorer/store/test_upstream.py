"""What the store knows of sampling before the scorer."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from ragvigil.scorer.config import load
from ragvigil.scorer.store.port import LedgerEntry, RawTrace, ScoredRecord, ScoredTrace
from ragvigil.scorer.store.reading import open_for_reading
from ragvigil.scorer.store.sqlite import SqliteStore
from ragvigil.scorer.store.upstream import upstream
from ragvigil.scorer.trace import RagTrace

RECORD = RagTrace("a" * 32, "1" * 16, "docs", 120 * 10**9, query="Why?", answer="Because.")


@pytest.mark.parametrize(
    ("told", "caveat"),
    [
        ((None, None), "upstream sampling unknown: its senders do not say (tracestate ot=th)"),
        ((0.1, None), "upstream sampling unknown of 1 of 2 answers"),
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
