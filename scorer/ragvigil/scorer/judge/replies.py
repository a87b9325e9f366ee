"""What each prompt but the rubric asks for, by the name that its front matter gives as ``reply``."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Literal

from ragvigil import prompts
from ragvigil.prompts import Prompt, PromptError
from ragvigil.scorer.judge.fill import check
from ragvigil.scorer.judge.reply import FromZero, Part, Point, RubricReply


class CriterionReply(Part):
    """Whether a criterion of the team's own is met."""

    critique: str
    quote: str | None
    """Stretch of the answer that decides, word for word."""
    verdict: Literal["pass", "fail", "not_applicable"]


class ClaimsReply(Part):
    """The claims of an answer, word for word."""

    claims: list[str]


class ClaimSupport(Part):
    """Whether the passages carry one claim."""

    claim: int
    """Its number, from 1."""
    passage: str | None
    quote: str | None
    """Words of that passage that carry it; parts with ``...`` between them."""
    supported: bool


class ClaimSupportReply(Part):
    """Whether the passages carry each claim."""

    verdicts: list[ClaimSupport]


class QuestionsReply(Part):
    """What an answer would answer."""

    questions: list[str]
    noncommittal: bool


class PassageLabel(Part):
    """Whether one passage helps to answer the question."""

    id: str
    why: str
    relevant: bool


class PassagesReply(Part):
    """A label for each passage."""

    passages: list[PassageLabel]


class AxisPoints(Part):
    """One of six axes."""

    why: str
    points: FromZero


class SixAxesReply(Part):
    """Six axes, from 0 (bad) to 4 (good); what is unsupported first, so that they rest on it."""

    unsupported: list[str]
    factuality: AxisPoints
    attribution: AxisPoints
    coverage: AxisPoints
    calibration: AxisPoints
    conciseness: AxisPoints
    format: AxisPoints


class PreferenceReply(Part):
    """Which of two answers is better."""

    first_notes: str
    second_notes: str
    better: Literal["first", "second", "tie"]


class Pair(Part):
    """A fact, and a question that it alone answers."""

    fact: str
    question: str


class PairsReply(Part):
    """Questions for a test set."""

    pairs: list[Pair]


class RealismReply(Part):
    """Whether a user could have asked a question."""

    reason: str
    realism: Point


class FactStated(Part):
    """Whether an answer states one required fact."""

    fact: int
    sentence: str | None
    stated: bool


class ClaimMade(Part):
    """Whether an answer makes one forbidden claim."""

    claim: int
    sentence: str | None
    stated: bool


class Decided(Part):
    """Points, and the sentence of the answer that decides them."""

    sentence: str | None
    points: Point


class CorrectnessReply(Part):
    """An answer against a reference."""

    required: list[FactStated]
    forbidden: list[ClaimMade]
    factual_accuracy: Decided
    completeness: Decided
    relevance: Decided


REPLIES: Mapping[str, type[Part]] = {
    "rubric": RubricReply,
    "criterion": CriterionReply,
    "claims": ClaimsReply,
    "claim_support": ClaimSupportReply,
    "questions": QuestionsReply,
    "context_relevance": PassagesReply,
    "six_axes": SixAxesReply,
    "preference": PreferenceReply,
    "synthetic": PairsReply,
    "realism": RealismReply,
    "correctness": CorrectnessReply,
}
"""Schemas by name."""


def usable(id: str, reply: str, fields: Collection[str]) -> Prompt:  # noqa: A002 - `id` is what the files call it
    """The newest prompt of that id, which `fields` can fill and which asks for all of `reply`; else PromptError."""
    prompt = prompts.load(id)
    check(prompt, fields)
    check_reply(prompt, reply)
    return prompt


def check_reply(prompt: Prompt, wanted: str) -> None:
    """Raises PromptError unless the prompt asks, in every language, for each field of the reply `wanted`."""
    if prompt.reply != wanted:
        raise PromptError(
            prompt.name,
            f'asks for the reply {prompt.reply!r}, which is not read here; write reply = "{wanted}"',
        )
    for language, text in (prompt.texts or {"text": prompt.text}).items():
        lacking = [name for name in REPLIES[wanted].model_fields if name not in text]
        if lacking:
            raise PromptError(
                prompt.name,
                f"part {language} does not ask for {', '.join(lacking)}, which the reply needs; name it there",
            )
