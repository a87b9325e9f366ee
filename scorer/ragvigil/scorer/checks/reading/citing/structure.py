"""What square brackets are that cite nothing: arrays, indices, expressions, patterns and JSON.

An expression has an operand before its operator, and the operator stands between both alike: with white space on
either side or on none. So `*nine* [1]`, `C++ [1]`, `<b>nine</b> [1]` and `https://a.example/ [1]` are none.
"""

from __future__ import annotations

import re

from ragvigil.scorer.checks.reading.citing.listing import ordinals, parts
from ragvigil.scorer.checks.reading.citing.lists import CODE_NAMES
from ragvigil.scorer.checks.reading.citing.numbering import Numbering
from ragvigil.scorer.checks.reading.passages import Passages
from ragvigil.scorer.lazily import made_once

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,40}\Z")
_INDEXED = re.compile(r"[A-Za-z_]\[(?:0|-\d|[a-z](?:[+-]\d)?|\d*:\d*)\]|[A-Za-z_\]]\[\d+\]\s?[+*/-]?=")
_OPERATORS = "=+*/<>\\^"
_ALWAYS = frozenset("∈\u222a∩\u00d7")
_OPERANDS = frozenset(")]}\"'")
_QUANTIFIERS = ("{", "+", "*")
_TAG = re.compile(
    r"</[A-Za-z][^<>]{0,60}>\Z|(?<!\w)<[A-Za-z][^<>]{0,200}>\Z|<(?:br|wbr|hr)\s?/?>\Z|<(?:b|i|u|p|em|strong)>\Z"
)
_GENERIC = re.compile(r"(?<=\w)<[A-Za-z_][\w, ]{0,60}>\Z")
_DOMAIN = re.compile(r"[\w.-]{2,60}\.(?:com|org|net|edu|gov)\Z")
_PROSE_IN_PARENTHESES = re.compile(r"\([^()\n]{0,200}(?:[^\s,(]\s|[^\x00-\x7f])[^()\n]{1,200}\)")
_DATA = re.compile(
    r"\b(?:such as|equals|equal to|(?:arrays?|lists?|vectors?|intervals?|ranges?|tuples?|values?|returns?|outputs?|"
    r"inputs?|prints?|results?|coordinates|pixels|matrix|sets?|shape|dimensions)"
    r"(?:\s(?:is|are|was|were|of|like|as|such as):?|:))\Z",
    re.IGNORECASE,
)
"""What says in so many words that a list of numbers follows."""
_TECHNICAL = re.compile(
    r"\b(?:array|vector|tuple|pair|triple|matrix|interval|input|output|coordinates|pixels|shape|dimensions)\Z|"
    r"\b(?:the|an?|this|that|each|every)\s(?:(?!wide|full|broad|whole|large|price)\w{1,20}\s)?(?:list|range|value|set)\Z|"
    r"\b(?:the|these|those)\s(?:arrays|lists|vectors|intervals|ranges|tuples|values|outputs|inputs|sets)\Z|"
    r"(?<!as )(?<!\w)(?:the|an?|this)\sresult\Z|"
    r"(?:\b(?:it|that|which|this|code|program|script)|\b(?:the|an?|this|each)\s[\w.]{1,30}|[)`\]]|\s\s)\s?(?:returns|prints|outputs|gives|yields)\Z|"
    r"\b(?:ci|cri|iqr)\Z|\b(?:scale|range|rating)s?\s(?:of|from)\Z|\b(?:returned|printed|yielded)\Z|"
    r"\b\w{3,20}ing (?:returns|prints|gives|yields)\Z|\u2192\Z",
    re.IGNORECASE,
)
"""What makes a list of numbers data unless it can only be ranks: technical nouns, and verbs with their subject."""
_GENERAL = re.compile(
    r"\b(?:arrays|lists?|vectors|intervals|ranges?|tuples|values?|returns?|outputs|inputs|prints?|results?|sets?)\Z",
    re.IGNORECASE,
)
"""Nouns after which a list of numbers is data when one of them is no rank."""
_PARAGRAPH = re.compile(r"(?:\bat|\bparas?\.?|\bparagraphs?|\][,\u2013-]?|\d,)\s?\Z", re.IGNORECASE)
_REPORT = re.compile(r"\[(?:19|20)\d\d\]\s(?:\d{1,2}\s[A-Z][\w.'\u2019]|[A-Z]{2,6}\b)")
_SPAN = re.compile(r"\d{1,3}\s?[\u2013-]\s?\d{1,3}\Z")
_BOUNDS = re.compile(r"-?[\d.]{1,9}\s?[,;]\s?-?[\d.]{1,9}\Z")
_HALF_OPEN = re.compile(
    r"\u2208\s?[\[(]|\[\s?-?\d[\d.]{0,8}\s?[,;]\s?-?[\d.]{1,9}\s?(?:\)|\[)|(?:\(|\])\s?-?\d[\d.]{0,8}\s?[,;]\s?-?[\d.]{1,9}\s?\]"
)
_RANGED = re.compile(r"\d-\d\Z")
_CLASS = re.compile(r"\[\^?(?:a-z|A-Z|0-9)[^\]\n]{0,20}\]")
_GOES_ON = re.compile(r"[./?&=_-]?\w")
_CALLED = re.compile(r"[A-Za-z_][\w.]{0,40}\(\Z")
"""A name of code with the parenthesis right behind it."""
_DIGITS_AND_MINUS = frozenset("0123456789-")
_MEASURED = re.compile(
    r"(?:(?:\d[ \u00a0](?:[^\W\d_]{1,5}/)?[tlghmsCFJKLVW]|\u00b0[^\W\d_])|"
    r"(?:\d|\d[ \u00a0]?(?:[^\W\d_]{1,5}|[\u20ac$\xa3\xa5%]))/[^\W\d_]{1,10})\Z"
)
"""A unit of one letter or a rate behind its amount, ``20 h``, ``8 ct/kWh``, ``$9/month``."""
_BEFORE = 40
_LINE = 320
_SENTENCE_ENDS = frozenset(".!?…。\uff01\uff1f؟।")


class Structures:
    """What brackets of one text are that cite nothing."""

    def __init__(self, prose: str, passages: Passages) -> None:
        self._prose = prose
        self._passages = passages
        self._numbering = Numbering(prose, passages)
        self._linked = ("/" in prose and "://" in prose) or "www." in prose

    def has(self, match: re.Match[str]) -> bool:
        """Whether the brackets of `match`, a caret its first group and what they hold its second, are one of these."""
        prose, start, end, content = self._prose, match.start(), match.end(), match[2]
        line = prose[max(prose.rfind("\n", max(0, start - _LINE), start) + 1, start - _LINE, 0) : start]
        following = prose[end : end + 4]
        if following.startswith(_QUANTIFIERS) and not match[1] and not _closes_emphasis(line, following):
            return True
        if self._goes_on(line, following, start, end):
            return True
        before = prose[max(0, start - _BEFORE) : start].rstrip()
        if before.endswith(('":', "':")):
            return True
        if self._reports and _PARAGRAPH.search(line[-_BEFORE:]):
            return True
        if ("," in content or _SPAN.match(content)) and self._are_values(match, line, following):
            return True
        if content[0] in _DIGITS_AND_MINUS and self._is_bounded(content):
            return True
        if not match[1] and self._numbering.has(start, end, content):
            return True
        return self._is_nested(before, line, following, start)

    def _are_values(self, match: re.Match[str], line: str, following: str) -> bool:
        """Whether brackets with several values are an argument, data or a line of their own."""
        if _CALLED.search(line) and following.startswith(")"):
            return True
        return _is_data(line, match[2], self._passages) or _alone(self._prose, match, self._passages)

    def _is_nested(self, before: str, line: str, following: str, start: int) -> bool:
        """Whether brackets stand first or last in others, or index what stands before those."""
        first, last = before.endswith("["), following[:3].lstrip().startswith("]")
        if first and line[-2:-1].isalnum() and self._is_index(line[:-1], start - 1):
            return True
        return first != last and (first or before.endswith(","))

    def _goes_on(self, line: str, following: str, start: int, end: int) -> bool:
        """Whether the brackets are a part of what stands right before or behind them: a name, a formula, an address."""
        return (
            ((line[-1:].isalnum() or line[-1:] == "_") and self._is_index(line, start))
            or following.lstrip(" \t").startswith(("=", "\u00d7", "+ ["))
            or (self._linked and _GOES_ON.match(following) is not None and _is_address(line))
            or (following.startswith("(") and not _PROSE_IN_PARENTHESES.match(self._prose, end))
            or _has_operand(line)
            # a prefix of a word, as in "a [2]catenane"
            or (following[:1].islower() and following[0].isascii() and line[-1:].isspace())
        )

    def _is_index(self, line: str, start: int) -> bool:
        """Whether a name right before the brackets is one of code."""
        glued = _IDENTIFIER.search(line[-_BEFORE:])
        name = glued[0] if glued else ""
        emphasised = line[-1] == "_" and not name.startswith("__") and _emphasised(line)
        if not name or emphasised or _is_address(line):
            return False
        if _MEASURED.search(line[-_BEFORE:]):
            return False
        if self._prose[start - len(name) - 1 : start - len(name)] in (".", "$", "@", "/"):
            return True
        return len(name) == 1 or "_" in name or name.lower() in CODE_NAMES or self._indexed

    @made_once
    def _reports(self) -> bool:
        """Whether judgments are cited as their courts number them, whose paragraphs stand in brackets."""
        return _REPORT.search(self._prose) is not None

    def _is_bounded(self, content: str) -> bool:
        """Whether it is an interval or a class of characters beside others that are so for sure."""
        if ("," in content or ";" in content) and _BOUNDS.match(content):
            return self._has_half_open
        return len(content) == len("0-9") and _RANGED.match(content) is not None and self._has_classes

    @made_once
    def _has_half_open(self) -> bool:
        """Whether any interval is half open, so that pairs in brackets are closed ones."""
        return _HALF_OPEN.search(self._prose) is not None

    @made_once
    def _has_classes(self) -> bool:
        """Whether any brackets are surely a class of characters."""
        return _CLASS.search(self._prose) is not None

    @made_once
    def _indexed(self) -> bool:
        """Whether any brackets are surely an index."""
        return _INDEXED.search(self._prose) is not None


def _has_operand(line: str) -> bool:
    """Whether an operator with its first operand stands at the end of `line`, which goes on with the brackets."""
    bare = line.rstrip()
    sign = bare[-1:]
    if sign not in _OPERATORS or not sign:
        return sign in _ALWAYS
    left = bare.rstrip(_OPERATORS)
    left = left[:-1] if sign == ">" and left.endswith("-") else left
    operator = bare[len(left) :]
    opened = bare.rfind("<") if operator == ">" else -1
    if opened >= 0 and (_TAG.match(bare, opened) or _GENERIC.match(bare, opened)):
        return _TAG.match(bare, opened) is None
    if operator == "//":
        return left[-1:] in ("", " ", "\t") and not _is_address(bare)
    if not left.strip():
        return sign == "=" or operator == ">>>"
    if "=" not in operator and not operator.startswith("\\\\"):
        if left[-1].isspace() != (len(bare) < len(line)) or operator == "++":
            return False
        last = left.rstrip()[-1]
        if not last.isalnum() and last not in _OPERANDS:
            return False
    return not (sign == "*" and _emphasised(bare)) and not _is_address(bare)


def _emphasised(bare: str) -> bool:
    """Whether the asterisks or underlines at the end close what others before them opened."""
    inside = bare.rstrip(bare[-1])
    last = inside.rfind(bare[-1])
    return last >= 0 and last + 1 < len(inside) and _opens(inside, last)


def _opens(line: str, place: int) -> bool:
    """Whether the mark of emphasis at `place`, the last of its run, opens: nothing, or no word, before it."""
    outside = line[: place + 1].rstrip(line[place])
    return not outside[-1:].isalnum() and not line[place + 1 : place + 2].isspace()


def _closes_emphasis(line: str, following: str) -> bool:
    """Whether asterisks right behind the brackets close what one before them opened."""
    if following[0] != "*":
        return False
    behind = following.lstrip("*")
    if behind[:1].isalnum() or behind[:1] in ("[", "("):
        return False
    last = line.rfind("*")
    return following.startswith("**") or (last >= 0 and _opens(line, last))


def _is_address(bare: str) -> bool:
    """Whether the last word is an address on the web."""
    words = bare.rsplit(None, 1)
    word = words[-1] if words else ""
    return "://" in word or "www." in word or _DOMAIN.match(word) is not None


def _is_data(before: str, content: str, passages: Passages) -> bool:
    """Whether a list of numbers after `before` is data."""
    before = before.rstrip()[-_BEFORE:]
    if _DATA.search(before) or _TECHNICAL.search(before):
        return True
    return _GENERAL.search(before) is not None and not _only_ranks(content, passages)


def _alone(prose: str, match: re.Match[str], passages: Passages) -> bool:
    """Whether a list of numbers has a line to itself, unless it ends the answer, below a whole sentence."""
    start, end = match.span()
    first, last = prose.rfind("\n", 0, start) + 1, prose.find("\n", end)
    line = prose[first:start] + (prose[end:last] if last >= 0 else prose[end:])
    if line.strip() or not first or not all(part.strip().isdigit() for part in match[2].split(",")):
        return False
    closes = last < 0 or not prose[last:].strip()
    above = prose[max(0, first - _BEFORE) : first].rstrip()
    return not (closes and above[-1:] in _SENTENCE_ENDS and _only_ranks(match[2], passages))


def _only_ranks(content: str, passages: Passages) -> bool:
    """Whether each member of a list was retrieved."""
    return all(
        passages.by_id(part) or ((ranks := ordinals(part)) and all(map(passages.by_rank, ranks)))
        for part in parts(content, passages)[0]
    )
