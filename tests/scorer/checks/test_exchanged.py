"""Claims in which two things have each other's place of a sentence."""

from __future__ import annotations

import pytest
from tests.scorer.checks.test_days import claim_of

from ragvigil.scorer.checks.alignment.exchanged import is_exchanged
from ragvigil.scorer.checks.reading.evidence import Evidence
from ragvigil.scorer.trace import Document

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
    ("Die Daten laufen von Ulm nach Kehl.", "Die Daten laufen von Kehl nach Ulm."),
    ("Le médecin informe l'assureur par lettre.", "L'assureur informe le médecin par lettre."),
)


@pytest.mark.parametrize(("answer", "passage"), EXCHANGED)
def test_things_in_each_others_place_contradict(answer: str, passage: str) -> None:
    """Who does it and to whom, whence and whither, more and less, first and second."""
    found = claim_of(answer, passage)
    assert (found.verdict, found.reason) == ("contradicted", "contradicted")


THE_SAME = (
    ("The Basic plan costs less than the Pro plan.", "The Pro plan costs more than the Basic plan."),
    ("The patio flanks the pool.", "The pool flanks the patio."),
    ("The Smiths know the Millers well.", "The Millers know the Smiths well."),
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
    ("The path from the lake to the summit is steep.", "The path from the summit to the lake is steep."),
    ("Vom Bahnhof zum Museum sind es zehn Minuten.", "Vom Museum zum Bahnhof sind es zehn Minuten."),
    ("Anna is the sister of Berta.", "Berta is the sister of Anna."),
    ("Attach the strap to the frame.", "Attach the frame to the strap."),
    ("The bar is a stone's throw from the church.", "The church is a stone's throw from the bar."),
    ("The printer is paired to the phone.", "The phone is paired to the printer."),
    ("Der Käufer trägt die Rücksendekosten.", "Die Rücksendekosten trägt der Käufer."),
    ("Der Vermieter übernimmt die Anmeldung.", "Die Anmeldung übernimmt der Vermieter."),
    ("Der Kurs beginnt Ende Mai.", "Ende Mai beginnt der Kurs."),
    ("Der Laden liefert die Möbel.", "Die Möbel liefert der Laden."),
    ("Das Amt prüft das Formular.", "Das Formular prüft das Amt."),
    ("El comprador paga los gastos de envío.", "Los gastos de envío los paga el comprador."),
    ("El fabricante cubre la garantía.", "La garantía la cubre el fabricante."),
    ("El museo abre el lunes.", "El lunes abre el museo."),
    ("Il cliente paga le spese.", "Le spese le paga il cliente."),
    ("O hotel abre a piscina.", "A piscina abre o hotel."),
    ("The spa is next to the pool.", "The pool is next to the spa."),
    ("The bank is opposite the post office.", "The post office is opposite the bank."),
    (
        "The bridge connects the South Campus to the North Campus.",
        "The bridge connects the North Campus to the South Campus.",
    ),
    ("The tunnel links Calais to Dover.", "The tunnel links Dover to Calais."),
    ("The library faces the town hall.", "The town hall faces the library."),
    ("The distance from Porto to Lisbon is 313 km.", "The distance from Lisbon to Porto is 313 km."),
    ("The range separates Spain from France.", "The range separates France from Spain."),
    (
        "The tram runs from the zoo to the harbour and back.",
        "The tram runs from the harbour to the zoo and back.",
    ),
    ("The basic room costs as much as the garden room.", "The garden room costs as much as the basic room."),
    ("Paris remains the capital of France.", "The capital of France remains Paris."),
    ("Die Brücke verbindet die Insel mit dem Festland.", "Die Brücke verbindet das Festland mit der Insel."),
    ("La pasarela une el puerto con el mercado.", "La pasarela une el mercado con el puerto."),
    ("La passerelle relie le marché au port.", "La passerelle relie le port au marché."),
    ("Il museo si trova accanto al teatro.", "Il teatro si trova accanto al museo."),
    ("A ponte liga o mercado ao porto.", "A ponte liga o porto ao mercado."),
    (
        "The support team reports to Omar and the sales team to Anna.",
        "The sales team reports to Anna and the support team to Omar.",
    ),
    (
        "The blue cable goes into the left port and the red one into the right.",
        "The red cable goes into the right port and the blue one into the left.",
    ),
    (
        "The support team reports to Omar, the sales team to Anna.",
        "The sales team reports to Anna, the support team to Omar.",
    ),
)


@pytest.mark.parametrize(
    ("answer", "passage"), [*THE_SAME, *((passage, answer) for answer, passage in THE_SAME)]
)
def test_another_order_of_the_same_does_not_contradict(answer: str, passage: str) -> None:
    """Passives, fronted parts, lists, what is mutual, objects that come first, synonyms."""
    assert claim_of(answer, passage).verdict != "contradicted"


def test_another_sentence_may_say_it_as_the_claim_does() -> None:
    """What is so in both directions."""
    passage = "The primary sends a beat to the replica. The replica sends a beat to the primary."
    assert claim_of("The replica sends a beat to the primary.", passage).verdict == "supported"


def test_what_comes_again_and_again_is_not_compared() -> None:
    """Each place of a stretch is compared with each of another one's, in both texts: a fourth power."""
    claim, passage = "Close the lid before the tap.", "Close the tap before the lid."
    often = passage[:-1] + " and shut the lid" * 4 + "."
    deal = Evidence([Document("a", passage), Document("b", often)])
    assert [is_exchanged(claim, segment, deal) for segment in deal.segments] == [True, False]
