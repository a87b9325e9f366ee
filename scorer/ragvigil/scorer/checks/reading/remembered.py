"""What was found out of words, remembered: most come again and again."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

_Found = TypeVar("_Found")
_LONGEST = 64
"""Characters of a word that is remembered."""


class Remembered(dict[str, _Found]):
    """What `find` says of a word, asked once for a short one; all of it is forgotten when there are `most`.

    >>> sizes = Remembered(len, most=2)
    >>> [sizes[word] for word in ("cats", "dogs", "bark", "w" * 100)], sorted(sizes)
    ([4, 4, 4, 100], ['bark'])
    """

    def __init__(self, find: Callable[[str], _Found], most: int = 1 << 14) -> None:
        super().__init__()
        self._find = find
        self._most = most

    def __missing__(self, word: str) -> _Found:
        found = self._find(word)
        if len(word) <= _LONGEST:
            if len(self) >= self._most:
                self.clear()
            self[word] = found
        return found
