"""From settings to a judge."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ragvigil.scorer import config
from ragvigil.scorer.checks.alignment.assess import MOST_CLAIMS
from ragvigil.scorer.errors import ConfigError
from ragvigil.scorer.judge.builtin import Builtin
from ragvigil.scorer.judge.port import Judge

JUDGES: Mapping[str, Callable[[config.Judge, int | None], Judge]] = {
    "builtin": lambda settings, most_claims: Builtin(settings.model, most_claims=most_claims)
}
"""Implementations by the name that the settings use."""


def build_judge(settings: config.Judge, *, most_claims: int | None = MOST_CLAIMS) -> Judge | None:
    """The configured judge, None when judging is off; ConfigError names the known kinds or models.

    Of more than `most_claims` claims it judges an evenly spread sample; None: all of them.

    >>> judge = build_judge(config.Judge())
    >>> judge.name if judge else None
    'builtin'
    """
    if settings.kind == "none":
        return None
    if settings.kind not in JUDGES:
        raise ConfigError(
            "judge.kind", f"unknown judge {settings.kind!r}", "known: none, " + ", ".join(JUDGES)
        )
    return JUDGES[settings.kind](settings, most_claims)
