"""What a sentence that denies something leaves as it is."""

from __future__ import annotations

import pytest
from tests.scorer.checks.test_days import claim_of

LEFT_SO = (
    ("Windows 8 is no longer supported.", "Removed: support for Windows 8."),
    ("Python 3.8 is not supported since 4.0.", "Support for Python 3.8 was dropped in 4.0."),
    ("O Windows 8 não é mais suportado.", "Removido: suporte ao Windows 8."),
    ("There is no charge for delivery.", "Delivery is free of charge."),
    ("There is no charge for delivery.", "Delivery is free of charge since 2020."),
    ("Delivery is free of charge.", "There is no charge for delivery."),
    ("Breakfast isn't served after 10:30.", "Breakfast is served until 10:30."),
    ("Returns are not accepted after 30 days.", "We accept returns for 30 days only."),
    (
        "Windows 10 is no longer supported as of October 2025.",
        "Support for Windows 10 ended in October 2025.",
    ),
    ("Rooms are not available before 3 pm.", "Rooms are available from 3 pm."),
    ("The pool is not open before noon.", "The pool is open from noon."),
    ("Smoking is not allowed in the rooms.", "Smoking is prohibited in the rooms."),
    ("The lift is not available on Sundays.", "The lift is available from Monday to Saturday."),
    ("Die Rückgabe ist nach 14 Tagen nicht möglich.", "Die Rückgabe ist 14 Tage lang möglich."),
    ("La devolución no es posible después de 14 días.", "La devolución es posible durante 14 días."),
    (
        "If the lag has not dropped below 60 seconds after 15 minutes, page the on-call.",
        "If the lag does not fall below 60 seconds within 15 minutes, page the on-call.",
    ),
    ("Les batteries ne sont garanties que six mois.", "Les batteries sont garanties six mois."),
    ("Les batteries sont garanties six mois.", "Les batteries ne sont garanties que six mois."),
    (
        "Alterations above $2,000 are possible only with the landlord's prior written consent.",
        "Tenant shall not make alterations exceeding $2,000 without the landlord's prior written consent.",
    ),
    ("Pets are not allowed without a leash.", "Pets are allowed on a leash."),
    ("Visitors need a badge to enter the lab.", "Visitors may not enter the lab without a badge."),
    ("Visitors may not enter the lab without a badge.", "Visitors need a badge to enter the lab."),
    (
        "Accounts can only be reopened once the balance has been settled.",
        "Accounts cannot be reopened unless the balance has been settled.",
    ),
    (
        "Open the valve only once the pressure has dropped below 2 bar.",
        "Do not open the valve until the pressure has dropped below 2 bar.",
    ),
    (
        "You can open the valve when the pressure has dropped below 2 bar.",
        "Do not open the valve until the pressure has dropped below 2 bar.",
    ),
    (
        "Restarting a gateway requires approval from the duty manager.",
        "Never restart a gateway without approval from the duty manager.",
    ),
    (
        "Tickets are transferable only in the Flex fare.",
        "Only if you have a Flex ticket: tickets in the other fares aren't transferable.",
    ),
    (
        "Produtos personalizados só podem ser trocados em caso de defeito.",
        "Produtos personalizados não podem ser trocados, salvo em caso de defeito.",
    ),
    (
        "Für den Zutritt zum Labor brauchen Sie einen Ausweis.",
        "Der Zutritt zum Labor ist ohne Ausweis nicht gestattet.",
    ),
    (
        "Se necesita una credencial para acceder al laboratorio.",
        "No se permite el acceso al laboratorio sin credencial.",
    ),
    ("There's no fee for students.", "The fee is waived for students."),
    ("Guests don't have access.", "Access is denied to guests."),
    (
        "By default the feature isn't enabled.",
        "The feature is disabled by default and can be enabled in Settings > Labs.",
    ),
    ("The request didn't succeed.", "The request failed because the token was missing."),
    ("Studierende zahlen keine Gebühr.", "Die Gebühr entfällt für Studierende."),
    ("Hardware sales declined.", "Hardware sales were lower; subscriptions grew."),
)
"""What is denied beyond a bound, on another day, without a condition or in other words."""
DENIED = (
    ("There is no fee for dogs.", "Children under 4 travel free, the fee for dogs is 10 euros."),
    ("The pump is not available.", "The filter was removed and the pump is available."),
    ("The free plan does not include exports.", "The free plan includes exports."),
    ("Returns are not accepted.", "Returns are accepted for 30 days."),
    ("Breakfast isn't served until 10:30.", "Breakfast is served until 10:30."),
    ("The lift is not available on Sundays.", "The lift is available on Sundays."),
    ("Smoking is not prohibited in the rooms.", "Smoking is prohibited in the rooms."),
    ("Les batteries ne sont pas garanties six mois.", "Les batteries sont garanties six mois."),
    ("Dogs are only allowed in the garden.", "Dogs are not allowed in the garden."),
    (
        "Open the valve until the pressure has dropped below 2 bar.",
        "Do not open the valve until the pressure has dropped below 2 bar.",
    ),
    (
        "Employees can take leave when they are on probation.",
        "Employees cannot take leave until they have completed probation.",
    ),
    (
        "Accounts cannot be reopened once the balance has been settled.",
        "Accounts can only be reopened once the balance has been settled.",
    ),
    ("Visitors may not enter the lab with a badge.", "Visitors need a badge to enter the lab."),
    ("The request didn't fail.", "The request failed because the token was missing."),
    ("The fee is not waived for students.", "The fee is waived for students."),
    ("There's no fee for students.", "There's a fee for students."),
)


@pytest.mark.parametrize(("answer", "passage"), LEFT_SO)
def test_a_denial_beyond_a_bound_contradicts_nothing_within_it(answer: str, passage: str) -> None:
    """A page for "not after 30 days" beside "for 30 days" would be a false alarm."""
    assert claim_of(answer, passage).verdict == "supported"


@pytest.mark.parametrize(("answer", "passage"), DENIED)
def test_a_denial_of_the_same_still_contradicts(answer: str, passage: str) -> None:
    """The bound stands on both sides, or on neither."""
    assert claim_of(answer, passage).verdict == "contradicted"
