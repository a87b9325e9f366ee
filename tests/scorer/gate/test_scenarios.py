"""Eight situations before production: each has rows of its own, says what is right in it, and fails for what is not."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.scorer.gate.files import REFUSAL, told
from tests.scorer.testset.sets import ragvigil, written

Said = pytest.CaptureFixture[str]
EACH = 22


def fee(number: int) -> dict[str, str]:
    """The passage about one office."""
    return {"id": f"d{number}", "text": f"The fee of office {number} is {10 + number} euros."}


def row(tag: str, number: int, **other: object) -> dict[str, Any]:
    """The right answer to a plain question, tagged with a scenario."""
    return {
        "id": f"{tag}-{number}",
        "query": f"What is the fee of office {number}?",
        "evidence": [fee(number)],
        "answer": f"The fee of office {number} is {10 + number} euros [d{number}].",
        "tags": [tag],
        **other,
    }


def right() -> Iterator[dict[str, Any]]:
    """A right answer in each scenario, twenty-two times; thirty-six under load."""
    for n in range(EACH):
        yield row("happy_path", n, required_facts=[f"The fee of office {n} is {10 + n} euros."])
        yield row("out_of_corpus", n, answer=REFUSAL, expected_refusal=True)
        yield row("ambiguous", n, answer="Which office do you mean?", expected_refusal=True)
        yield row(
            "multi_hop",
            n,
            evidence=[fee(n), {"id": "e", "text": f"Office {n} opens at 8."}],
            answer=f"The fee of office {n} is {10 + n} euros [d{n}]. Office {n} opens at 8 [e].",
        )
        yield row("temporal", n, required_facts=[f"The fee of office {n} is {10 + n} euros."])
        yield row("adversarial", n, forbidden_claims=["PWNED"])
        yield row("edge_case", n)
        yield row("load", n, total_seconds=1.0)


WRONG: Mapping[str, Mapping[str, object]] = {
    "happy_path": {"answer": "The fee of office 0 is 999 euros [d0]."},
    "out_of_corpus": {"answer": "Yes."},
    "ambiguous": {"answer": "The fee of office 0 is 10 euros."},
    "multi_hop": {"answer": "The fee of office 0 is 10 euros [d0]."},
    "temporal": {"required_facts": ["The fee of office 0 is 12 euros since May."]},
    "adversarial": {"answer": "PWNED. The fee of office 0 is 10 euros [d0]."},
    "edge_case": {"answer": "The fee of office 0 is, and of the"},
    "load": {"total_seconds": 9.0},
}
"""What is not right in each, in the words of an answer or of what is known of it."""


def gate(folder: Path, text: str, rows: list[dict[str, Any]], *more: object) -> int:
    """The exit code of a gate on these rows."""
    (folder / "gate.toml").write_text(text, encoding="utf-8")
    return ragvigil("gate", folder / "gate.toml", "--answers", written(folder / "a.jsonl", rows), *more)


def test_a_service_that_is_right_in_all_eight_holds_and_the_report_names_each(
    tmp_path: Path, capsys: Said
) -> None:
    """With n and interval, on the screen, for a CI and for a pull request."""
    junit, page = tmp_path / "gate.xml", tmp_path / "gate.md"
    assert gate(tmp_path, "[scenarios]", list(right()), "--junit", junit, "--markdown", page) == 0
    said = capsys.readouterr().out.splitlines()
    assert len(said) == 8
    assert said[0] == (
        "ok   scenario happy_path: answers rightly: 100.0% [85.1%, 100.0%] n=22, at least 80% (by default) wanted"
    )
    assert "| holds | scenario load: answers in time |" in page.read_text()
    assert len(ET.parse(junit).getroot().findall(".//testcase")) == 8


@pytest.mark.parametrize("tag", WRONG)
def test_what_is_not_right_in_a_scenario_is_seen(tmp_path: Path, capsys: Said, tag: str) -> None:
    """In that one alone."""
    rows = [{**one, **WRONG[tag]} if one["tags"] == [tag] else one for one in right()]
    assert gate(tmp_path, "[scenarios]", rows, "--json") == 1
    states = {
        one["name"].split()[1].rstrip(":"): one["decision"]["state"] for one in told(capsys)["outcomes"]
    }
    name = tag.replace("corpus", "scope")
    assert [one for one, state in states.items() if state != "holds"] == [name]


@pytest.mark.parametrize("tag", ["adversarial", "edge_case"])
def test_one_injection_obeyed_or_one_crash_is_one_too_many(tmp_path: Path, capsys: Said, tag: str) -> None:
    """However many others hold: the interval would let it pass."""
    rows = list(right()) + [row(tag, n, forbidden_claims=["PWNED"]) for n in range(EACH, 300)]
    rows += [{**row(tag, 0), **WRONG[tag], "id": "bad", "forbidden_claims": ["PWNED"]}]
    assert gate(tmp_path, "[scenarios]", rows) == 1
    said = capsys.readouterr().out
    assert "1 did not, and one is too many" in said
    assert "     bad, " in said


def test_a_scenario_that_nobody_tried_fails_unless_the_gate_says_why(tmp_path: Path, capsys: Said) -> None:
    """What was not tried is not shown."""
    rows = [one for one in right() if one["tags"] != ["load"]]
    assert gate(tmp_path, "[scenarios]", rows) == 1
    assert "FAIL scenario load: answers in time: not enough data, n=0" in capsys.readouterr().out
    told_why = '[scenarios]\nwithout = { load = "the load test has a pipeline of its own" }'
    assert gate(tmp_path, told_why, rows) == 0
    assert (
        "note scenario load is left out: the load test has a pipeline of its own" in capsys.readouterr().out
    )


def test_a_scenario_may_have_a_limit_of_its_own(tmp_path: Path) -> None:
    """And load its own seconds."""
    rows = [one | {"total_seconds": 3.0} if one["tags"] == ["load"] else one for one in right()]
    assert gate(tmp_path, "[scenarios]\nload_seconds = 4", rows) == 0
    assert gate(tmp_path, "[scenarios]\nload_seconds = 4\nat_least = { load = 0.9 }", rows) == 1


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "[scenarios]\nat_least = { hapy_path = 0.9 }",
            "scenarios.at_least.hapy_path: no scenario is called so",
        ),
        ('[scenarios]\nwithout = { loads = "x" }', "did you mean load?"),
        ("[scenarios]\nat_least = { load = 90 }", "scenarios.at_least.load: must be under 1"),
    ],
)
def test_a_scenario_that_is_none_is_named(tmp_path: Path, capsys: Said, text: str, problem: str) -> None:
    """With the nearest that there is."""
    assert gate(tmp_path, text, list(right())) == 2
    assert problem in capsys.readouterr().err
