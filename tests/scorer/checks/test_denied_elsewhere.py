"""Statements that are turned round by a negation, and harmless ones beside them, in twenty languages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.scorer.checks.judged import judged

from ragvigil.scorer.checks.reading.negation import denies
from ragvigil.scorer.checks.reading.words import words

CORPUS = Path(__file__).parent / "corpus"
LANGUAGES = (
    "ru",
    "uk",
    "vi",
    "zh",
    "ja",
    "ko",
    "tr",
    "ar",
    "he",
    "hi",
    "el",
    "id",
    "cs",
    "ro",
    "sv",
    "nl",
    "de",
    "en",
    "es",
    "fr",
    "hu",
)
ELSE = ("Wi-Fi: 80 Mbps.", "Parking P2.")


def cases(name: str, language: str | None = None) -> Iterator[tuple[bool, str, str]]:
    """Whether the answer turns the passage round, the passage and the answer, and the same the other way."""
    for line in (CORPUS / name).read_text("utf-8").splitlines():
        if not line.startswith("#"):
            code, sign, passage, answer = line.split("\t")
            if language in (None, code):
                yield sign == "-", passage, answer
                yield sign == "-", answer, passage


def states(name: str, language: str | None = None) -> Counter[tuple[bool, str]]:
    """How often each verdict is given, of turned answers and of harmless ones."""
    return Counter(
        (turned, judged(passage, answer, passage, *ELSE)) for turned, passage, answer in cases(name, language)
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_harmless_pair_is_contradicted_and_most_turned_ones_are(language: str) -> None:
    """Not only, not later than, must, unless, no less than, forbidden: these deny nothing that the other says."""
    seen = states("denied.txt", language)
    assert not seen[False, "contradicted"]
    turned = sum(count for (one, _), count in seen.items() if one)
    assert seen[True, "contradicted"] >= 0.6 * turned


def test_what_was_written_afterwards_comes_out_alike() -> None:
    """Of 40 turned ones 6 are supported and 4 in part; of 56 harmless ones two were contradicted at first."""
    seen = states("denied_unseen.txt")
    assert not seen[False, "contradicted"]
    assert seen[True, "contradicted"] >= 30
    assert seen[True, "supported"] <= 6


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("El nu scade.", False),
        ("Prețul nu este inclus.", True),
        ("Det är nu öppet.", False),
        ("Das Ei ist frisch.", False),
        ("mr gomez and mr korkmaz", False),
        ("Fermez la porte et calmez le chien.", False),
        ("Du kan nu hente din pakke.", False),
        ("The charger has a NEMA plug.", False),
        ("The pump is a YOK model.", False),
        ("Ekip kabloyu gömüyor.", False),
        ("Vì hãng hàng không cho phép", False),
        ("Ürün iade edilmez.", True),
        ("Kimlik olmazsa olmaz.", False),
    ],
)
def test_a_word_of_another_language_denies_nothing(text: str, expected: bool) -> None:
    """Romanian *nu* is "now" elsewhere; surnames end as Turkish verbs do."""
    assert denies(words(text)) is expected
