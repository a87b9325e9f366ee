"""Times of the day: the same in words, with a point, a colon or a letter, by half the day or by 24 hours."""

from __future__ import annotations

import pytest
from tests.scorer.checks.test_days import claim_of

from ragvigil.scorer.checks.reading.clock import clock_times

SAME = (
    ("The pool is open 7 am to 9 pm.", "Pool opening hours: 7 to 21."),
    ("The office hours are 8.30 to 16.30.", "Office hours: 8:30 am to 4:30 pm."),
    ("Das Bad ist von 7 bis 21 Uhr geöffnet.", "Öffnungszeiten Bad: 7-21"),
    ("The bus leaves at half past seven.", "The bus leaves at 7:30."),
    ("The bus leaves at 7:30 in the evening.", "The bus leaves at 7:30 pm."),
    ("The bus leaves at seven o'clock.", "The bus leaves at 7:00."),
    ("The bus leaves at quarter to nine.", "The bus leaves at 8:45."),
    ("The bus leaves at a quarter past nine.", "The bus leaves at 9:15."),
    ("The shop closes at noon.", "The shop closes at 12:00."),
    ("The shop closes at midnight.", "The shop closes at 00:00."),
    ("The shop closes at 12 pm.", "The shop closes at noon."),
    ("The shop closes at 8 p.m.", "The shop closes at 20:00."),
    ("The shop closes at 8.30 pm.", "The shop closes at 20:30."),
    ("Der Bus fährt um halb acht.", "Der Bus fährt um 7:30 Uhr."),
    ("Der Bus fährt um 19.30 Uhr.", "Der Bus fährt um 19:30 Uhr."),
    ("Der Bus fährt um 7:30 Uhr abends.", "Der Bus fährt um 19:30 Uhr."),
    ("Der Bus fährt um Viertel nach acht.", "Der Bus fährt um 8:15 Uhr."),
    ("Der Bus fährt um dreiviertel acht.", "Der Bus fährt um 7:45 Uhr."),
    ("Der Bus fährt um sieben Uhr.", "Der Bus fährt um 7 Uhr."),
    ("Der Laden schließt um Mitternacht.", "Der Laden schließt um 24 Uhr."),
    ("De bus vertrekt om half acht.", "De bus vertrekt om 7.30 uur."),
    ("De bus vertrekt om kwart voor negen.", "De bus vertrekt om 8.45 uur."),
    ("De winkel sluit om acht uur 's avonds.", "De winkel sluit om 20.00 uur."),
    ("El autobús sale a las siete y media.", "El autobús sale a las 7:30."),
    ("El autobús sale a las ocho menos cuarto.", "El autobús sale a las 7:45."),
    ("La tienda cierra a las ocho de la tarde.", "La tienda cierra a las 20:00."),
    ("O autocarro parte às sete e meia.", "O autocarro parte às 7h30."),
    ("A loja fecha às 20h.", "A loja fecha às 8 da noite."),
    ("Le bus part à 17h30.", "Le bus part à 17:30."),
    ("Le bus part à sept heures et demie.", "Le bus part à 7h30."),
    ("Le bus part à huit heures moins le quart.", "Le bus part à 7h45."),
    ("Le magasin ferme à huit heures du soir.", "Le magasin ferme à 20h."),
    ("Le magasin ferme à midi.", "Le magasin ferme à 12h."),
    ("L'autobus parte alle 19.30.", "L'autobus parte alle 19:30."),
    ("L'autobus parte alle sette e mezza.", "L'autobus parte alle 7:30."),
    ("Il negozio chiude alle otto di sera.", "Il negozio chiude alle 20:00."),
    ("Autobus odjeżdża o 19.30.", "Autobus odjeżdża o 19:30."),
    ("Autobus odjeżdża o godz. 19.30.", "Autobus odjeżdża o 19:30."),
    ("Der Vortrag ist am 7.3.", "Der Vortrag ist am 7. März."),
    ("Der Vortrag ist am 7. März.", "Der Vortrag ist am 7.3."),
)


@pytest.mark.parametrize(("answer", "passage"), [*SAME, *((other, one) for one, other in SAME)])
def test_the_same_time_is_supported(answer: str, passage: str) -> None:
    """Whichever side says it in words."""
    assert claim_of(answer, passage).verdict == "supported"


OTHER = (
    ("The pool is open 7 am to 8 pm.", "Pool opening hours: 7 to 21."),
    ("The camp is open to children aged 6 to 16.", "The camp is open to children aged 6 to 14."),
    ("The bus leaves at half past seven.", "The bus leaves at 8:30."),
    ("The bus leaves at 7:30 in the evening.", "The bus leaves at 7:30 am."),
    ("The bus leaves at seven o'clock.", "The bus leaves at 8:00."),
    ("The bus leaves at quarter to nine.", "The bus leaves at 9:15."),
    ("The shop closes at 8 p.m.", "The shop closes at 21:00."),
    ("The shop closes at 8.30 pm.", "The shop closes at 21:30."),
    ("Der Bus fährt um halb acht.", "Der Bus fährt um 8:30 Uhr."),
    ("Der Bus fährt um 19.30 Uhr.", "Der Bus fährt um 18:30 Uhr."),
    ("De bus vertrekt om half acht.", "De bus vertrekt om 8.30 uur."),
    ("El autobús sale a las siete y media.", "El autobús sale a las 8:30."),
    ("O autocarro parte às sete e meia.", "O autocarro parte às 6h30."),
    ("Le bus part à 17h30.", "Le bus part à 18:30."),
    ("Le bus part à sept heures et demie.", "Le bus part à 8h30."),
    ("L'autobus parte alle 19.30.", "L'autobus parte alle 18:30."),
    ("Autobus odjeżdża o 19.30.", "Autobus odjeżdża o 18:30."),
    ("Der Vortrag ist am 7.3.", "Der Vortrag ist am 8. März."),
)


@pytest.mark.parametrize(("answer", "passage"), [*OTHER, *((other, one) for one, other in OTHER)])
def test_another_time_is_not_supported(answer: str, passage: str) -> None:
    """Nor the same figures in the other half of the day."""
    assert claim_of(answer, passage).verdict != "supported"


@pytest.mark.parametrize(
    ("answer", "passage"),
    [
        ("The bus leaves at 7:30.", "The bus leaves at 7:30 pm."),
        ("The museum opens at 10 am on Sunday.", "The museum opens at 9 am on Monday."),
        ("Check-in is from 3 pm.", "Check-in is possible until 11 pm."),
        ("You can't return it after 14 days.", "It can be returned within 14 days."),
        ("Not all plans include support.", "Some plans include support, others do not."),
    ],
)
def test_a_time_that_may_be_so_as_well_contradicts_nothing(answer: str, passage: str) -> None:
    """In the other half of the day, on another day, from the other side, denied of the rest."""
    assert claim_of(answer, passage).verdict != "contradicted"


@pytest.mark.parametrize(
    "text",
    [
        "It has 1.50 m and 3:2:1 parts.",
        "Two and a half pounds, half of seven.",
        "Version 19.30 is out.",
        "She ran five past the nine stalls.",
        "Halb so viele wie vorher.",
        "La mitad de las siete islas.",
    ],
)
def test_what_is_no_time(text: str) -> None:
    """Lengths, shares, versions."""
    assert list(clock_times(text)) == []
