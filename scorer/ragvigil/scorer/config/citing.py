"""Settings of how one service cites."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, field_validator

from ragvigil.scorer.config.fields import Section, one_or_several, several

CitationStyle = Literal[
    "id",
    "ordinal",
    "tool",
    "footnote",
    "superscript",
    "link",
    "html",
    "parenthesis",
    "narrative",
    "author_year",
]


class Citing(Section):
    """How the answers of one service cite; `citations.default` is for the services that have no section."""

    styles: Annotated[tuple[CitationStyle, ...] | None, BeforeValidator(several)] = Field(
        default=None,
        description="styles that count as citations; none: all, told apart by what they look like",
    )
    usual: CitationStyle | None = Field(
        default=None,
        description="style that answers are meant to use; the check citation_format measures drift from it, and a mark "
        "that may be something else is read by it; none: the style of nine tenths of the service's latest markers",
    )
    counts_from: Literal[0, 1] | None = Field(
        default=None,
        description="how answers number the first passage; none: 0 where an answer cites [0], else 1",
    )
    patterns: Annotated[tuple[str, ...], BeforeValidator(one_or_several)] = Field(
        default=(),
        description="regular expressions of markers of your own; the group id, or the first, holds an id, a rank or a "
        "list of them. Tried on the first 20,000 characters; a slow one holds up scoring, and check-config and "
        "serve refuse it",
    )

    @field_validator("patterns")
    @classmethod
    def _can_be_read(cls, patterns: tuple[str, ...]) -> tuple[str, ...]:
        for pattern in patterns:
            try:
                groups = re.compile(pattern).groups
            except re.error as error:
                raise ValueError(f"{pattern!r} is no regular expression: {error}") from None
            if not groups:
                raise ValueError(f"{pattern!r} has no group; put parentheses around the id")
        return patterns
