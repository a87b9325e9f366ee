"""The figures in docs/diagnosis.md are those that were measured.

``ragvigil bench diagnosis --incidents 220 --first-seed 1000000 --json > docs/diagnosis.json``, then
``python tests/test_diagnosis_docs.py``.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from ragvigil.scorer.estimate.wilson import wilson
from ragvigil.scorer.simulate.localisation import KINDS, NONE

DOCS = Path(__file__).parent.parent / "docs"
PAGE, FIGURES = DOCS / "diagnosis.md", DOCS / "diagnosis.json"
BEGIN, END = "<!-- measured -->\n", "<!-- /measured -->\n"
NAMES = {"everywhere": "everything fell alike", "nothing": "nothing fell (a false page)"}


def measured() -> dict[str, Any]:
    """What the command printed."""
    found: dict[str, Any] = json.loads(FIGURES.read_text())
    return found


def share(count: int, of: int) -> str:
    """With its 95 % interval, Wilson's."""
    low, high = wilson(count / of, of, confidence=0.95)
    return f"{count}: {100 * count / of:.1f}% ({100 * low:.0f}% to {100 * high:.0f}%)"


def table() -> str:
    """Everything between the marks."""
    found = measured()
    kinds = found["kinds"]
    planted = [one for one in kinds if one["kind"] not in NONE]
    rows = [
        "| planted | incidents | named first | among three | none named | onset in its interval |",
        "|---|---|---|---|---|---|",
    ]
    for one in planted:
        figures = (
            one["first"],
            one["among_three"],
            one["unnamed"],
            f"{one['onset_covered']} of {one['first']}",
        )
        rows.append(
            f"| {one['kind'].replace('_', ' ')} | {one['incidents']} | {' | '.join(map(str, figures))} |"
        )
    every = {
        name: sum(one[name] for one in planted)
        for name in ("incidents", "first", "among_three", "onset_covered")
    }
    first, three = (share(every[name], every["incidents"]) for name in ("first", "among_three"))
    onset = f"{every['onset_covered']} of {every['first']}"
    rows.append(f"| all {len(planted)} | {every['incidents']:,} | {first} | {three} | | {onset} |")
    for one in kinds:
        if one["kind"] in NONE:
            unnamed = share(one["unnamed"], one["incidents"])
            rows.append(f"| {NAMES[one['kind']]} | {one['incidents']} | | | {unnamed} | |")
    return (
        f"On seeds that nothing was tuned on (from {found['first_seed']:,} up):\n\n" + "\n".join(rows) + "\n"
    )


def page() -> str:
    """The page with what was measured between the marks."""
    return re.sub(f"(?<={BEGIN}).*(?={END})", lambda _: table(), PAGE.read_text(), flags=re.DOTALL)


def test_the_page_says_what_was_measured_of_every_kind() -> None:
    """Another kind asks for another run."""
    assert {one["kind"] for one in measured()["kinds"]} == set(KINDS)
    assert table() in PAGE.read_text()
    assert PAGE.read_text() == page()


def test_the_demands_hold() -> None:
    assert measured()["holds"]
    assert all(measured()["holds"].values()), measured()["holds"]


if __name__ == "__main__":
    PAGE.write_text(page())
