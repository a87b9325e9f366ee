"""docs/incidents.md says what each state of a series means."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

from ragvigil.scorer.monitoring import SeriesState
from tests.command_line import ragvigil

PAGE = Path(__file__).parent.parent / "docs" / "incidents.md"


def test_the_table_of_states_holds_those_that_the_code_knows() -> None:
    """Somebody on call met `judge_unavailable` and found it nowhere."""
    section = PAGE.read_text().partition("## How a series stands")[2].partition("\n## ")[0]
    told = re.findall(r"^\| `(\w+)` \| \S", section, re.MULTILINE)
    assert sorted(told) == sorted(get_args(SeriesState))


def test_the_route_is_explained_as_the_page_shows(tmp_path: Path) -> None:
    """Of the configuration that stands above it."""
    page = PAGE.read_text()
    (configured,) = re.findall(r"^```toml\n(\[channels\.oncall\].*?)^```", page, re.DOTALL | re.MULTILINE)
    ((command, shown),) = re.findall(
        r"^\$ (ragvigil routes explain .*)\n((?:(?!```).*\n)+)", page, re.MULTILINE
    )
    (tmp_path / "ragvigil.toml").write_text(configured)
    done = ragvigil(*command.split()[1:], folder=tmp_path)
    assert (done.returncode, done.stdout) == (0, shown)
