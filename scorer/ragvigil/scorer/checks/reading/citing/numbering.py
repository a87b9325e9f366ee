"""What numbers in square brackets are that name no passage: keys to press, steps, lines of a text, intervals."""

from __future__ import annotations

import re

from ragvigil.scorer.checks.reading.citing.lists import NUMBERING
from ragvigil.scorer.checks.reading.passages import Passages

_NUMBERS = re.compile(r"(\d{1,3})(?:\s?([,\u2013-])\s?(\d{1,3}))?\Z")
_LETTERED = re.compile(r"[A-Za-z]\d{1,2}\Z")
_STEP_BEHIND = re.compile(r"\s(\w{1,4})\s\[\d{1,3}\]")
_STEP_BEFORE = re.compile(r"\[\d{1,3}\]\s(\w{1,4})\s\Z")
_JOINED = re.compile(
    r"\s?[,+/]?\s?(?:(?:and|or|then|und|oder|dann|et|ou|puis|y|o|e|i|lub|en|of)\s){0,2}\Z", re.IGNORECASE
)
_PURPOSE = re.compile(r"\s(?:to|for|für|um|pour|para|per|voor|om|aby)\s", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?\n]")
_CJK_PRESSING = ("按", "按下")
_CJK_COUNTED = tuple(NUMBERING["cjk_counted_things"])
_CJK_END = re.compile(r"\s*(?:[\u3002\uff0c,.;\uff1b\[(]|\Z|\n)")
_ANOTHER = re.compile(r"\s?(?:,|-|\u2013|and|or|und|oder|et|ou|y|o|e)\s?\[\d{1,3}\]")
_ELIDED = re.compile(r"\A(?:dell|nell|all|[ld])['\u2019]")
_SO_MANY = re.compile(r"\d[ \u00a0]\w{2,16}s\s?\Z")
_CHESS_FILES = frozenset("abcdefghABCDEFGH")
_BEFORE, _LONGEST_WORD, _LONGEST_KEY = 60, 16, 5
_SHORTEST_SCALE = 5
_TELLING = frozenset(
    word.rpartition(" ")[2]
    for name in (
        "key_verbs",
        "opening_key_verbs",
        "of",
        "lines",
        "bounding",
        "vitamins",
        "chessmen",
        "counted_things",
        "quantities",
    )
    for word in NUMBERING[name]
)
"""Last words before the brackets that may make a number one of these."""


class Numbering:
    """Such numbers of one text, asked for from its first to its last."""

    def __init__(self, prose: str, passages: Passages) -> None:
        self._prose = prose
        self._passages = passages
        self._last_key = self._last_counted = -1

    def has(self, start: int, end: int, content: str) -> bool:
        """Whether the brackets from `start` to `end`, around `content`, are one of these.

        >>> def is_one(text):
        ...     start, end = text.index("["), text.index("]")
        ...     return Numbering(text, Passages.of(())).has(start, end + 1, text[start + 1 : end])
        >>> [is_one(text) for text in ("Press [1].", "The press [1] says so.", "Step [1] of [3]", "It lies in [2, 5].")]
        [True, False, True, True]
        """
        if len(content) > _LONGEST_KEY and not content[0].isdecimal():
            return False  # an id
        before = self._prose[max(0, start - _BEFORE) : start]
        last = _bare(before.rstrip()[-_LONGEST_WORD:].rpartition(" ")[2].lower())
        if content[0].isdecimal() and self._is_counted(before, last, start, end):
            return self._passages.by_id(content) is None
        if last not in _TELLING and self._last_key < 0 and not last.endswith(_CJK_PRESSING):
            if content.isdecimal():
                return self._prose.startswith(" ", end) and self._is_step(before, end)
            if content[0] not in _CHESS_FILES or not _LETTERED.match(content):
                return False
        words = before.split() or [""]
        numbers = _NUMBERS.match(content)
        if self._is_key(before, words, start, end) and (numbers is None or not numbers[2]):
            self._last_key = end
            return self._passages.by_id(content) is None
        if numbers is None:
            return _LETTERED.match(content) is not None and self._is_letter(words, content)
        if numbers[2] is None:
            return self._is_step(before, end)
        if numbers[2] == ",":
            return _is_interval(words, content)
        return _are_lines(words) or self._is_scale(words, numbers)

    def _is_key(self, before: str, words: list[str], start: int, end: int) -> bool:
        """Whether it is to be pressed or dialled, by the words before it or together with the key before it."""
        if 0 <= self._last_key < start <= self._last_key + _BEFORE:
            between = self._prose[self._last_key : start]
            if _JOINED.match(between) or (
                not _SENTENCE_END.search(between) and _PURPOSE.match(self._prose, end)
            ):
                return True
        last = words[-1].lower()
        if last in NUMBERING["key_verbs"]:
            return _opens(before, words, 1) or words[-2].lower() in NUMBERING["before_key_verbs"]
        if last in NUMBERING["opening_key_verbs"]:
            return _opens(before, words, 1)
        if " ".join(words[-2:]).lower() in NUMBERING["opening_key_verbs"]:
            return _opens(before, words, 2)
        return last.endswith(_CJK_PRESSING)

    def _is_counted(self, before: str, last: str, start: int, end: int) -> bool:
        """Whether it numbers a thing that has a number of its own: ``in step [3]``, ``rows [1] and [2]``."""
        if last.endswith(_CJK_COUNTED) and before.endswith(last) and not _CJK_END.match(self._prose, end):
            return True
        chained = 0 <= self._last_counted < start and _JOINED.match(self._prose[self._last_counted : start])
        several = (
            last.endswith("s")
            and _ANOTHER.match(self._prose, end)
            and last in NUMBERING["counted_things"]
            and not _SO_MANY.search(before)
        )
        if (
            chained
            or several
            or (last in NUMBERING["counted_things"] and numbers_a_thing(before.lower().split()))
        ):
            self._last_counted = end
            return True
        return False

    def _is_letter(self, words: list[str], content: str) -> bool:
        """Whether it is a vitamin or a square of a chessboard, where no passage is called like it."""
        last = words[-1].lower()
        if last not in NUMBERING["vitamins"] and NUMBERING["chessmen"].isdisjoint(map(str.lower, words[-2:])):
            return False
        return not self._passages.by_id(content) and not self._passages.resembles(content)

    def _is_scale(self, words: list[str], numbers: re.Match[str]) -> bool:
        """Whether a range from 0 or 1 has all that a quantity may be, more than was retrieved: "a rating [1-5]"."""
        return (
            words[-1].lower() in NUMBERING["quantities"]
            and int(numbers[1]) <= 1
            and int(numbers[3])
            >= _SHORTEST_SCALE  # shorter ones are as well passages that were not retrieved
            and self._passages.by_rank(int(numbers[3])) is None
        )

    def _is_step(self, before: str, end: int) -> bool:
        """Whether it is one of so many, as in ``[1] of [3]``."""
        joined = _STEP_BEHIND.match(self._prose, end) or _STEP_BEFORE.search(before)
        return joined is not None and joined[1].lower() in NUMBERING["of"]


def numbers_a_thing(words: list[str]) -> bool:
    """Whether the last of `words`, in lower case, stands without an article, so that its number names it.

    >>> texts = ("go on with step", "row 3, column", "this is the last step", "it has 2 rooms")
    >>> [numbers_a_thing(text.split()) for text in texts]
    [True, True, False, False]
    """
    if not words or _bare(words[-1]) not in NUMBERING["counted_things"]:
        return False
    earlier = [_bare(word) for word in words[-3:-1]]
    if earlier and earlier[-1] in NUMBERING["articles"]:
        earlier.pop()
        if not earlier:
            return False
    last = earlier[-1] if earlier else ""
    if last[-1:].isdecimal() and words[-1].endswith("s"):
        return False  # so many
    return (
        not last[-1:].isalpha()
        or last in NUMBERING["before_counted_things"]
        or last in NUMBERING["key_verbs"]
        or last in NUMBERING["opening_key_verbs"]
    )


def _bare(word: str) -> str:
    """A word without the marks and the elided article before it."""
    bare = word.lstrip("*_(")
    return _ELIDED.sub("", bare) if "'" in bare or "\u2019" in bare else bare


def _opens(before: str, words: list[str], count: int) -> bool:
    """Whether the last `count` words begin a sentence, a clause or an item."""
    if len(words) > count:
        return not words[-count - 1][-1].isalpha()
    return len(before) < _BEFORE


def _are_lines(words: list[str]) -> bool:
    """Whether a range counts lines, rows or pages."""
    return words[-1].lower() in NUMBERING["lines"] and (
        len(words) < 2 or not words[-2][-1].isalnum() or words[-2].lower() in NUMBERING["before_lines"]
    )


def _is_interval(words: list[str], content: str) -> bool:
    """Whether two numbers bound a quantity: ``x in [1, 3]``, ``lies in [2, 5]``, ``within [2, 5]``."""
    low, _, high = content.partition(",")
    if int(low) >= int(high) or words[-1].lower() not in NUMBERING["bounding"]:
        return False
    if words[-1].lower() == "within":
        return True
    bounded = words[-2] if len(words) > 1 else ""
    return bounded.lower() in NUMBERING["quantities"] | NUMBERING["lies"] or (
        len(bounded) == 1 and bounded.isalpha() and bounded not in "aAI"
    )
