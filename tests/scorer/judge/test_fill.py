"""What is judged is data: it stands between fences that it cannot open."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragvigil.prompts import Prompt, PromptError, load, parse
from ragvigil.scorer.judge.digest import FIELDS
from ragvigil.scorer.judge.fill import as_data, check, fill

VALUES: dict[str, object] = {
    "query": "q",
    "evidence": [{"id": "d", "text": "t"}],
    "metadata": {},
    "answer": "a",
}


def prompt(*, system: str = "Judge.", data: str = "{{ answer }}", fields: str = '["answer"]') -> Prompt:
    """A prompt of its own."""
    front = f'+++\nid = "tone"\nversion = "1"\nfields = {fields}\n+++\n'
    return parse(f"{front}+++ en\n{system}\n+++ data\n{data}\n", name="tone")


@given(st.text())
def test_no_text_leaves_its_fence(text: str) -> None:
    """It comes back as it was, and nothing in it looks like a fence or hides."""
    said = as_data(text)
    assert json.loads(said) == text
    assert not re.search("[<>\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff\x00-\x1f]", said)


def test_the_fences_of_two_questions_differ() -> None:
    """Nobody can write into a passage what will stand around it."""
    one, two = (fill(load("rubric"), VALUES) for _ in range(2))
    assert one.data != two.data
    nonce = re.search("<answer ([0-9a-f]{16})>", one.data)
    assert nonce is not None
    assert nonce[1] in one.system
    assert one.bait != two.bait
    other = re.findall("[0-9a-f]{16}", two.data)[0]
    alike = two.data.replace(other, nonce[1]).replace(str(two.bait), str(one.bait))
    assert one.data == alike


@pytest.mark.parametrize("language", ["en", "pt", "es"])
def test_the_rubric_can_be_filled_in_every_language(language: str) -> None:
    """In the language that is asked for."""
    check(load("rubric"), FIELDS)
    texts = {code: fill(load("rubric"), VALUES, language=code).system for code in ("en", "pt", "es")}
    assert len(set(texts.values())) == 3
    assert "supported_claims" in texts[language]


@pytest.mark.parametrize(
    ("broken", "problem"),
    [
        ({"data": "{{ anwser }}"}, "part data has a place for anwser, which is never known"),
        ({"data": "{{ query }}"}, "part data has a place for query, which its fields do not name"),
        ({"system": "{% if %}"}, "part en is no template"),
    ],
)
def test_a_prompt_that_cannot_be_filled_is_an_error_at_start(broken: dict[str, str], problem: str) -> None:
    """Not at three in the morning."""
    with pytest.raises(PromptError, match=re.escape(problem)):
        check(prompt(**broken), FIELDS)


def test_a_prompt_that_lays_nothing_out_is_an_error() -> None:
    """It would judge nothing."""
    with pytest.raises(PromptError, match=r"has no part \+\+\+ data"):
        check(load("faithfulness"), FIELDS)


def test_a_prompt_cannot_run_code() -> None:
    """Templates of a team's own run in a sandbox."""
    with pytest.raises(PromptError):
        fill(prompt(data="{{ answer.__class__.__mro__ }}"), {"answer": "a"})
