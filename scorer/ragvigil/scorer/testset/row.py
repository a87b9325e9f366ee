"""One row of a test set: a question, and what is known of its right answer."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Annotated, Literal, Self, get_args

from pydantic import AfterValidator, BeforeValidator, Field, StrictBool, ValidationError, model_validator

from ragvigil.scorer.config.faults import faults_of
from ragvigil.scorer.config.fields import Section
from ragvigil.scorer.errors import InputError

LANGUAGE = r"^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$"
AnswerType = Literal["short_fact", "instruction", "multi_step", "definition", "comparison", "no_answer"]


def _said(text: str) -> str:
    if not text.strip():
        raise ValueError("is empty; write it, or leave the key out")
    return text


_Text = Annotated[str, AfterValidator(_said)]
_Texts = tuple[_Text, ...]


def answer_type_named(name: str) -> AnswerType | None:
    """The type of that name, where there is one."""
    return next((one for one in get_args(AnswerType) if one == name), None)


class Fact(Section):
    """What a right answer states."""

    fact: _Text = Field(description="one statement")
    importance: Literal["required", "nice_to_have"] = "required"


class Nugget(Section):
    """One fact of a right answer, with the passages that hold it."""

    text: _Text | None = None
    golden_context_ids: _Texts = ()


def _fact(value: object) -> object:
    return {"fact": value} if isinstance(value, str) else value


class Row(Section):
    """A question of a test set. Keys that are not these are errors, so that all that a row says is in its hash."""

    query_id: _Text = Field(description="by which answers are matched")
    query: _Text
    intent: str = Field(default="", description="what the asker wants, in a word")
    golden_context_ids: _Texts = Field(default=(), description="passages that hold the answer")
    hops: tuple[_Text, _Text] | None = Field(
        default=None, description="two passages that answer it together, the first hop first"
    )
    nuggets: tuple[Nugget, ...] = Field(
        default=(), description="facts of a right answer, each with the passages that hold it"
    )
    golden_answer: _Text | None = None
    required_facts: tuple[Annotated[Fact, BeforeValidator(_fact)], ...] = Field(
        default=(), description='texts, or {"fact": "...", "importance": "required" | "nice_to_have"}'
    )
    forbidden_claims: _Texts = Field(default=(), description="what no right answer says")
    expected_refusal: StrictBool = Field(
        default=False, description="whether the right answer is that there is none"
    )
    answer_type: AnswerType | None = None
    language: str | None = Field(default=None, pattern=LANGUAGE, description="such as en or pt-BR")
    tags: _Texts = ()
    look_alike_ids: _Texts = Field(
        default=(), description="passages that seem to hold it, of `ragvigil synth`"
    )
    realism: float | None = Field(default=None, ge=1, le=5, description="of `ragvigil synth`")
    trace_id: str | None = Field(default=None, description="of the question, of `ragvigil testset draw`")
    inclusion: float | None = Field(
        default=None, gt=0, le=1, description="its inverse is how many questions of the traffic it stands for"
    )
    asked: int = Field(
        default=1, ge=1, description="how often the traffic had it, of `ragvigil testset draw`"
    )

    @model_validator(mode="after")
    def _one_mind(self) -> Self:
        if self.answer_type == "no_answer" and not self.expected_refusal:
            raise ValueError(
                "answer_type no_answer needs expected_refusal = true; set it, or name another type"
            )
        return self

    @property
    def canonical(self) -> str:
        """The row as one line of JSON that every way of writing the same row comes to."""
        told = self.model_dump(mode="json", exclude_defaults=True)
        return json.dumps(told, ensure_ascii=False, sort_keys=True, separators=(",", ":"))

    @property
    def sha256(self) -> str:
        """Of `canonical`, hexadecimal: the order of keys plays no part, every character of a value does.

        >>> one = Row(query_id="a", query="When?", tags=("x",))
        >>> one.sha256 == Row(tags=("x",), query="When?", query_id="a").sha256, one.sha256[:8]
        (True, '67defa52')
        """
        return hashlib.sha256(self.canonical.encode()).hexdigest()


def problems_of(error: ValidationError, place: str) -> Iterator[InputError]:
    """What is wrong with a row, an error for each field with its fix."""
    for fault in faults_of(error, Row):
        hint = f" ({fault.hint})" if fault.hint else ""
        yield InputError(f"{place}, {fault.key}" if fault.key else place, f"{fault.problem}{hint}")
