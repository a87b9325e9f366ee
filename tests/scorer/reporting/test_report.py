"""What ``ragvigil report`` says of the numbers: each with its interval and n, and what they should not be taken for."""

from __future__ import annotations

import numpy as np
import pytest
from tests.scorer.reporting.made import DAY, START, UNLABELLED, answer, made, replace_judge, scored

from ragvigil.scorer.estimate.figure import mean
from ragvigil.scorer.reporting.report import report_of
from ragvigil.scorer.reporting.sections import sections
from ragvigil.scorer.store.reading_report import Read, Score


def test_every_number_has_its_interval_and_n() -> None:
    """No bare mean, anywhere."""
    report = made([answer(number) for number in range(1, 2_001)])
    figures = [one for panel in report.panels.values() for one in panel]
    assert {"generation quality", "retrieval", "attribution", "abstention", "cost and latency"} <= set(
        report.panels
    )
    for one in figures:
        if one.value is None:
            assert one.n < 20 or one.name == "faithful answers"
        else:
            assert one.lower is not None
            assert one.upper is not None
            assert one.lower <= one.value <= one.upper
            assert one.n >= 20
    faithfulness = report.panels["generation quality"][0]
    assert faithfulness.n == 200
    assert faithfulness.value == pytest.approx(0.8)
    assert report.worst[0].faithfulness < 0.1
    assert report.best[0].faithfulness > 0.9
    assert [row.name for row in report.trend.rows][:2] == ["factuality", "attribution"]
    assert report.trend.rows[0].cells[0].value == 1.0
    assert report.trend.rows[1].cells[0].value is None
    assert report.tags_by_segment.columns == ("language=en", "language=de")
    assert report.tags_by_day.rows[0].cells[0].value == pytest.approx(0.2)
    assert "more than 5 % of the answers carry HALLUCINATION_FACT" in report.red_flags


def test_a_judged_measure_is_weighted_by_how_likely_its_answers_were_judged() -> None:
    """Doubtful answers are judged ten times as often; the level is that of all answers, not of the judged ones."""
    sure = [answer(number)._replace(inclusion=0.1) for number in range(1, 201)]
    doubtful = [answer(number)._replace(inclusion=1.0) for number in range(201, 401)]
    found = scored([*sure, *doubtful])
    found["judge.answer_relevance"] = {
        **{one.id: Score(1.0, {}) for one in sure[::10]},
        **{one.id: Score(0.2, {}) for one in doubtful},
    }
    report = report_of(
        ("help desk", None),
        Read([*sure, *doubtful], 400),
        found,
        since=START,
        until=START + DAY,
        people_read=1,
        labels=UNLABELLED,
    )
    relevance = next(one for one in report.panels["generation quality"] if one.name == "answer relevance")
    assert relevance.value == pytest.approx(0.6)
    assert next(one for one in report.bands if one.name == "answer relevance").figure == relevance


def test_gaps_two_judges_and_samples_are_said() -> None:
    """Verdicts of two judges are never put together."""
    first = [answer(number, judge="builtin 1") for number in range(1, 1_001)]
    second = [replace_judge(answer(number, day=3)) for number in range(1_001, 2_001)]
    report = made([*first, *second], total=50_000)
    said = "\n".join(report.warnings)
    assert "2 judge versions" in said
    assert "2 days without an answer (2024-10-05, 2024-10-06)" in said
    assert "2,000 of 50,000 answers were read" in said
    assert "Nobody has read a trace" in said
    assert report.panels["generation quality"][0].n == 100, "the newest judge's alone"


def test_the_busiest_segments_and_the_last_days_are_shown_and_what_is_left_out_is_said() -> None:
    """Ten tenants: the two smallest go, not the two that most answers are of."""
    answers = [
        answer(number, day=number % 10)._replace(segment={"tenant": f"t{min(number % 13, 9)}"})
        for number in range(1_300)
    ]
    answers += [answer(1_300 + n)._replace(segment={"tenant": f"rare{n % 4}"}) for n in range(80)]
    found = {one.title: one for one in sections(made(answers))}
    by_segment, by_day = found["Failure tags by segment"], found["Failure tags by day"]
    assert by_segment.columns[1] == "tenant=t9"
    assert len(by_segment.columns) == 9
    assert not any("rare" in column for column in by_segment.columns)
    assert "Left out here: 6 values with fewer answers." in by_segment.lines
    assert by_day.columns[-1] == "2024-10-13"
    assert "Left out here: 2 earlier days." in by_day.lines


def test_tags_of_answers_whose_content_is_gone_are_not_counted() -> None:
    """Retention takes the details; what failed then must not be shown as well."""
    answers = [answer(number)._replace(whole=number > 1_000) for number in range(1, 2_001)]
    found = scored(answers)
    for one in answers[:1_000]:
        found["failure_tags"][one.id] = Score(float(one.id % 5 == 0), {})
    report = report_of(
        ("help desk", None),
        Read(answers, 2_000),
        found,
        since=START,
        until=START + DAY,
        people_read=1,
        labels=UNLABELLED,
    )
    cell = report.tags_by_day.rows[0].cells[0]
    assert cell.value == pytest.approx(0.2)
    assert cell.n == 1_000
    assert any("content of 1,000 answers is gone" in one for one in report.warnings)


def test_relevance_as_the_only_verdict_is_warned_of() -> None:
    """Likeness to the question says nothing of truth."""
    answers = [answer(number) for number in range(1, 1_001)]
    unjudged = [one._replace(passed=None, weight=None, judge=None, faithfulness=None) for one in answers]
    for read, warned in ((answers, False), (unjudged, True)):
        found = scored(read)
        found["judge.answer_relevance"] = {one.id: Score(0.9, {}) for one in read}
        report = report_of(
            ("help desk", None),
            Read(read, 1_000),
            found,
            since=START,
            until=START + DAY,
            people_read=1,
            labels=UNLABELLED,
        )
        assert any("only held against their questions" in one for one in report.warnings) is warned


def test_synthetic_questions_and_answers_without_context_are_said() -> None:
    """Neither tells of the traffic as a whole."""
    answers = [answer(number) for number in range(1, 101)]
    assert not any("synthetic" in one or "No retrieval" in one for one in made(answers).warnings)
    mixed = [
        one._replace(segment={"origin": "synthetic"}) if number < 30 else one
        for number, one in enumerate(answers)
    ]
    assert any(one.startswith("30 of 100 answers are to synthetic") for one in made(mixed).warnings)
    alone = made([one._replace(segment={"origin": "synthetic"}) for one in answers])
    assert any(one.startswith("All 100 answers are to synthetic") for one in alone.warnings)
    found = scored(answers)
    found["empty_retrieval"] |= {one.id: Score(None, {}) for one in answers[:40]}
    report = report_of(
        ("help desk", None),
        Read(answers, 100),
        found,
        since=START,
        until=START + DAY,
        people_read=1,
        labels=UNLABELLED,
    )
    assert any(one.startswith("No retrieval was seen of 40 of 100 answers") for one in report.warnings)


def test_a_mean_over_conversations_is_wider_than_one_over_answers() -> None:
    """S: the unit is the conversation."""
    values = np.repeat(np.tile([1.0, 0.0], 20), 10)
    alone = mean("x", values, np.arange(400))
    together = mean("x", values, np.arange(400) // 10)
    assert alone.upper is not None
    assert together.upper is not None
    assert together.upper - 0.5 > 2.5 * (alone.upper - 0.5)
