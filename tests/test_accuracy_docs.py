"""docs/accuracy.md is made by the fit, from the same report as the coefficients' file holds."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

from tests.bench.fitting.page import page

PAGE = Path(__file__).parent.parent / "docs" / "accuracy.md"


def test_the_accuracy_page_says_what_was_measured() -> None:
    """Figures that nobody ran must not appear, and new coefficients bring new ones."""
    report = json.loads(files("ragvigil.scorer.data").joinpath("lexical-1.json").read_text())
    assert PAGE.read_text() == page(report)
