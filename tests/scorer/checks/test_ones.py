"""A 1 in the answer is the *one* of the passages where both count the same thing."""

from __future__ import annotations

import time

import pytest
from tests.scorer.checks.test_days import claim_of
from tests.scorer.checks.test_restating import checked

from ragvigil.scorer.checks.reading.ones import Ones
from ragvigil.scorer.checks.reading.words import words

SAME = (
    ("Each adult may take one infant.", "Each adult may take 1 infant."),
    ("You get one free coffee a day.", "You get 1 free coffee a day."),
    ("The set includes one cable and two adapters.", "The set includes 1 cable and 2 adapters."),
    ("Delivery takes one day.", "Delivery takes 1 day."),
    ("One parking space is included with every flat.", "1 parking space is included with every flat."),
    ("It has one USB port.", "- **USB ports:** 1"),
    ("It has a single bedroom.", "It has 1 bedroom."),
    (
        "Classic: one checked bag of 23 kg. Flex: two checked bags.",
        "Classic includes 1 checked bag of 23 kg.",
    ),
    ("Es gibt ein Schlafzimmer und zwei Bäder.", "Es gibt 1 Schlafzimmer und 2 Bäder."),
    ("Un seul abonnement est accordé par foyer.", "1 abonnement est accordé par foyer."),
    ("Incluye una maleta de 23 kg.", "Incluye 1 maleta de 23 kg."),
)
OTHER = (
    ("Each adult may take two infants.", "Each adult may take 1 infant."),
    ("The set includes one adapter and two cables.", "The set includes 1 cable and 2 adapters."),
    ("Classic: one bag of 23 kg. Flex: two bags of 23 kg.", "Flex includes 1 bag of 23 kg."),
    ("The warranty lasts two years. A check is made once a year.", "The warranty lasts 1 year."),
    ("Delivery takes three days. Returns take one day.", "Delivery takes 1 day."),
    ("You get one free breakfast.", "You get 1 free night."),
    ("No one may bring more than four bags.", "No one may bring more than 1 bag."),
    ("Es gibt ein Schlafzimmer und zwei Bäder.", "Es gibt 1 Bad und 2 Schlafzimmer."),
    ("La garantía es de dos años, con una revisión al año.", "La garantía es de 1 año."),
    ("Il y a un ascenseur et deux garages.", "Il y a 1 garage."),
    ("The unit has two USB ports and one HDMI port.", "- **USB ports:** 1"),
    ("Das Gerät hat zwei Jahre Garantie und ein Netzteil.", "Das Gerät hat 1 Jahr Garantie."),
)


@pytest.mark.parametrize(("passage", "answer"), SAME)
def test_a_digit_for_one_of_the_same_is_supported(passage: str, answer: str) -> None:
    """The other way round it always was."""
    supported, founded = checked(passage, answer)
    assert (supported, founded or 1.0) == (1.0, 1.0)


@pytest.mark.parametrize(("passage", "answer"), OTHER)
def test_one_of_something_else_is_not(passage: str, answer: str) -> None:
    """Nor is one of what the sentence that is nearest to the claim counts otherwise."""
    assert claim_of(answer, passage).verdict != "supported"


@pytest.mark.parametrize("evidence", ["one bag, ", "a ", "two bags, one bag. ", "one thing of many, "])
def test_long_passages_are_read_in_time(evidence: str) -> None:
    """However often they say it."""
    text = "Take 1 bag and 1 thing. " * 40
    start = time.process_time()
    Ones(evidence * (200_000 // len(evidence))).in_words(words(text), text)
    assert time.process_time() - start < 2
