"""What a reader should know of a report's figures before trusting them. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from ragvigil.scorer.estimate.figure import Figure
from ragvigil.scorer.estimate.window import Integers
from ragvigil.scorer.moments import day_of
from ragvigil.scorer.offline.synthetic import MARK, SEGMENT, warning
from ragvigil.scorer.reporting.level import NAME as LEVEL
from ragvigil.scorer.store.reading_report import Read, Score


def read_warnings(read: Read, days: Integers, retrieved: Mapping[int, Score]) -> tuple[str, ...]:
    """What the figures are made of. `retrieved` has a value where a retrieval was seen."""
    answers = read.answers
    found: list[str] = []
    if read.total > len(answers):
        found.append(
            f"{len(answers):,} of {read.total:,} answers were read, in whole conversations drawn by a hash."
        )
    judges = {one.judge for one in answers if one.judge is not None}
    if len(judges) > 1:
        found.append(
            f"{len(judges)} judge versions in this time: verdicts of the newest only, none are put together."
        )
    empty = sorted(set(range(int(days.min()), int(days.max()) + 1)) - set(days.tolist())) if len(days) else []
    if empty:
        named = ", ".join(day_of(day) for day in empty[:5])
        found.append(f"{len(empty)} days without an answer ({named}{', …' if len(empty) > 5 else ''}).")
    if gone := sum(not one.whole for one in answers):
        found.append(
            f"The content of {gone:,} answers is gone (retention): failure tags and axes are of the others."
        )
    unseen = sum(one.id not in retrieved or retrieved[one.id].value is None for one in answers)
    if unseen:
        found.append(
            f"No retrieval was seen of {unseen:,} of {len(answers):,} answers: none is judged without its passages, "
            "so faithfulness is of the others."
        )
    synthetic = warning(sum(one.segment.get(SEGMENT) == MARK for one in answers), len(answers))
    return (*found, synthetic) if synthetic else tuple(found)


def trust_warnings(
    panels: Mapping[str, tuple[Figure, ...]], people_read: int, faithfulness: Figure
) -> tuple[str, ...]:
    """What is missing that would make the figures worth more."""
    found: list[str] = []
    if not people_read:
        found.append(
            "Nobody has read a trace of this time: read some before trusting a metric (ragvigil label, ragvigil notes)."
        )
    level = next(one for one in panels["generation quality"] if one.name == LEVEL)
    if faithfulness.value is not None and level.value is None:
        found.append(
            "Faithfulness is the judge's pass rate, uncorrected: its band may be too low, and it raises no red flag. "
            "Labels of your own answers correct it (ragvigil label, monitor.gold)."
        )
    relevance = next(one for one in panels["generation quality"] if one.name == "answer relevance")
    if faithfulness.value is None and relevance.value is not None:
        found.append(
            "Answers are only held against their questions (answer relevance): an answer may fit its question and be "
            "wrong. Judge faithfulness too."
        )
    if all(one.value is None for one in panels["retrieval"]):
        found.append("Nothing measures retrieval: a bad answer cannot be told from bad passages.")
    return tuple(found)
