"""Lists of words in many languages by which prompts are read."""

from __future__ import annotations

from ragvigil.scorer.data import read_data


def words_of(name: str) -> dict[str, list[str]]:
    """The lists of one file of words, by what they are for.

    >>> words_of("profiles")["headings"][0]
    'user context'
    """
    told: dict[str, list[str]] = read_data(f"{name}.json")
    return told
