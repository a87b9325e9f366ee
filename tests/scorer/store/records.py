"""A record with all that can be stored of one, and verdicts on it."""

from __future__ import annotations

from dataclasses import replace

from ragvigil.scorer.monitoring import SeriesKey
from ragvigil.scorer.store.port import LedgerEntry, RawTrace, ScoredRecord, ScoredTrace
from ragvigil.scorer.trace import Cited, Document, RagTrace, Retrieval, Tokens
from ragvigil.scorer.verdict import CheckResult, Claim, Verdict

SECOND = 10**9
CITATION = SeriesKey("citation", "docs", "production")
FAITHFULNESS = SeriesKey("faithfulness", "docs", "production")
RECORD = RagTrace(
    trace_id="a" * 32,
    span_id="1" * 16,
    service="docs",
    environment="production",
    started_at=120 * SECOND,
    query="Why?",
    documents=(Document("d1", "Because.", 0.5, 1, {"source": "x"}),),
    answer="Because [d1].",
    retrievals=(Retrieval("retrieve", "Why?", ("d1",), (0.5,)),),
    tokens=Tokens(3, 4),
    user_id="user-7",
    segment={"language": "en"},
    streaming=False,
    cited=Cited(("d1",), ("9",), 262_400),
    error="TimeoutError",
    error_where="generator",
    error_message="too slow",
)
PENDING = LedgerEntry("pending", 0.1)
PASSED = Verdict(
    "builtin",
    "builtin/1",
    "digest",
    "supported",
    1.0,
    0.9,
    (Claim("Because", 0, 7, ("d1",), "supported", 0.9),),
)
FAILED = replace(PASSED, state="unsupported", support=0.0, faithfulness=0.1)


def scored(record: RagTrace, citation: float | None = 1.0, ledger: LedgerEntry = PENDING) -> ScoredTrace:
    """One trace with one record and one check."""
    check = CheckResult("citation_correctness", "1", citation, None if citation == 1 else "cites d9")
    raw = RawTrace(b"spans of " + record.trace_id.encode(), b"")
    return ScoredTrace(record.trace_id, raw, False, (ScoredRecord(record, (check,), ledger),))
