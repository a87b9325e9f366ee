"""Numbers of the evidence that a claim tells of another unit, currency or month."""

from __future__ import annotations

import pytest
from tests.scorer.checks.test_days import claim_of

OTHERWISE = (
    ("Parental leave is 16 months.", "Both parents are entitled to 16 weeks of fully paid parental leave."),
    (
        "Unused vacation days must be used by May 31.",
        "Up to 5 unused vacation days may be carried over to the following year; they must be used by March 31.",
    ),
    (
        "You may work abroad for 20 weeks a year.",
        "You may work from abroad for up to 20 working days a year.",
    ),
    ("Keep the vaccine at 2 to 8 °F.", "The vaccine must be kept refrigerated (2°C to 8°C). Do not freeze."),
    ("Your order was shipped on 3 May 2025.", '{"status": "shipped", "shipped_at": "2025-03-03T14:22:00Z"}'),
    (
        "The default timeout is 30 minutes.",
        "timeout (float): to wait for a response. Defaults to 30.0 seconds.",
    ),
    ("La garanzia dura tre anni.", "La garanzia sul prodotto acquistato online dura tre mesi."),
    ("The lease runs for half a year.", "The lease runs for 9 months."),
    (
        "A fee of $4.95 is deducted unless your order was above €50.",
        "Returns are free for orders over €50; otherwise a fee of €4.95 is deducted.",
    ),
    (
        "Net income was EUR 52.6m, operating income USD 71.2m.",
        "Net income: USD 52.6m. Operating income: USD 71.2m.",
    ),
    ("Expect 30 to 45 minutes of downtime.", "Expected downtime: 30 to 45 seconds."),
    ("Take one tablet of 200 µg.", "Take one tablet of 200 mg with food."),
    (
        "Our backpacks come with a five-year warranty on defects.",
        "All backpacks have a two-year warranty on defects. A refund takes 5 business days.",
    ),
    ("التأشيرة صالحة لمدة 90 شهرا.", "التأشيرة صالحة لمدة 90 يوما."),
)
AS_TOLD = (
    (
        "Parental leave is 16 weeks.",
        "Parents have 16 weeks of leave, of which 16 days must be taken at once.",
    ),
    ("The lease runs for half a year.", "The lease runs for 6 months."),
    ("Die Probezeit dauert ein halbes Jahr.", "Die Probezeit dauert sechs Monate."),
    ("La garanzia dura due anni.", "La garanzia dura 24 mesi."),
    ("De garantie is twee jaar.", "De garantie is 24 maanden."),
    ("Expect 30 seconds of downtime.", "Expected downtime: 30 to 45 seconds."),
    ("The report costs $40 in print.", "The report costs €35, or $40 in print."),
    ("The warranty lasts five years.", "The warranty lasts 5 years. A refund takes 5 business days."),
    ("Five users share the two-year plan.", "The two-year plan is for 5 users. A refund takes 5 days."),
    ("Гарантия составляет два года.", "Гарантия составляет 24 месяца."),
    (
        "Your order was shipped on 3 March 2025.",
        '{"status": "shipped", "shipped_at": "2025-03-03T14:22:00Z"}',
    ),
)


@pytest.mark.parametrize(("answer", "passage"), OTHERWISE)
def test_the_right_number_of_the_wrong_unit_is_not_supported(answer: str, passage: str) -> None:
    """All its numbers stand in the evidence, and nearly all of its words."""
    assert claim_of(answer, passage).verdict != "supported"


@pytest.mark.parametrize(("answer", "passage"), AS_TOLD)
def test_a_unit_that_the_evidence_tells_anywhere_is_supported(answer: str, passage: str) -> None:
    """As it is told, or as much of another unit."""
    assert claim_of(answer, passage).verdict == "supported"
