"""Shares told as so many out of so many, and numbers that the evidence spells out."""

from __future__ import annotations

import pytest
from tests.scorer.checks.test_days import claim_of

SAME = (
    ("Nearly one in five households heats with wood.", "18 % of the households heat with wood."),
    ("Four out of five trains were punctual.", "80.4 % of the trains were punctual."),
    ("The network reaches 31 countries.", "The network reaches thirty-one countries."),
    ("The fleet has 112 buses.", "The fleet has one hundred and twelve buses."),
    ("The line has just over 200 stops.", "The line has 212 stops."),
)
OTHER = (
    ("The hotel has 31 rooms.", "The hotel has one hundred thirty-one rooms."),
    ("One in five customers returns shoes.", "Customers return shoes by post. Hats are 20 % cheaper."),
    ("Nearly one in three households heats with wood.", "18 % of the households heat with wood."),
    ("One in five households heats with wood.", "24 % of the households heat with wood."),
    ("The network reaches 41 countries.", "The network reaches thirty-one countries."),
    ("The line has just over 200 stops.", "The line has 262 stops."),
)


@pytest.mark.parametrize(("answer", "passage"), SAME)
def test_a_value_in_other_words_is_supported(answer: str, passage: str) -> None:
    """Out of so many, spelled out, or a little more than said."""
    assert claim_of(answer, passage).verdict == "supported"


@pytest.mark.parametrize(("answer", "passage"), OTHER)
def test_another_value_in_words_is_not(answer: str, passage: str) -> None:
    """A share that is further off, another number, or one that is much more than said."""
    assert claim_of(answer, passage).verdict != "supported"
