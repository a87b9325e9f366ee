"""Claims beside a page of questions and answers: what is answered with "no" is denied."""

from __future__ import annotations

import pytest
from tests.scorer.checks.test_days import claim_of

VOUCHERS = "Q: Can I exchange vouchers for cash?\nA: No.\n\nQ: Can I use a voucher in the café?\nA: Yes."
BOLD = "**Can I exchange vouchers for cash?**\nNo.\n\n**Can I use a voucher in the café?**\nYes."
PLANOS = "**Recebo reembolso do mês atual?**\nNão.\n\n**Posso mudar de plano?**\nSim."
GUTSCHEINE = "Kann ich Gutscheine gegen Bargeld eintauschen?\nNein.\n\nSind Hunde erlaubt?\nJa."
DOGS = "Can I bring my dog? No, only guide dogs are allowed."
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
    ],
)
def test_a_question_answered_with_no_supports_nothing(answer: str, passage: str) -> None:
    """All words stand in the question."""
    assert claim_of(answer, passage).verdict != "supported"
