"""A price for a year that an answer works out of that for a month."""

from __future__ import annotations

import pytest
from tests.scorer.checks.judged import judged

ACCOUNT = (
    "Das Girokonto Basis kostet 4,90 Euro im Monat. Ab einem monatlichen Geldeingang von 700 Euro entfällt die Gebühr.",
    "Das Girokonto Plus kostet 7,90 Euro im Monat.",
    "Die Ersatzkarte kostet 10 Euro.",
)
CLUB = ("Gym entry costs $20 a month.", "Pool entry costs $20 a month.", "Sauna entry costs $15 a month.")
BASIC = ("Basic costs €4.90 a month.",)
RIGHT = "Basic costs €4.90 a month (€58.80 a year)."
SUBSCRIPTION = ("L'abonnement coûte 15 € par mois.",)
QUOTA = ("La cuota es de 15 € al mes. La matrícula cuesta 40 €.",)
FEE = ("A taxa de manutenção é de R$ 25,00 por mês. O cartão custa R$ 30,00 por mês.",)


@pytest.mark.parametrize(
    ("answer", "passages"),
    [
        ("Das Girokonto Basis kostet 58,80 Euro im Jahr (12 × 4,90 Euro).", ACCOUNT),  # noqa: RUF001 - the sign
        ("Das Girokonto Basis kostet 4,90 Euro im Monat (58,80 Euro im Jahr).", ACCOUNT),
        ("Das Girokonto Plus kostet 94,80 Euro im Jahr (12 x 7,90 Euro).", ACCOUNT),
        ("Sauna entry costs $15 a month ($180 a year).", CLUB),
        (RIGHT, BASIC),
        ("L'abonnement coûte 15 € par mois (180 € par an).", SUBSCRIPTION),
        ("La cuota es de 15 € al mes (180 € al año).", QUOTA),
        ("A taxa de manutenção é de R$ 300 por ano (12 x R$ 25).", FEE),
    ],
)
def test_twelve_times_the_price_for_a_month_is_no_invented_number(
    answer: str, passages: tuple[str, ...]
) -> None:
    """The passages tell the month's, the question asked for the year's."""
    assert judged("What does it cost in a year?", answer, *passages) == "supported"


@pytest.mark.parametrize(
    ("answer", "passages"),
    [
        *(
            (f"Das Girokonto {one}.", ACCOUNT)
            for one in (
                "Basis kostet 58,90 Euro im Jahr (12 x 4,90 Euro)",
                "Basis kostet 58,80 Euro im Monat (12 x 4,90 Euro)",
                "Basis kostet 94,80 Euro im Jahr (12 x 7,90 Euro)",
                "Plus kostet 58,80 Euro im Jahr (12 x 4,90 Euro)",
                "Basis kostet 120 Euro im Jahr (12 x 10 Euro)",
                "Basis kostet 8.400 Euro im Jahr (12 x 700 Euro)",
                "Basis kostet nicht 58,80 Euro im Jahr (12 x 4,90 Euro)",
                "Basis kostet 58,80 Dollar im Jahr (12 x 4,90 Dollar)",
                "Basis kostet 58,80 Euro in zwei Jahren (12 x 4,90 Euro)",
                "Basis bringt 58,80 Euro im Jahr (12 x 4,90 Euro)",
                "Junior kostet 58,80 Euro im Jahr (12 x 4,90 Euro)",
                "Basis kostet 4,90 Euro im Monat (59,80 Euro im Jahr)",
                "Basis kostet 4,90 Euro im Monat (24,50 Euro im Jahr)",
                "Basis kostet 4,90 Euro im Jahr (58,80 Euro im Monat)",
                "Basis kostet 5,90 Euro im Monat (70,80 Euro im Jahr)",
                "Basis kostet 58,80 Euro im Jahr (12 x 4,90 Euro) und 10 Euro im Monat",
            )
        ),
        ("Die Ersatzkarte kostet 120 Euro im Jahr (12 x 10 Euro).", ACCOUNT),
        ("Das Depot Basis kostet 58,80 Euro im Jahr (12 x 4,90 Euro).", ACCOUNT),
        ("Sauna entry costs $20 a month ($240 a year).", CLUB),
        ("Gym entry costs $15 a month ($180 a year).", CLUB),
        ("Spa entry costs $15 a month ($180 a year).", CLUB),
        ("Sauna entry earns $15 a month ($180 a year).", CLUB),
        ("Sauna entry costs $180 a month ($15 a year).", CLUB),
        *(
            (RIGHT, (passage,))
            for passage in (
                "Basic costs up to €4.90 a month.",
                "Basic costs at least €4.90 a month.",
                "Basic costs €4.90 a month less.",
                "Basic costs €4.90 a month for members.",
                "Basic costs €4.90 a month in the first half year.",
                "In the first three months Basic costs €4.90 a month.",
                "Basic never costs €4.90 a month.",
                "Basic costs €4.90 a week.",
                "Basic costs €4.90 a month and €9 a month from July.",
                "The Basic account costs €4.90 a month and Plus is free.",
            )
        ),
        ("Plus costs €4.90 a month (€58.80 a year).", ("Basic costs €4.90 a month and Plus is free.",)),
        ("Basic does not cost €4.90 a month (€58.80 a year).", BASIC),
        ("Basic costs at most €4.90 a month (€58.80 a year).", BASIC),
        ("Basic saves you €4.90 a month (€58.80 a year).", BASIC),
        ("Premium Basic costs €4.90 a month (€58.80 a year).", BASIC),
        ("Silver costs €9 a month (€108 a year).", ("Gold costs €9 a month, Silver €5 a month.",)),
        ("You pay $15 a month ($180 a year).", ("Students pay $15 a month.",)),
        ("L'abonnement coûte 15 € par mois (150 € par an).", SUBSCRIPTION),
        ("L'abonnement ne coûte pas 15 € par mois (180 € par an).", SUBSCRIPTION),
        ("Le casier coûte 15 € par mois (180 € par an).", SUBSCRIPTION),
        ("La cuota es de 15 € al mes (190 € al año).", QUOTA),
        ("La cuota es de 40 € al mes (480 € al año).", QUOTA),
        ("La matrícula cuesta 15 € al mes (180 € al año).", QUOTA),
        ("O cartão custa R$ 25 por mês (R$ 300 por ano).", FEE),
        ("A taxa de manutenção é de R$ 25 por mês (R$ 250 por ano).", FEE),
        ("A taxa de manutenção é de R$ 25 por ano (R$ 300 por mês).", FEE),
        ("A taxa de manutenção é de € 25 por mês (€ 300 por ano).", FEE),
    ],
)
def test_another_price_stays_in_doubt(answer: str, passages: tuple[str, ...]) -> None:
    """Another factor, period, row, thing or currency, a condition left out, a denial: as much in doubt as before."""
    assert judged("What does it cost in a year?", answer, *passages) != "supported"
