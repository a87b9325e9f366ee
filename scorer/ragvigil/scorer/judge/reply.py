"""How a reply is read: its schema, how a damaged one is mended, and what the rubric asks for."""

from __future__ import annotations

import json
import re
from typing import Annotated, Literal, TypeVar, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

_THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_LONGEST_REPLY = 200_000
"""Characters of a reply that are read; a model that says more has lost its way."""


def _number(value: object) -> object:
    """A rubric point that came as "4", "4/5", "3/4" or 4.0."""
    if isinstance(value, str):
        value = value.strip().removesuffix("/5").removesuffix("/4")
        return int(value) if value.isdecimal() else value
    return int(value) if isinstance(value, float) and value.is_integer() else value


Point = Annotated[Literal[1, 2, 3, 4, 5], BeforeValidator(_number)]
FromZero = Annotated[Literal[0, 1, 2, 3, 4], BeforeValidator(_number)]


class Part(BaseModel):
    """Part of a reply: what it does not know is an error, so that no figure is lost to a misspelt key."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ReplyClaim(Part):
    """One claim of the answer, in its own words."""

    claim: str
    supported_by: list[str]
    verdict: Literal["supported", "partial", "unsupported"]


class MustPass(Part):
    """What an answer may not fail."""

    schema_valid: bool
    language_match: bool
    safety_pass: bool
    citations_present: bool
    citations_valid: bool
    no_hallucinated_entities: bool


class Scores(Part):
    """Rubric points, 1 (bad) to 5 (good)."""

    groundedness: Point
    completeness: Point
    directness: Point
    style: Point


class Abstain(Part):
    """Whether the answer should have refused, and how well it did."""

    should_have_abstained: bool
    abstain_quality: Point | None


class RubricReply(Part):
    """The whole reply to the rubric: claims first, so that the scores rest on them."""

    supported_claims: list[ReplyClaim]
    must_pass: MustPass
    scores: Scores
    abstain: Abstain


R = TypeVar("R", bound=Part)


class ReplyError(ValueError):
    """A reply that does not follow the schema; `found` is the JSON that could be read of it."""

    def __init__(self, problem: str, found: object) -> None:
        super().__init__(problem)
        self.found = found

    @property
    def survivors(self) -> list[ReplyClaim]:
        """The claims in it that do follow the rubric's schema."""
        return survivors(self.found)


def schema(model: type[Part] = RubricReply) -> dict[str, object]:
    """The JSON schema of a reply, without what servers for structured output refuse (titles, defaults, references)."""
    whole = model.model_json_schema()
    parts = cast("dict[str, object]", whole.pop("$defs", {}))
    return cast("dict[str, object]", _inlined(whole, parts))


def read(model: type[R], text: str) -> R:
    """The reply in what a model said: fences, thoughts, trailing commas and the like are mended.

    Raises ReplyError that says what is missing or wrong, in words that help the model to do better.
    """
    try:
        return model.model_validate_json(text[:_LONGEST_REPLY])
    except ValidationError:  # spoilt, or only not as it should be: then it is said what is missing
        found = _objects(text)
    try:
        return model.model_validate(found)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the reply"
        raise ReplyError(f"{place}: {first['msg'].lower()}", found) from None


def _objects(text: str) -> object:
    said = _THOUGHT.sub("", text[:_LONGEST_REPLY]).strip()
    try:
        return json.loads(said)
    except (ValueError, RecursionError):
        pass
    start = said.find("{")
    if start < 0:
        return None
    import json_repair

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


def survivors(found: object) -> list[ReplyClaim]:
    """The claims of a damaged reply to the rubric that follow its schema."""
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
