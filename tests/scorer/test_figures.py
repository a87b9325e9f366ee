"""How ``ragvigil status`` says an estimate."""

from __future__ import annotations

import pytest

from ragvigil.scorer.commands._figures import said
from ragvigil.scorer.estimate import Estimate


@pytest.mark.parametrize(
    ("method", "calibrated", "words"),
    [
        ("hajek-control-midp", False, "as the judge sees it"),
        ("rogan-gladen+sequence", True, "corrected for the judge's known errors"),
        ("anchored-level", True, "by people's labels, and by the judge since"),
        ("hajek-wilson", True, "by people's labels"),
    ],
)
def test_what_an_estimate_rests_on_is_said_in_words(method: str, calibrated: bool, words: str) -> None:
    """ "hajek-control-midp" says nothing to somebody on call."""
    one = Estimate(0.9, 0.8, 0.95, 80, 800, 70.0, 0.95, method=method, calibrated=calibrated)
    assert said(one) == f"90.0% [80.0%, 95.0%] n=80 of 800, {words}"
