"""Answers of ten kinds of services, right and with a fault planted, and how many of each the checks and judge doubt.

    python -m tests.scorer.checks.service_answers

`corpus/service_faults.txt` holds a right answer and one with a fault of each of four classes, `service_answers.txt`
further right ones. Both were written before anything was changed because of them; every third case of a class was kept
aside, and was measured but not looked at while rules were made for the others.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ragvigil import prompts
from ragvigil.scorer.checks import run_checks
from ragvigil.scorer.judge import Builtin
from ragvigil.scorer.trace import Document, RagTrace

CORPUS = Path(__file__).parent / "corpus"
FAULTS = ("roles", "other", "dropped", "turned")
"""Roles exchanged, the value of another product, plan or row, a condition left out, a statement turned round."""
_ASIDE = 3
"""Which case of each class is kept aside."""
_DOUBTING = ("conditions_kept", "qualifiers_supported")
"""Checks that say 1 where they doubt nothing."""


class Case(NamedTuple):
    """A question with its passages and an answer to it."""

    kind: str
    """One of FAULTS, or ``right``."""
    aside: bool
    question: str
    passages: list[str]
    answer: str


class Found(NamedTuple):
    """How many answers of a kind there are, in how many anything is doubted, and how many fail."""

    cases: int
    doubted: int
    failed: int


def read_cases() -> Iterator[Case]:
    """All cases; those with a fault beside the right answer to the same."""
    counts: Counter[str] = Counter()
    for name in ("service_faults.txt", "service_answers.txt"):
        for block in (CORPUS / name).read_text("utf-8").split("\n\n"):
            head, *lines = block.strip().split("\n")
            kind = head.split()[2] if name == "service_faults.txt" else "right"
            counts[kind] += 1
            aside = counts[kind] % _ASIDE == 0
            said = {sign: [line[2:] for line in lines if line[0] == sign] for sign in "?>+-"}
            passages = ["\n".join(said[">"])] if said[">"][0].startswith("|") else said[">"]
            yield Case("right", aside, said["?"][0], passages, "\n".join(said["+"]))
            if said["-"] and kind != "right":
                yield Case(kind, aside, said["?"][0], passages, "\n".join(said["-"]))


def doubts_of(case: Case) -> tuple[bool, list[str]]:
    """Whether an answer fails, by the judge or a check, and what in it is doubted."""
    documents = tuple(Document(f"d{rank}", text, rank=rank) for rank, text in enumerate(case.passages, 1))
    record = RagTrace(
        "0" * 32, "1" * 16, "svc", 0, query=case.question, answer=case.answer, documents=documents
    )
    verdict = Builtin().judge_now(record, prompts.load("faithfulness"))
    doubted = [f"{one.verdict}: {one.text}" for one in verdict.claims if one.verdict != "supported"]
    found = {one.check: one for one in run_checks(record) if one.check in _DOUBTING}
    said = [f"{one.check}: {one.reason}" for one in found.values() if one.value is not None and one.value < 1]
    return verdict.passed is False or bool(said), [*doubted, *said]


def counted(*, aside: bool | None = None) -> dict[str, Found]:
    """How many of each kind are doubted and fail; `aside`: only of those kept aside, or of the others."""
    cases: Counter[str] = Counter()
    doubted: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    for case in read_cases():
        if aside is None or case.aside == aside:
            fails, doubts = doubts_of(case)
            cases[case.kind] += 1
            doubted[case.kind] += bool(doubts)
            failed[case.kind] += fails
    return {kind: Found(cases[kind], doubted[kind], failed[kind]) for kind in sorted(cases)}


if __name__ == "__main__":
    for which in (False, True):
        sys.stdout.write(f"kept aside: {which}\n")
        for kind, one in counted(aside=which).items():
            sys.stdout.write(
                f"  {kind:8} {one.cases:3} answers, {one.doubted:3} doubted, {one.failed:3} fail\n"
            )
