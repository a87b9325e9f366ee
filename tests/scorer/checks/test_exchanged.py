"""Claims in which two things have each other's place of a sentence."""

from __future__ import annotations

import pytest
from tests.scorer.checks.test_days import claim_of

EXCHANGED = (
    ("The tenant pays the landlord by the third.", "The landlord pays the tenant by the third."),
    ("Orion beat Vega by two points.", "In the final, Vega beat Orion by two points."),
    ("Data is copied from the replica to the primary.", "Data is copied from the primary to the replica."),
    ("The blue line is longer than the red line.", "The red line is longer than the blue line."),
    (
        "Invoices are written by the clerk and checked by the auditor.",
        "Invoices are written by the auditor and then checked by the clerk.",
    ),
    (
        "The driver loads the van and the porter signs the list.",
        "The porter loads the van and the driver signs the list.",
    ),
    ("Close the lid before the tap.", "Close the tap before the lid."),
    ("Der Verkäufer informiert den Käufer per Post.", "Der Käufer informiert den Verkäufer per Post."),
    ("El banco avisa al notario por correo.", "El notario avisa al banco por correo."),
    ("Um menino empurra um homem na rua.", "Um homem empurra um menino na rua."),
    ("Le médecin informe l'assureur par lettre.", "L'assureur informe le médecin par lettre."),
)


@pytest.mark.parametrize(("answer", "passage"), EXCHANGED)
def test_things_in_each_others_place_contradict(answer: str, passage: str) -> None:
    """Who does it and to whom, whence and whither, more and less, first and second."""
    found = claim_of(answer, passage)
    assert (found.verdict, found.reason) == ("contradicted", "contradicted")


THE_SAME = (
    ("The tenant is paid by the landlord.", "The landlord pays the tenant by the third."),
    ("Fjord Bank was acquired by Norrland Savings.", "Norrland Savings acquired Fjord Bank."),
    ("It was the auditor who checked the clerk.", "The auditor checked the clerk."),
    (
        "By the third of the month, the landlord pays the tenant.",
        "The landlord pays the tenant by the third.",
    ),
    ("The red, the blue and the green line are shut.", "The green, the red and the blue line are shut."),
    ("Anna met Bert in Rome.", "Bert met Anna in Rome."),
    (
        "The north plant is connected with the south plant.",
        "The south plant is connected with the north plant.",
    ),
    ("Den Käufer informiert der Verkäufer per Post.", "Der Verkäufer informiert den Käufer per Post."),
    ("The capital of Ruritania is Strelsau.", "Strelsau is the capital of Ruritania."),
    ("A June ruling by the court changed it.", "A ruling by the court in June changed it."),
    ("Put the lid on and place the tap beside it.", "Place the lid on and put the tap beside it."),
    (
        "The porter signs the list and the driver loads the van.",
        "The driver loads the van and the porter signs the list.",
    ),
    ("After the tap, close the lid.", "Close the lid after the tap."),
)


@pytest.mark.parametrize(("answer", "passage"), THE_SAME)
def test_another_order_of_the_same_does_not_contradict(answer: str, passage: str) -> None:
    """Passives, fronted parts, lists, what is mutual, objects that come first, synonyms."""
    assert claim_of(answer, passage).verdict != "contradicted"


def test_another_sentence_may_say_it_as_the_claim_does() -> None:
    """What is so in both directions."""
    passage = "The primary sends a beat to the replica. The replica sends a beat to the primary."
    assert claim_of("The replica sends a beat to the primary.", passage).verdict == "supported"
