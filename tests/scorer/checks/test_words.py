"""Words and numbers as the checks compare them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragvigil.scorer.checks.reading.evidence import Evidence
from ragvigil.scorer.checks.reading.words import values, words
from ragvigil.scorer.trace import Document


def stems(text: str) -> list[str]:
    """Stems of a text."""
    return [word.stem for word in words(text)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("connections", "connected"),
        ("cities", "City"),
        ("running", "run"),
        ("organisation", "organised"),
        ("cidades", "cidade"),
        ("correndo", "correr"),
        ("São", "sao"),
        ("\uff21\uff22\uff23", "abc"),
        ("don\u2019t", "don't"),
        ("1,500", "1500"),
        ("9:0", "9:00"),
    ],
)
def test_two_spellings_of_one_word_are_one_stem(one: str, other: str) -> None:
    """Endings, case, accents, width, apostrophes, number formats."""
    assert stems(one) == stems(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1,234", "1234"),
        ("1.234.567", "1,234,567"),
        ("12,50", "12.5"),
        ("5 million", "5,000,000"),
        ("2.5 bn", "2500000000"),
        ("three", "3"),
        ("7 pm", "19:00"),
        ("9:00", "9 am"),
        ("17:0", "5:00 PM"),
        ("007", "7"),
    ],
)
def test_two_formats_of_one_number_share_a_value(one: str, other: str) -> None:
    """Grouping, decimals, scales, number words, clock times."""
    (mine,), (theirs,) = values(words(one)), values(words(other))
    assert set(mine) & set(theirs)


def test_different_numbers_share_no_value() -> None:
    """However similar they look."""
    (mine,), (theirs,) = values(words("1500")), values(words("15,00"))
    assert not set(mine) & set(theirs)


def test_scripts_without_spaces_give_one_word_a_character() -> None:
    """Chinese, Japanese, Thai; Hindi keeps its vowel signs."""
    assert len(stems("日本語")) == 3
    assert len(stems("ภาษา")) == 4
    assert len(stems("हिन्दी भाषा")) == 2


def test_negations_and_qualifiers_are_marked() -> None:
    """In several languages."""
    assert [word.negation for word in words("isn't not não kein open")] == [True, True, True, True, False]
    assert [word.qualifier for word in words("all never todos open")] == [True, True, True, False]


@given(st.text())
def test_any_text_gives_words_of_bounded_length(text: str) -> None:
    """Whatever the characters, lone surrogates included."""
    assert all(0 < len(word.stem) <= 400 for word in words(text))
    values(words(text))


def test_a_record_is_read_value_by_value() -> None:
    """JSON evidence: the path names the value, false and null are remembered."""
    text = '{"name": "Taffy", "attributes": {"OutdoorSeating": false, "Music": null, "WiFi": "free"}}'
    evidence = Evidence([Document("r", text)])
    assert [(flag.content, flag.truth) for flag in evidence.flags] == [
        (frozenset(stems("outdoor seating")), "false"),
        (frozenset(stems("music")), "null"),
    ]
    assert [word.stem for word in evidence.segments[-1].words] == stems("WiFi attributes Wi Fi free")


def test_braces_that_are_no_json_are_prose() -> None:
    """Deep nesting too."""
    assert Evidence([Document("a", "{not json} at all.")]).segments
    assert Evidence([Document("a", "[" * 5000)]).segments == []


def test_very_long_evidence_is_cut_and_says_so() -> None:
    """Memory and time stay bounded."""
    evidence = Evidence([Document("a", "One more. " * 10_000)])
    assert evidence.truncated
    assert len(evidence.segments) == 4000
