"""docs/intervals.md is made from measured cells.

``python tests/bench/bench_coverage.py --json``, each run appended to the list in docs/intervals.json, then
``python tests/test_intervals_docs.py``.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.scorer.estimate.coverage import ESTIMATORS

DOCS = Path(__file__).parent.parent / "docs"
PAGE, RUNS = DOCS / "intervals.md", DOCS / "intervals.json"
LOWEST, HIGHEST = 0.93, 0.97
TEXT = """# How often the intervals hold the truth

Every number about verdicts is shown with a 95 % interval. Here is how often each held the truth, and how wide it was,
on simulated traffic: a judge that passes 85 % of the faithful answers and fails 92 % of the others, a cheap score that
correlates .53 with the truth, a tenth of the traffic judged, 140 faithful and 60 unfaithful gold items, 200 labels of
production answers where there is an audit. "All traffic" has twelve segments, small ones judged more; conversations
have five turns on average with an intra-class correlation of .16. What changed did so from 95 %. **Simulated, not
field data.**

Made by

{commands}

{outside} of {cells} cells lie outside {lowest:.2f} to {highest:.2f}{named}.
The Monte Carlo error of a coverage is {errors}.

{tables}
"""


def page() -> str:
    """The whole page."""
    runs: list[dict[str, Any]] = json.loads(RUNS.read_text())
    cells = [cell for run in runs for cell in run["cells"]]
    outside = [cell for cell in cells if not LOWEST <= cell["coverage"] <= HIGHEST]
    named = "; ".join(
        f"{cell['estimator']} at {cell['faithful']:.2f}, {cell['judged']:,} judged, {_turns(cell)}: "
        f"{cell['coverage']:.3f}"
        for cell in outside
    )
    errors = sorted({(0.95 * 0.05 / run["reps"]) ** 0.5 for run in runs})
    return TEXT.format(
        commands="\n".join(f"    {run['command']}" for run in runs),
        outside=len(outside),
        cells=len(cells),
        lowest=LOWEST,
        highest=HIGHEST,
        named=f" ({named})" if outside else "",
        errors=" to ".join(f"{error:.3f}"[1:] for error in errors),
        tables="\n\n".join(table for run in runs for table in _tables(run["cells"])),
    )


def _turns(cell: dict[str, Any]) -> str:
    return "one turn" if cell["turns"] == 1 else "conversations"


def _tables(cells: list[dict[str, Any]]) -> list[str]:
    tables: list[str] = []
    rates = sorted({cell["faithful"] for cell in cells})
    for judged, turns in sorted({(cell["judged"], cell["turns"]) for cell in cells}):
        own = [cell for cell in cells if (cell["judged"], cell["turns"]) == (judged, turns)]
        rows = [["coverage / width", *(f"{rate:.2f} faithful" for rate in rates)], ["---"] * (len(rates) + 1)]
        for estimator in ESTIMATORS:
            found = {cell["faithful"]: cell for cell in own if cell["estimator"] == estimator}
            shown = (f"{found[rate]['coverage']:.3f} / {found[rate]['width']:.4f}" for rate in rates)
            rows.append([estimator, *shown])
        title = f"## {judged:,} judged, {_turns(own[0])}"
        tables.append(title + "\n\n" + "\n".join("| " + " | ".join(row) + " |" for row in rows))
    return tables


def test_the_page_says_what_was_measured_for_every_interval() -> None:
    """A figure that nobody measured must not appear; another estimator asks for another run."""
    measured = {cell["estimator"] for run in json.loads(RUNS.read_text()) for cell in run["cells"]}
    assert measured == set(ESTIMATORS)
    assert PAGE.read_text() == page()


if __name__ == "__main__":
    PAGE.write_text(page())
