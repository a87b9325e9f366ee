"""Which answers break off, by how they end."""

from __future__ import annotations

import pytest

from ragvigil.scorer.checks import run_checks
from ragvigil.scorer.trace import RagTrace


def breaks_off(answer: str) -> bool:
    """What answer_truncated says."""
    results = run_checks(RagTrace("0" * 32, "1" * 16, "shop", 0, query="What now?", answer=answer))
    return next(one.value for one in results if one.check == "answer_truncated") == 1.0


@pytest.mark.parametrize(
    "answer",
    [
        "The refund takes five working days, and if it does not arrive you should",
        "You need three things: a passport, a photo, and",
        "1. Open the lid.\n2. Remove the filter.\n3. Rinse it under",
        "| Plan | Price |\n|---|---|\n| Basic | 10 |\n| Pro |",
        "Die Frist beträgt 14 Tage, sofern",
        "The refund takes five days. After that you should contact 😊",
        "Le délai est de 14 jours, sauf dans",
        "El plazo es de 14 días, salvo cuando",
        "O prazo é de 14 dias, exceto quando",
        "期限は14日ですが、例外として",
        "期限为14天但是如果",
    ],
)
def test_last_words_that_can_end_nothing_break_off(answer: str) -> None:
    """Nor can a row with fewer cells than the one before it."""
    assert breaks_off(answer)


@pytest.mark.parametrize(
    "answer",
    [
        "Yes",
        "Lima",
        "- passport\n- photo\n- form",
        "Open the lid, remove the filter, rinse it [1]",
        "Wir helfen gern!\n\nMit freundlichen Grüßen\nIhr Team",
        "It is paid. Ask us.\n\nBest regards,\nThe Acme Team",
        "| Plan | Price |\n|---|---|\n| Basic | 10 |",
        "Press the button to turn it on",
        "You can return goods within 30 days [1]. 😊",
        "Done! Anything else? 👍🏽 ❤️",
        "Возврат бесплатный. Обращайтесь",
        "반품은 무료입니다. 감사합니다",
        "Le retour est gratuit.\n\nBonne journée à vous",
        "期限は14日です",
    ],
)
def test_what_needs_no_full_stop_is_whole(answer: str) -> None:
    """A signature, an item, a word, a row."""
    assert not breaks_off(answer)
