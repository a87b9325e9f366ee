"""What a pattern of a refusal needs stands in every text that it is found in."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest
from tests.scorer.checks import needed

from ragvigil.scorer.checks.reading.needs import Needs
from ragvigil.scorer.checks.reading.patterns import choices

CORPUS = Path(__file__).parent / "corpus"
MADE = 6
"""Texts made after each pattern."""


def filled_in(pattern: str, source: Random) -> str:
    """A text that follows a pattern: of each choice one part, of what may be absent either, of a class a word."""
    said = ""
    for element, times in needed.elements(source.choice(choices(pattern))):
        if times.startswith(("?", "*", "{0", "{,")) and source.random() < 0.5:
            continue
        if element.startswith("(?:"):
            said += filled_in(element[3:-1], source)
        elif element in (".", r"\w"):
            said += source.choice(("a", "on", "any"))
        elif element.startswith("["):
            said += " a"
        elif not element.startswith(("\\", "(?", "^", "$")):
            said += element
    return said


def test_the_files_follow_from_the_patterns() -> None:
    """``python -m tests.scorer.checks.needed`` renews them."""
    found = {path.stem: path.read_text("utf-8") for path in needed.NEEDS.iterdir()}
    assert found == {language: needed.written(language) for language in needed.LANGUAGES}


@pytest.mark.parametrize("language", needed.LANGUAGES)
def test_no_refusal_is_passed_over(language: str) -> None:
    """Neither a real one nor a text made after one of the patterns."""
    source = Random(5)
    patterns = needed.patterns_of(language)
    texts = [filled_in(pattern, source) for pattern in patterns for _ in range(MADE)]
    for name in ("refusals.txt", "refusals_unseen.txt", "refusals_provoked.txt", "sentences.txt"):
        lines = [line.split("\t") for line in (CORPUS / name).read_text("utf-8").splitlines()]
        texts += [line[-1].lower() for line in lines if language in line]
    needs = Needs(**needed.needs_of(language))
    met = [needs.met(text, text.split()) for text in texts]
    found = [
        (text, place, places)
        for place, pattern in enumerate(map(re.compile, patterns))
        for text, places in zip(texts, met, strict=True)
        if pattern.search(text)
    ]
    assert len(found) > len(patterns)
    assert [(text, place) for text, place, places in found if place not in places] == []


def test_of_few_texts_many_patterns_can_be_found() -> None:
    """Else all would be made: of a sentence that refuses nothing mostly none can."""
    lines = (CORPUS / "sentences.txt").read_text("utf-8").splitlines()
    texts = [line.rpartition("\t")[2].lower() for line in lines]
    needs = Needs(**needed.needs_of("en"))
    assert sum(len(needs.met(text, text.split())) for text in texts) < len(texts)


def test_what_a_pattern_needs_is_told() -> None:
    """First of each choice the words that tell the most; nothing where a part may be anything."""
    ways = needed.needed(r"\bno (?:info|data)\b|\bdoes not (?:\w+ly )?(?:say|tell)\b|\bnot .{0,9}clear")
    assert [[sorted(one) for one in needed.wanted(way)] for way in ways] == [
        [["no data", "no info"]],
        [["say", "tell"], ["does not "]],
        [["clear"], ["not "]],
    ]
    assert needed.telling(["no data", "not a word", "does not "]) == {"data", "word", "does"}
    assert needed.either(ways) == {"no data", "no info", "say", "tell", "clear"}
    assert needed.either(needed.needed(r"\bnot|\w")) == needed.NOTHING | {"not"}
    assert needed.wanted(needed.needed(r"(?:\bnot.{9}|\w) a")[0]) == (frozenset({" a"}),)


def test_a_pattern_is_taken_apart() -> None:
    """Into elements, each with how often it stands there."""
    assert list(needed.elements(r"a(?:b|c)?[|)]\w{0,3}")) == [
        ("a", ""),
        ("(?:b|c)", "?"),
        ("[|)]", ""),
        (r"\w", "{0,3}"),
    ]
    assert re.compile(filled_in(r"a(?:b|c)d{2}", Random(1)))
