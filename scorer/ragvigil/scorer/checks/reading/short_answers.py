"""Short answers in the words of a refusal, "unknown" or "not available", which may be just what a passage says."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from ragvigil.scorer.checks.reading.words import words

_MOST_WORDS = 3
_MOST_PLACES = 20
_AROUND = 200
_END = re.compile(r"[.!?;\n\u3002]")


def answers_so(said: str, asked: Collection[str], texts: Iterable[str]) -> bool:
    """Whether a sentence in one of `texts` says in these very words what was `asked`, told by stems.

    >>> texts = ["The status of order 7 is unknown. Parking: not available."]
    >>> answers_so("Unknown.", {"status"}, texts), answers_so("Not available.", {"status"}, texts)
    (True, False)
    """
    parts = [part.strip(".,!*_\"'\u2019\u3002") for part in said.split()]
    if not 0 < len(parts) <= _MOST_WORDS or not all(parts):
        return False
    joined = r"\s{1,3}".join(map(re.escape, parts))
    wording = re.compile(rf"(?<!\w){joined}(?!\w)", re.IGNORECASE)
    return any(
        _around(text, *found.span(), asked)
        for text in texts
        for found, _ in zip(wording.finditer(text), range(_MOST_PLACES), strict=False)
    )


def _around(text: str, start: int, end: int, asked: Collection[str]) -> bool:
    """Whether the rest of the sentence in which something stands from `start` to `end` is about what was asked."""
    before, after = text[max(0, start - _AROUND) : start], text[end : end + _AROUND]
    sentence = f"{_END.split(before)[-1]} {_END.split(after, maxsplit=1)[0]}"
    return any(word.stem in asked for word in words(sentence))
