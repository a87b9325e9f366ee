"""Numbers that the evidence tells of another thing in the same sentence, the next one or another record."""

from __future__ import annotations

import json

import pytest
from tests.scorer.checks.test_days import claim_of

from ragvigil.prompts import load
from ragvigil.scorer.judge import Builtin
from ragvigil.scorer.trace import Document, RagTrace

TRAIN = "A seat starts at €29.90, a couchette at €59.90 and a single cabin at €159.90."
TICKETS = (
    "Silver tickets are answered within 4 hours and closed after 10 days. "
    "Gold tickets are answered within 1 hour and closed after 30 days."
)
TARIFE = (
    "Erwachsene zahlen 3 Euro für die Einzelfahrt und 60 Euro für die Monatskarte. "
    "Kinder zahlen 1 Euro für die Einzelfahrt und 30 Euro für die Monatskarte."
)
CLASSES = "Silver: a seat costs €29 and a couchette €59. Gold: a seat costs €39 and a couchette €69."
OFFICES = "The office in Lisbon has 40 employees. The office in Porto has 15 employees."
OF_ANOTHER = (
    ("A couchette costs €29.90.", TRAIN),
    ("Il biglietto intero costa 7 euro.", "Il biglietto intero costa 14 €, il ridotto 7 € per i giovani."),
    (
        "The Team plan costs $29 per user per month.",
        "Valid from 1 May. Team plan: $15 per user per month. Business plan: $29 per user per month.",
    ),
    (
        "Ab 60 Minuten gibt es 50 % zurück.",
        "Ab 60 Minuten gibt es 25 % des Preises zurück, ab 120 Minuten 50 %.",
    ),
    (
        "With the city card you only pay €3.10.",
        "A single ticket bought on board costs €3.10; with the city card it costs €1.80.",
    ),
    ("A couchette costs from €29.90, a seat from €59.90.", TRAIN),
    (
        "Consumer had 11% of sales and Services 27%.",
        "Industrial had 62% of sales, Consumer 27% and Services 11%.",
    ),
    ("Consumer had 11% of sales.", "Industrial had 62% of sales, Consumer 27% and Services 11%."),
    ("By night the pool costs €9.", "The pool costs €9 by day and €6 by night."),
    (
        "The rear axle is filled with 3 litres.",
        "The front axle is filled with 3 litres, the rear one with 5 litres.",
    ),
    (
        "From the tenth year on, members pay €40.",
        "Members pay €40 in their first years and €25 from the tenth year on.",
    ),
    ("O hotel Sol tem 40 quartos.", "O hotel Mar tem 40 quartos e o hotel Sol tem 25 quartos."),
    (
        "The Total plan covers €300 a year.",
        "The Basic plan covers €300 a year, the Plus plan €750 and the Total plan €1,500.",
    ),
    ("A silver seat costs €59.", CLASSES),
    ("Silver tickets are answered within 10 hours.", TICKETS),
    ("Silver tickets are closed after 30 days.", TICKETS),
    ("Replacing a tyre costs €50.", "Replacing a tyre costs €20, replacing a battery €50."),
    ("As noted above, the office in Lisbon has 15 employees.", OFFICES),
    ("Die Monatskarte für Erwachsene kostet 30 Euro.", TARIFE),
)
TRIAL = (
    "The trial lasts 14 days and includes 3 seats. The subscription lasts 12 months and includes 10 seats."
)
AS_TOLD = (
    ("The level above Silver closes tickets after 30 days.", TICKETS),
    ("Lisbon's sister office has 15 employees.", OFFICES),
    ("After the trial, you get 10 seats.", TRIAL),
    ("Every ticket except Silver is closed after 30 days.", TICKETS),
    ("Silver tickets are closed after 10 days and the others are closed after 30 days.", TICKETS),
    (
        "Silver tickets are closed after 30 days.",
        f"{TICKETS} Since May, Silver tickets are closed after 30 days.",
    ),
    ("A silver couchette costs €59.", CLASSES),
    ("Silver tickets are closed after 10 days.", TICKETS),
    ("After 30 days, Gold tickets are closed.", TICKETS),
    ("| Level | Answer | Closed |\n|---|---|---|\n| Silver | 4 hours | 10 days |", TICKETS),
    ("Die Monatskarte für Erwachsene kostet 60 Euro.", TARIFE),
    ("A couchette costs €59.90 and a single cabin €159.90.", TRAIN),
    ("Prices start at €29.90.", TRAIN),
    ("A single cabin costs €159.90, a seat only €29.90.", TRAIN),
    (
        "White-tailed deer breed in autumn, with a gestation of six months.",
        "Deer breed in autumn. Gestation of mule deer is seven months, for white-tailed deer six months.",
    ),
    (
        "Full-time staff may keep 5 days.",
        "Full-time staff have 25 days of vacation a year. Up to 5 unused days may be kept until March.",
    ),
    ("Grade 8 may keep 5 days.", "Grade 8 has 25 days of vacation, of which 5 days may be kept until March."),
    ("The hall was built in 1901.", "The hall was built in 1901 and the tower in 1912."),
    ("The pool costs €9 by day.", "The pool costs €9 by day and €6 by night."),
    (
        "Members pay €40 until the tenth year.",
        "Members pay €40 in their first years and €25 from the tenth year on.",
    ),
    (
        "The front axle takes 3 litres, unlike the rear one.",
        "The front axle takes 3 litres, the rear one 5 litres.",
    ),
    ("By day the pool costs €9, by night €6.", "The pool costs €9 by day and €6 by night."),
    (
        "In the first years members pay €40.",
        "Members pay €40 in their first years and €25 from the tenth year on.",
    ),
)


@pytest.mark.parametrize(("answer", "passage"), OF_ANOTHER)
def test_a_number_of_another_part_is_not_supported(answer: str, passage: str) -> None:
    """All its words and its number stand in one or two sentences."""
    found = claim_of(answer, passage)
    assert (found.verdict, found.reason) == ("contradicted", "number_mismatch")


@pytest.mark.parametrize(("answer", "passage"), AS_TOLD)
def test_a_number_of_its_own_part_is_supported(answer: str, passage: str) -> None:
    """Or of one that goes on about the same, or of a word that the other part leaves out."""
    assert claim_of(answer, passage).reason != "number_mismatch"


def reasons(answer: str) -> list[str | None]:
    """Why the claims about two tents of a catalogue are not supported."""
    tents = (
        {"name": "TrailLite 2", "price": 249, "kg": 1.85},
        {"name": "TrailLite 4", "price": 389, "kg": 3.4},
    )
    documents = tuple(Document(one["name"], json.dumps(one)) for one in tents)  # type: ignore[arg-type]
    record = RagTrace("0" * 32, "1" * 16, "shop", 0, query="Which tents?", answer=answer, documents=documents)
    return [claim.reason for claim in Builtin().judge_now(record, load("faithfulness")).claims]


def test_a_value_of_another_record_is_not_supported() -> None:
    """Each passage is a record with a name."""
    assert reasons("The TrailLite 2 has a price of 389 and weighs 1.85 kg.") == ["number_mismatch"]
    assert reasons("The TrailLite 2 has a price of 249 and weighs 1.85 kg.") == [None]
    assert reasons("The TrailLite 2 costs 249, the TrailLite 4 costs 389.") == [None]
