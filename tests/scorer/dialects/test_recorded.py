"""What real applications sent with real instrumentations, in two generations where the dialect changed.

Made by `tests/clients`: how, and with which versions, is told in CONTRIBUTING.md.
"""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from tests.clients.cases import CASES, Case

from ragvigil.scorer.dialects import read_records
from ragvigil.scorer.span import Span, logs_of, spans_of

RECORDED = Path(__file__).parent / "recorded"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_recorded_application_reads_as_its_author_knows_it(case: Case) -> None:
    """One record a question; traces without one (an agent being made) give none."""
    spans = spans_of(gzip.decompress((RECORDED / f"{case.id}.pb.gz").read_bytes()))
    events = logs_of(gzip.decompress(logs.read_bytes())) if (logs := _logs(case)).exists() else []
    traces: dict[str, list[Span]] = {}
    for span in spans:
        traces.setdefault(span.trace_id, []).append(span)
    (record,) = (
        record
        for trace_id, trace in traces.items()
        for record in read_records(trace, [event for event in events if event.trace_id == trace_id])
    )
    assert record.service == case.id
    case.check(record)


def test_no_recording_is_left_over() -> None:
    """Each belongs to a case."""
    logs = {_logs(case).name for case in CASES if case.instrumentation == "openai_v2"}
    assert {path.name for path in RECORDED.iterdir()} == {f"{case.id}.pb.gz" for case in CASES} | logs


def _logs(case: Case) -> Path:
    return RECORDED / f"{case.id}.logs.pb.gz"
