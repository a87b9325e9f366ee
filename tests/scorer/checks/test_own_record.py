"""What one record tells and another one misses."""

from __future__ import annotations

import pytest
from tests.scorer.checks.judged import judged

SENT = (
    '{"order_id": "A-77120", "status": "shipped", "carrier": "DHL", "tracking": "JD0146",'
    ' "items": [{"name": "Desk lamp Oslo", "qty": 2}], "eta": "2026-05-14"}'
)
WAITING = (
    '{"order_id": "A-77188", "status": "processing", "carrier": null, "tracking": null,'
    ' "items": [{"name": "Floor lamp Bergen", "qty": 1}], "eta": null}'
)
OTHER = (
    '{"order_id": "A-77200", "status": "shipped", "carrier": "UPS", "tracking": "XY9912",'
    ' "items": [{"name": "Rug Tromso", "qty": 1}], "eta": "2026-05-15"}'
)
RED, BLUE = (
    '{"name": "Alpin", "farbe": "rot", "code": null}',
    '{"name": "Trail", "farbe": "blau", "code": "T20"}',
)
MINE = "Where is my order A-77120?"


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (MINE, "Your tracking number is JD0146."),
        (MINE, "It is with DHL; the tracking number is JD0146."),
        (MINE, "The carrier is DHL."),
        (MINE, "Su número de tracking es JD0146."),
        ("Where is my parcel?", "The tracking number of order A-77120 is JD0146."),
        ("Where is my Oslo lamp?", "The tracking number is JD0146."),
    ],
)
@pytest.mark.parametrize("records", [(SENT, WAITING), (WAITING, SENT)])
def test_a_value_is_not_missing_where_another_record_misses_it(
    question: str, answer: str, records: tuple[str, ...]
) -> None:
    """The right number of one order was doubted because another order had none yet."""
    assert judged(question, answer, *records) in ("supported", "partial")


def test_nor_is_it_in_german() -> None:
    """Where question and record name the same thing."""
    assert judged("Was ist der Code des Trail?", "Der Code ist T20.", RED, BLUE) == "supported"


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        *(
            (MINE, answer)
            for answer in (
                "Your tracking number is JD0147.",
                "Your tracking number is not JD0146.",
                "Your tracking number is DHL.",
                "Your tracking number is XY9912.",
                "The tracking number is A-77120.",
                "The tracking number of order A-77188 is JD0146.",
                "The tracking number of order A-77121 is JD0146.",
                "The tracking number of the floor lamp is JD0146.",
                "The tracking number of both orders is JD0146.",
                "The tracking number of the other order is JD0146.",
                "The tracking number of your refund is JD0146.",
                "The tracking number for order A-77120 and order A-77188 is JD0146.",
                "The tracking number JD0146 is from UPS.",
                "Your tracking number JD0146 arrives on May 15.",
                "Your carrier is UPS.",
                "Die andere Bestellung hat tracking JD0146.",
                "El tracking del otro pedido es JD0146.",
            )
        ),
        *(
            (question, "Your tracking number is JD0146.")
            for question in (
                "Where is my order A-77188?",
                "Where is my floor lamp?",
                "Where are my orders A-77120 and A-77188?",
                "Where is my order?",
                "Where is my order of 2 lamps?",
                "Has my order shipped?",
            )
        ),
        ("Wo ist meine Bestellung A-77188?", "Su número de tracking es JD0146."),
    ],
)
@pytest.mark.parametrize("records", [(SENT, WAITING), (WAITING, SENT)])
def test_what_is_said_of_another_record_stays_in_doubt(
    question: str, answer: str, records: tuple[str, ...]
) -> None:
    """Another number, order, carrier or day, the order that has none, or none in particular."""
    assert judged(question, answer, *records) == "unsupported"


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Was ist der Code des blauen?", "Der Code ist T20."),
        ("Was ist der Code des Alpin?", "Der Code ist T20."),
        ("Was ist der Code des Trail?", "Der Code des Alpin ist T20."),
        ("Was ist der Code des Trail?", "Der Code ist T25."),
        ("Welcher Code gilt für Rot?", "Der Code ist T20."),
        ("Was ist der Code?", "Der Code ist T20."),
    ],
)
def test_so_it_does_in_german(question: str, answer: str) -> None:
    """The shoe is told by its name or by its colour."""
    assert judged(question, answer, RED, BLUE) != "supported"
