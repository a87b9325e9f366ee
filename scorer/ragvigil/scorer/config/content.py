"""What of the content is kept, and what is cut from it."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from ragvigil.scorer.config.fields import Seconds, Section, several


def _regular(pattern: str) -> str:
    try:
        re.compile(pattern)
    except re.error as error:
        raise ValueError(f"not a regular expression: {error}") from None
    return pattern


def _joinable(patterns: tuple[str, ...]) -> tuple[str, ...]:
    try:
        _joined(patterns)
    except re.error as error:
        raise ValueError(f"cannot stand beside others: {error}; write (?i:support) for (?i)support") from None
    return patterns


def _joined(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns))


Pattern = Annotated[str, AfterValidator(_regular)]
Patterns = Annotated[tuple[Pattern, ...], BeforeValidator(several)]
ContentMode = Literal["full", "redacted", "ids_only"]


class Content(Section):
    """What of questions, passages and answers is kept, judged and shown; it is cut before it leaves the inbox."""

    mode: ContentMode = Field(
        default="redacted",
        description="full: as received; redacted: without what the rules find; "
        "ids_only: ids, labels and figures, no text",
    )
    services: dict[str, ContentMode] = Field(
        default={}, description="modes of services, by service.name, where they differ from `mode`"
    )
    patterns: Patterns = Field(
        default=(), description="regular expressions of your own; what they match becomes <REMOVED>"
    )
    keep: Annotated[Patterns, AfterValidator(_joinable)] = Field(
        default=(),
        description="regular expressions of what no rule may touch and is no leak, such as ids that look like card "
        "numbers, or your support's address",
    )
    hook: str | None = Field(
        default=None,
        pattern=r"^[\w.]+:\w+$",
        description="module:function of your own, text to text, run last and in a process of its own; "
        "a text that it fails on is withheld",
    )
    hook_seconds: Seconds = Field(default=1.0, description="longest time it may take for one text")

    def mode_of(self, service: str) -> ContentMode:
        """What is kept of a service's texts.

        >>> Content(services={"hr": "ids_only"}).mode_of("hr"), Content().mode_of("shop")
        ('ids_only', 'redacted')
        """
        return self.services.get(service, self.mode)

    @property
    def may_withhold(self) -> bool:
        """Whether any service keeps ids only."""
        return "ids_only" in (self.mode, *self.services.values())

    @property
    def kept(self) -> re.Pattern[str] | None:
        """What `keep` names, as one pattern; None where it names nothing."""
        return _joined(self.keep) if self.keep else None
