"""Claims beside a page of questions and answers: what is answered with "no" is denied."""

from __future__ import annotations

import pytest
from tests.scorer.checks.test_days import claim_of

VOUCHERS = "Q: Can I exchange vouchers for cash?\nA: No.\n\nQ: Can I use a voucher in the café?\nA: Yes."
BOLD = "**Can I exchange vouchers for cash?**\nNo.\n\n**Can I use a voucher in the café?**\nYes."
PLANOS = "**Recebo reembolso do mês atual?**\nNão.\n\n**Posso mudar de plano?**\nSim."
GUTSCHEINE = "Kann ich Gutscheine gegen Bargeld eintauschen?\nNein.\n\nSind Hunde erlaubt?\nJa."
DOGS = "Can I bring my dog? No, only guide dogs are allowed."
EXTENDED = "Vouchers are valid for 2 years, can I extend that? No."
SHIPPING = "Kostet der Versand etwas? Nein. Kostet die Rücksendung etwas? Ja, 5 Euro."
GUESTS = "How many guests may I bring? No. of guests: up to 4."
WEEKLY = "Is it 5 euros per day? No, 5 euros per week."
PASSWORD = "Forgot your password? No worries, use the reset link to set a new password."


@pytest.mark.parametrize(
    ("answer", "passage"),
    [
        ("Vouchers can't be exchanged for cash.", VOUCHERS),
        ("Vouchers can't be exchanged for cash.", BOLD),
        ("You can use a voucher in the café.", BOLD),
        ("O mês atual não é reembolsado.", PLANOS),
        ("Sie können Gutscheine nicht gegen Bargeld eintauschen.", GUTSCHEINE),
        ("Only guide dogs are allowed.", DOGS),
        ("Vouchers are valid for 2 years.", EXTENDED),
        ("Der Versand kostet nichts.", SHIPPING),
        ("You may bring up to 4 guests.", GUESTS),
        ("It is 5 euros per week.", WEEKLY),
        ("Use the reset link to set a new password.", PASSWORD),
    ],
)
def test_what_is_answered_with_no_is_not_so(answer: str, passage: str) -> None:
    """Nor does that "no" deny what stands behind it."""
    assert claim_of(answer, passage).verdict == "supported"


@pytest.mark.parametrize(
    ("answer", "passage"),
    [
        ("Vouchers can be exchanged for cash.", VOUCHERS),
        ("You can exchange vouchers for cash.", BOLD),
        ("You cannot use a voucher in the café.", BOLD),
        ("O mês atual é reembolsado.", PLANOS),
        ("Sie können Gutscheine gegen Bargeld eintauschen.", GUTSCHEINE),
        ("You can bring your dog.", DOGS),
        ("You can bring your dog.", "I have a dog, can I bring my dog? No."),
        ("You can bring your dog.", "I want to bring my dog, is that possible? No."),
        ("Vouchers last 2 years.", "Vouchers last 2 years, is that right? No."),
        ("It is 5 euros per day.", WEEKLY),
    ],
)
def test_a_question_answered_with_no_supports_nothing(answer: str, passage: str) -> None:
    """All words stand in the question."""
    assert claim_of(answer, passage).verdict != "supported"
