"""What the store knows of how services cite."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from ragvigil.scorer.checks import run_checks
from ragvigil.scorer.commands import _styles
from ragvigil.scorer.config import load
from ragvigil.scorer.store.port import LedgerEntry, RawTrace, ScoredRecord, ScoredTrace
from ragvigil.scorer.store.reading import citation_styles, open_for_reading
from ragvigil.scorer.store.sqlite import SqliteStore
from ragvigil.scorer.trace import Document, RagTrace

ANSWERS = (
    ("docs", "It opens at nine [1]. It closes at noon [2]."),
    ("docs", "It opens at nine [1]. It is old [doc-1]."),
    ("docs", "It opens at nine."),
    ("shop", "It opens at nine [doc-2]."),
)


def scored(number: int, service: str, answer: str) -> ScoredTrace:
    """One answer with what the checks say of it."""
    documents = (Document("doc-1", "It opens at nine.", rank=1), Document("doc-2", "It is old.", rank=2))
    record = RagTrace(
        f"{number:032x}", "1" * 16, service, number * 10**9, query="Why?", answer=answer, documents=documents
    )
    ledger = LedgerEntry("checked_only", 0.1)
    one = ScoredRecord(record, run_checks(record), ledger)
    return ScoredTrace(record.trace_id, RawTrace(b"", b""), timed_out=False, records=(one,))


def test_the_usual_style_of_each_service_is_told_with_its_share(tmp_path: Path) -> None:
    """Counted over markers; of the latest records of each service only, however busy another is."""
    settings = load(overrides={"store": {"url": f"sqlite:///{tmp_path / 'a.db'}"}})
    with SqliteStore(settings) as store:
        store.records.commit([scored(place, *one) for place, one in enumerate(ANSWERS, 1)], None, 1)
    with closing(open_for_reading(settings.store.path)) as connection:
        assert _styles.as_text(connection) == [
            "docs: cites as ordinal (75% of the latest 4 markers)",
            "shop: cites as id (100% of its one marker)",
        ]
        assert [one["share"] for one in _styles.as_json(connection)] == [0.75, 1.0]
        assert [(one.service, one.markers) for one in citation_styles(connection, latest=2)] == [
            ("docs", 2),
            ("shop", 1),
        ]
