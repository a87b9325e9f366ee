"""docs/incidents.md says what each state of a series means."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

from ragvigil.scorer.monitoring import SeriesState

PAGE = Path(__file__).parent.parent / "docs" / "incidents.md"


def test_the_table_of_states_holds_those_that_the_code_knows() -> None:
    """Somebody on call met `judge_unavailable` and found it nowhere."""
    section = PAGE.read_text().partition("## How a series stands")[2].partition("\n## ")[0]
    told = re.findall(r"^\| `(\w+)` \| \S", section, re.MULTILINE)
    assert sorted(told) == sorted(get_args(SeriesState))
