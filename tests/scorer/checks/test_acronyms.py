"""Acronyms of an answer whose names the passages spell out."""

from __future__ import annotations

import time

import pytest

from ragvigil.scorer.checks import Prepared, run_checks
from ragvigil.scorer.trace import Document, RagTrace

SPELLED_OUT = (
    (
        "Disputes go to arbitration under the AAA rules.",
        "Disputes go to the American Arbitration Association.",
    ),
    ("MFA is mandatory for all staff.", "Multi-factor authentication is mandatory for all staff."),
    ("There is one worker for each CPU.", "The workers are as many as there are CPUs."),
    ("Dr. Keller was appointed CFO in May.", "In May Dr. Keller was appointed Chief Financial Officer."),
)
OTHER = (
    (
        "Disputes go to arbitration under the ICC rules.",
        "Disputes go to the American Arbitration Association.",
    ),
    ("Dr. Keller was appointed CEO in May.", "In May Dr. Keller was appointed Chief Financial Officer."),
    ("Ask the HTA for the forms.", "She has told all of them about it. Ask for the forms."),
    ("Ask the AAB for the forms.", "It is an American Arbitration. Boards have the forms."),
)


def missing(answer: str, passage: str) -> object:
    """What `no_hallucinated_entities` finds nowhere."""
    record = RagTrace("0" * 32, "1" * 16, "shop", 0, answer=answer, documents=(Document("a", passage),))
    found = next(one for one in run_checks(record) if one.check == "no_hallucinated_entities")
    return found.details.get("missing", [])


@pytest.mark.parametrize(("answer", "passage"), SPELLED_OUT)
def test_the_initials_of_a_name_that_a_passage_spells_out_are_known(answer: str, passage: str) -> None:
    """They were an invented name."""
    assert missing(answer, passage) == []


@pytest.mark.parametrize(("answer", "passage"), OTHER)
def test_initials_of_no_name_are_not_known(answer: str, passage: str) -> None:
    """Nor are those of words that happen to follow one another, or that a full stop parts."""
    assert len(str(missing(answer, passage))) > len("[]")


def test_many_acronyms_and_a_long_passage_take_no_time() -> None:
    """Of one answer a few are looked for."""
    answer = " ".join(f"The {chr(65 + n % 26)}{chr(65 + n // 26)}Q rule holds." for n in range(600))
    record = RagTrace(
        "0" * 32, "1" * 16, "shop", 0, answer=answer, documents=(Document("a", "a b q " * 40_000),)
    )
    began = time.process_time()
    assert Prepared(record).told
    assert time.process_time() - began < 3
