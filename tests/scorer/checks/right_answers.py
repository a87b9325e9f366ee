"""Right answers as services give them, each beside a twin with one fact changed, and what minds them.

    python -m tests.scorer.checks.right_answers [--aside] [--right | --twins]

`corpus/right_answers.txt` holds 213 pairs over evidence of 41 services, 125 in English and the others in Portuguese,
Spanish, German, French and Japanese, written by one person before any rule was looked at. Below each answer stand the
words that its twin has others for. Half of the pairs, by the hash of question and answer, are kept aside: counted
after changes, but not looked at while rules were made for the others.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from tests.scorer.checks.twelve_domains import JUDGE, Case, minded

_CORPUS = Path(__file__).parent / "corpus" / "right_answers.txt"
RIGHT, TWIN = "right", "twin"
_OF_CITING = frozenset({"citation_correctness", "citations_present"})
"""Checks that mind every answer here, as none cites."""


class Counted(NamedTuple):
    """What became of the pairs of one half."""

    pairs: int
    """How many there are."""
    failed: int
    """How many right answers the judge fails."""
    minded: int
    """How many right answers it fails or a check minds."""
    found: int
    """How many twins the judge fails."""
    doubted: int
    """How many twins it fails or a check minds."""


def read_cases() -> Iterator[Case]:
    """All answers, the twin behind the right one."""
    for source in _CORPUS.read_text("utf-8").rstrip("\n").removeprefix("# ").split("\n\n# "):
        head, *questions = source.split("\n? ")
        name, *lines = head.split("\n")
        passages = tuple("\n".join(lines).replace("\n| ", "\0").removeprefix("> ").split("\n> "))
        passages = tuple(passage.replace("\0", "\n") for passage in passages)
        for block in questions:
            question, *said, change = block.split("\n")
            answer = "\n".join(line[2:] for line in said)
            aside = sha256(f"{question}\n{answer}".encode()).digest()[0] % 2 == 1
            case = Case(name, RIGHT, aside, question, passages, answer)
            yield case
            yield case._replace(kind=TWIN, answer=_changed(answer, change))


def minding(case: Case) -> dict[str, str]:
    """By check, why it has a bad value for the answer, but for what it says of citations."""
    return {check: reason for check, reason in minded(case).items() if check not in _OF_CITING}


def _changed(answer: str, change: str) -> str:
    told, other = change.removeprefix("~ ").split(" => ")
    if answer.count(told) != 1:
        message = f"{told!r} stands {answer.count(told)} times in {answer!r}"
        raise ValueError(message)
    return answer.replace(told, other)


def counted(*, aside: bool) -> Counted:
    """What became of one half."""
    found: Counter[tuple[str, str]] = Counter()
    for case in read_cases():
        if case.aside == aside:
            reasons = minding(case)
            found[case.kind, "all"] += 1
            found[case.kind, "failed"] += JUDGE in reasons
            found[case.kind, "minded"] += bool(reasons)
    kinds = (RIGHT, TWIN)
    failed, minds = ([found[kind, what] for kind in kinds] for what in ("failed", "minded"))
    return Counted(found[RIGHT, "all"], failed[0], minds[0], failed[1], minds[1])


def _show(kind: str, *, aside: bool) -> None:
    for case in read_cases():
        if case.aside == aside and case.kind == kind:
            found = minding(case)
            if bool(found) == (kind == RIGHT):
                sys.stdout.write(f"\n[{case.name}] {case.question}\n  {case.answer!r}\n")
                for check, reason in found.items():
                    sys.stdout.write(f"    {check}: {reason}\n")


if __name__ == "__main__":
    for kind in (RIGHT, TWIN):
        if f"--{kind}" in sys.argv or f"--{kind}s" in sys.argv:
            _show(kind, aside="--aside" in sys.argv)
    for kept in (False, True):
        sys.stdout.write(f"kept aside: {kept}: {counted(aside=kept)}\n")
