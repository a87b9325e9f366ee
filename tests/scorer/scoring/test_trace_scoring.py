"""Traces that are scored together: each as if it were alone."""

from __future__ import annotations

import logging
from collections.abc import Sequence

import pytest
from tests.bench.ingest.traces import requests

from ragvigil.scorer.assembly.assemble import Assembled
from ragvigil.scorer.config import Content
from ragvigil.scorer.inbox import Position
from ragvigil.scorer.redact.payload import Redaction
from ragvigil.scorer.redact.pseudonyms import Pseudonyms
from ragvigil.scorer.sample import Sampler
from ragvigil.scorer.scoring import portions
from ragvigil.scorer.scoring.checking import Checking
from ragvigil.scorer.scoring.queue_room import QueueRoom
from ragvigil.scorer.scoring.trace_scoring import Arrived, TraceScoring
from ragvigil.scorer.store.port import RawTrace, ScoredTrace
from ragvigil.scorer.trace import RagTrace
from ragvigil.scorer.verdict import CheckResult


class Broken(Checking):
    """Checks that fail on one trace, otherwise than a check may."""

    def __init__(self, trace_id: str) -> None:
        super().__init__()
        self._broken = trace_id

    def run_all(self, records: Sequence[RagTrace]) -> list[tuple[CheckResult, ...]]:
        """What they find, unless that trace is among the records."""
        if any(record.trace_id == self._broken for record in records):
            raise RuntimeError("broken")
        return super().run_all(records)


def assembled(count: int) -> list[Assembled]:
    """So many traces, all different; every third one is no trace at all."""
    bodies = [b"\xff" if number % 3 == 2 else body for number, body in enumerate(requests(count, 1, seed=1))]
    return [
        Assembled(f"{1 << 64 | number:032x}", (body,), (), Position(1, number), False, 0)
        for number, body in enumerate(bodies, 1)
    ]


def arrived(items: Sequence[Assembled]) -> list[Arrived]:
    """As the pipeline hands them on, though what is no trace would not get there."""
    return [Arrived(item, item, None) for item in items]


def scoring(checking: Checking | None = None, room: int = 9) -> TraceScoring:
    """It judges every record that there is room for."""
    redaction = Redaction(Content(), Pseudonyms("key"))
    return TraceScoring(
        sampler=Sampler(1.0),
        room=QueueRoom(room),
        redaction=redaction,
        max_bytes=1 << 20,
        max_spans=100,
        checking=checking,
        now=lambda: 0,
    )


def states(scored: Sequence[ScoredTrace | None]) -> list[str]:
    """What became of the record of each trace."""
    return [one.failure or one.records[0].ledger.state if one else "nothing new" for one in scored]


def test_traces_scored_together_have_the_scores_of_each_alone(caplog: pytest.LogCaptureFixture) -> None:
    """Those that cannot be read say so and hurt no other; the room left is counted down from trace to trace."""
    items = assembled(6)
    with caplog.at_level(logging.CRITICAL):
        together = scoring(room=3).score(arrived(items))
        apart = scoring(room=3)
        alone = [one for item in arrived(items) for one in apart.score([item])]
    assert together == alone
    assert states(together) == ["pending", "pending", "read", "pending", "shed", "read"]


def test_a_trace_whose_checks_fail_is_stored_as_unread_and_hurts_no_other(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Custom checks and sums are not the runner's to catch."""
    items = assembled(2)
    with caplog.at_level(logging.ERROR):
        scored = scoring(Broken(items[0].trace_id)).score(arrived(items))
    assert states(scored) == ["read", "pending"]
    assert "could not be checked" in caplog.text


def test_few_and_small_traces_are_scored_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is held of them at once is bounded in number and in bytes; a trace above that goes alone."""
    monkeypatch.setattr(portions, "_MOST_TOGETHER", 2)
    monkeypatch.setattr(portions, "_BYTES_TOGETHER", 10)
    items = [
        Assembled(str(size), (b"x" * size,), (), Position(1, 1), False, 0)
        for size in (4, 4, 1, 20, 9, 2, 3, 3)
    ]
    found = [[item.trace_id for item in group] for group in portions.together(items, {})]
    assert found == [["4", "4"], ["1"], ["20"], ["9"], ["2", "3"], ["3"]]
    assert list(portions.together([], {})) == []
    known = {"1": RawTrace(b"x" * 4, b"x" * 5), "3": RawTrace(b"", b"")}
    found = [[item.trace_id for item in group] for group in portions.together(items[2:], known)]
    assert found == [["1"], ["20"], ["9"], ["2", "3"], ["3"]]


def test_what_is_stored_of_a_trace_counts_for_how_many_are_written_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One that is too large alone is written alone; late spans of one that is among them wait."""
    monkeypatch.setattr(portions, "_BYTES_A_COMMIT", 10)
    items = [Assembled(name, (b"x",), (b"x",), Position(1, 1), False, 0) for name in "abcda"]

    def first(stored: dict[str, int]) -> str:
        return "".join(item.trace_id for item in portions.of_a_commit(items, stored))

    assert [first({}), first({"b": 6}), first({"b": 7}), first({"a": 99})] == ["abcd", "ab", "a", "a"]
    monkeypatch.setattr(portions, "MOST_A_COMMIT", 3)
    assert first({}) == "abc"
    assert portions.of_a_commit([], {}) == []
