"""What the demo's tests share: a small corpus of their own, and its index."""

from __future__ import annotations

import pytest

from ragvigil.scorer.demo.corpus import Passage, load_corpus
from ragvigil.scorer.demo.retrieval import Index


@pytest.fixture(scope="session")
def corpus() -> tuple[Passage, ...]:
    """The real one, of the Python that runs the tests: seconds to make, so it is made once."""
    return load_corpus()


@pytest.fixture(scope="session")
def passages() -> tuple[Passage, ...]:
    """Forty passages: some about one subject, the others far from it."""
    near = [
        (
            "text.dedent",
            "Remove any common leading whitespace from every line. Tabs are not touched by this.",
        ),
        (
            "text.indent",
            "Add a prefix to the beginning of selected lines in the text. Blank lines are skipped.",
        ),
        ("text.wrap", "Wrap a single paragraph so that every line is at most 70 characters long."),
        ("text.fill", "Fill a single paragraph of text and return one string that holds all lines."),
    ]
    far = [
        (f"far.name{number}", f"The engine number {number} must be greased every week.")
        for number in range(36)
    ]
    return tuple(Passage(f"{name}#0", name, "function", f"{name}: {text}") for name, text in [*near, *far])


@pytest.fixture(scope="session")
def index(passages: tuple[Passage, ...]) -> Index:
    """The passages, indexed."""
    return Index(passages)
