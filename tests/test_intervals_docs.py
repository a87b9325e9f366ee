"""docs/intervals.md is made from measured cells.

``python tests/bench/bench_coverage.py --json``, each run appended to the list in docs/intervals.json, then
``python -m tests.test_intervals_docs``.
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
The Monte Carlo error of a coverage is {errors}. {again}

Other worlds, `--world "…" --judged 200 --reps 500 --seed 3` (Monte Carlo error .010, so one cell in twenty-five is
outside by chance): with a weak judge (75 %, 85 %) 5 of 150 cells are outside, with a cheap score that correlates .29 4
of 150. **With a strong judge (95 %, 95 %) it is 17 of 150, most of them too wide**: changes within segments and by the
mix hold the truth in .974 to .988 where 95 % and more are faithful. A page that rests on them comes later than it
could, not falsely. With 2,000 judged these worlds were not measured.

{tables}
"""


def page() -> str:
    """The whole page."""
    runs: list[dict[str, Any]] = json.loads(RUNS.read_text())
    cells = _cells(runs)
    outside = [cell for cell in cells if not LOWEST <= cell["coverage"] <= HIGHEST]
    named = "; ".join(
        f"{cell['estimator']} at {cell['faithful']:.2f}, {cell['judged']:,} judged, {_turns(cell)}: "
        f"{cell['coverage']:.3f}"
        for cell in outside
    )
    errors = [
        (0.95 * 0.05 / most) ** 0.5 for most in (max(c["reps"] for c in cells), min(c["reps"] for c in cells))
    ]
    return TEXT.format(
        commands="\n".join(f"    {run['command']}" for run in runs),
        outside=len(outside),
        cells=len(cells),
        lowest=LOWEST,
        highest=HIGHEST,
        named=f" ({named})" if outside else "",
        errors=" to ".join(f"{error:.3f}"[1:] for error in errors),
        again=_again(runs),
        tables="\n\n".join(_tables(cells)),
    )


def _cells(runs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each cell as the last run measured it, with the repetitions of that run."""
    found: dict[tuple[object, ...], dict[str, Any]] = {}
    for run in runs:
        for cell in run["cells"]:
            found[_place(cell)] = {**cell, "reps": run["reps"]}
    return [*found.values()]


def _place(cell: dict[str, Any]) -> tuple[object, ...]:
    return tuple(cell[name] for name in ("world", "estimator", "judged", "turns", "faithful"))


def _again(runs: list[dict[str, Any]]) -> str:
    """Which cells a later run measured anew, and what they had been."""
    before: dict[tuple[object, ...], float] = {}
    told: list[str] = []
    for run in runs:
        for cell in run["cells"]:
            if _place(cell) in before:
                told.append(
                    f"{cell['estimator']} at {cell['faithful']:.2f}, {cell['judged']:,} judged, {_turns(cell)}: "
                    f"{before[_place(cell)]:.3f} at first, {cell['coverage']:.3f} in {run['reps']:,} fresh ones"
                )
            before[_place(cell)] = cell["coverage"]
    return f"Measured again with more repetitions, which count: {'; '.join(told)}." if told else ""


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
    cells = _cells(json.loads(RUNS.read_text()))
    assert {cell["estimator"] for cell in cells} == set(ESTIMATORS)
    assert len(cells) == len(ESTIMATORS) * 20
    assert PAGE.read_text() == page()


if __name__ == "__main__":
    PAGE.write_text(page())
