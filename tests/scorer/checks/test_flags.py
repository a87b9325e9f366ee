"""What a claim says of the things that a record has, lacks or does not tell."""

from __future__ import annotations

import json

import pytest
from tests.scorer.checks.test_days import claim_of

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


def test_a_name_is_known_by_what_it_is_about() -> None:
    """GoodForGroups is about groups; a verb may stand for its noun."""
    assert told("It suits large groups.") == {"group": "true_said"}
    assert told("The food is good.") == {}
    assert told("Guests can reserve a table.") == {"reserv": "false_said"}


def test_several_flags_under_one_name_are_one_more() -> None:
    """It is so as soon as one of them is; who names one of them speaks of that one."""
    assert told("There is no parking.") == {"park": "true_denied"}
    assert told("They offer parking.") == {"park": "true_said"}
    assert told("There is no valet parking.") == {"valet": "false_denied"}


def test_a_name_that_only_holds_others_together_is_no_flag() -> None:
    """Attributes, features, details."""
    evidence = Evidence([Document("record", json.dumps({"attributes": {"bar": True, "pool": False}}))])
    claim = "It has no such attributes."
    assert flags_of(words(claim), claim, evidence) == {}


def test_a_group_of_which_nothing_is_so_can_be_spoken_of() -> None:
    """An ambience may be of no listed kind."""
    record = {"ambience": {"romantic": False, "trendy": False}}
    evidence = Evidence([Document("record", json.dumps(record))])
    warm, none = "The ambience is warm.", "There is no ambience."
    assert flags_of(words(warm), warm, evidence) == {}
    assert flags_of(words(none), none, evidence) == {3: FLAGS.index("false_denied")}


def test_what_another_value_or_a_sentence_tells_is_no_disagreement() -> None:
    """A garage door, and a lot in the prose beside the record."""
    record = {"services": "Garage Doors, Keys", "parking": {"garage": False, "lot": False, "street": True}}
    evidence = Evidence(
        [Document("record", json.dumps(record)), Document("review", "It is in a vacant lot.")]
    )
    for claim in ("They repair garage doors.", "It stands in a vacant lot."):
        assert flags_of(words(claim), claim, evidence) == {}


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("WiFi is unavailable.", {"wifi": "false_denied"}),
        ("It is casual rather than romantic.", {"casu": "true_said", "romantic": "false_denied"}),
        ("It is rather romantic.", {"romantic": "false_said"}),
        ("It has no WiFi, making it romantic.", {"wifi": "false_denied", "romantic": "false_said"}),
        ("It has no valet, street parking is free.", {"valet": "false_denied", "street": "true_said"}),
        ("It is casual and WiFi is not available.", {"casu": "true_said", "wifi": "false_denied"}),
        ("WiFi: No", {"wifi": "false_denied"}),
    ],
)
def test_other_ways_to_deny(claim: str, expected: dict[str, str]) -> None:
    """What is unavailable is not there, and what comes after "rather than" is not so."""
    assert told(claim) == expected


def test_what_is_unknown_is_neither_so_nor_not() -> None:
    """No negation is needed to say that nobody knows."""
    assert told("Whether there is music is unknown.") == {}


@pytest.mark.parametrize(
    ("claim", "right"),
    [
        ("The guest network is off.", True),
        ("The guest network is disabled.", True),
        ("The guest network is not off.", False),
        ("WPS is not disabled.", True),
        ("WPS is turned off.", False),
    ],
)
def test_what_is_off_is_not_so(claim: str, *, right: bool) -> None:
    """And what is not off is so."""
    found = claim_of(claim, '{"router": "R1", "guest_network": false, "wps": true}')
    assert (found.verdict == "supported") == right


@pytest.mark.parametrize(
    ("claim", "right"),
    [
        ("The firewall is off.", False),
        ("The VPN is off.", True),
        ("The firewall is enabled and the VPN is disabled.", True),
    ],
)
def test_what_is_enabled_is_not_off(claim: str, *, right: bool) -> None:
    """Its name stands above the one that says so."""
    found = claim_of(claim, '{"vpn": {"enabled": false}, "firewall": {"enabled": true}}')
    assert (found.verdict == "supported") == right


@pytest.mark.parametrize(
    ("claim", "right"),
    [
        ("Carl is inactive.", False),
        ("Carl is not inactive.", True),
        ("Ann is inactive.", True),
        ("Ann is not inactive.", False),
    ],
)
def test_what_is_named_for_being_off_is_off_where_it_is_so(claim: str, *, right: bool) -> None:
    """The name of the value is the claim's own word."""
    inactive = "Ann" in claim
    found = claim_of(claim, json.dumps({"user": claim.split()[0], "inactive": inactive, "verified": True}))
    assert (found.verdict == "supported") is right
