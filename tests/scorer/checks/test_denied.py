"""Claims that hold, among other things, what a clause of the evidence denies."""

from __future__ import annotations

import pytest
from tests.scorer.checks.test_days import claim_of

DENIED = (
    ("The lamp works outdoors and has a timer switch.", "The lamp works outdoors. It has no timer switch."),
    ("The rent and the service charge are fixed.", "The rent is fixed. The service charge is not fixed."),
    (
        "The app sends a note for direct debits.",
        "The app sends a note for card payments, but it does not send one for direct debits.",
    ),
    (
        "Der Aufzug fährt nachts und befördert Fahrräder.",
        "Der Aufzug fährt nachts. Er befördert keine Fahrräder.",
    ),
    (
        "El abono sirve en el tren y permite llevar bicicletas.",
        "El abono sirve en el tren. No permite llevar bicicletas.",
    ),
    (
        "O cartão serve no metro e permite levar bicicletas.",
        "O cartão serve no metro. Não permite levar bicicletas.",
    ),
)
LEFT_OPEN = (
    (
        "The second SIM works in tablets but fails to receive calls.",
        "The second SIM works in tablets. It cannot receive calls.",
    ),
    (
        "The rent is fixed and the service charge varies.",
        "The rent is fixed. The service charge is not fixed.",
    ),
    ("The old lamp is dimmable.", "The new lamp works outdoors. It is not dimmable."),
    ("The lamp is dimmable indoors.", "The lamp works outdoors. It is not dimmable outdoors."),
    ("Dogs are allowed on weekdays.", "On Sundays, dogs are not allowed. On weekdays they may enter."),
    ("The lamp is dimmable.", "The lamp is dimmable. The lamp is not only dimmable, it is small."),
    ("Refunds are paid after 5 May.", "Refunds are not paid before 5 May."),
)


@pytest.mark.parametrize(("answer", "passage"), DENIED)
def test_what_a_clause_denies_is_contradicted(answer: str, passage: str) -> None:
    """Beside other things that the evidence says, or of what is named in the sentence before."""
    found = claim_of(answer, passage)
    assert (found.verdict, found.reason) == ("contradicted", "contradicted")


@pytest.mark.parametrize(("answer", "passage"), LEFT_OPEN)
def test_what_is_denied_of_something_else_is_not(answer: str, passage: str) -> None:
    """Of another thing, or in other cases."""
    assert claim_of(answer, passage).verdict != "contradicted"
