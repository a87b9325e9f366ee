"""A share is the same as a decimal, in per cent and in words."""

from __future__ import annotations

import time

import pytest
from tests.scorer.checks.test_days import claim_of

from ragvigil.scorer.checks.reading.per_cent import Shares
from ragvigil.scorer.checks.reading.words import words

SAME = (
    ("The hit ratio should be above 0.9.", "The hit ratio should be above 90%."),
    ("Keep the cache hit ratio above 0.9.", "Keep the cache hit ratio above 90 percent."),
    ("The hit ratio should be above 0.9, measured daily.", "The hit ratio should be above 0.9, i.e. 90%."),
    ("The error rate must not exceed 0.001.", "The error rate must not exceed 0.1%."),
    ("Die Trefferquote liegt bei 0,85.", "Die Trefferquote liegt bei 85 %."),
    ("The hit ratio is 90%.", "The hit ratio is 0.9."),
    ("sampling_rate: 0.1", "The sampling rate is 10%."),
    ("Three quarters of the staff work remotely.", "75% of the staff work remotely."),
    ("A third of customers churned.", "About 33% of customers churned."),
)
OTHER = (
    ("The hit ratio should be above 0.9.", "The hit ratio should be above 95%."),
    ("The error rate was 0.05.", "The error rate was 50%."),
    ("The error rate was 0.5%.", "The error rate was 50%."),
    ("The tank holds 0.9 litres.", "It is 90% full."),
    ("The price is 0.05 euros.", "The price is 5% of the total."),
    ("Version 0.9 was released.", "90% was released."),
    ("The hit ratio is above 0.9. The miss ratio is 0.2.", "The miss ratio is 90%."),
    ("The distance is 0.5 km; the share of women is 0.4.", "The share of women is 50%."),
    ("The score is 0.66 of 3.", "The score is 66%."),
    ("The hazard ratio for death was 0.66.", "Death was 66% less frequent."),
    ("The difference was significant (p < 0.05).", "The difference was 5%."),
    ("A quarter of respondents agreed.", "75% of respondents agreed."),
    ("A third of customers churned.", "66% of customers churned."),
)


@pytest.mark.parametrize(("passage", "answer"), SAME)
def test_a_share_in_another_form_is_supported(passage: str, answer: str) -> None:
    """Its number stands nowhere, and is none that is new."""
    assert claim_of(answer, passage).verdict == "supported"


@pytest.mark.parametrize(("passage", "answer"), OTHER)
def test_another_share_is_not(passage: str, answer: str) -> None:
    """Nor is a decimal with a unit, or of something else, a share of it."""
    assert claim_of(answer, passage).verdict != "supported"


@pytest.mark.parametrize(
    "evidence", ["a rate of 0.9, ", "0.", "0.9 ", "three quarters of a ", "99 % of 0.5 "]
)
def test_long_passages_are_read_in_time(evidence: str) -> None:
    """However often they tell one."""
    text = "The rate is 90%, or 0.75. " * 40
    start = time.process_time()
    Shares(evidence * (200_000 // len(evidence))).as_told(words(text), text)
    assert time.process_time() - start < 2
