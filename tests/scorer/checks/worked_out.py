"""Answers that work something out of their evidence, each beside the same with one subtle fault, and how many fail.

    python -m tests.scorer.checks.worked_out

`corpus/worked_out.txt` holds 120 pairs over twelve services in six languages, written by one person before any rule
was looked at. Every second pair was kept aside: counted after changes, but not looked at while rules were made.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from tests.scorer.checks.twelve_domains import JUDGE, Case, cases_of, minded

_CORPUS = Path(__file__).parent / "corpus" / "worked_out.txt"
RIGHT = "right"


def read_cases() -> Iterator[Case]:
    """All answers, the faulty one behind the right one."""
    pair = -1
    for case in cases_of(_CORPUS.read_text("utf-8")):
        pair += case.kind == RIGHT
        yield case._replace(aside=pair % 2 == 1)


def failing(*, aside: bool) -> tuple[int, int, int]:
    """How many pairs there are, how many right answers the judge fails, and how many faulty ones."""
    cases = [case for case in read_cases() if case.aside == aside]
    failed = [case.kind == RIGHT for case in cases if JUDGE in minded(case)]
    return len(cases) // 2, sum(failed), len(failed) - sum(failed)


if __name__ == "__main__":
    for kept_aside in (False, True):
        pairs, right, faulty = failing(aside=kept_aside)
        sys.stdout.write(
            f"kept aside: {kept_aside}: of {pairs} right {right} fail, of as many faulty {faulty}\n"
        )
