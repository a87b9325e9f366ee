"""What prompts tell of who asks: memories, a profile, a "user context". It looks like passages, and nobody found it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ragvigil.scorer.choices import longest_first
from ragvigil.scorer.dialects.words import words_of

_DATA = words_of("profiles")
_HEADINGS = frozenset(_DATA["headings"])
_TELLING = re.compile(rf"[\s\-*\u2022]*(?:\[[^\]\n]{{1,40}}\][\s.:]*)?(?:{longest_first(_DATA['telling'])})")
_LINE = 80
"""Characters of a heading."""


def heads_profile(label: str) -> bool:
    """Whether a heading says, and nothing else, that what is known of who asks follows.

    >>> heads_profile("User context"), heads_profile("## Relevant memories:"), heads_profile("<user_context>")
    (True, True, True)
    >>> heads_profile("Context for the user"), heads_profile("User guide context"), heads_profile("Shared memory")
    (False, False, False)
    """
    said = label.strip(" \t\n*#<>_-=:\uff1a[]") if len(label) <= _LINE else ""
    return said.replace("_", " ").replace("\u2019", "'").lower() in _HEADINGS


def is_profile(texts: Iterable[str]) -> bool:
    """Whether all of these tell where who asks lives, or what is liked.

    >>> is_profile(["User likes boats.", "The user lives in Oslo."]), is_profile(["The user has to reset it."])
    (True, False)
    """
    told = [*texts]
    return bool(told) and all(_TELLING.match(text[:_LINE].lower()) for text in told)
