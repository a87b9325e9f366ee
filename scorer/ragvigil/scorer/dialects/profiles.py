"""What prompts tell of who asks: memories, a profile, a "user context". It looks like passages, and nobody found it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ragvigil.scorer.dialects.words import longest_first, words_of

_DATA = words_of("profiles")
_LETTER = r"[^\W\d_]"
_CONTEXT = re.compile(rf"(?:{longest_first(_DATA['context'])}|{longest_first(_DATA['known'])})(?!{_LETTER})")
_PEOPLE = re.compile(rf"(?<!{_LETTER})(?:{longest_first(_DATA['people'])})")
_REMEMBERED = re.compile(rf"(?:\A|[^\w])(?:{longest_first(_DATA['remembered'])})\Z")
_TELLING = re.compile(rf"[\s\-*\u2022]*(?:\[[^\]\n]{{1,40}}\][\s.:]*)?(?:{longest_first(_DATA['telling'])})")
_LINE = 80
"""Characters of a heading."""
_WORDS = 4
"""Of a heading that names who asks: more are a sentence."""


def heads_profile(label: str) -> bool:
    """Whether a heading says that what is known of who asks follows.

    >>> heads_profile("User context"), heads_profile("## Relevant memories:"), heads_profile("<user_context>")
    (True, True, True)
    >>> heads_profile("Context"), heads_profile("Users may read this context"), heads_profile("Company profile: ACME")
    (False, False, False)
    """
    said = label.strip(" \t\n*#<>_-=:\uff1a[]").replace("_", " ").lower()
    if not said or len(said) > _LINE:
        return False
    if _REMEMBERED.search(said):
        return True
    return len(re.findall(r"\w+", said)) <= _WORDS and bool(_CONTEXT.search(said) and _PEOPLE.search(said))


def is_profile(texts: Iterable[str]) -> bool:
    """Whether all of these tell of who asks.

    >>> is_profile(["User likes boats.", "The user lives in Oslo."]), is_profile(["The user can reset it."])
    (True, False)
    """
    told = [*texts]
    return bool(told) and all(_TELLING.match(text[:_LINE].lower()) for text in told)
