"""Words and numbers as the checks compare them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragvigil.scorer.checks.reading.evidence import Evidence
from ragvigil.scorer.checks.reading.words import offsets, values, words
from ragvigil.scorer.trace import Document


def stems(text: str) -> list[str]:
    """Stems of a text."""
    return [word.stem for word in words(text)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("connections", "connected"),
        ("Соколовой", "Соколова"),
        ("Дмитрием", "Дмитрий"),
        ("Нижнем", "Нижний"),
        ("Вікторівною", "Вікторівна"),
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
        ("1,234.5", "1234.5"),
        ("1.234,5", "1234,5"),
        ("1,234.50", "1.234,5"),
        ("1,234.567", "1234.567"),
        ("0,500", "0.5"),
        ("1 500", "1500"),
        ("1\u00a0500\u00a0000", "1,500,000"),
        ("1\u202f234\u202f567", "1234567"),
        ("1'234'567.80", "1,234,567.8"),
        ("1\u2019500", "1500"),
        ("12,34,567", "1234567"),
        ("\u0661\u066c\u0665\u0660\u0660\u066b\u0662\u0665", "1500.25"),
        ("\u0967\u0968", "12"),
        ("\uff19:\uff13\uff10", "9:30"),
        ("3/4", "0.75"),
        ("1/3", "0.33"),
        ("£1,311", "1311"),
        ("à 7,5", "7.5"),
        ("\u4e3a2.85", "2.85"),
        ("\u30015,000\u5186", "5000"),
        ("3\u4e07", "30000"),
        ("9\uff1a00", "9:00"),
        ("tien", "10"),
        ("vierzehn", "14"),
        ("siedem", "7"),
        ("duas", "2"),
        ("\u0633\u0628\u0639\u0629", "7"),
    ],
)
def test_two_formats_of_one_number_share_a_value(one: str, other: str) -> None:
    """Grouping, decimals, scales, number words, clock times."""
    (mine,), (theirs,) = values(words(one)), values(words(other))
    assert set(mine) & set(theirs)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1500", "15,00"),
        ("1,234.5", "12345"),
        ("1.234,5", "12345"),
        ("1,234.5", "1234"),
        ("0.125", "125"),
        ("\u0669", "8"),
        ("1 500", "500"),
        ("3/4", "4/3"),
    ],
)
def test_different_numbers_share_no_value(one: str, other: str) -> None:
    """However similar they look."""
    (mine,), theirs = values(words(one)), values(words(other))
    assert not set(mine) & {value for readings in theirs for value in readings[:1]}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("in 2010 500 came", ["2010", "500"]),
        ("7 12 450", ["7", "12", "450"]),
        ("555 123 4567", ["555", "123", "4567"]),
        ("3 200-page books", ["3", "200"]),
        ("555 123-4567", ["555", "123", "4567"]),
        ("12 000-15 000", ["12000", "15000"]),
        ("12, 500", ["12", "500"]),
        ("1\n500", ["1", "500"]),
        ("+1 500 200", ["1", "500", "200"]),
        ("A1 500", ["500"]),
        ("5'11", ["5", "11"]),
        ("8:00\u201316:30", ["8:00", "16:30"]),
        ("€1.50\u20142.50", ["1.5", "2.5"]),
        ("«2.5»", ["2.5"]),
        ("\u7b2c5.2\u6761", ["5.2"]),
        ("ção5", []),
    ],
)
def test_numbers_that_stand_beside_each_other_stay_apart(text: str, expected: list[str]) -> None:
    """Years, rows, phone numbers, compounds, heights: white space parts groups of three and nothing else."""
    assert [word.stem for word in words(text) if word.numbers] == expected


@pytest.mark.parametrize(
    "text", ["1 500 \u0669\u0669 cats", "\U0001d7d9\U0001d7da 1\u202f500 m", "pi is 3\u066b14"]
)
def test_every_word_stands_where_its_offsets_say(text: str) -> None:
    """Digits of other scripts and joined groups are as long as they were."""
    where = offsets(text)
    assert len(where) == len(words(text))
    assert [words(text[first:last])[0].stem for first, last in where] == stems(text)


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
    assert not Evidence([Document("a", "[" * 5000)]).segments


def test_very_long_evidence_is_cut_and_says_so() -> None:
    """Memory and time stay bounded."""
    evidence = Evidence([Document("a", "One more. " * 10_000)])
    assert evidence.truncated
    assert len(evidence.segments) == 4000
