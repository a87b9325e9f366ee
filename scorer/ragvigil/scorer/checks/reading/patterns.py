"""Patterns: many regular expressions as one, made so that most places of a text are passed over at once."""

from __future__ import annotations

import re
from collections.abc import Sequence


def any_of(patterns: Sequence[str], flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[str]:
    """One pattern for all; where they begin with a word's edge, that edge is looked for once for all of those.

    A pattern that begins so and is a choice must begin so in each of its parts.

    >>> found = any_of([r"\\bcats?", r"\\bdog|\\bdogs", "!"])
    >>> [found.search(text) is not None for text in ("a cat", "bobcat", "two dogs", "no!")]
    [True, False, True, True]
    """
    at_words = [one.removeprefix(r"\b") for one in patterns if one.startswith(r"\b")]
    others = [f"(?:{one})" for one in patterns if not one.startswith(r"\b")]
    joined = [rf"\b(?:{'|'.join(at_words)})"] if at_words else []
    return re.compile("|".join([*joined, *others]), flags)
