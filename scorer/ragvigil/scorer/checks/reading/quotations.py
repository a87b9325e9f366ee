"""Quotations: spans of an answer in quotation marks that claim to be somebody's words."""

from __future__ import annotations

import re

from ragvigil.scorer.checks.reading.markup import Span

_QUOTED = re.compile(
    r"\"([^\"\n]{12,600})\"|\u201c([^\u201c\u201d\n]{12,600})\u201d|\u201e([^\u201e\u201c\u201d\n]{12,600})[\u201c\u201d]"
    r"|«([^«»\n]{12,600})»|「([^「」\n]{8,600})」|『([^『』\n]{8,600})』"
)
_OPENING = '"\u201c\u201e«「『'
_ELLIPSIS = re.compile(r"\s*(?:\[\s?(?:\.\.\.|…)\s?\]|\(\s?(?:\.\.\.|…)\s?\)|\.\.\.|…)\s*")
_CHANGED = re.compile(r"\[([^\[\]\n]{0,60})\]")
_NO_WORD = re.compile(r"[^\w%€$£.,:/-]+|[.,:/-]+(?=\s|\Z)|(?<=\s)[.,:/-]+")
FEWEST_WORDS = 4
_FEWEST_CHARACTERS = 8
_FEWEST_IN_PIECE = 2


def quotations(prose: str) -> list[Span]:
    """What stands between quotation marks and is long enough to be a quotation, not a title or a term.

    >>> text = 'It says "the shop opens at nine" on the "door".'
    >>> [text[start:end] for start, end in quotations(text)]
    ['the shop opens at nine']
    """
    if not any(mark in prose for mark in (_OPENING[:1] if prose.isascii() else _OPENING)):
        return []
    found: list[Span] = []
    for match in _QUOTED.finditer(prose):
        content = match[match.lastindex or 0]
        spaced = len(content.split()) >= FEWEST_WORDS
        if spaced or (not content.isascii() and " " not in content and len(content) >= _FEWEST_CHARACTERS):
            found.append(match.span(match.lastindex or 0))
    return found


def plain(text: str) -> str:
    """`text` for comparison: case, white space and punctuation set aside.

    >>> plain("The shop “opens”  at 9:30, daily.")
    'the shop opens at 9:30 daily'
    """
    return " ".join(_NO_WORD.sub(" ", text.casefold()).split())


def pieces(quotation: str) -> list[str]:
    """The stretches of a quotation that must stand in its source: ellipses and ``[changed]`` words cut it.

    >>> pieces("It opens at nine … on all [week]days except Monday")
    ['it opens at nine', 'on all', 'days except monday']
    """
    cut = [plain(one) for part in _ELLIPSIS.split(quotation) for one in _CHANGED.split(part)[::2]]
    return [one for one in cut if len(one.split()) >= _FEWEST_IN_PIECE or len(one) >= _FEWEST_CHARACTERS]
