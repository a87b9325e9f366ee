"""docs/traces.md shows the shapes in which passages are read from prompts, and names every dialect."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ragvigil.scorer.dialects.labels import ASKED
from ragvigil.scorer.dialects.prompt import passages_in, question_in
from ragvigil.scorer.dialects.table import DIALECTS

PAGE = (Path(__file__).parent.parent / "docs" / "traces.md").read_text()
SHAPES = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("frame", ["{0}\nQuestion: {1}", "Be brief.\n\nQuestion: {1}\n\n{0}"])
@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_on_the_page_is_taken_apart(shape: str, frame: str) -> None:
    """Whoever copies one is read."""
    prompt = frame.format(shape, "What is white?")
    assert (passages_in(prompt), question_in(prompt)) == (
        ("Snow is white.", "Coal is black."),
        "What is white?",
    )


def test_every_dialect_is_named() -> None:
    """By its name without what parts its words, in the order of detection."""
    page = re.sub(r"[^a-z]", "", PAGE.lower())
    names = [dialect.name.replace("_", "").replace("otel", "opentelemetry") for dialect in DIALECTS]
    places = [page.find(name, page.find("laterones")) for name in names]
    assert -1 not in places
    assert places == sorted(places)


def test_the_count_of_labels_is_right() -> None:
    """Of the question, in all languages."""
    assert f"its kin in {len(ASKED.split('|'))} forms" in PAGE
