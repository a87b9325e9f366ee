"""Whether a server reads all that it is sent: some cut a question to their context, and answer all the same."""

from __future__ import annotations

_ENOUGH = 4
"""Questions of different lengths that were read as equally many tokens."""
_APART = 1.02
"""Factor from which lengths are different enough for their tokens to differ."""


class Window:
    """Learns from counts of tokens: what is cut to a context of N tokens is read as exactly N, however long it is."""

    def __init__(self) -> None:
        self._most = 0
        self._lengths: list[int] = []
        """Characters of questions that were read as `_most` tokens, each well apart from the others."""

    def cut(self, characters: int, tokens: int | None) -> bool:
        """Whether a question of so many characters, read as so many tokens, was cut, as far as can be told by now.

        >>> window = Window()
        >>> [window.cut(9_000 + 500 * number, 2048) for number in range(5)]
        [False, False, False, True, True]
        """
        if not tokens or tokens < self._most:
            return False
        if tokens > self._most:
            self._most, self._lengths = tokens, []
        if all(max(characters, one) >= _APART * min(characters, one) for one in self._lengths):
            self._lengths = [*self._lengths[: _ENOUGH - 1], characters]
        return len(self._lengths) >= _ENOUGH
