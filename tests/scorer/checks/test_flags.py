"""What a claim says of the things that a record has, lacks or does not tell."""

from __future__ import annotations

import json

import pytest

from ragvigil.scorer.checks.alignment.flags import FLAGS, flags_of
from ragvigil.scorer.checks.reading.evidence import Evidence
from ragvigil.scorer.checks.reading.words import words
from ragvigil.scorer.trace import Document

RECORD = {
    "name": "Harbour Cantina",
    "parking": {"garage": True, "street": True, "valet": False, "lot": False},
    "attributes": {
        "RestaurantsReservations": False,
        "RestaurantsTakeOut": True,
        "RestaurantsGoodForGroups": True,
        "OutdoorSeating": None,
        "WiFi": "no",
        "Music": None,
        "HappyHour": None,
        "romantic": False,
        "casual": True,
    },
}
REVIEW = "We came for happy hour and stayed for the view."
EVIDENCE = Evidence([Document("record", json.dumps(RECORD)), Document("review", REVIEW)])


def told(claim: str) -> dict[str, str]:
    """How `claim` speaks of each word that names a flag."""
    sequence = words(claim)
    found = flags_of(sequence, claim, EVIDENCE)
    return {sequence[place].stem: FLAGS[flag] for place, flag in found.items()}


@pytest.mark.parametrize("written", ["WiFi", "Wi-Fi", "wifi", "Wi Fi"])
def test_a_name_of_several_words_is_known_however_it_is_written(written: str) -> None:
    """As one word, as several, or with a hyphen."""
    assert set(told(f"Guests enjoy free {written} here.").values()) == {"false_said"}


def test_a_name_with_a_function_word_needs_its_words_side_by_side() -> None:
    """Not every "take" is a take-out."""
    assert (
        set(told("They offer take-out.").values()) == set(told("Takeout is easy.").values()) == {"true_said"}
    )
    assert told("Take a seat.") == {}


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        (
            "Valet and lot parking options are not available.",
            {"valet": "false_denied", "lot": "false_denied"},
        ),
        ("Not romantic; casual at all times.", {"romantic": "false_denied", "casu": "true_said"}),
        ("It is casual, not romantic.", {"romantic": "false_denied", "casu": "true_said"}),
        ("It is casual and does not take reservations.", {"casu": "true_said", "reservat": "false_denied"}),
        ("It takes reservations but has no valet.", {"reservat": "false_said", "valet": "false_denied"}),
    ],
)
def test_a_negation_reaches_as_far_as_its_part_of_the_sentence(claim: str, expected: dict[str, str]) -> None:
    """Before its verb or after it, and not beyond a turn."""
    assert told(claim) == expected


def test_what_a_record_does_not_tell_may_be_called_untold_or_be_told_elsewhere() -> None:
    """Only who says that it is so, or that it is not, says too much."""
    assert set(told("There is live music.").values()) == {"null_said"}
    assert set(told("There is no music.").values()) == {"null_denied"}
    assert told("The record does not mention music.") == {}
    assert told("They have a happy hour.") == {}


def test_a_street_in_a_name_says_nothing_about_parking() -> None:
    """Capitals tell a name."""
    assert told("It stands at 5 State Street.") == {}
    assert told("There is street parking.") == {"street": "true_said"}
