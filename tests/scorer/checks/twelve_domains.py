"""Answers over evidence of twelve domains in eleven languages, right and with a fault, and every check that minds them.

    python -m tests.scorer.checks.twelve_domains [--aside] [--right | --faults]

`corpus/twelve_domains.txt` was written before any rule was looked at, by one person. Every third source was kept aside:
counted after changes, but not looked at while rules were made for the others.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from ragvigil import prompts
from ragvigil.scorer.checks import run_checks
from ragvigil.scorer.judge import Builtin
from ragvigil.scorer.trace import Document, RagTrace

_CORPUS = Path(__file__).parent / "corpus" / "twelve_domains.txt"
_ASIDE = 3
"""Which source is kept aside."""
_LOW_IS_GOOD = frozenset(
    {
        "answer_truncated",
        "citations_dead",
        "citations_duplicate",
        "citations_over_broad",
        "claims_misread",
        "leaked_personal_data",
        "missing_refusal",
        "over_refusal",
        "repetition",
    }
)
_HIGH_IS_GOOD = frozenset(
    {
        "answer_first",
        "answer_structure",
        "citation_correctness",
        "citation_format",
        "citation_support",
        "citations_present",
        "conditions_kept",
        "language_match",
        "length_budget",
        "no_hallucinated_entities",
        "qualifiers_supported",
        "quotes_verbatim",
        "supported_claims",
    }
)
"""Checks of answers: those that judge what was retrieved, and those without a good end, say nothing here."""
_TOLERATED = 0.25
"""How far from its good end a share may be: a claim of four in doubt, a word repeated.

Of `citation_support` the precision counts: that one marker covers only the last of
several sentences is meant so.
"""
JUDGE = "judge"
"""The built-in judge, beside the checks: whether the answer fails."""


class Case(NamedTuple):
    """A question with its passages and an answer to it."""

    name: str
    """Domain and language of the source."""
    kind: str
    """What fault the answer has, or ``right``."""
    aside: bool
    question: str
    passages: tuple[str, ...]
    answer: str


def read_cases() -> Iterator[Case]:
    """All cases, every third source kept aside."""
    return cases_of(_CORPUS.read_text("utf-8"))


def cases_of(corpus: str) -> Iterator[Case]:
    """The cases of `corpus`: below each question the right answer, and the faults planted in answers to it."""
    for number, source in enumerate(corpus.split("\n\n# ")):
        aside = number % _ASIDE == _ASIDE - 1
        head, *questions = source.removeprefix("# ").rstrip("\n").split("\n? ")
        name, *lines = head.split("\n")
        passages = tuple("\n".join(lines).replace("\n| ", "\0").removeprefix("> ").split("\n> "))
        passages = tuple(passage.replace("\0", "\n") for passage in passages)
        for block in questions:
            right, *faults = block.split("\n! ")
            question, *answer = right.split("\n")
            yield Case(name, "right", aside, question, passages, _text(answer))
            for fault in faults:
                kind, *answer = fault.split("\n")
                yield Case(name, kind, aside, question, passages, _text(answer))


def _text(lines: list[str]) -> str:
    return "\n".join(line[2:] for line in lines)


@cache
def minded(case: Case) -> dict[str, str]:
    """By check, why it has a bad value for the answer; what has none is not named."""
    documents = tuple(Document(f"d{rank}", text, rank=rank) for rank, text in enumerate(case.passages, 1))
    record = RagTrace(
        "0" * 32, "1" * 16, "svc", 0, query=case.question, answer=case.answer, documents=documents
    )
    found: dict[str, str] = {}
    for score in run_checks(record):
        value = score.details.get("precision") if score.check == "citation_support" else score.value
        bad = _badness(score.check, value if isinstance(value, float) else None)
        if bad > _TOLERATED:
            found[score.check] = f"{score.value:.2f} {score.reason or score.details}"
    verdict = Builtin().judge_now(record, prompts.load("faithfulness"))
    if verdict.passed is False:
        doubted = [
            f"{one.verdict} ({one.reason}): {one.text}"
            for one in verdict.claims
            if one.verdict != "supported"
        ]
        found[JUDGE] = "; ".join(doubted)
    return found


def _badness(check: str, value: float | None) -> float:
    if value is None:
        return 0.0
    if check in _LOW_IS_GOOD:
        return value
    return 1 - value if check in _HIGH_IS_GOOD else 0.0


def counted(*, aside: bool) -> dict[str, tuple[int, int, Counter[str]]]:
    """By kind: how many answers there are, how many anything minds, and how many each check minds."""
    kinds: dict[str, tuple[int, int, Counter[str]]] = {}
    for case in read_cases():
        if case.aside == aside:
            answers, doubted, checks = kinds.get(case.kind, (0, 0, Counter[str]()))
            found = minded(case)
            kinds[case.kind] = (answers + 1, doubted + bool(found), checks + Counter(found.keys()))
    return kinds


def _show(aside: bool, which: str) -> None:
    for case in read_cases():
        if case.aside == aside and (which == "--right") == (case.kind == "right"):
            found = minded(case)
            if bool(found) == (case.kind == "right"):
                sys.stdout.write(f"\n[{case.name}] {case.kind}: {case.question}\n  {case.answer!r}\n")
                for check, reason in found.items():
                    sys.stdout.write(f"    {check}: {reason}\n")


if __name__ == "__main__":
    for which in ("--right", "--faults"):
        if which in sys.argv:
            _show("--aside" in sys.argv, which)
    for kept in (False, True):
        sys.stdout.write(f"\nkept aside: {kept}\n")
        for kind, (answers, doubted, checks) in sorted(counted(aside=kept).items()):
            sys.stdout.write(f"  {kind:22} {doubted:3} of {answers:3} minded  {dict(checks.most_common())}\n")
