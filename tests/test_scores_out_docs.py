"""The table in docs/scores-out.md is made from the code; ``python tests/test_scores_out_docs.py`` renews it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ragvigil.scorer.config import load
from ragvigil.scorer.metrics.names import DEFINITIONS
from ragvigil.scorer.sending import sinks_of

PAGE = Path(__file__).parent.parent / "docs" / "scores-out.md"
BEGIN, END = "<!-- metrics: made from the code -->\n", "<!-- end of metrics -->\n"


def table() -> str:
    """One row per metric."""
    rows = [
        f"| `{one.name}` | {one.kind} | {', '.join(f'`{label}`' for label in one.labels)} | {one.help} |"
        for one in DEFINITIONS.values()
    ]
    return "\n".join(["| metric | kind | labels | what it is |", "|---|---|---|---|", *rows, ""])


def renewed(page: str) -> str:
    """The page with its table as it must be."""
    return page[: page.index(BEGIN) + len(BEGIN)] + table() + page[page.index(END) :]


def test_the_table_of_metrics_is_what_the_code_tells() -> None:
    """A metric that nobody can find does not exist."""
    assert PAGE.read_text() == renewed(PAGE.read_text())


@pytest.mark.parametrize("text", re.findall(r"```toml\n(.*?)```", PAGE.read_text(), re.DOTALL))
def test_the_examples_are_valid(text: str, tmp_path: Path) -> None:
    """A copied configuration works."""
    (tmp_path / "ragvigil.toml").write_text(text)
    settings = load(tmp_path / "ragvigil.toml")
    assert list(sinks_of(settings)) == ["otlp", "langfuse", "phoenix"]


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text()))
