"""A service whose retriever is not traced is named: its answers are never judged, and nothing else would say why."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from ragvigil.scorer.checks import run_checks
from ragvigil.scorer.commands import _unseen
from ragvigil.scorer.config import load
from ragvigil.scorer.store.port import LedgerEntry, RawTrace, ScoredRecord, ScoredTrace
from ragvigil.scorer.store.reading import open_for_reading
from ragvigil.scorer.store.reading_retrievals import retrievals
from ragvigil.scorer.store.sqlite import SqliteStore
from ragvigil.scorer.trace import Completeness, Document, RagTrace, Retrieval

FOUND = (Document("d1", "It opens at nine.", rank=1),)
EMPTY = (Retrieval("retrieve", "When?", (), ()),)


def scored(
    number: int,
    service: str,
    documents: tuple[Document, ...],
    asked: tuple[Retrieval, ...],
    *,
    completeness: Completeness = "complete",
) -> ScoredTrace:
    """One answer with what the checks say of it."""
    record = RagTrace(
        f"{number:032x}",
        "1" * 16,
        service,
        number * 10**9,
        query="When?",
        answer="It opens at nine.",
        documents=documents,
        retrievals=asked,
        completeness=completeness,
    )
    one = ScoredRecord(record, run_checks(record), LedgerEntry("checked_only", 0.1))
    return ScoredTrace(record.trace_id, RawTrace(b"", b""), timed_out=False, records=(one,))


def test_a_service_whose_answers_mostly_come_without_a_retrieval_is_named(tmp_path: Path) -> None:
    """One that found nothing was seen, and small talk between other questions is nothing to tell."""
    settings = load(overrides={"store": {"url": f"sqlite:///{tmp_path / 'a.db'}"}})
    traces = [
        *(scored(number, "blind", (), ()) for number in (1, 2)),
        scored(3, "blind", FOUND, ()),
        scored(4, "empty", (), EMPTY),
        scored(5, "chatty", (), ()),
        scored(6, "chatty", FOUND, ()),
    ]
    with SqliteStore(settings) as store:
        store.records.commit(traces, None, 1)
    with closing(open_for_reading(settings.store.path)) as connection:
        (line,) = _unseen.as_text(connection)
        assert line.startswith("blind: no retrieval was seen with 2 of its latest 3 answers")
        assert "docs/tracer.md" in line
        assert {one["service"]: one["unseen"] for one in _unseen.as_json(connection)} == {
            "blind": 2,
            "chatty": 1,
            "empty": 0,
        }


def test_a_busy_service_hides_no_quiet_one(tmp_path: Path) -> None:
    """Nor its warning: each is looked at by its own latest answers."""
    settings = load(overrides={"store": {"url": f"sqlite:///{tmp_path / 'a.db'}"}})
    traces = [
        *(scored(number, "quiet", (), ()) for number in (1, 2, 3)),
        *(scored(number, "busy", FOUND, ()) for number in range(4, 12)),
    ]
    with SqliteStore(settings) as store:
        store.records.commit(traces, None, 1)
    with closing(open_for_reading(settings.store.path)) as connection:
        found = {one.service: (one.answers, one.unseen) for one in retrievals(connection, latest=2)}
    assert found == {"busy": (2, 0), "quiet": (2, 2)}


def test_a_service_whose_tracer_leaves_content_out_is_told_to_switch_it_on(tmp_path: Path) -> None:
    """It was told to trace its retriever, which it did."""
    settings = load(overrides={"store": {"url": f"sqlite:///{tmp_path / 'a.db'}"}})
    with SqliteStore(settings) as store:
        store.records.commit([scored(1, "quiet", (), (), completeness="content_off")], None, 1)
    with closing(open_for_reading(settings.store.path)) as connection:
        (line,) = _unseen.as_text(connection)
        (one,) = _unseen.as_json(connection)
    assert line.startswith("quiet: content capture is off for 1 of its latest 1 answers")
    assert "trace the retriever" not in line
    assert (one["unseen"], one["hidden"]) == (1, 1)


def test_a_service_that_keeps_ids_only_is_told_what_that_costs(tmp_path: Path) -> None:
    """As a fact, not as something to mend."""
    settings = load(overrides={"store": {"url": f"sqlite:///{tmp_path / 'a.db'}"}})
    traces = [scored(1, "shy", FOUND, (), completeness="withheld"), scored(2, "shy", FOUND, ())]
    with SqliteStore(settings) as store:
        store.records.commit(traces, None, 1)
    with closing(open_for_reading(settings.store.path)) as connection:
        lines = _unseen.as_text(connection)
        (one,) = _unseen.as_json(connection)
    assert lines == [
        "shy: 1 of its latest 2 answers: texts withheld by ids_only: no claim is judged, citations and retrieval are"
    ]
    assert (one["unseen"], one["withheld"]) == (0, 1)
