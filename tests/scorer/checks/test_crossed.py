"""A number that the evidence tells of another kind of thing alone: money of a percentage, months of litres."""

from __future__ import annotations

import time

import pytest
from tests.scorer.checks.test_days import claim_of
from tests.scorer.checks.test_restating import answered

from ragvigil.scorer.checks.prepared import Prepared

FEE = "The reminder fee is EUR 5. A discount of 15 % applies after five years."
PLAN = "The plan costs $9 a month and includes 50 GB."
CROSSED = (
    (FEE, "The reminder fee is EUR 15."),
    (FEE, "The reminder fee is 15 euros."),
    (FEE, "The reminder fee is €15."),
    (PLAN, "The plan costs $50 a month."),
    (PLAN, "The plan includes 9 GB."),
    ("The deposit is $200. Cancellation is free for 30 days.", "The deposit is $30."),
    ("The warranty lasts 24 months. The tank holds 10 litres.", "The warranty lasts 10 months."),
    ("La tasa es de 5 euros. El plazo es de 30 días.", "La tasa es de 30 euros."),
    ("Late payers owe 5% interest. The grace period is 14 days.", "Late payers owe 14% interest."),
    ("Interest is 4.5% on balances over €1000 for 12 months.", "Interest is 12% on balances over €1000."),
)
AS_TOLD = (
    (FEE, "After five years a 15% discount applies."),
    ("Tickets cost €5. A group of three gets 15 % off.", "Three tickets cost €15 in total."),
    ("| Fee (EUR) | Discount |\n|---|---|\n| 15 | 15 % |", "The fee is €15."),
    ('{"price_eur": 15, "discount": "15 %"}', "It costs €15."),
    ("The course takes 1 day. VAT is 24 %.", "The course takes 24 hours."),
    ("The trial lasts two weeks. Storage is 14 GB.", "The trial lasts 14 days."),
    ("Fifteen dollars are due. A discount of 15 % applies.", "You owe $15."),
    ("Der Preis ist 15,00 €. Der Rabatt ist 15 %.", "Der Preis ist 15 Euro."),
    ("Speed is 60 mph. Tank: 96 litres.", "Speed is about 96 km/h."),
    ("The fee is 5 to 15 euros. The discount is 15 %.", "The fee can be up to 15 euros."),
    ("Adults 12, children 6 euros. A ride takes 12 minutes.", "Adults pay 12 euros."),
    ("The parcel weighs 11 lb. The limit is 20 kg.", "The parcel weighs 11 pounds."),
    ("Support is available 24/7. Replies take 2 hours.", "Support is available 24 hours a day."),
    ("It raised 5 million dollars in 2020.", "It raised $5M in 2020."),
    ("It takes 15 min. The fee is 15 euros.", "It takes 15 minutes and costs €15."),
)


@pytest.mark.parametrize(("passage", "answer"), CROSSED)
def test_a_number_of_another_kind_is_a_contradiction(passage: str, answer: str) -> None:
    """Its digits stand in the evidence, and so do its words."""
    found = claim_of(answer, passage)
    assert (found.verdict, found.reason) == ("contradicted", "number_mismatch")


@pytest.mark.parametrize(("passage", "answer"), AS_TOLD)
def test_what_the_evidence_tells_so_or_leaves_open_is_none(passage: str, answer: str) -> None:
    """With a bare number, in another unit or form, worked out, or where a unit may measure either."""
    assert claim_of(answer, passage).verdict == "supported"


def test_many_numbers_are_compared_in_time() -> None:
    """Of all claims and all sentences."""
    passage = " ".join(f"The fee of item {one} is {one} euros, less 15 %." for one in range(1, 290))
    answer = " ".join(f"The fee of item {one} is {one + 1000} euros, or 15 euros." for one in range(1, 100))
    start = time.process_time()
    assert Prepared(answered(answer, passage)).assessment.claims
    assert time.process_time() - start < 8
