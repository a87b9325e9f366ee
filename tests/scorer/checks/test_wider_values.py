"""Versions and decades of a claim that hold those of the evidence, and days outside a range in short names."""

from __future__ import annotations

import pytest
from tests.scorer.checks.test_days import claim_of

HELD = (
    ("It needs Python 3.", "It needs Python 3.10."),
    ("The client supports TLS 1.", "The client supports TLS 1.2."),
    ("Die App braucht Android 8.", "Die App braucht Android 8.1."),
    ("The app works on iOS 18.", "The app works on iOS 17 or later."),
    ("The app works on macOS 14.1.", "The app works on macOS 13+."),
    ("The shop opened in the 1990s.", "The shop opened in 1994."),
    ("Das Geschäft wurde in den 1990er Jahren eröffnet.", "Das Geschäft wurde im Jahr 1994 eröffnet."),
    ("O museu abre na sexta-feira.", "O museu abre de terça a domingo."),
)


@pytest.mark.parametrize(("answer", "passage"), HELD)
def test_a_wider_value_is_supported(answer: str, passage: str) -> None:
    """What is so of the one told is so of what holds it."""
    assert claim_of(answer, passage).verdict == "supported"


OTHER = (
    ("It needs Python 3.", "It needs Python 2.7."),
    ("It needs Python 3.1.", "It needs Python 3.10."),
    ("It needs Python 3.10.", "It needs Python 3."),
    ("It needs Python 3 or later.", "It needs Python 3.10 or later."),
    ("The app works on iOS 16.", "The app works on iOS 17 or later."),
    ("The app requires iOS 18.", "The app requires iOS 17 or later."),
    ("The app only works on iOS 18.", "The app works on iOS 17 or later."),
    ("The app works on Android 18.", "The app works on iOS 17 or later."),
    ("The shop opened in the 1980s.", "The shop opened in 1994."),
    ("The shop opened in the early 1990s.", "The shop opened in 1998."),
    ("The shop opened in the 1990s.", "The shop has 1994 chairs. The shop opened in 2003."),
    ("O museu abre na segunda-feira.", "O museu abre de terça a domingo."),
    ("A loja abre no sábado.", "A loja abre de segunda a sexta."),
)


@pytest.mark.parametrize(("answer", "passage"), OTHER)
def test_another_value_is_not_supported(answer: str, passage: str) -> None:
    """Narrower, older, bounded, only, or of something else."""
    assert claim_of(answer, passage).verdict != "supported"
