"""Bounds, parts of a whole, quantities and opposite words of a claim beside those of the evidence."""

from __future__ import annotations

import pytest
from tests.scorer.checks.test_days import claim_of

OTHER = (
    ("You get half of the price back.", "You get two thirds of the price back."),
    ("A third of the staff works remotely.", "A quarter of the staff works remotely."),
    ("Ein Drittel der Gebühr wird erstattet.", "Ein Viertel der Gebühr wird erstattet."),
    ("Half of the customers renew.", "80% of the customers renew."),
    ("The train takes half an hour.", "The train takes 45 minutes."),
    ("Sessions time out after an hour.", "A session times out after a quarter of an hour."),
    ("You can add more than 5 devices.", "You can add up to 5 devices."),
    ("You can add more than five devices.", "You can add up to 5 devices."),
    ("Orders under $50 ship free.", "Orders over $50 ship free."),
    ("Bestellungen unter 50 Euro sind versandfrei.", "Bestellungen über 50 Euro sind versandfrei."),
    ("Menores de 12 años viajan gratis.", "Mayores de 12 años viajan gratis."),
    ("All employees get a company car.", "Some employees get a company car."),
    ("Todos os funcionários recebem um carro.", "Alguns funcionários recebem um carro."),
    ("Two-factor authentication is enabled by default.", "Two-factor authentication is disabled by default."),
    ("Breakfast is excluded from the price.", "Breakfast is included in the price."),
    ("El seguro está excluido.", "El seguro está incluido."),
    ("The training is optional.", "The training is mandatory."),
    ("The price doubled in 2022.", "The price halved in 2022."),
    ("The course starts on 1 May.", "The course ends on 1 May."),
    ("The ferry arrives at 9:15.", "The ferry departs at 9:15."),
    ("Shipping costs $4.90.", "Shipping costs €4.90."),
    ("The deposit is 200 dollars.", "The deposit is 200 euros."),
    ("You receive 20 euros.", "You pay 20 euros."),
)


@pytest.mark.parametrize(("answer", "passage"), OTHER)
def test_another_value_in_words_is_a_contradiction(answer: str, passage: str) -> None:
    """No number is new, or only one word differs."""
    assert claim_of(answer, passage).verdict == "contradicted"


ROOM = (
    ("Half of the staff works remotely.", "52% of the staff works remotely."),
    ("More than half of the staff works remotely.", "Two thirds of the staff works remotely."),
    ("The train takes half an hour.", "The train takes 30 minutes."),
    ("The train takes less than an hour.", "The train takes half an hour."),
    ("You cannot add more than 5 devices.", "You can add up to 5 devices."),
    ("No more than 5 devices are allowed.", "Up to five devices are allowed."),
    ("Some employees get a company car.", "All employees get a company car."),
    ("The course starts on 1 May.", "The course ends on 3 July."),
    ("The first bus leaves at 5:10.", "The last bus leaves at 23:50."),
    ("The museum opens at 9 in summer.", "The museum opens at 10 in winter."),
    ("The monthly fee is 10 euros.", "The annual fee is 100 euros."),
    ("Adults pay 12 euros.", "Children pay 6 euros."),
    ("Shipping costs $4.90.", "Shipping costs USD 4.90."),
    ("The deposit is 200 dollars.", "The deposit is 200 dollars or 200 euros."),
    ("All managers get a car.", "All managers and some employees get a car."),
    ("The price includes breakfast.", "The price includes breakfast and excludes lunch."),
)


@pytest.mark.parametrize(("answer", "passage"), ROOM)
def test_what_may_be_so_as_well_is_no_contradiction(answer: str, passage: str) -> None:
    """Bounds, rounded shares, other days and what is said of others leave room."""
    assert claim_of(answer, passage).verdict != "contradicted"
