"""docs/intervals.md is made from measured cells.

``python tests/bench/bench_coverage.py --json``, each run appended to the list in docs/intervals.json, other worlds in
docs/intervals-shifted.json: ``python -m tests.test_intervals_docs [NEW.json …]`` appends them and writes the page.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from tests.scorer.estimate.coverage import ESTIMATORS

DOCS = Path(__file__).parent.parent / "docs"
PAGE, RUNS, SHIFTED = DOCS / "intervals.md", DOCS / "intervals.json", DOCS / "intervals-shifted.json"
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

## Other worlds

Judges and cheap scores on which nothing was chosen: a weak judge (75 % and 85 % instead of 85 % and 92 %), a strong
one (95 % and 95 %), cheap scores that correlate .29 and .11 with the truth instead of .53. The same 150 cells each.
With 500 repetitions the Monte Carlo error of a cell is .010, so that one cell in twenty-five lies outside by chance,
with 1,000 it is .007 and one in two hundred; cells that lay outside were measured again with more, and those count.

{shifted}

{shifted_outside}

{tables}
"""


def page() -> str:
    """The whole page."""
    runs: list[dict[str, Any]] = json.loads(RUNS.read_text())
    cells = _cells(runs)
    outside = _outside(cells)
    named = "; ".join(
        f"{cell['estimator']} at {cell['faithful']:.2f}, {cell['judged']:,} judged, {_turns(cell)}: "
        f"{cell['coverage']:.3f}"
        for cell in outside
    )
    shifted: list[dict[str, Any]] = json.loads(SHIFTED.read_text())
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
        shifted=_shifted(_cells(shifted)),
        shifted_outside=_named_outside(_cells(shifted)),
        tables="\n\n".join(_tables(cells)),
    )


def _outside(cells: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [cell for cell in cells if not LOWEST <= cell["coverage"] <= HIGHEST]


def _shifted(cells: list[dict[str, Any]]) -> str:
    """A row for each world and number judged."""
    rows = [["world", "judged", "cells", "outside", "lowest", "highest"], ["---"] * 6]
    for world, judged in dict.fromkeys((cell["world"], cell["judged"]) for cell in cells):
        own = [cell for cell in cells if (cell["world"], cell["judged"]) == (world, judged)]
        least, most = (one(own, key=lambda cell: float(cell["coverage"])) for one in (min, max))
        rows.append([world, f"{judged:,}", str(len(own)), str(len(_outside(own)))])
        rows[-1] += [f"{cell['coverage']:.3f} ({_named(cell)})" for cell in (least, most)]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def _named_outside(cells: list[dict[str, Any]]) -> str:
    told = "; ".join(
        f"{cell['world']}, {cell['judged']:,} judged, {_named(cell)}: {cell['coverage']:.3f} in {cell['reps']:,}"
        for cell in _outside(cells)
    )
    return f"Outside: {told}." if told else "None lies outside."


def _named(cell: dict[str, Any]) -> str:
    return f"{cell['estimator']} at {cell['faithful']:.2f}, {_turns(cell)}"


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


def _append(path: Path) -> None:
    """Add a new run to the file of its world."""
    run = json.loads(path.read_text())
    target = RUNS if {cell["world"] for cell in run["cells"]} == {"default"} else SHIFTED
    runs: list[dict[str, Any]] = json.loads(target.read_text()) if target.exists() else []
    target.write_text(json.dumps([*runs, run], indent=1) + "\n")


if __name__ == "__main__":
    for new in sys.argv[1:]:
        _append(Path(new))
    PAGE.write_text(page())
