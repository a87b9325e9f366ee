"""From settings to a judge, and to the rubric that it judges by."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ragvigil import prompts
from ragvigil.prompts import Prompt
from ragvigil.scorer import config
from ragvigil.scorer.checks.alignment.assess import MOST_CLAIMS
from ragvigil.scorer.checks.reading.citing.rules import Rules, any_style
from ragvigil.scorer.errors import ConfigError
from ragvigil.scorer.judge.builtin import Builtin
from ragvigil.scorer.judge.digest import FIELDS
from ragvigil.scorer.judge.endpoint import Client
from ragvigil.scorer.judge.endpoint.anthropic import Anthropic
from ragvigil.scorer.judge.endpoint.client import Limits
from ragvigil.scorer.judge.endpoint.openai import OpenAI
from ragvigil.scorer.judge.endpoint.wire import Wire
from ragvigil.scorer.judge.fill import check
from ragvigil.scorer.judge.port import Judge
from ragvigil.scorer.judge.prices import Price
from ragvigil.scorer.judge.rubric import Budget, RubricJudge

WIRES: Mapping[str, Callable[[], Wire]] = {"openai": OpenAI, "anthropic": Anthropic}
"""Wire formats by the kind of judge that uses them."""
JUDGES = ("builtin", *WIRES)
"""Kinds of judge."""
_REPLY = "rubric"


def build_judge(
    settings: config.Judge,
    *,
    most_claims: int | None = MOST_CLAIMS,
    patience_seconds: float | None = None,
    citing: Callable[[str], Rules] = any_style,
) -> Judge | None:
    """The configured judge, None when judging is off; ConfigError names the known kinds or models.

    The built-in judge takes an evenly spread sample of more than `most_claims` claims; None: all of them. An
    endpoint that does not answer is waited for `patience_seconds`; None: for ever. `citing` says how a service cites.

    >>> judge = build_judge(config.Judge())
    >>> judge.name if judge else None
    'builtin'
    """
    if settings.kind == "none":
        return None
    if settings.kind == "builtin":
        return Builtin(settings.model, most_claims=most_claims, citing=citing)
    if settings.kind not in WIRES:
        raise ConfigError(
            "judge.kind", f"unknown judge {settings.kind!r}", "known: none, " + ", ".join(JUDGES)
        )
    limits = Limits(settings.max_in_flight, settings.attempt_seconds, patience_seconds)
    key = settings.api_key.get_secret_value() if settings.api_key else None
    return RubricJudge(
        Client(WIRES[settings.kind](), url=settings.address, key=key, model=settings.model, limits=limits),
        name=settings.kind,
        model=settings.model,
        budget=Budget(settings.max_evidence_chars, settings.max_answer_chars, settings.max_reply_tokens),
        prices={name: Price(*price.per_million) for name, price in settings.prices.items()},
        citing=citing,
    )


def rubric_of(settings: config.Judge) -> Prompt:
    """The rubric that the configured judge judges by; ConfigError says why it cannot be used.

    >>> rubric_of(config.Judge()).id
    'faithfulness'
    """
    asks = settings.kind in WIRES
    name, _, version = (settings.prompt or ("rubric" if asks else "faithfulness")).partition("/")
    try:
        prompt = prompts.load(name, version or None)
        if asks:
            check(prompt, FIELDS)
    except (prompts.UnknownPromptError, prompts.PromptError) as error:
        raise ConfigError("judge.prompt", str(error)) from None
    if asks and prompt.reply != _REPLY:
        raise ConfigError(
            "judge.prompt", f"{prompt.name} asks for no reply that a judge can read", f"use {_REPLY}"
        )
    return prompt
