"""Lists of words in many languages by which prompts are read."""

from __future__ import annotations

import json
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
