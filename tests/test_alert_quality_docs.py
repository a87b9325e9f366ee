"""docs/alert-quality.md is made from measured lines.

``ragvigil bench alerts --json > docs/alert-quality.json``, then ``python tests/test_alert_quality_docs.py``.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ragvigil.scorer.simulate import OURS, RULES, SCENARIOS
from ragvigil.scorer.simulate.benchmark import poisson_interval

DOCS = Path(__file__).parent.parent / "docs"
PAGE, LINES = DOCS / "alert-quality.md", DOCS / "alert-quality.json"
TEXT = """# How good the alerts are

Made by `ragvigil bench alerts --seeds {seeds} --first-seed {first} --json`:
{seeds} simulated services of {traces:,.0f} answers a day in {segments} segments, a tenth of them judged, by a judge
that passes {sensitivity:.0%} of the faithful answers and fails {specificity:.0%} of the others. Same seed, same traffic
for every rule; try it with `--quick`. **Simulated, not field data**: real judges err by topic and time, and real cheap
scores have other shapes.

A rule that pages all the time also "finds" everything at once: read the hours only beside the false pages.
"Tuned" rivals have the threshold that brought about one false page in 90 days on other services
(`tests/bench/tune_rivals.py`, seeds below 1000). The others are as documented: a single failed trace; a rolling mean of
24 hours 5 points below normal, and where gaps are filled with zeros; EWMA at 3 sigma; the burn rates of the SRE
workbook on an SLO of 92 %; a CUSUM of 5 nats. Rivals watch faithfulness only, so citations are not for them to find.
No default of ours was chosen on these seeds. `tests/bench/bench_goals.py` holds each promise against its limit, in
other worlds too.

## False pages while quality does not fall

Per 30 days, with the exact 95 % interval of Poisson: beside a zero, read its upper end. {quiet_days:,.0f} days of
`null30`, {harmless_days:,.0f} with a harmless change, learning weeks not counted.

{quiet}

## Hours from the change to the page

Median (between the middle two) and 95th percentile (the next run above) of {seeds} runs, and in how many it was found.
"named": the page names the one segment at fault, or all traffic where all of it fell.

{faults}

## Scenarios

{scenarios}
"""


def page() -> str:
    """The whole page."""
    report: dict[str, Any] = json.loads(LINES.read_text())
    lines, world = report["lines"], report["world"]
    quiet = [name for name, scenario in SCENARIOS.items() if not scenario.pages]
    return TEXT.format(
        seeds=report["seeds"],
        first=report["first_seed"],
        traces=world["traces_per_day"],
        segments=world["segments"],
        sensitivity=world["sensitivity"],
        specificity=world["specificity"],
        quiet_days=sum(
            line["days"] for line in lines if line["rule"] == OURS and line["scenario"] == "null30"
        ),
        harmless_days=sum(
            line["days"]
            for line in lines
            if line["rule"] == OURS and line["scenario"] in quiet and line["scenario"] != "null30"
        ),
        quiet=_table(["rule", *quiet, "judged"], [_quiet_row(rule, quiet, lines) for rule in RULES]),
        faults=_table(
            ["scenario", "rule", "median h", "p95 h", "found", "named"],
            [_fault_row(line) for line in lines if SCENARIOS[line["scenario"]].pages],
        ),
        scenarios="\n".join(f"- `{name}`: {scenario.describe}." for name, scenario in SCENARIOS.items()),
    )


def _table(head: list[str], rows: list[list[str]]) -> str:
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *rows])


def _quiet_row(rule: str, scenarios: list[str], lines: list[dict[str, Any]]) -> list[str]:
    own = {line["scenario"]: line for line in lines if line["rule"] == rule}
    shares = [own[name]["judged_share"] for name in scenarios]
    return [_bold(rule), *(_false(own[name]) for name in scenarios), f"{max(shares):.1%}"]


def _fault_row(line: dict[str, Any]) -> list[str]:
    runs = line["runs"]
    counts = [f"{line[name]} / {runs}" for name in ("found", "named")]
    hours = [_hours(line["median_hours"]), _hours(line["p95_hours"])]
    return [line["scenario"], _bold(line["rule"]), *hours, *counts]


def _false(line: dict[str, Any]) -> str:
    low, high = poisson_interval(line["false_pages"])
    rate = 30.0 / line["days"]
    return f"{line['false_pages'] * rate:.2f} ({low * rate:.2f} to {high * rate:.2f})"


def _hours(hours: float | None) -> str:
    return "-" if hours is None else f"{hours:.1f}"


def _bold(rule: str) -> str:
    return f"**{rule}**" if rule == OURS else rule


def test_the_page_says_what_was_measured_for_every_rule_and_scenario() -> None:
    """Figures that nobody ran must not appear; a new rule or scenario asks for a new run."""
    measured = {(line["rule"], line["scenario"]) for line in json.loads(LINES.read_text())["lines"]}
    assert measured == {(rule, scenario) for rule in RULES for scenario in SCENARIOS}
    assert PAGE.read_text() == page()


if __name__ == "__main__":
    PAGE.write_text(page())
