"""Which text is a document's id: ids leave the service where texts may not, so a text must never pass for one."""

from __future__ import annotations

import re
from uuid import UUID

from ragvigil.tracer import _reading
from ragvigil.tracer._reading import identifier

LONGEST = _reading.LONGEST_ID + 1
"""One more than is kept of an id, to tell one that was cut."""
_MOST_WORDS = 12
_MOST_PLAIN_WORDS = 5
_FEWEST_WORDS = 3

_UNSPACED = (
    ("\u0e00", "\u0eff"),
    ("\u1000", "\u109f"),
    ("\u1780", "\u17ff"),
    ("\u3040", "\u30ff"),
    ("\u3400", "\u9fff"),
    ("\uf900", "\ufaff"),
    ("\U00020000", "\U0003ffff"),
)
"""Letters of scripts that write sentences without spaces: Thai, Lao, Burmese, Khmer, Japanese, Chinese."""
_MARKS = frozenset("0123456789_:/#|@")
_INNER_MARKS = frozenset("-.")
_SCORED_ID = re.compile(r"(?=[!-~]*[0-9_\-:/#|.@][!-~])[!-~]{1,256}|[!-~]{0,255}[0-9]")
_STOPS = (".", "!", "?", "…", "。", "！", "？")  # noqa: RUF001 - stops of other scripts


def one_word(text: str) -> bool:
    """Whether the text has the form of an id, no white space.

    >>> one_word("kitchen/boiling.md"), one_word("Water boils.")
    (True, False)
    """
    if text.isascii():
        return " " not in text and text.isprintable()
    return not any(one.isspace() or any(low <= one <= high for low, high in _UNSPACED) for one in text)


def which_is_the_id(first: str, second: str) -> int | None:
    """Which of two texts is the id of the other, 0 or 1; None when that cannot be told.

    >>> which_is_the_id("a", "Ice melts."), which_is_the_id("Ice melts.", "ice.md"), which_is_the_id("Ice is.", "So.")
    (0, 1, None)
    """
    if one_word(first):
        return 0
    return 1 if one_word(second) and is_marked(second) else None


def is_marked(text: str) -> bool:
    """Whether there is a digit or a mark of ids, or a hyphen or a dot inside."""
    return not (_MARKS.isdisjoint(text) and _INNER_MARKS.isdisjoint(text[:-1]))


def is_scored_id(text: str) -> bool:
    """Whether this is a short word with a digit or a mark inside, as ``faq-12``."""
    return _SCORED_ID.fullmatch(text) is not None


def identity(value: object, text: str | None) -> str | None:
    """A value that the service calls an id, with the text beside it; None when it is a text itself.

    >>> identity("Employee handbook 2026.pdf", None), identity("Water boils at 100 °C.", None)
    ('Employee handbook 2026.pdf', None)
    """
    told = identifier(value, LONGEST)
    if told is None or one_word(told):
        return told
    if not isinstance(value, str | int | UUID):
        return None  # what an object prints of itself
    return None if _is_a_text(told, text) else told


def _is_a_text(told: str, text: str | None) -> bool:
    """Whether it has lines, the form of a sentence, or more letters than the text that it would stand for."""
    words = told.split()
    if "\n" in told or len(words) > _MOST_WORDS or (text and len(told) >= len(text)):
        return True
    if len(words) >= _FEWEST_WORDS and told.rstrip().endswith(_STOPS):
        return True
    if len(words) == 1:
        return len(told) > _MOST_WORDS and not is_marked(told)
    return len(words) > _MOST_PLAIN_WORDS and "." not in words[-1][:-1]  # a file's name has an ending
