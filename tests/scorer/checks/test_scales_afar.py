"""Amounts in the scale of a language beside the same and other ones in full, or in another scale."""

from __future__ import annotations

import pytest
from tests.scorer.checks.judged import judged

from ragvigil.scorer.checks.reading.scales_afar import amounts

TOLD = (
    ("Выручка составила {}.", "3 450 000 рублей", "3,45 млн рублей", "3,54 млн рублей"),
    ("Ciro {} oldu.", "3.450.000 TL", "3,45 milyon TL", "3,54 milyon TL"),
    ("Doanh thu là {}.", "3.450.000 đồng", "3,45 triệu đồng", "3,54 triệu đồng"),
    ("بلغت الإيرادات {}.", "3,450,000 ريال", "3.45 مليون ريال", "3.54 مليون ريال"),
    ("ההכנסות היו {}.", 'ש"ח 3,450,000', '3.45 מיליון ש"ח', '3.54 מיליון ש"ח'),
    ("आय {} थी।", "₹1,25,50,000", "1.255 करोड़ रुपये", "1.552 करोड़ रुपये"),
    ("आय {} थी।", "₹12,50,000", "12.5 लाख रुपये", "15.2 लाख रुपये"),
    ("Revenue was {}.", "₹1,25,50,000", "₹1.255 crore", "₹1.552 crore"),
    ("매출은 {}입니다.", "34,500,000원", "3,450만 원", "3,540만 원"),
    ("매출은 {}입니다.", "12억 5,000만 원", "12.5억 원", "15.2억 원"),
    ("売上高は{}です。", "12億5,000万円", "12.5億円", "15.2億円"),
    ("売上高は{}です。", "3兆4,500億円", "3.45兆円", "3.54兆円"),
    ("Der Umsatz betrug {}.", "3.450.000 Euro", "3,45 Mio. €", "3,54 Mio. €"),
    ("Pendapatan mencapai {}.", "Rp 3.450.000", "Rp 3,45 juta", "Rp 3,54 juta"),
    ("Przychody wyniosły {}.", "3 450 000 zł", "3,45 miliona złotych", "3,54 miliona złotych"),
)
"""A sentence, an amount, the same in another scale, and another one."""


@pytest.mark.parametrize(("sentence", "full", "scaled", "other"), TOLD)
def test_an_amount_in_another_scale_is_the_same(sentence: str, full: str, scaled: str, other: str) -> None:
    """Whichever the passage has; another amount is seen."""
    for passage, answer in ((full, scaled), (scaled, full)):
        assert judged("", sentence.format(answer), sentence.format(passage)) == "supported"
    assert judged("", sentence.format(other), sentence.format(full)) in (
        "contradicted",
        "unsupported",
        "partial",
    )


@pytest.mark.parametrize(
    "text",
    [
        *(
            "5 apples",
            "room 12",
            "3 bins",
            "2 binary files",
            "5 ribuan",
            "3 минуты",
            "v1.2.3",
            "12:30",
            "2 миля",
        ),
        *("5 lakhshmi", "5만화", "3 Miofilter", "1/2 млн"),
    ],
)
def test_what_tells_no_large_amount_is_none(text: str) -> None:
    """Other words that begin so, small numbers, versions, times."""
    assert [found for found in amounts(text) if found[2] != {50000.0}] == []


def test_what_stands_apart_is_no_second_step_of_an_amount() -> None:
    """Two amounts in a row are two, and a larger one is never added to a smaller one."""
    told = ("3 млн, 5 тыс", "5 тыс 3 млн", "12억 원 5,000만")
    assert [len(list(amounts(text))) for text in told] == [2, 2, 2]
