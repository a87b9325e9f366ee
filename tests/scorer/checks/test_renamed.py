"""A name of a claim where the evidence has another one."""

from __future__ import annotations

import pytest
from tests.scorer.checks.test_days import claim_of

RENAMED = (
    (
        "The company was founded in Bergen in 1998.",
        "Founded in Oslo in 1998, the company now has 300 employees.",
    ),
    (
        "The Bank of India said that it would buy government bonds.",
        "On Thursday the Bank of Japan said that it would buy government bonds.",
    ),
    ("La empresa abrió en Madrid en 1998.", "La empresa abrió en Sevilla en 1998 con 30 empleados."),
)
NAMED = (
    (
        "The company was founded in Oslo in 1998.",
        "Founded in Oslo in 1998, the company now has 300 employees.",
    ),
    ("The WHO declared the outbreak over.", "The World Health Organization declared the outbreak over."),
    ("The US government announced new rules.", "The American government announced new rules."),
    ("Das Gerät kostet im Monat 5 Euro.", "Das Produkt kostet im Monat 5 Euro. Ein Gerät ist dabei."),
)


@pytest.mark.parametrize(("answer", "passage"), RENAMED)
def test_another_name_in_the_same_place_is_not_supported(answer: str, passage: str) -> None:
    """All other words are carried, and one name that stands nowhere weighs little beside them."""
    claim = claim_of(answer, passage)
    assert (claim.verdict, claim.reason) == ("partial", "novel_entity")


@pytest.mark.parametrize(("answer", "passage"), NAMED)
def test_a_name_that_stands_somewhere_or_may_be_the_same_is_left_alone(answer: str, passage: str) -> None:
    """Abbreviations, peoples for their countries, and nouns of a language that writes them all as names."""
    assert claim_of(answer, passage).reason != "novel_entity"
