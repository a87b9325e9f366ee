"""Words as a choice within a pattern."""

from __future__ import annotations

import re
from collections.abc import Iterable


def longest_first(words: Iterable[str]) -> str:
    """A choice of these words as they stand, to be put in a group: none hides a longer one that begins with it.

    >>> longest_first(["e", "e.g.", "e"])
    'e\\\\.g\\\\.|e'
    """
    return "|".join(sorted(map(re.escape, dict.fromkeys(words)), key=len, reverse=True))
