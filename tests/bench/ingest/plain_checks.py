"""The score role of `ragvigil serve` without the cheap score: every other check runs on every trace.

The product always makes that score; what the others cost is asked apart, so it is taken out here, and only here.
"""

from functools import partial

from ragvigil.scorer.checks import CHECKS, check_all
from ragvigil.scorer.cli import main
from ragvigil.scorer.scoring import checking

READING = ("record", "answer")
"""What the checks that are kept read: the others read the passages' words, which the cheap score has read already."""

if __name__ == "__main__":
    kept = tuple(check for check in CHECKS if check.cost in READING)
    setattr(checking, "check_all", partial(check_all, checks=kept))  # noqa: B010 - said to be deliberate
    main()
