"""Times that a claim tells in other words than its sentence, and wrong ones that look like them."""

from __future__ import annotations

import pytest
from tests.scorer.checks.test_days import claim_of

DAILY = "Call 0800 555 0199, which is open every day from 8am to 8pm."
POOL = "The pool is open seven days a week from 8am to 8pm."
CARD = "Die Ersatzkarte kommt innerhalb von fünf Werktagen per Post und kostet 10 Euro."
LATEST = "Die Ersatzkarte kommt spätestens nach fünf Werktagen per Post und kostet 10 Euro."
LINES = "Line A is open every day from 8am to 8pm, line B from 9am to 5pm."


@pytest.mark.parametrize(
    ("answer", "passage"),
    [
        ("Hours: 8am–8pm, seven days a week", DAILY),  # noqa: RUF001 - as people write it
        ("The pool is open every day from 8am to 8pm.", POOL),
        ("Line A is open seven days a week from 8am to 8pm.", LINES),
        ("Die Ersatzkarte kommt spätestens nach fünf Werktagen mit der Post und kostet 10 Euro.", CARD),
        ("Die Ersatzkarte kommt innerhalb von fünf Werktagen per Post und kostet 10 Euro.", LATEST),
    ],
)
def test_the_same_time_in_other_words_is_supported(answer: str, passage: str) -> None:
    """A week is no day and after is not within, so these were called contradicted."""
    assert claim_of(answer, passage).verdict == "supported"


@pytest.mark.parametrize(
    ("answer", "passage"),
    [
        (
            "Atiende de 8:00 a 20:00, siete días por semana.",
            "Llame al 0800 555 0199, que atiende cada día de 8:00 a 20:00.",
        ),
        (
            "Atende das 8:00 às 20:00, sete dias por semana.",
            "Ligue para 0800 555 0199, que atende cada dia das 8:00 às 20:00.",
        ),
    ],
)
def test_nor_is_it_contradicted_in_languages_whose_seven_days_count_as_a_number(
    answer: str, passage: str
) -> None:
    """The seven stands nowhere, so they are in doubt, but nothing says otherwise."""
    assert claim_of(answer, passage).verdict == "partial"


@pytest.mark.parametrize(
    ("answer", "passage"),
    [
        *(
            (f"Hours: {one}", DAILY)
            for one in (
                "8am-8pm, five days a week",
                "8am-8pm, six days a week",
                "8am-9pm, seven days a week",
                "9am-8pm, seven days a week",
                "8pm-8am, seven days a week",
                "8am-8pm, seven days a month",
                "8am-8pm, seven days a year",
                "never 8am-8pm, seven days a week",
            )
        ),
        *(
            (f"The pool is open {one} from 8am to 8pm.", POOL)
            for one in ("five days a week", "every month", "three days a week")
        ),
        ("You can call from 8am to 8pm, once a week.", DAILY),
        ("You can call from 8am to 8pm, every week.", DAILY),
        ("The pool is open every day from 9am to 8pm.", POOL),
        ("Line B is open seven days a week from 8am to 8pm.", LINES),
        (
            "Line B is open seven days a week from 8am to 8pm.",
            "Line A is open every day from 8am to 8pm, line B closed.",
        ),
        (
            "Swim for children: seven days a week, 8am to 8pm.",
            "Adults swim every day from 8am to 8pm and children on weekends.",
        ),
        (
            "The pool is open seven days a week from 8am to 8pm.",
            "The pool is open every day from 8am to 8pm except Sunday.",
        ),
        (
            "The pool is open seven days a week, 8am to 8pm.",
            "The pool is not open every day from 8am to 8pm.",
        ),
        (
            "Atiende de 8:00 a 20:00, seis días por semana.",
            "Llame al 0800 555 0199, que atiende cada día de 8:00 a 20:00.",
        ),
        (
            "Atiende de 8:00 a 21:00, siete días por semana.",
            "Llame al 0800 555 0199, que atiende cada día de 8:00 a 20:00.",
        ),
        *(
            (f"Die Ersatzkarte kommt {one} mit der Post und kostet {price}.", CARD)
            for one, price in (
                ("nach fünf Werktagen", "10 Euro"),
                ("frühestens nach fünf Werktagen", "10 Euro"),
                ("erst nach fünf Werktagen", "10 Euro"),
                ("spätestens nach sechs Werktagen", "10 Euro"),
                ("spätestens nach zehn Werktagen", "5 Euro"),
                ("spätestens nach fünf Wochen", "10 Euro"),
                ("spätestens nach fünf Monaten", "10 Euro"),
                ("spätestens nach fünf Werktagen", "15 Euro"),
                ("spätestens nach fünf Werktagen", "nichts"),
            )
        ),
        ("Die Ersatzkarte kommt vor fünf Werktagen per Post und kostet 10 Euro.", LATEST),
        (
            "Das Geld kommt spätestens nach 14 Tagen zurück.",
            "Die Ware muss innerhalb von 14 Tagen zurück, das Geld kommt innerhalb von 30 Tagen.",
        ),
        (
            "Der Widerruf ist spätestens nach 14 Wochen möglich.",
            "Der Widerruf ist innerhalb von 14 Tagen möglich.",
        ),
    ],
)
def test_another_time_is_not(answer: str, passage: str) -> None:
    """Another number, unit, half of the day, thing or exception, or the opposite: all were doubted before."""
    assert claim_of(answer, passage).verdict != "supported"
