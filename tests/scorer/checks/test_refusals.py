"""Which answers refuse, in twelve languages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragvigil.scorer.checks import Prepared
from ragvigil.scorer.trace import RagTrace

CORPUS = Path(__file__).parent / "corpus"
UNSEEN = "refusals_unseen.txt"
NINE = ("pt", "es", "fr", "de", "it", "nl", "pl", "ja", "zh")


def cases(name: str = "refusals.txt") -> Iterator[tuple[str, bool, str]]:
    """Language, whether a person says that it refuses, and the answer."""
    for line in (CORPUS / name).read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            language, sign, answer = line.split("\t")
            yield language, sign == "+", answer


def refuses(answer: str) -> bool:
    """What the checks say."""
    return Prepared(RagTrace("0" * 32, "1" * 16, "shop", 0, answer=answer)).refuses


@pytest.mark.parametrize("language", ["en", *NINE, "ru", "ko", "tr"])
def test_refusals_are_recognised(language: str) -> None:
    """Precision and recall of .90 at least."""
    seen = Counter((expected, refuses(answer)) for code, expected, answer in cases() if code == language)
    hits = seen[True, True]
    assert hits / (hits + seen[False, True]) >= 0.9
    assert hits / (hits + seen[True, False]) >= 0.9


def test_ten_languages_have_thirty_refusals() -> None:
    """And answers that look like them."""
    counts = Counter((language, expected) for language, expected, _ in cases())
    assert all(counts[language, True] >= 30 and counts[language, False] >= 9 for language in ("en", *NINE))


def test_refusals_in_other_words_are_recognised() -> None:
    """Answers written after the wordings; what their first measurement showed is in docs/reading.md."""
    seen = Counter((expected, refuses(answer)) for _, expected, answer in cases(UNSEEN))
    hits = seen[True, True]
    assert hits / (hits + seen[False, True]) >= 0.9
    assert hits / (hits + seen[True, False]) >= 0.9
