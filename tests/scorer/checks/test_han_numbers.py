"""Numbers in Chinese characters, beside the same and other ones in digits."""

# ruff: noqa: RUF001 - full-width digits

from __future__ import annotations

import pytest
from tests.scorer.checks.judged import judged

from ragvigil.scorer.checks.reading.words import words

SAID = (
    ("公司有{}名员工。", "一万二千", "12000", "1200"),
    ("市区人口为{}人。", "三百五十万", "350万", "35万"),
    ("会費は年に{}円です。", "一万", "10,000", "1,000"),
    ("試用期間は{}日です。", "十", "10", "20"),
    ("試用期間は{}ヶ月です。", "三", "3", "6"),
    ("{}歳以上が参加できます。", "二十", "20", "18"),
    ("大桥全长{}米。", "三千六百", "3600", "36000"),
    ("该楼有{}层。", "三十二", "32", "23"),
    ("保修期为{}个月。", "十八", "18", "24"),
    ("学费每年{}元。", "八千五百", "8500", "85000"),
    ("会议在{}年举行。", "二〇二四", "2024", "2023"),
    ("图书馆藏书{}册。", "五十万", "500000", "50000"),
    ("休暇は{}日あります。", "二十五", "25", "15"),
    ("建設費は{}円でした。", "三億五千万", "350000000", "35000000"),
    ("定員は{}名です。", "百五十", "150", "115"),
    ("返品は{}日以内です。", "七", "7", "14"),
    ("列车需要{}小时。", "五", "5", "8"),
    ("山の高さは{}メートルです。", "三千七百七十六", "3776", "3767"),
    ("补贴为{}元。", "两千", "2000", "200"),
    ("年费是{}欧元。", "四十五", "45", "54"),
    ("参加費は{}円です。", "１，５００", "1,500", "1,600"),
    ("最高気温は{}度でした。", "３５．５", "35.5", "36.5"),
    ("价格为{}元。", "１２，８００", "12,800", "12,900"),
)
"""A sentence, a number in characters or full-width digits, the same in digits, and another one."""


@pytest.mark.parametrize(("sentence", "characters", "digits", "other"), SAID)
def test_a_number_in_characters_is_that_in_digits(
    sentence: str, characters: str, digits: str, other: str
) -> None:
    """Whichever the passage has; another number is seen: all of these passed."""
    for passage, answer in ((characters, digits), (digits, characters)):
        assert judged("", sentence.format(answer), sentence.format(passage)) == "supported"
    doubted = judged("", sentence.format(other), sentence.format(characters))
    assert doubted == ("partial" if other == "35万" else "contradicted")


@pytest.mark.parametrize(
    "text", ["統一された一般的な規則", "十分な説明", "一个人", "千万不要", "三重県", "一起去", "第一"]
)
def test_characters_within_other_words_are_no_numbers(text: str) -> None:
    """Much is written with one, ten and ten thousand that counts nothing."""
    assert not any(word.numbers for word in words(text))
