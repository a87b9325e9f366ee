"""In which language a judge is instructed."""

from __future__ import annotations

import pytest

from ragvigil.scorer.checks import Prepared
from ragvigil.scorer.judge.asker import language_of
from ragvigil.scorer.trace import RagTrace


@pytest.mark.parametrize(
    ("segment", "language"),
    [
        ({"language": "German"}, "de"),
        ({"language": "por"}, "pt"),
        ({"locale": "pt_BR"}, "pt"),
        ({"language": "auto", "locale": "fr-CA"}, "fr"),
        ({"language": "auto"}, "en"),
        ({}, "en"),
    ],
)
def test_a_judge_is_instructed_in_the_language_that_the_trace_names(
    segment: dict[str, str], language: str
) -> None:
    """By code, locale or name: the first two letters of German are Georgian. Else in that of the answer."""
    answer = "The shop opens at nine and it closes at five in the evening."
    record = RagTrace("0" * 32, "1" * 16, "shop", 0, query="When?", answer=answer, segment=segment)
    assert language_of(Prepared(record)) == language
