"""What must stand beside a cue stands there in every text that refuses with it."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest
from tests.scorer.checks import needed

from ragvigil.scorer.checks.reading.patterns import choices
from ragvigil.scorer.checks.reading.refusal import WORDINGS, Beside, Wording

CORPUS = Path(__file__).parent / "corpus"
TELLING = [wording for wording in WORDINGS if wording.beside]


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


def alone(wording: Wording, text: str) -> Beside | None:
    """What must stand beside the only cue of a text."""
    cues = [cue for cue in wording.cues if cue in text]
    return wording.beside.get(cues[0]) if len(cues) == 1 else None


def test_the_file_follows_from_the_patterns() -> None:
    """``python -m tests.scorer.checks.needed`` renews it."""
    assert needed.BESIDE.read_text("utf-8") == needed.written()


@pytest.mark.parametrize("wording", TELLING, ids=lambda wording: wording.language)
def test_no_refusal_is_passed_over(wording: Wording) -> None:
    """Neither a real one nor a text made after one of the patterns."""
    source = Random(5)
    patterns = needed.patterns_of(wording.language)
    texts = [filled_in(source.choice(patterns), source) for _ in range(1200)]
    for name in ("refusals.txt", "refusals_unseen.txt", "refusals_provoked.txt", "sentences.txt"):
        texts += [
            line.rpartition("\t")[2].lower() for line in (CORPUS / name).read_text("utf-8").splitlines()
        ]
    beside = [(text, alone(wording, text)) for text in texts if wording.pattern.search(text)]
    told = [(text, one) for text, one in beside if one is not None]
    assert len(told) > 50
    assert [text for text, one in told if not one.stands_in(text, text.split())] == []


def test_what_a_pattern_needs_is_told() -> None:
    """Of a choice the part that tells the most; nothing where a part may be anything, none where no part is left."""
    ways = needed.needed(r"\bno (?:info|data)\b|\bdoes not (?:\w+ly )?(?:say|tell)\b|\bnot .{0,9}clear")
    assert needed.beside(ways, "not", ["no "]) == {"clear", "say", "tell"}
    assert needed.beside(ways, "no ", ["not"]) == {"info", "data"}
    assert needed.beside(needed.needed(r"\bnot|\w"), "not", []) == needed.NOTHING
    assert needed.beside(needed.needed("not a|not an?y"), "not", ["not"]) == frozenset()


def test_a_pattern_is_taken_apart() -> None:
    """Into elements, each with how often it stands there."""
    assert list(needed.elements(r"a(?:b|c)?[|)]\w{0,3}")) == [
        ("a", ""),
        ("(?:b|c)", "?"),
        ("[|)]", ""),
        (r"\w", "{0,3}"),
    ]
    assert re.compile(filled_in(r"a(?:b|c)d{2}", Random(1)))
