"""Dates in languages whose months stand behind the day, in Chinese characters and Hangul, and years of an era."""

# ruff: noqa: RUF001 - other scripts

from __future__ import annotations

import pytest

from ragvigil.scorer.checks.prepared import Prepared
from ragvigil.scorer.checks.reading.days_afar import far_days
from ragvigil.scorer.trace import Document, RagTrace


def verdict_of(answer: str, passage: str) -> str:
    """What is said of the one claim of an answer."""
    record = RagTrace(
        *("0" * 32, "1" * 16, "shop", 0),
        query="When?",
        answer=answer,
        documents=(Document("a", passage, rank=1), Document("b", "Wi-Fi: 80 Mbps.", rank=2)),
    )
    (claim,) = Prepared(record).assessment.claims
    return claim.verdict


SAME = (
    ("Курс начинается 05.03.2026.", "Курс начинается 5 марта 2026 года."),
    ("Курс починається 05.03.2026.", "Курс починається 5 березня 2026 року."),
    ("Kurs 05.03.2026 tarihinde başlıyor.", "Kurs 5 Mart 2026 tarihinde başlıyor."),
    ("Khóa học bắt đầu vào ngày 05/03/2026.", "Khóa học bắt đầu vào ngày 5 tháng 3 năm 2026."),
    ("Kurz začíná 05.03.2026.", "Kurz začíná 5. března 2026."),
    ("Kursus dimulai pada 05/03/2026.", "Kursus dimulai pada 5 Maret 2026."),
    ("تبدأ الدورة في 05/03/2026.", "تبدأ الدورة في 5 مارس 2026."),
    ("הקורס מתחיל בתאריך 05/03/2026.", "הקורס מתחיל בתאריך 5 במרץ 2026."),
    ("पाठ्यक्रम 05/03/2026 को शुरू होता है।", "पाठ्यक्रम 5 मार्च 2026 को शुरू होता है।"),
    ("講座は2026/03/05に始まります。", "講座は2026年3月5日に始まります。"),
    ("강좌는 2026-03-05에 시작합니다.", "강좌는 2026년 3월 5일에 시작합니다."),
    ("制度は令和6年4月1日に開始されます。", "制度は2024年4月1日に開始されます。"),
    ("会社は昭和39年に設立されました。", "会社は1964年に設立されました。"),
    ("โครงการเริ่มในปี พ.ศ. 2566", "โครงการเริ่มในปี ค.ศ. 2023"),
)
OTHER = (
    ("Курс начинается 5 марта 2026 года.", "Курс начинается 5 августа 2026 года."),
    ("Kurs 5 Mart 2026 tarihinde başlıyor.", "Kurs 5 Ağustos 2026 tarihinde başlıyor."),
    ("تبدأ الدورة في 5 مارس 2026.", "تبدأ الدورة في 5 أغسطس 2026."),
    ("הקורס מתחיל בתאריך 5 במרץ 2026.", "הקורס מתחיל בתאריך 5 באוגוסט 2026."),
    ("पाठ्यक्रम 5 मार्च 2026 को शुरू होता है।", "पाठ्यक्रम 5 अगस्त 2026 को शुरू होता है।"),
    ("De cursus begint op 5 maart 2026.", "De cursus begint op 5 augustus 2026."),
    ("Kurs zaczyna się 5 marca 2026 r.", "Kurs zaczyna się 5 sierpnia 2026 r."),
    ("课程于2026年3月5日开始。", "课程于2026年3月15日开始。"),
    ("강좌는 2026년 3월 5일에 시작합니다.", "강좌는 2026년 3월 15일에 시작합니다."),
    ("Khóa học bắt đầu vào ngày 5 tháng 3 năm 2026.", "Khóa học bắt đầu vào ngày 15 tháng 3 năm 2026."),
    ("会社は昭和39年に設立されました。", "会社は1974年に設立されました。"),
)
ROOM = (
    ("Музей закрыт до 7 августа.", "Музей закрыт 7 марта."),
    ("Выставка открыта с 1 по 9 августа.", "Выставка открыта 9 июля."),
    ("Müze 7 Ağustos tarihine kadar kapalı.", "Müze 7 Mart tarihinde kapalı."),
    ("बाज़ार 7 अगस्त तक बंद है।", "बाज़ार 7 मार्च को बंद है।"),
)


@pytest.mark.parametrize(("passage", "answer"), SAME)
def test_the_same_day_in_another_form_is_supported(passage: str, answer: str) -> None:
    """In figures and in words."""
    assert verdict_of(answer, passage) == "supported"


@pytest.mark.parametrize(("passage", "answer"), OTHER)
def test_another_day_is_contradicted(passage: str, answer: str) -> None:
    """Be it another month, or a day that month and day multiply to."""
    assert verdict_of(answer, passage) == "contradicted"


@pytest.mark.parametrize(("passage", "answer"), ROOM)
def test_a_day_that_bounds_a_time_contradicts_no_other_day(passage: str, answer: str) -> None:
    """Until and since are not known in these languages: other words stand beside the days."""
    assert verdict_of(answer, passage) != "contradicted"


@pytest.mark.parametrize(
    "text",
    [
        *(
            "5 ocak satıldı",
            "20 ekim alanı",
            "3 aralık",
            "5 марток",
            "31 февраля",
            "v. 1.5 марта",
            "20.5 Mart",
        ),
        *(
            "trong 5 tháng 3 lần",
            "5 tháng 3 ngày",
            "trong 5 tháng 3 người",
            "5월 3일간",
            "5 marches",
            "5 Martin",
        ),
        *("5 मार्चपास्ट", "12 מרצים", "45 מרץ", "0 мая"),
    ],
)
def test_what_only_looks_like_a_day_is_none(text: str) -> None:
    """Other words, spans of time, days that do not exist."""
    assert list(far_days(text)) == []
