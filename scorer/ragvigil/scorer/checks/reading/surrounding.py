"""What stands around a place of a text: the words of its sentence."""

from __future__ import annotations

from ragvigil.scorer.checks.reading.words import words

_ENDS = (". ", "\n", "; ", "! ", "? ", "|")
_LONGEST = 300
"""Characters of a sentence that are read on each side."""


def stems_around(text: str, start: int) -> set[str]:
    """The stems of the sentence around `start`.

    >>> sorted(stems_around("Trains run late. Buses run early; trams never.", 20))
    ['bus', 'ear', 'run']
    """
    low, high = max(0, start - _LONGEST), start + _LONGEST
    first = max(max(text.rfind(end, low, start) for end in _ENDS) + 1, low)
    ends = [at for end in _ENDS if (at := text.find(end, start, high)) >= 0]
    return {word.stem for word in words(text[first : min(ends, default=high)])}
