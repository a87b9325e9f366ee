"""What a judge is to answer (G2 of the evaluation methods), and how a damaged answer is mended."""

from __future__ import annotations

import json
import re
from typing import Annotated, Literal, cast

import json_repair
from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

_THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_LONGEST_REPLY = 200_000
"""Characters of a reply that are read; a model that says more has lost its way."""


def _number(value: object) -> object:
    """A rubric point that came as "4", "4/5" or 4.0."""
    if isinstance(value, str):
        value = value.strip().removesuffix("/5")
        return int(value) if value.isdecimal() else value
    return int(value) if isinstance(value, float) and value.is_integer() else value


Point = Annotated[Literal[1, 2, 3, 4, 5], BeforeValidator(_number)]


class _Part(BaseModel):
    """Part of a reply: what it does not know is an error, so that no figure is lost to a misspelt key."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ReplyClaim(_Part):
    """One claim of the answer, in its own words."""

    claim: str
    supported_by: list[str]
    verdict: Literal["supported", "partial", "unsupported"]


class MustPass(_Part):
    """What an answer may not fail."""

    schema_valid: bool
    language_match: bool
    safety_pass: bool
    citations_present: bool
    citations_valid: bool
    no_hallucinated_entities: bool


class Scores(_Part):
    """Rubric points, 1 (bad) to 5 (good)."""

    groundedness: Point
    completeness: Point
    directness: Point
    style: Point


class Abstain(_Part):
    """Whether the answer should have refused, and how well it did."""

    should_have_abstained: bool
    abstain_quality: Point | None


class RubricReply(_Part):
    """The whole reply to the rubric: claims first, so that the scores rest on them."""

    supported_claims: list[ReplyClaim]
    must_pass: MustPass
    scores: Scores
    abstain: Abstain


class ReplyError(ValueError):
    """A reply that does not follow the schema; `survivors` are the claims in it that do."""

    def __init__(self, problem: str, survivors: list[ReplyClaim]) -> None:
        super().__init__(problem)
        self.survivors = survivors


def schema() -> dict[str, object]:
    """The JSON schema of a reply, without what servers for structured output refuse (titles, defaults, references)."""
    whole = RubricReply.model_json_schema()
    parts = cast("dict[str, object]", whole.pop("$defs"))
    return cast("dict[str, object]", _inlined(whole, parts))


def read_reply(text: str) -> RubricReply:
    """The reply in what a model said: fences, thoughts, trailing commas and the like are mended.

    Raises ReplyError that says what is missing or wrong, in words that help the model to do better.
    """
    found = _objects(text)
    try:
        return RubricReply.model_validate(found)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the reply"
        raise ReplyError(f"{place}: {first['msg'].lower()}", _survivors(found)) from None


def _objects(text: str) -> object:
    said = _THOUGHT.sub("", text[:_LONGEST_REPLY]).strip()
    try:
        return json.loads(said)
    except (ValueError, RecursionError):
        pass
    start = said.find("{")
    if start < 0:
        return None
    try:
        mended = cast("object", json_repair.loads(said[start:], skip_json_loads=True))
    except (ValueError, RecursionError):
        return None
    if isinstance(mended, list):  # words after the object make a list of both
        for one in cast("list[object]", mended):
            if isinstance(one, dict):
                return cast("object", one)
        return None
    return mended


def _survivors(found: object) -> list[ReplyClaim]:
    claims = cast("dict[str, object]", found).get("supported_claims") if isinstance(found, dict) else None
    survived: list[ReplyClaim] = []
    for claim in cast("list[object]", claims) if isinstance(claims, list) else []:
        try:
            survived.append(ReplyClaim.model_validate(claim))
        except ValidationError:
            continue
    return survived


def _inlined(node: object, parts: dict[str, object]) -> object:
    if isinstance(node, list):
        return [_inlined(one, parts) for one in cast("list[object]", node)]
    if not isinstance(node, dict):
        return node
    branch = cast("dict[str, object]", node)
    if isinstance(branch.get("$ref"), str):
        return _inlined(parts[str(branch["$ref"]).rpartition("/")[2]], parts)
    left_out = ("title", "default", "description")
    return {
        key: _inlined(value, parts)
        for key, value in branch.items()
        if not (key in left_out and isinstance(value, str))
    }
