"""Answers in JSON are read as what they say, with what they cite."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragvigil.scorer.checks import run_checks
from ragvigil.scorer.checks.reading.structured import unstructured
from ragvigil.scorer.trace import RagTrace

LEAVE = ("hr-7", "Full-time employees receive 25 days of paid annual leave per year.")
SAID = "Full-time employees receive 25 days of paid annual leave per year."


@pytest.mark.parametrize(
    "answer",
    [
        f'{{"answer": "{SAID}", "citations": ["hr-7"], "confidence": 0.92}}',
        f'{{"citations": [{{"id": "hr-7", "quote": "25 days", "page": 3}}], "answer": "{SAID}", "confidence": 0.92}}',
        f'```json\n{{\n  "response": "{SAID[:-1]} [1].",\n  "sources": [1,1],\n  "score": 7\n}}\n```',
        f'{{"answer": "{SAID}\\n", "source_ids": [1]}}',
    ],
)
def test_keys_and_other_fields_are_no_claims(record: Callable[..., RagTrace], answer: str) -> None:
    """A confidence is no figure of the claim, a string no quotation; the ids that a field lists are citations."""
    found = {one.check: one for one in run_checks(record(answer, LEAVE))}
    for check in (
        "supported_claims",
        "citation_correctness",
        "citation_coverage",
        "no_hallucinated_entities",
    ):
        assert found[check].value == 1.0, check
    assert found["supported_claims"].details["claims"] == 1
    assert found["quotes_verbatim"].value is None


@pytest.mark.parametrize(
    "answer",
    ['{"days": 25}', '{"answer": 25}', "{broken", "{}", '["a"]', "It opens.", "", '{"answer": ""} x'],
)
def test_what_has_no_answer_is_left_as_it_stands(answer: str) -> None:
    """An object of unknown shape is the answer."""
    assert unstructured(answer) == answer


def test_two_escapes_of_one_letter_are_that_letter() -> None:
    """And half of a letter is none, which nothing could store."""
    text = r'{"answer": "Nine \ud83d\ude00 caf\u00e9 \ud83d."}'
    said = unstructured(text)
    assert said.split() == ["Nine", "\U0001f600", "caf", "é", "?."]
    assert len(said) == len(text)


@given(
    st.dictionaries(
        st.sampled_from(("answer", "text", "citations", "x")), st.text() | st.lists(st.text() | st.integers())
    )
)
def test_no_offset_moves(fields: dict[str, object]) -> None:
    """Whatever the fields hold, escapes included."""
    import json

    for text in (json.dumps(fields), json.dumps(fields, ensure_ascii=False, indent=1)):
        assert len(unstructured(text)) == len(text)
