"""Answers in HTML: tags are no words, and a list's items are claims of their own."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ragvigil.scorer.checks import run_checks
from ragvigil.scorer.checks.reading.claims import read_statements
from ragvigil.scorer.checks.reading.markup import untagged
from ragvigil.scorer.trace import RagTrace

TAGS = {"p", "b", "ul", "li", "br", "div", "href", "strong"}


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (
            "<p>The shop opens at <b>nine</b>.</p><ul><li>bread costs two</li><li>Milk costs three</li></ul>",
            ["The shop opens at <b>nine</b>.", "bread costs two", "Milk costs three"],
        ),
        (
            "<div class='a'>It opens at nine.</div><div>It closes at five.</div>",
            ["It opens at nine.", "It closes at five."],
        ),
        ("The shop<br/>opens at nine.", ["The shop<br/>opens at nine."]),
        ("It holds List<INT> and x < y.", ["It holds List<INT> and x < y."]),
        ("Use `<p>` for text.", ["Use `<p>` for text."]),
    ],
)
def test_tags_part_claims_and_are_no_words(answer: str, said: list[str]) -> None:
    """Every claim keeps its place in the answer as it stands."""
    found = read_statements(answer, [])
    assert [answer[one.start : one.end] for one in found] == said
    if "`" not in answer:
        assert {word.stem for one in found for word in one.words}.isdisjoint(TAGS)


def test_many_tags_and_much_code_are_read_in_one_pass() -> None:
    """Half a megabyte of both: whoever looks for each tag in each code span does not come back."""
    text = "<b>x</b> `<p>` " * 32_000
    bare = untagged(text)
    assert len(bare) == len(text)
    assert (bare.count("<p>"), bare.count("<b>"), bare.count("x")) == (32_000, 0, 32_000)


def test_an_answer_in_html_is_worth_what_its_text_is(record: Callable[..., RagTrace]) -> None:
    """Claims, support and length are the same."""
    passage = ("a", "The shop opens at nine. Bread costs two euros.")
    marked = run_checks(record("<p>The shop opens at <b>nine</b>.</p><p>Bread costs two euros.</p>", passage))
    plain = run_checks(record("The shop opens at nine.\n\nBread costs two euros.", passage))
    for one, other in zip(marked, plain, strict=True):
        if one.check in ("supported_claims", "length_budget", "answer_first", "no_hallucinated_entities"):
            assert (one.value, one.details) == (other.value, other.details), one.check
