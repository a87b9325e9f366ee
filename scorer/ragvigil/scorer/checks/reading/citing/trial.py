"""Whether a service's own pattern of citations explodes on some text: `re` cannot be interrupted once it searches."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator

LONGEST_TRIED = 2000
"""Characters of the longest text; a pattern in its square takes a hundred times as long on all that is read."""
MOST_SECONDS = 0.1
"""CPU seconds that one such text may take."""
_MOST_SPENT = 3.0
_SHORTEST = 8
_QUICK = ((0.0001, 2), (0.001, 4), (0.01, 8))
"""Below so many seconds a text grows by this part of it, so that no next one can take more than some seconds."""
_GROUP = re.compile(
    r"\(\?(?:P<\w+>|[:=!>]|<[=!])|\(\?P=\w+\)|\[\^?\]?(?:\\.|[^\]\\])*\]|\{\d*,?\d*\}|\\[A-Za-z0-9]"
)
_LITERAL = re.compile(r"(?:\\[^A-Za-z0-9]|[^\\()\[\]{}?*+|.^$\x00])+")
_USUAL = ("a", "1", "A", " ", "_", "a1", "a ", "a,", "a-", "\u00e9", "\n")
_ENDS = ("\x00", "\n")
_MOST_LITERALS = 6


def explodes_on(pattern: re.Pattern[str], clock: Callable[[], float] = time.process_time) -> str | None:
    """The beginning of a text on which `pattern` takes longer than `MOST_SECONDS`; None where none of those tried does.

    Tried are repeats of the pattern's own literals and of usual characters, behind its literals and before something
    that ends no match, from 8 to `LONGEST_TRIED` characters; for three CPU seconds in all, then it counts as quick.

    >>> explodes_on(re.compile(r"<<(?P<id>[^<>]{1,40})>>")) is None, explodes_on(re.compile(r"((?:a+)+)!"))
    (True, 'aaaaaaaaaaaaaaaaaaaa')
    """
    begun = clock()
    for before, piece, after in _texts(pattern.pattern):
        length = _SHORTEST
        while length <= LONGEST_TRIED:
            text = before + (piece * length)[:length] + after
            seconds = _seconds(pattern, text, clock)
            if seconds > MOST_SECONDS and _seconds(pattern, text, clock) > MOST_SECONDS:
                return (before + piece * length)[:20]
            part = next((part for limit, part in _QUICK if seconds < limit), 20)
            length += max(1, length // part)
        if clock() - begun > _MOST_SPENT:
            return None
    return None


def _seconds(pattern: re.Pattern[str], text: str, clock: Callable[[], float]) -> float:
    begun = clock()
    for _ in pattern.finditer(text):
        pass
    return clock() - begun


def _texts(source: str) -> Iterator[tuple[str, str, str]]:
    """What stands before, what is repeated, and what follows."""
    found = _LITERAL.findall(_GROUP.sub("\x00", source))
    literals = list(dict.fromkeys(one.replace("\\", "") for one in found))[:_MOST_LITERALS]
    letters = dict.fromkeys("".join(literals)[:12])
    pieces = dict.fromkeys((*letters, *literals, *_USUAL, *(f"a{one}" for one in letters)))
    for before in dict.fromkeys((*literals[:1], "", *literals[1:])):
        for piece in pieces:
            for after in _ENDS:
                yield before, piece, after
