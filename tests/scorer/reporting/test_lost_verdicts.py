"""Labels that correct the level, and verdicts that never came: what is lost widens the numbers, and is said."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from tests.scorer.reporting.made import (
    DAY,
    LABELLED,
    SHIPPED,
    START,
    answer,
    asked,
    made,
    replace_judge,
    scored,
)

from ragvigil.scorer.config import load
from ragvigil.scorer.reporting.forms import markdown
from ragvigil.scorer.reporting.report import report_of
from ragvigil.scorer.reporting.sections import sections
from ragvigil.scorer.sample import fraction
from ragvigil.scorer.store import reading, reading_report
from ragvigil.scorer.store.port import LedgerEntry, Taken
from ragvigil.scorer.store.reading_report import Answer, Read, Score
from ragvigil.scorer.store.sqlite import SqliteStore
from ragvigil.scorer.watch.port import Place


def test_labels_correct_the_pass_rate_and_only_the_corrected_level_raises_a_flag() -> None:
    """80 % of verdicts pass where 93.5 % are faithful: an excellent service, and no reason for alarm."""
    answers = [answer(number) for number in range(1, 4_001)]
    report = made(answers, labels=LABELLED)
    raw, level = report.panels["generation quality"][:2]
    assert raw.value == pytest.approx(0.8)
    assert level.value == pytest.approx((0.8 + 55 / 60 - 1) / (0.85 + 55 / 60 - 1))
    assert level.n == raw.n
    assert report.bands[0].figure == level
    assert report.bands[0].band == "excellent"
    assert not [one for one in report.warnings if "uncorrected" in one]
    bad = [one._replace(passed=None if one.passed is None else 0.0) for one in answers]
    assert any("faithful" in one for one in made(bad, labels=LABELLED).red_flags)
    assert not any("faithful" in one for one in made(bad).red_flags)
    assert any("uncorrected" in one for one in made(bad).warnings)


def test_labels_of_other_traffic_tell_no_level_and_raise_no_flag() -> None:
    """They said 34 % where the truth was 55 %, and an interval that did not hold it."""
    answers = [answer(number) for number in range(1, 4_001)]
    report = made(answers, labels=SHIPPED)
    raw, level = report.panels["generation quality"][:2]
    assert raw.value == pytest.approx(0.8)
    assert (level.value, level.note) == (None, "level unknown: no labels of yours (ragvigil label)")
    assert report.bands[0].figure == raw
    assert report.bands[0].surely == "needs work"
    assert not any("faithful" in one for one in report.red_flags)
    assert any("Labels of your own answers correct it" in one for one in report.warnings)
    own = made(answers, labels=LABELLED).bands[0].figure
    assert own is not None
    assert "corrected for the judge's errors by your labels" in own.note


def test_verdicts_that_never_came_widen_pass_rate_and_level_to_both_fates() -> None:
    """Twenty of 400 sampled answers were shed: they may all have failed, and a reader is told what that would be."""
    answers = [answer(number) for number in range(1, 4_001)]
    lost = [_without_verdict(one) if one.id % 200 == 10 else one for one in answers]
    whole, report = made(answers, labels=LABELLED), made(lost, labels=LABELLED)
    for before, now in zip(
        whole.panels["generation quality"][:2], report.panels["generation quality"][:2], strict=True
    ):
        assert before.bounds is None
        assert now.n == 380
        assert now.bounds is not None
        assert now.value is not None
        assert now.lower is not None
        assert now.upper is not None
        assert before.upper is not None
        least, most = now.bounds
        assert now.lower < least < now.value < most < now.upper
        assert now.upper >= before.upper, "all passed, as they had"
    raw = report.panels["generation quality"][0]
    assert raw.bounds == pytest.approx((300 / 400, 320 / 400))
    said = markdown(sections(report))
    assert "20 of 400 verdicts never came; the interval holds them failed and passed" in said
    assert "with all of them failed faithfulness would be 75.0%, with all passed 80.0%" in said
    assert "with all of them failed faithful answers would be 87." in said


def _without_verdict(one: Answer) -> Answer:
    """The same, had its verdict never come."""
    return one._replace(passed=None, weight=None, judge=None, faithfulness=None, awaited="lost")


def test_what_waits_or_makes_no_claim_is_not_lost_and_what_is_lost_is_its_own_judges() -> None:
    """Ten answers of the old judge's days, ten without claims and ten in the queue leave the new judge's rate alone."""
    old = [answer(number) for number in range(1, 1_001)]
    old = [_without_verdict(one) if one.id % 100 == 10 else one for one in old]
    new = [replace_judge(answer(number)) for number in range(1_001, 2_001)]
    mute = [one for one in new if one.id % 100 == 11]
    new = [
        one._replace(awaited="lost" if one.id % 100 == 11 else "waits") if one.id % 100 in (11, 12) else one
        for one in new
    ]
    found = scored([*old, *new])
    found["supported_claims"] |= {one.id: Score(None, {}) for one in mute}
    report = report_of(
        ("help desk", None),
        Read([*old, *new], 2_000),
        found,
        since=START,
        until=START + DAY,
        people_read=1,
        labels=LABELLED,
    )
    assert [one.bounds for one in report.panels["generation quality"][:2]] == [None, None]
    assert any(one.startswith("10 answers still wait for their verdict") for one in report.warnings)
    assert not any("never came" in one for one in report.warnings)


def test_the_store_says_which_verdicts_never_came(tmp_path: Path) -> None:
    """Shed, failed, read as nothing, expired with its place in the sample, waiting too long: lost. No claim: not."""
    settings, now = load(overrides={"store": {"url": f"sqlite:///{tmp_path / 'store.db'}"}}), 40 * DAY
    chosen = sorted(range(200), key=lambda number: fraction(f"{number:032x}"))
    first, last = chosen[:9], chosen[-1]
    entries: list[tuple[int, LedgerEntry, str]] = [
        (first[0], LedgerEntry("shed", 0.5, "judge_queue_full"), "lost"),
        (first[1], LedgerEntry("failed", 0.5, "judge: ValueError"), "lost"),
        (first[2], LedgerEntry("judged", 0.5, "unparseable"), "lost"),
        (first[3], LedgerEntry("judged", 0.5, "failed"), "lost"),
        (first[4], LedgerEntry("expired", 0.5, "content_expired"), "lost"),
        (first[5], LedgerEntry("pending", 0.5), "lost"),
        (first[6], LedgerEntry("judged", 0.5, "no_claims"), "nothing"),
        (first[7], LedgerEntry("checked_only", 0.5, "sampled_out"), "nothing"),
        (last, LedgerEntry("expired", 0.5, "judge_backlog"), "nothing"),
    ]
    made = [asked(number, now, entry) for number, entry, _ in entries]
    with SqliteStore(settings, durable=False) as store:
        store.records.commit(made, None, now, Taken())
    with closing(reading.open_for_reading(settings.store.path)) as connection:
        place = Place("shop", None)
        late = reading_report.answers(connection, place, 0, 2**62, now + 1).answers
        fresh = reading_report.answers(connection, place, 0, 2**62, now).answers
    wanted = {f"{number:032x}": awaited for number, _, awaited in entries}
    assert {one.trace_id: one.awaited for one in late} == wanted
    wanted[f"{first[5]:032x}"] = "waits"
    assert {one.trace_id: one.awaited for one in fresh} == wanted
