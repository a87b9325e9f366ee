"""Ordinals, parts of one, hours and weekdays: the same in words and in signs, and others than those of the evidence."""

from __future__ import annotations

import pytest
from tests.scorer.checks.test_days import claim_of

from ragvigil.scorer.checks.reading.words import words

SAME = (
    ("The office is on the third floor.", "The office is on the 3rd floor."),
    ("The office is on the 3rd floor.", "The office is on the third floor."),
    ("Das Büro ist im dritten Stock.", "Das Büro ist im 3. Stock."),
    ("La oficina está en el tercer piso.", "La oficina está en el 3er piso."),
    ("Bake for 1½ hours.", "Bake for 1.5 hours."),
    ("Bake for 1.5 hours.", "Bake for 1½ hours."),
    ("Bake for 1½ hours.", "Bake for 90 minutes."),
    ("Bake for 1 ½ hours.", "Bake for 1.5 hours."),
    ("The tank takes 2⅓ gallons.", "The tank takes 2.33 gallons."),
    ("The tank takes 2.33 gallons.", "The tank takes 2⅓ gallons."),
    ("The hotline is open 24 hours a day, seven days a week.", "The hotline is open 24/7."),
    ("The hotline is open around the clock.", "The hotline is open 24/7."),
    ("First, open the lid of the box.", "Open the lid of the box."),
    ("The shop is closed on Monday.", "The shop is closed on Monday and Tuesday."),
    ("The shop is open on Tuesday.", "The shop is open from Monday to Friday."),
    # Written to be kept aside, and measured once.
    ("She finished in 5th place.", "She finished in fifth place."),
    ("Le bureau est au 2e étage.", "Le bureau est au deuxième étage."),
    ("The pipe is 2¼ inches wide.", "The pipe is 2.25 inches wide."),
    ("It is a work of the 19th century.", "It is a work of the nineteenth century."),
    ("Sklep jest zamknięty w środę.", "Sklep jest zamknięty w środy."),
    ("Support is available 24/7.", "Support is available around the clock."),
    ("Add 1 1/2 cups of milk.", "Add 1½ cups of milk."),
    ("Add 1½ cups of milk.", "Add 1 1/2 cups of milk."),
    ("Add 2.5 cups of milk.", "Add 2 1/2 cups of milk."),
    ("It is on the twenty-first floor.", "It is on the 21st floor."),
    ("It happened in the 21st century.", "It happened in the twenty-first century."),
    ("The train takes half an hour.", "The train takes 30 minutes."),
    ("The train takes 45 minutes.", "The train takes three quarters of an hour."),
    ("Die Fahrt dauert anderthalb Stunden.", "Die Fahrt dauert 90 Minuten."),
    ("Le trajet dure une demi-heure.", "Le trajet dure 30 minutes."),
    (
        "A third of the budget goes to schools.",
        "A third of the budget goes to schools. The second floor is closed.",
    ),
    ("No domingo o museu está aberto.", "O museu está aberto no domingo."),
    ("No dia 5 de maio há um concerto.", "Há um concerto no dia 5 de maio."),
    ("The library is open on Wednesday.", "The library is open Monday to Friday."),
    ("The library is closed on Sunday.", "The library is open Monday to Saturday and closed on Sundays."),
    ("The office is open on weekdays.", "The office is open Monday to Friday."),
    ("It costs 2.50 euros.", "It costs 2.5 euros."),
    ("Version 2.0 is out.", "Version 2.0 is out now."),
    ("You have two weeks to return it.", "You have 14 days to return it."),
    ("The pass is valid for 24 months.", "The pass is valid for two years."),
    ("The run takes one hour.", "The run takes 60 minutes."),
    ("Die Fahrt dauert eine Stunde.", "Die Fahrt dauert 60 Minuten."),
    ("Model 3 has a range of 430 km.", "Model 3 has a range of 430 km and 5 seats."),
    ("The plan has 5 users and 20 GB.", "The plan has 5 users, 10 projects and 20 GB."),
    ("The initial term is three years.", "It continues for an initial term of thirty-six (36) months."),
    (
        "You may ask for renewal up to 12 months before it expires.",
        "Ask for renewal up to a year before it expires.",
    ),
    (
        "Vous pouvez demander le renouvellement jusqu'à 12 mois avant l'expiration.",
        "Le renouvellement peut être demandé jusqu'à un an avant l'expiration.",
    ),
    ("It took roughly a century to build the church.", "The church took about 100 years to build."),
    ("Bring a certificate from day 3 of absence.", "A certificate is due from the third day of absence."),
    ("朝食は6:30から10:00までです。", "朝食は6時30分から10時までです。"),
    ("The price is guaranteed until 2026.", "The price is guaranteed until 31.12.2026."),
    ("会議は15:30から始まります。", "会議は午後3時半から始まります。"),
)


@pytest.mark.parametrize(("answer", "passage"), SAME)
def test_the_same_value_is_supported(answer: str, passage: str) -> None:
    """In words, digits or signs."""
    assert claim_of(answer, passage).verdict == "supported"


OTHER = (
    ("The office is on the third floor.", "The office is on the 2nd floor."),
    ("The office is on the third floor.", "The office is on the second floor."),
    ("The office is on the 3rd floor.", "The office is on the second floor."),
    ("The office is on the 3rd floor.", "The office is on the 2nd floor."),
    ("Das Büro ist im dritten Stock.", "Das Büro ist im 2. Stock."),
    ("La oficina está en el tercer piso.", "La oficina está en el 2º piso."),
    ("O escritório fica no terceiro andar.", "O escritório fica no 2º andar."),
    ("Bake for 1½ hours.", "Bake for 2½ hours."),
    ("Bake for 1½ hours.", "Bake for 1 hour."),
    ("De winkel is gesloten op maandag.", "De winkel is gesloten op dinsdag."),
    ("Sklep jest zamknięty w poniedziałek.", "Sklep jest zamknięty we wtorek."),
    ("The shop is closed on Monday.", "The shop is closed on Tuesday."),
    # Written to be kept aside, and measured once.
    ("She finished in fifth place.", "She finished in sixth place."),
    ("Le bureau est au deuxième étage.", "Le bureau est au 3e étage."),
    ("The pipe is 2¼ inches wide.", "The pipe is 2¾ inches wide."),
    ("It is a work of the nineteenth century.", "It is a work of the 18th century."),
    ("Der Markt findet am Samstag statt.", "Der Markt findet am Sonntag statt."),
    ("A feira acontece na quinta-feira.", "A feira acontece na sexta-feira."),
    ("Add 1 1/2 cups of milk.", "Add 2 1/2 cups of milk."),
    ("Add 2½ cups of milk.", "Add 1 1/2 cups of milk."),
    ("It is on the thirty-first floor.", "It is on the twenty-first floor."),
    ("The library is open on Sunday.", "The library is open Monday to Saturday."),
    ("The office is open on weekends.", "The office is open Monday to Friday."),
    ("Die Bibliothek ist am Sonntag geöffnet.", "Die Bibliothek ist Montag bis Freitag geöffnet."),
    ("The shop closes at midnight.", "The shop closes at 23:00."),
    ("The shop closes at noon.", "The shop closes at 13:00."),
    ("The hotline is open 24/7.", "The hotline is open from nine to five."),
    ("It needs Python 3.10.", "It needs Python 3.1."),
    ("See section 2.1 for the fees.", "See section 2.10 for the fees."),
    ("You have three weeks to return it.", "You have 14 days to return it."),
    ("Part 40 costs 16 euros.", "Part 40 costs 15 euros."),
    ("Part 41 costs 15 euros.", "Part 40 costs 15 euros."),
    ("In 2023 sales were 5 million.", "In 2023 sales were 6 million."),
    ("The plan has 5 users and 20 GB.", "The plan has 5 users and 10 GB."),
    ("Die Preisgarantie gilt bis Ende 2028.", "Die Preisgarantie gilt bis zum 31.12.2026."),
    (
        "A certificate is due from the fifth day of absence.",
        "A certificate is due from the third consecutive day of absence.",
    ),
)


@pytest.mark.parametrize(("answer", "passage"), OTHER)
def test_another_value_is_a_mismatch(answer: str, passage: str) -> None:
    """In words, digits or signs."""
    found = claim_of(answer, passage)
    assert found.verdict in ("contradicted", "unsupported")
    assert found.reason == "number_mismatch"


def test_a_sign_of_a_part_belongs_to_its_number() -> None:
    """With a space between or without; by itself it is a word."""
    told = [word.numbers for word in words("1½ cups, 2 ¾ and 10⅛, ½ cup")]
    assert [numbers for numbers in told if numbers] == [("1.5",), ("2.75",), ("10.125",)]


@pytest.mark.parametrize(
    ("answer", "passage"),
    [
        ("The office is on the twenty first floor.", "The office is on the 21st floor."),
        ("Biuro jest na dwudziestym pierwszym piętrze.", "Biuro jest na 21. piętrze."),
        ("The THİRD floor is on the 3rd side.", "The second floor is on the 3rd side."),
        ("The shop is closed on FRİDAY.", "The shop is closed on Monday."),
        ("The museum is open on the first Sunday.", "The museum is closed on the second Sunday."),
        ("The museum is open on the first Sunday.", "The museum is not open on the second Sunday."),
    ],
)
def test_a_part_of_a_name_another_alphabet_and_a_denial_of_another_place_contradict_nothing(
    answer: str, passage: str
) -> None:
    """Twenty first is not first; a capital İ is found as an i is, but is another letter."""
    assert claim_of(answer, passage).verdict != "contradicted"
