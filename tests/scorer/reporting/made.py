"""Answers, scores and a report made of them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ragvigil.scorer.detect import GoldSet
from ragvigil.scorer.reporting.report import NAMES, Report, report_of
from ragvigil.scorer.store.port import LedgerEntry, RawTrace, ScoredRecord, ScoredTrace
from ragvigil.scorer.store.reading_report import Answer, Read, Score
from ragvigil.scorer.trace import RagTrace
from ragvigil.scorer.watch.gold import Labels

DAY = 86_400 * 10**9
START = 20_000 * DAY
TRUTH = np.repeat([1, 0], [140, 60])
LABELLED = Labels(
    GoldSet(TRUTH, np.concatenate([np.arange(140) < 119, np.arange(60) < 5]), np.full(200, 0.5)), "file"
)
"""A judge of sensitivity .85 and specificity .917."""
SHIPPED = LABELLED._replace(source="shipped")
UNLABELLED = Labels(LABELLED.gold, "none")


def answer(number: int, *, judge: str = "builtin 1", day: int = 0) -> Answer:
    """One in ten is judged, one in five of these fails."""
    judged = number % 10 == 0
    passed = 0.0 if number % 50 == 0 else 1.0
    return Answer(
        number,
        f"{number:032x}",
        START + day * DAY + number,
        f"<script>alert(1)</script> | [x](https://evil.example) {number}",
        f"c{number // 3}",
        ({"name": "thumbs", "score": 0},) if number % 100 == 0 else (),
        {"language": "de" if number % 4 == 0 else "en"},
        0.002,
        1.0 + number % 10 / 10.0,
        0.1,
        0.8,
        120,
        0.1,
        1.0,
        passed if judged else None,
        10.0 if judged else None,
        judge if judged else None,
        (0.05 if not passed else 0.95) if judged else None,
        ("unsupported" if not passed else "supported") if judged else None,
        "not in the passages: x" if judged and not passed else None,
    )


def scored(answers: list[Answer]) -> dict[str, dict[int, Score]]:
    """Every check has a value."""
    found: dict[str, dict[int, Score]] = {name: {} for name in NAMES}
    for one in answers:
        for name in NAMES:
            details: Mapping[str, object] = {}
            if name == "failure_tags" and one.id % 5 == 0:
                details = {"HALLUCINATION_FACT": "supported_claims"}
            if name == "grounded_answer":
                details = {"axes": {"factuality": 4.0, "attribution": None, "coverage": 2.0}}
            value = {"judge.answer_relevance": None}.get(name, 0.85)
            found[name][one.id] = Score(value, details)
    return found


def made(answers: list[Answer], *, total: int | None = None, labels: Labels = UNLABELLED) -> Report:
    """The report on them."""
    read = Read(answers, len(answers) if total is None else total)
    return report_of(
        ("help desk", "production"),
        read,
        scored(answers),
        since=START,
        until=START + 7 * DAY,
        people_read=0,
        labels=labels,
    )


def replace_judge(one: Answer) -> Answer:
    """The same, judged by another version."""
    return one._replace(judge="builtin 2" if one.judge else None)


def asked(number: int, at: int, entry: LedgerEntry) -> ScoredTrace:
    """A trace with one question, as it is stored."""
    record = RagTrace(f"{number:032x}", "1" * 16, "shop", at, query="?")
    return ScoredTrace(record.trace_id, RawTrace(b"", b""), False, (ScoredRecord(record, (), entry),))
