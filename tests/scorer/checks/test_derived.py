"""Totals and changes that an answer works out of what the evidence tells, and figures told in thousands."""

from __future__ import annotations

import pytest
from tests.scorer.checks.test_days import claim_of

REGIONS = (
    "| Region | 2023 | 2024 |\n|---|---|---|\n| North America | 236.0 | 259.4 |\n| Europe | 121.7 | 139.2 |\n"
    "| Asia Pacific | 54.8 | 69.5 |"
)
TABLETS = "Do not take more than 6 tablets of 200 mg in 24 hours."
STAFF = "The group employed 6,412 people in 2022 and 6,780 in 2023."
WORKED_OUT = (
    ("The maximum is 6 tablets of 200 mg, that is 1,200 mg in 24 hours.", TABLETS),
    ("The maximum is 6 tablets \u00d7 200 mg = 1,200 mg in 24 hours.", TABLETS),
    ("In total, the maximum is 6 tablets of 200 mg, 1,200 mg in 24 hours.", TABLETS),
    ("Two day passes would come to £12.", "A day pass costs £6."),
    ("City tax for three nights would be €12 in total.", "City tax is €4 a night, for three nights at most."),
    ("Europe added 17.5 and Asia Pacific 14.7.", REGIONS),
    ("Europe grew by 14.4%.", REGIONS),
    ("The group employed 368 more people than in 2022.", STAFF),
)
WRONG = (
    ("The maximum is 6 tablets of 200 mg, that is 1,400 mg in 24 hours.", TABLETS),
    ("Europe added 18.5 and Asia Pacific 14.7.", REGIONS),
    ("Europe grew by 18.4%.", REGIONS),
    ("Europe has 17.5.", REGIONS),
    ("The group employed 386 more people than in 2022.", STAFF),
)


@pytest.mark.parametrize(("answer", "passage"), WORKED_OUT)
def test_a_number_that_is_worked_out_is_no_mismatch(answer: str, passage: str) -> None:
    """It stands nowhere, but follows from those that do."""
    assert claim_of(answer, passage).reason != "number_mismatch"


@pytest.mark.parametrize(("answer", "passage"), WRONG)
def test_a_number_that_is_worked_out_wrongly_is_a_mismatch(answer: str, passage: str) -> None:
    """Or that nothing says to be worked out."""
    found = claim_of(answer, passage)
    assert found.verdict != "supported"
    assert found.reason == "number_mismatch"


KEY_FIGURES = (
    "Key figures (EUR thousand)\n\n| | 2022 | 2023 |\n|---|---|---|\n| Sales | 1,204,560 | 1,318,220 |\n"
    "| EBITDA | 182,400 | 201,930 |\n| Net debt | 310,700 | 268,450 |"
)


@pytest.mark.parametrize(
    "answer",
    [
        "Sales grew to €1.32 billion in 2023.",
        "Sales grew to EUR 1,318.2 million in 2023.",
        "EBITDA was about €202 million in 2023.",
        "Net debt fell to €268,450,000 in 2023.",
    ],
)
def test_a_figure_below_thousands_may_be_told_in_full(answer: str) -> None:
    """Rounded as it is told."""
    assert claim_of(answer, KEY_FIGURES).reason != "number_mismatch"


@pytest.mark.parametrize(
    ("answer", "passage"),
    [
        ("Sales grew to €1.42 billion in 2023.", KEY_FIGURES),
        ("Sales grew to €1.32 million in 2023.", KEY_FIGURES),
        ("Sales grew to €1.32 billion in 2023.", KEY_FIGURES.replace("EUR thousand", "audited")),
    ],
)
def test_another_figure_or_one_of_another_scale_is_a_mismatch(answer: str, passage: str) -> None:
    """As is one where no head says what the figures are."""
    assert claim_of(answer, passage).reason == "number_mismatch"
