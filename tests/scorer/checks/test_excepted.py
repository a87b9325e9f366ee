"""What is said of all but one thing, beside what is said of that one."""

from __future__ import annotations

import pytest
from tests.scorer.checks.test_days import claim_of

RIGHT = (
    ("The shop is closed on Sundays.", "The shop is open daily except Sundays."),
    ("The museum is open on Mondays.", "The museum is closed except on Mondays."),
    ("The pool is closed on Mondays.", "The pool is open daily except Mondays; on Mondays it is cleaned."),
    ("The shop opens on Sundays in December.", "The shop is closed on Sundays, except in December."),
    ("Der Laden ist sonntags geschlossen.", "Der Laden ist täglich außer sonntags geöffnet."),
    ("Le magasin est fermé le dimanche.", "Le magasin est ouvert tous les jours sauf le dimanche."),
    (
        "La tienda está cerrada los domingos.",
        "La tienda está abierta todos los días excepto los domingos.",
    ),
    ("You may smoke on the terrace.", "Smoking is prohibited in all areas except the terrace."),
    ("The warranty does not cover batteries.", "The warranty covers all parts except batteries."),
    ("We ship to all countries but Russia.", "We ship to all countries except Russia."),
    ("We ship everywhere other than Russia.", "We ship everywhere except Russia."),
    ("Is the museum open on Mondays?", "The museum is open daily except Mondays."),
    ("All fees are refundable.", "All fees are refundable except the booking fee."),
    ("Water is allowed in the hall.", "Nothing is allowed in the hall except water."),
    (
        "The gym is open on Sundays from 10 to 14.",
        "The gym is open daily from 8 to 20 except Sundays, when it is open from 10 to 14.",
    ),
    (
        "The shop is open on Sundays.",
        "The shop is open daily except Sundays. In summer the shop is open on Sundays, too.",
    ),
)
"""The opposite of the exception, or the same where a sentence says so."""
WRONG = (
    ("The shop is open on Sundays.", "The shop is open daily except Sundays."),
    ("The museum is closed on Mondays.", "The museum is closed daily except Mondays."),
    ("The booking fee is refundable.", "All fees are refundable except the booking fee."),
    ("The warranty covers batteries.", "The warranty covers all parts except batteries."),
    ("Smoking is prohibited on the terrace.", "Smoking is prohibited in all areas except the terrace."),
    ("Der Laden ist sonntags geöffnet.", "Der Laden ist täglich außer sonntags geöffnet."),
    ("Le magasin est ouvert le dimanche.", "Le magasin est ouvert tous les jours sauf le dimanche."),
    ("The shop is closed daily.", "The shop is open daily except Sundays."),
    ("Der Laden in Köln ist geschlossen.", "Der Laden aus Köln ist geöffnet."),
    ("Die Ware aus Köln wird geliefert.", "Die Ware wird nicht aus Köln geliefert."),
)
"""The exception taken for one of all."""


@pytest.mark.parametrize(("answer", "passage"), RIGHT)
def test_the_opposite_of_what_is_excepted_contradicts_nothing(answer: str, passage: str) -> None:
    """All words of "open" and "closed" stand there, with Sundays."""
    assert claim_of(answer, passage).verdict != "contradicted"


@pytest.mark.parametrize(("answer", "passage"), WRONG)
def test_what_is_said_of_the_exception_is_contradicted(answer: str, passage: str) -> None:
    """All of its words stand there, so that shared words alone find nothing wrong."""
    assert claim_of(answer, passage).verdict == "contradicted"
