"""Records that are checked together: in less time, and otherwise as each alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import pytest

from ragvigil.scorer.checks import Asked, check_all, prepared, run_checks
from ragvigil.scorer.checks.alignment.assess import Answered, assess
from ragvigil.scorer.checks.alignment.recent import CITED, READ, RECENT, TOLD
from ragvigil.scorer.trace import RagTrace
from ragvigil.scorer.verdict import CheckResult

MakeRecord = Callable[..., RagTrace]

OPENING = ("doc-1#1", "The shop opens at nine and closes at noon.")
HISTORY = ("doc-2#1", "It was founded in 1901 by two sisters.")


def forget() -> None:
    """What was found of a record before would be found again, however it is checked now."""
    for memory in (RECENT, READ, CITED, TOLD):
        memory.clear()


def together(records: Sequence[RagTrace]) -> list[tuple[CheckResult, ...]]:
    """The results of records that are checked at once."""
    forget()
    return check_all([Asked(one) for one in records])


def alone(record: RagTrace) -> tuple[CheckResult, ...]:
    """Those of one."""
    forget()
    return run_checks(record)


@pytest.fixture
def assessed(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The answers that are assessed at once, again and again; one that is `broken` cannot be."""
    asked: list[list[str]] = []

    def assessing(answers: Sequence[Answered], *args: Any, **options: Any) -> object:
        asked.append([one.answer for one in answers])
        if any("broken" in one.answer for one in answers):
            raise ZeroDivisionError
        return assess(answers, *args, **options)

    monkeypatch.setattr(prepared, "assess", assessing)
    return asked


def test_records_have_the_results_of_each_alone(record: MakeRecord) -> None:
    """Whatever order the checks run in; no record at all has none."""
    answers = (
        "It opens at nine [doc-1#1].",
        "It was founded in 1905.",
        None,
        "I don't know. It opens at nine.",
    )
    records = [record(answer, OPENING, HISTORY) for answer in answers]
    assert together(records) == [alone(one) for one in records]
    assert check_all([]) == []
    assert check_all([Asked(one) for one in records], ()) == [()] * len(records)


def test_many_records_have_the_results_of_each_alone_in_any_order(record: MakeRecord) -> None:
    """Few of them are held at once, fewer still where passages are long; one is data, one cannot be encoded."""
    data = ("doc-3#1", '{"name": "The shop", "opens": "9:00", "parking": false}')
    broken = ("doc-4#1", "The shop opens at nine. \ud800")
    lengthy = ("doc-5#1", HISTORY[1] * 4000)
    many = [(f"doc-{number}#1", f"Room {number} is open.") for number in range(3000)]
    records = [
        record(f"It opens at {number} [doc-1#1]. It was founded in 1901.", OPENING, *others)
        for number, others in enumerate(
            [(HISTORY,)] * 12 + [(data,), (broken,), (lengthy,), (lengthy, HISTORY), tuple(many), ()] * 2
        )
    ]
    expected = [alone(one) for one in records]
    assert together(records) == expected
    order = list(range(len(records)))
    Random(3).shuffle(order)
    assert together([records[place] for place in order]) == [expected[place] for place in order]


def test_records_that_say_the_same_are_assessed_once(record: MakeRecord, assessed: list[list[str]]) -> None:
    """As a cache in front of the model has it: sixteen times the same took sixteen times as long."""
    same = [record("It opens at nine.", OPENING) for _ in range(5)]
    results = together([*same, record("It opens at ten.", OPENING)])
    assert assessed == [["It opens at nine.", "It opens at ten."]]
    assert results[0] == results[4] == alone(same[0])
    together(same)
    assert assessed[-1] == ["It opens at nine."]


def test_one_that_cannot_be_assessed_hurts_no_other(record: MakeRecord, assessed: list[list[str]]) -> None:
    """The others are assessed after all, each by itself."""
    answers = ("It opens at nine.", "The broken door opens at nine.", "It opens at ten.")
    records = [record(answer, OPENING) for answer in answers]
    found = together(records)
    assert len(assessed[0]) == len(answers)
    assert [found[0], found[2]] == [alone(records[0]), alone(records[2])]
    told = {one.check: one.reason for one in found[1]}
    assert told["supported_claims"] == "the check failed: ZeroDivisionError"
    assert "failed" not in (told["context_relevance"] or "")
