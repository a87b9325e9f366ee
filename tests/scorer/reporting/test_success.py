"""End-to-end success, by the newest judge that says it and of all answers."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from tests.scorer.reporting.made import DAY, answer, asked, made

from ragvigil.scorer.config import load
from ragvigil.scorer.estimate.figure import Figure
from ragvigil.scorer.reporting.forms import markdown
from ragvigil.scorer.reporting.report import Report
from ragvigil.scorer.reporting.sections import sections
from ragvigil.scorer.store import reading, reading_report
from ragvigil.scorer.store.port import Judgement, LedgerEntry, Taken
from ragvigil.scorer.store.reading_report import Answer
from ragvigil.scorer.store.sqlite import SqliteStore
from ragvigil.scorer.verdict import Verdict
from ragvigil.scorer.watch.port import Place


def test_end_to_end_success_is_of_the_newest_judge_that_says_it_and_of_all_answers() -> None:
    """The built-in judge has no opinion of it; what was judged ten times as often counts a tenth."""
    assert success(made([answer(number) for number in range(1, 401)])) == Figure(
        "end-to-end success", None, None, None, 0, note="no judge says it"
    )
    old = [succeeded(answer(number), 0, "m 1") for number in range(1, 201)]
    sure = [succeeded(answer(number), 1, "m 2")._replace(inclusion=0.1) for number in range(201, 301)]
    doubtful = [succeeded(answer(number), 0, "m 2")._replace(inclusion=1.0) for number in range(301, 401)]
    found = success(made([*old, *sure, *doubtful]))
    assert found.value == pytest.approx(10 / 11)
    assert found.n == 200
    assert "end-to-end success | 90.9 %" in markdown(sections(made([*old, *sure, *doubtful])))


def succeeded(one: Answer, success: int, judge: str) -> Answer:
    """The same, with that said by this judge."""
    return one._replace(success=success, success_by=judge)


def success(report: Report) -> Figure:
    """The figure of end-to-end success."""
    return next(one for one in report.panels["generation quality"] if one.name == "end-to-end success")


def test_success_is_read_from_the_store_of_refusals_too(tmp_path: Path) -> None:
    """A right refusal is a success although it has no claims and so no faithfulness."""
    settings, now = load(overrides={"store": {"url": f"sqlite:///{tmp_path / 'store.db'}"}}), 40 * DAY
    verdicts = (
        Verdict("m", "1", "d", "supported", 1.0, 0.9, details={"success": False}),
        Verdict("m", "1", "d", "no_claims", None, None, details={"success": True}),
        Verdict("builtin", "1", "d", "supported", 1.0, 0.9),
    )
    made = [asked(number, now, LedgerEntry("pending", 1.0)) for number in range(len(verdicts))]
    with SqliteStore(settings, durable=False) as store:
        jobs = store.records.commit(made, None, now, Taken())
        store.records.record_judgements(
            [Judgement(job, verdicts[int(job.record.trace_id, 16)]) for job in jobs], now
        )
    with closing(reading.open_for_reading(settings.store.path)) as connection:
        read = reading_report.answers(connection, Place("shop", None), 0, 2**62).answers
    assert sorted((one.trace_id[-1], one.success, one.success_by) for one in read) == [
        ("0", 0, "m 1 d"),
        ("1", 1, "m 1 d"),
        ("2", None, "builtin 1 d"),
    ]
