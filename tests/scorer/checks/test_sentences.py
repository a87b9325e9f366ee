"""Where sentences end, on hard cases in 26 languages."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.bench.bench_sentences import TUNED, UNSEEN, cases, ends

from ragvigil.scorer.checks.reading.sentences import sentences


@pytest.mark.parametrize(("path", "least"), [(TUNED, 0.99), (UNSEEN, 0.94)])
def test_sentences_end_where_people_end_them(path: Path, least: float) -> None:
    """F1 of the ends; the second file was written after the segmenter was tuned on the first."""
    hits = total = 0
    for _, text, expected in cases(path):
        found = ends(text[start:end] for start, end in sentences(text))
        hits += len(expected & found)
        total += len(expected) + len(found)
    assert 2 * hits / total >= least


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "In Smith v. Jones the court held it. It is so.",
            ["In Smith v. Jones the court held it.", "It is so."],
        ),
        (
            "In *Hart v. Greene* (2d Cir. 2005), it was void.",
            ["In *Hart v. Greene* (2d Cir. 2005), it was void."],
        ),
        ("All mail (incl. spam) is kept. See Sect. 5.", ["All mail (incl. spam) is kept.", "See Sect. 5."]),
        ("Please contact HR. The form is online.", ["Please contact HR.", "The form is online."]),
        (
            "It is in Goleta, CA. Known for wine, it grows.",
            ["It is in Goleta, CA.", "Known for wine, it grows."],
        ),
        ("DR. Smith came. MR. JONES left.", ["DR. Smith came.", "MR. JONES left."]),
        ("Die Fa. Müller liefert. Sie ist da.", ["Die Fa. Müller liefert.", "Sie ist da."]),
    ],
)
def test_what_is_written_in_capitals_abbreviates_other_things(text: str, expected: list[str]) -> None:
    """HR is no *hr.*, and *v.* stands between two parties."""
    assert [text[start:end] for start, end in sentences(text)] == expected


def test_the_hard_cases_are_many() -> None:
    """At least 150 in at least 12 languages."""
    languages = [language for language, _, _ in cases(TUNED)]
    assert len(languages) >= 150
    assert len(set(languages)) >= 12


@given(st.text(alphabet=st.sampled_from("aB1 .?!…。\uff01\n;\"'»)]|-[]”¹αд")))
def test_sentences_cover_all_but_white_space(text: str) -> None:
    """In order, without overlap, and nothing is lost."""
    spans = sentences(text)
    assert "".join("".join(text[start:end].split()) for start, end in spans) == "".join(text.split())
    assert all(start < end for start, end in spans)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
