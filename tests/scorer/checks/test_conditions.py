"""Conditions: what is looked for first leaves out none of what is searched for then."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragvigil.scorer.checks.reading.conditions import Restriction, conditions
from ragvigil.scorer.checks.reading.patterns import choices

_DATA: dict[str, Any] = json.loads(
    files("ragvigil.scorer.data").joinpath("conditions.json").read_text("utf-8")
)
_WHOLE: tuple[Restriction, ...] = ("precondition", "stop")
_ANNOUNCED = [(kind, pattern) for kind in _WHOLE for pattern in _DATA[kind]]


@pytest.mark.parametrize(("kind", "pattern"), _ANNOUNCED)
@settings(max_examples=20, deadline=None)
@given(drawn=st.data())
def test_every_text_that_a_pattern_is_found_in_names_a_condition(
    kind: Restriction, pattern: str, drawn: st.DataObject
) -> None:
    """Whatever else stands in it, for a first look passes most texts over."""
    text = drawn.draw(st.from_regex(re.compile(pattern, re.IGNORECASE)))[:600]
    if re.search(pattern, text, re.IGNORECASE):
        assert conditions(text, frozenset({kind}))


@pytest.mark.parametrize("kind", ["exception", "precondition", "stop", "proviso"])
def test_what_is_found_at_first_begins_with_a_word_or_the_sentence(kind: Restriction) -> None:
    """Other beginnings would be passed over."""
    begun = [choice for pattern in _DATA[kind] for choice in choices(pattern)]
    assert [one for one in begun if not one.startswith((r"\b", "^"))] == []
