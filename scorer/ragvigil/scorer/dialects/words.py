"""Lists of words in many languages by which prompts are read, and patterns made of them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from importlib.resources import files


def words_of(name: str) -> dict[str, list[str]]:
    """The lists of one file of words, by what they are for.

    >>> words_of("profiles")["headings"][0]
    'user context'
    """
    told: dict[str, list[str]] = json.loads(
        files("ragvigil.scorer.data").joinpath(f"{name}.json").read_text("utf-8")
    )
    return told


def longest_first(words: Iterable[str]) -> str:
    """A choice of these words as they stand, to be put in a group: none hides a longer one that begins with it.

    >>> longest_first(["au", "aus"])
    'aus|au'
    """
    return "|".join(sorted(map(re.escape, {*words}), key=len, reverse=True))
