"""Times of the day in further languages, beside the same and other ones on the clock of 24 hours."""

from __future__ import annotations

import pytest
from tests.scorer.checks.judged import judged

from ragvigil.scorer.checks.reading.hours_afar import far_times

TOLD = (
    ("图书馆{}开门。", "下午2点", "14点", "15点"),
    ("도서관은 {}에 엽니다.", "오후 2시", "14시", "15시"),
    ("Thư viện mở cửa lúc {}.", "2 giờ chiều", "14 giờ", "15 giờ"),
    ("Библиотека открывается в {}.", "2 часа дня", "14:00", "15:00"),
    ("पुस्तकालय {} बजे खुलता है।", "दोपहर 2", "14:00", "15:00"),
    ("تفتح المكتبة في الساعة {}.", "2 مساءً", "14:00", "15:00"),
)
"""A sentence, a time by half of the day, the same by 24 hours, and another one."""


@pytest.mark.parametrize(("sentence", "half", "full", "other"), TOLD)
def test_an_hour_of_the_afternoon_is_that_of_24(sentence: str, half: str, full: str, other: str) -> None:
    """Whichever the passage has; another hour is seen."""
    for passage, answer in ((half, full), (full, half)):
        assert judged("", sentence.format(answer), sentence.format(passage)) in ("supported", "partial")
    assert judged("", sentence.format(other), sentence.format(half)) in ("contradicted", "unsupported")


@pytest.mark.parametrize(
    ("text", "hour"),
    [
        *(("밤 12시에", 0), ("낮 12시에", 12), ("오전 12시에", 0), ("오후 12시에", 12), ("새벽 3시에", 3)),
        *(("晚上12点", 0), ("晚上8点", 20), ("中午1点", 13), ("凌晨2点", 2)),
        *(("11 часов вечера", 23), ("2 часа ночи", 2), ("12 часов ночи", 0)),
        *(("12 giờ trưa", 12), ("1 giờ trưa", 13), ("11 giờ đêm", 23), ("रात 2 बजे", 2), ("रात 8 बजे", 20)),
    ],
)
def test_the_half_of_the_day_tells_which_hour_it_is(text: str, hour: int) -> None:
    """Noon and midnight among them."""
    assert [set(at) for _, _, at in far_times(text)] == [{60 * hour}]


@pytest.mark.parametrize(
    "text",
    [
        *("2 часа", "2 дня", "24 часа дневного света", "2시간", "3시즌", "5시리즈", "2 giờ", "trong 14 giờ"),
        *("2点建议", "第14点", "14.5点", "下午2点5", "2 घंटे", "ساعة 2", "25시에", "오후의 2시간"),
    ],
)
def test_what_lasts_or_counts_is_no_time(text: str) -> None:
    """Hours that pass, seasons, points."""
    assert list(far_times(text)) == []
