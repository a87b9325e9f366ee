"""What to do: the rows of the playbook, and which of them fits what was found."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

Side = Literal["retrieval", "generation", "unclear"]

DOCS = "docs/playbook.md"
_RELEVANCE = {"context_relevance", "judge.context_relevant_share"}
_RELEVANT = "judge.answer_relevance"
_ANSWERS = ("faithfulness", _RELEVANT, "judge.six_axes")
_OWN = "criteria."
_NOTHING = "nothing-retrieved"
_BY_SERIES = {
    "retrieval": _NOTHING,
    "citation": "citations-wrong",
    "judge.context_relevant_share": "context-relevance-low",
    "judge.context_precision": "context-precision-low",
}
PRESENT = "citations_present"
"""The check that says whether an answer cites anything."""
_BY_TAG = (
    ("MISSING_REFUSAL", "answers-without-evidence"),
    ("HALLUCINATION_FACT", "groundedness-low"),
    ("MISATTRIBUTION", "citations-wrong"),
    # Not groundedness-low: to say "else say that you cannot" makes refusals worse.
    ("OVER_REFUSAL", "answer-relevance-low"),
    ("INCOMPLETE_ANSWER", "completeness-low"),
    ("FORMAT_DRIFT", "language-drifts"),
)


@dataclass(frozen=True, slots=True)
class Row:
    """One symptom with its likely causes and what to try, first things first."""

    id: str
    """Also its anchor on the page."""
    name: str
    symptom: str
    causes: tuple[str, ...]
    fixes: tuple[str, ...]


@cache
def rows() -> dict[str, Row]:
    """Every row by id, in the order of the page.

    >>> rows()["one-segment"].fixes[0]
    "check that slice's retrieval first"
    """
    text = files("ragvigil.scorer.data").joinpath("playbook.json").read_text(encoding="utf-8")
    found: list[dict[str, Any]] = json.loads(text)["rows"]
    return {
        one["id"]: Row(one["id"], one["name"], one["symptom"], tuple(one["causes"]), tuple(one["fixes"]))
        for one in found
    }


def chosen(
    series: str,
    side: Side,
    fell: Collection[str],
    grown: Collection[str],
    *,
    held: Collection[str] = (),
    segment: bool,
) -> tuple[Row, ...]:
    """The rows that fit, the nearest first, two at most.

    `fell` are signals that surely fell (``context_relevance``; ``citations_present`` where that is most of it) and
    `held` those that surely did not, `grown` the failure tags that grew most, `segment` whether one value of a
    dimension that was there before is at fault. Nothing but that last row fits a ticket about judge or traffic, or a
    criterion of one's own.

    >>> [row.id for row in chosen("faithfulness", "retrieval", {"context_relevance"}, set(), segment=True)]
    ['context-relevance-low', 'one-segment']
    """
    first = _row(series, side, fell, grown, held)
    names = [first] if first is not None else []
    known = first is not None or series.startswith(_OWN)
    return tuple(rows()[name] for name in ([*names, "one-segment"] if segment and known else names))


def _row(
    series: str, side: Side, fell: Collection[str], grown: Collection[str], held: Collection[str]
) -> str | None:
    if "retrieved" in fell and (series == "citation" or series in _ANSWERS):
        return _NOTHING
    if series == "citation" and PRESENT in fell:
        return "citations-missing"
    if series in _BY_SERIES:
        return _BY_SERIES[series]
    if series.startswith(_OWN):
        return "language-drifts" if "language_match" in fell or "FORMAT_DRIFT" in grown else None
    return _row_of_answers(series, side, fell, grown, held) if series in _ANSWERS else None


def _row_of_answers(
    series: str, side: Side, fell: Collection[str], grown: Collection[str], held: Collection[str]
) -> str:
    """The row of a series that measures answers by what they say."""
    if side == "retrieval":
        return "context-relevance-low" if _RELEVANCE & set(fell) else "context-precision-low"
    for name, row in _BY_TAG:
        if name in grown:
            return row
    if "language_match" in fell:
        return "language-drifts"
    if series == _RELEVANT or (_RELEVANT in fell and series != "faithfulness"):
        return "wrong-section" if side == "generation" and "faithfulness" in held else "answer-relevance-low"
    return "directness-low" if "length_budget" in fell and not grown else "groundedness-low"
