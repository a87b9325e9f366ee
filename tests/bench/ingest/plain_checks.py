"""The score role of `ragvigil serve` without the cheap score: every other check runs on every trace.

The product always makes that score; what the others cost is asked apart, so it is taken out here, and only here.
"""

from functools import partial

from ragvigil.scorer import pipeline
from ragvigil.scorer.checks import CHECKS, run_checks
from ragvigil.scorer.cli import main

ALIGNED = {"supported_claims", "citation_support"}
"""Checks that lay claims on the evidence: they share one computation, the cheap score."""

if __name__ == "__main__":
    kept = tuple(check for check in CHECKS if check.id not in ALIGNED)
    setattr(pipeline, "run_checks", partial(run_checks, checks=kept))  # noqa: B010 - said to be deliberate
    main()
