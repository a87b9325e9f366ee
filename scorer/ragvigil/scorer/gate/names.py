"""The figures that a gate can be about: how each is taken, and which end is good."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal, NamedTuple

from ragvigil.scorer.checks import CHECKS
from ragvigil.scorer.errors import ConfigError, meant

Better = Literal["high", "low", "neither"]
Kind = Literal["share", "median", "quantile", "mean"]


class Named(NamedTuple):
    """One figure."""

    kind: Kind
    better: Better
    unit: Literal["share", "number", "seconds", "usd"] = "share"


GROUNDED_ANSWER = "grounded_answer"
WITH_VERDICT = "with_verdict"
_OWN: Mapping[str, Named] = {
    "faithfulness": Named("share", "high"),
    "success": Named("share", "high"),
    "no_answer_false_claims": Named("share", "low"),
    "false_refusals": Named("share", "low"),
    WITH_VERDICT: Named("share", "high"),
    "median_words": Named("median", "low", "number"),
    "total_seconds": Named("quantile", "low", "seconds"),
    "retrieval_seconds": Named("quantile", "low", "seconds"),
    "generation_seconds": Named("quantile", "low", "seconds"),
    "cost_usd": Named("mean", "low", "usd"),
    GROUNDED_ANSWER: Named("share", "high"),
}
KEYS = ("total_seconds", "retrieval_seconds", "generation_seconds", "cost_usd")
"""Figures that are what the rows say under that key."""
CORRECTED = ("faithfulness", "success")
"""Figures that labels can correct."""
_OF_SILENCE = ("no_answer_false_claims", "false_refusals", WITH_VERDICT)
_CHECKS: Mapping[str, Named] = {check.id: Named("share", check.better) for check in CHECKS}
_MEASURED = re.compile(r"(?:judge|criteria)\.[a-z][a-z0-9_-]{0,40}")


def is_measured(name: str) -> bool:
    """Whether it is what a language model measures beside faithfulness."""
    return _MEASURED.fullmatch(name) is not None


def rests_on_claims(name: str) -> bool:
    """Whether answers that refuse or claim nothing could leave a figure good: any share that is not about these.

    >>> [name for name in ("faithfulness", "false_refusals", "median_words") if rests_on_claims(name)]
    ['faithfulness']
    """
    return name not in _OF_SILENCE and named(name, name).kind == "share"


def named(name: str, key: str) -> Named:
    """The figure of that name. ConfigError with the `key` that names it, and the nearest that there is.

    >>> named("supported_claims", "limits.supported_claims").better
    'high'
    """
    if is_measured(name):
        return Named("share", "high")
    known = {**_CHECKS, **_OWN}
    if name not in known:
        raise ConfigError(key, "no figure is called so", meant(name, list(known)))
    return known[name]
