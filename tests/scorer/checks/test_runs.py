"""Runs: the words of a claim that stand in the evidence as they are put there."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragvigil.scorer.checks.alignment.align import FIGURES, Stated, align
from ragvigil.scorer.checks.alignment.overlap import Weights
from ragvigil.scorer.checks.alignment.runs import runs
from ragvigil.scorer.checks.reading.evidence import Evidence
from ragvigil.scorer.checks.reading.words import words
from ragvigil.scorer.trace import Document

WORDS = st.sampled_from(("the", "cats", "dog-eared", "don't", "São", "of", "7", "日本", "unmet"))
TEXTS = st.lists(st.lists(WORDS, max_size=6).map(lambda said: f"{' '.join(said)}. The"), max_size=4)


def _stems(text: str) -> list[str]:
    return [word.stem for word in words(text)]


@given(st.lists(TEXTS.map(" ".join), max_size=3), st.lists(st.lists(WORDS, max_size=7), max_size=3))
def test_threes_are_those_of_each_sentence(passages: list[str], claims: list[list[str]]) -> None:
    """As one would look for them word by word; in ASCII or not, whatever the dashes part."""
    evidence = Evidence([Document(str(place), text) for place, text in enumerate(passages)], {"cat"})
    sentences = [[word.stem for word in segment.words] for segment in evidence.segments]
    there = {(one, *two) for said in sentences for one, two in zip(said, pairwise(said[1:]), strict=False)}
    asked = [_stems(" ".join(claim)) for claim in claims]
    wanted = [
        [(one, *two) in there for one, two in zip(claim, pairwise(claim[1:]), strict=False)]
        for claim in asked
    ]
    assert evidence.threes(asked) == wanted


@given(st.lists(st.booleans(), max_size=12))
def test_runs_count_each_word_once(threes: list[bool]) -> None:
    """Runs that overlap do not count a word twice, and the longest is no longer than what is in runs."""
    count = len(threes) + 2
    inside = {place + step for place, there in enumerate(threes) if there for step in range(3)}
    share, longest = runs(threes, count)
    assert share == len(inside) / count
    assert longest <= share <= 1.0


@pytest.mark.parametrize(
    ("claim", "share", "longest"),
    [
        ("The ferry leaves at nine in the morning.", 1.0, 1.0),
        ("At nine the ferry leaves in the morning.", 6 / 8, 3 / 8),
        ("The morning ferry leaves nine times.", 0.0, 0.0),
    ],
)
def test_a_claim_is_measured_by_how_its_words_are_put(claim: str, share: float, longest: float) -> None:
    """Words that carry no meaning count here, so the order in which things are said is seen."""
    evidence = Evidence([Document("a", "On Sundays the ferry leaves at nine in the morning. It is blue.")])
    ((alignment,),) = align([Stated([(words(claim), claim)], evidence, ())], Weights({}, 1.0))
    seen = dict(zip(FIGURES, alignment.figures, strict=True))
    assert (seen["in_runs"], seen["longest_run"]) == (share, longest)


def test_a_sentence_that_ends_breaks_a_run() -> None:
    """Two words of one sentence and one of the next are no run, and neither are those of two passages."""
    evidence = Evidence([Document("a", "We sell red boats. Sail away."), Document("b", "Today we rest.")])
    assert evidence.threes([_stems("red boats sail away today")]) == [[False, False, False]]


def test_a_record_whose_values_have_no_words_breaks_nothing() -> None:
    """Neither alone nor before values that have some."""
    asked = [_stems("free wifi for all")]
    assert Evidence([Document("a", '{"-": "-"}')]).threes(asked) == [[False, False]]
    assert Evidence([Document("a", '{"-": "-", "rooms": "free wifi for"}')]).threes(asked) == [[True, False]]
