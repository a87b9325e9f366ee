"""Quotations: spans of an answer in quotation marks that claim to be somebody's words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ragvigil.scorer.checks.reading.markup import Span
from ragvigil.scorer.checks.reading.words import UNSPACED

_BREAK = r"\n(?![ \t]*(?:\n|[-*+•>#|]|\d{1,3}[.)]))"
"""A line break inside a paragraph."""
_INSIDE_WORD = r"(?<=\w)['\u2019](?=\w)"


def _pair(opening: str, closing: str, marks: str, *, inner: str = "") -> str:
    """A pattern whose one group holds what stands between two marks, up to 600 characters."""
    other = f"|{inner}" if inner else ""
    return rf"{opening}((?:[^{marks}\n]|{_BREAK}{other}){{0,600}}){closing}"


_QUOTED = re.compile(
    "|".join(
        (
            _pair(r"(?<![A-Za-z0-9])\"(?=\S)", r"(?<=\S)\"(?![A-Za-z0-9])", '"'),
            _pair("\u201c", "\u201d", "\u201c\u201d"),
            _pair("\u201e", '[\u201c\u201d"]', '\u201e\u201c\u201d"'),
            _pair(r"(?:(?<=[\s(:])|\A)\u201d(?=\S)", r"(?<=\S)\u201d", "\u201c\u201d"),
            _pair("«", "»", "«»"),
            _pair(r"(?:(?<=[\s(:])|\A)»(?=\S)", r"(?<=\S)«", "«»"),
            _pair("\u2039", "\u203a", "\u2039\u203a"),
            _pair(r"(?:(?<=[\s(:])|\A)\u203a(?=\S)", r"(?<=\S)\u2039", "\u2039\u203a"),
            _pair("[\u2018\u201b](?=\\S)", r"(?<=\S)\u2019(?!\w)", "\u2018\u2019", inner=_INSIDE_WORD),
            _pair("\u201a(?=\\S)", r"(?<=\S)[\u2018\u2019](?!\w)", "\u201a\u2018\u2019", inner=_INSIDE_WORD),
            _pair(
                r"(?<![\w'])'(?!\d0s\b|(?:tis|twas|til|cause|em|n)\b|[\s'])",
                r"(?<=[^\s'])'(?!\w|(?<=s')\s[a-z])",
                "'",
                inner=_INSIDE_WORD,
            ),
            _pair("「", "」", "「」"),
            _pair("『", "』", "『』"),
        )
    )
)
_MARKS = re.compile("[\"'\u201a-\u201e\u2018-\u201d\u2039\u203a«»「『]")
_BLOCK = re.compile(r"(?:^[ ]{0,3}>[^\n]{0,600}(?:\n|\Z)){1,20}", re.MULTILINE)
_QUOTING = re.compile(r"^[ ]{0,3}>[ \t>]{0,6}", re.MULTILINE)
_CALLOUT = re.compile(
    r"[\W_]*(?:note|tip|warning|important|caution|info|hint|example|nota|hinweis|remarque)\b", re.IGNORECASE
)
_SOURCE = re.compile(r"^[ ]{0,3}>?[ \t]{0,4}(?:—|\u2013|--)[^\n]{1,200}\n?\Z", re.MULTILINE)
_INTRODUCED = (":", "\uff1a")
_ELLIPSIS = re.compile(r"\s*(?:\[\s?(?:\.\.\.|…)\s?\]|\(\s?(?:\.\.\.|…)\s?\)|\.\.\.|…)\s*")
_CHANGED = re.compile(r"\[([^\[\]\n]{0,60})\]")
_NO_WORD = re.compile(r"[^\w%€$£.,:/-]+|(?<![.,:/-])[.,:/-]++(?=\s|\Z)|(?<=\s)[.,:/-]+")
_UNSPACED = re.compile(f"[{UNSPACED}\uac00-\ud7af]")
_ABOVE = 8
FEWEST_WORDS = 4
_FEWEST_SPACED = 12
_FEWEST_CHARACTERS = 8
_FEWEST_IN_PIECE = 2


def quotations(prose: str) -> list[Span]:
    """What stands between quotation marks and is long enough to be a quotation, not a title or a term; block quotes.

    A block quote is one where the line above ends with a colon, or its last line names a source after a dash.

    >>> text = 'It says "the shop opens at nine" on the "door":\\n> Closed on all public holidays.'
    >>> [text[start:end] for start, end in quotations(text)]
    ['the shop opens at nine', 'Closed on all public holidays.']
    """
    found: list[Span] = []
    if '"' in prose or "'" in prose or (not prose.isascii() and _MARKS.search(prose)):
        spans = (match.span(match.lastindex or 0) for match in _QUOTED.finditer(prose))
        found += [(start, end) for start, end in spans if _is_long(prose[start:end])]
    return found + [span for span in _blocks(prose) if not any(_meet(span, one) for one in found)]


def _is_long(content: str) -> bool:
    """Whether it has the words of a quotation, or its characters in scripts without spaces."""
    if len(content.split()) >= FEWEST_WORDS:
        return len(content) >= _FEWEST_SPACED
    return not content.isascii() and " " not in content and len(content) >= _FEWEST_CHARACTERS


def _blocks(prose: str) -> Iterator[Span]:
    """Block quotes that are said to be somebody's words, without a last line that says whose."""
    if ">" not in prose:
        return
    for block in _BLOCK.finditer(prose):
        start, end = _after_mark(prose, block.start()), block.end()
        source = _SOURCE.search(prose, start, end)
        introduced = prose[max(0, block.start() - _ABOVE) : block.start()].rstrip().endswith(_INTRODUCED)
        if (source is None and not introduced) or _CALLOUT.match(prose, start):
            continue
        end = start + len(prose[start : source.start() if source else end].rstrip(" \t\n>"))
        if _is_long(prose[start:end]):
            yield start, end


def _after_mark(prose: str, place: int) -> int:
    mark = _QUOTING.match(prose, place)
    return mark.end() if mark else place


def _meet(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def plain(text: str) -> str:
    """`text` for comparison: case, white space and punctuation set aside.

    >>> plain("The shop “opens”  at 9:30, daily.")
    'the shop opens at 9:30 daily'
    """
    return " ".join(_NO_WORD.sub(" ", text.casefold()).split())


def pieces(quotation: str) -> list[str]:
    """The stretches of a quotation that must stand in its source: ellipses and ``[changed]`` words cut it.

    A space at either end says that a word must begin or end there; none does beside a bracket within a word, nor in
    scripts without spaces.

    >>> pieces("It opens at nine … on all [week]days except Monday")
    [' it opens at nine ', ' on all ', 'days except monday ']
    """
    found: list[str] = []
    for part in _ELLIPSIS.split(quotation):
        cut = _CHANGED.split(part)[::2]
        for place, one in enumerate(cut):
            told = plain(one)
            if len(told.split()) >= _FEWEST_IN_PIECE or len(told) >= _FEWEST_CHARACTERS:
                free = _UNSPACED.search(told) is not None
                left = "" if free or (place and one[:1].isalnum()) else " "
                right = "" if free or (place < len(cut) - 1 and one[-1:].isalnum()) else " "
                found.append(f"{left}{told}{right}")
    return found


def stands(parts: Sequence[str], text: str) -> bool:
    """Whether the pieces of a quotation stand in order in `text`, which `plain` has made.

    >>> stands(pieces("read is baked daily"), plain("Bread is baked daily.")), stands([" is baked "], "bread is baked")
    (False, True)
    """
    text, position = f" {text} ", 0
    for part in parts:
        place = text.find(part, position)
        if place < 0:
            return False
        position = place + len(part) - part.endswith(" ")
    return True
