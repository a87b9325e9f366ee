"""docs/otlp-events.md names what the code reads, and its JSON is taken as it stands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ragvigil.scorer.receive.told import Change, Feedback, Told, items_in
from ragvigil.tracer import attributes as names

PAGE = (Path(__file__).parent.parent / "docs" / "otlp-events.md").read_text()


@pytest.mark.parametrize(
    "name", sorted(key for key in vars(names) if key.startswith(("FEEDBACK_", "CHANGE_")))
)
def test_every_name_is_on_the_page(name: str) -> None:
    """The one list of names is the code's."""
    assert f"`{getattr(names, name)}`" in PAGE


@pytest.mark.parametrize("kind", [Feedback, Change])
def test_every_field_is_on_the_page(kind: type[Told]) -> None:
    """A field that nobody can find is not there."""
    assert [field for field in kind.model_fields if f"`{field}`" not in PAGE] == []


def test_the_examples_are_taken() -> None:
    """Whoever copies them gets a 200."""
    feedback, change = re.findall(r"-d '(.*)'$", PAGE, re.MULTILINE)
    assert len(items_in(feedback.encode(), Feedback)) == len(items_in(change.encode(), Change)) == 1
