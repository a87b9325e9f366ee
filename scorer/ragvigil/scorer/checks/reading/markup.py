"""Markup: which characters of a text are code, and the same text without some of its characters."""

from __future__ import annotations

import re
from collections.abc import Iterable

Span = tuple[int, int]

_FENCE = re.compile(r"^[ \t]{0,8}(```|~~~)[^\n]*$", re.MULTILINE)
_MATHS = re.compile(
    r"\$\$[^$]{1,2000}\$\$|\$(?![\s\d])[^$\n]{1,200}(?<!\s)\$(?!\d)|\\\[[^\n]{1,500}?\\\]|\\\([^\n]{1,500}?\\\)"
)
_INLINE = re.compile(r"(?<!`)(`{1,3})(?!`)[^`\n]{1,400}\1(?!`)")

_INLINE_TAGS = "a|abbr|b|cite|code|del|em|ins|i|mark|q|small|span|strong|sub|sup|s|td|th|u|wbr"
_BLOCK_TAGS = "blockquote|br|dd|div|dl|dt|h[1-6]|hr|li|ol|pre|p|section|table|tbody|thead|tr|ul"
_TAG = re.compile(
    rf"<(?P<end>/?)(?:(?P<inline>{_INLINE_TAGS})|(?P<block>{_BLOCK_TAGS}))(?=[\s/>])[^<>]{{0,300}}>",
    re.IGNORECASE,
)


def fenced(text: str) -> list[Span]:
    """Fenced code blocks with their fences; an unclosed one reaches to the end.

    >>> fenced("a\\n```py\\nx[1]\\n```\\nb")
    [(2, 16)]
    """
    spans: list[Span] = []
    if not (("`" in text and "```" in text) or ("~" in text and "~~~" in text)):
        return spans
    opened: re.Match[str] | None = None
    for fence in _FENCE.finditer(text):
        if opened is None:
            opened = fence
        elif fence[1] == opened[1]:
            spans.append((opened.start(), fence.end()))
            opened = None
    if opened is not None:
        spans.append((opened.start(), len(text)))
    return spans


def plain_lines(text: str) -> str:
    """`text` with every line ended by one character, as each pattern here expects; every offset as it was.

    >>> plain_lines("Sources:\\r\\n- doc-1\\rEnd")
    'Sources: \\n- doc-1\\nEnd'
    """
    return text.replace("\r\n", " \n").replace("\r", "\n") if "\r" in text else text


def inline_code(text: str) -> list[Span]:
    """Code spans inside a line.

    >>> inline_code("call `rows[0]` now")
    [(5, 14)]
    """
    return [match.span() for match in _INLINE.finditer(text)] if "`" in text else []


def maths(text: str) -> list[Span]:
    """Formulas between dollars or in LaTeX brackets; amounts of money are none.

    >>> maths("$x[1]$ costs $5 or $6")
    [(0, 6)]
    """
    if "$" not in text and ("\\" not in text or ("\\[" not in text and "\\(" not in text)):
        return []
    return [match.span() for match in _MATHS.finditer(text)]


def untagged(text: str) -> str:
    """`text` with its HTML tags as white space, every offset as it was; where a tag breaks the line, so does that.

    >>> untagged("<p>It is <b>old</b>.</p><ul><li>One</li></ul>").split("\\n")
    ['', '', ' It is    old    .', '', '  ', '', '  ', '-  One', '', '   ', '', '   ']
    >>> untagged("List<INT> and `<p>`, 3 <b")
    'List<INT> and `<p>`, 3 <b'
    """
    if "<" not in text or not _TAG.search(text):
        return text
    parts: list[str] = []
    position = 0
    for tag in _TAG.finditer(blank(text, inline_code(text))):
        parts += (text[position : tag.start()], _white(tag))
        position = tag.end()
    return "".join((*parts, text[position:]))


def _white(tag: re.Match[str]) -> str:
    """As many characters as the tag has."""
    block, length = (tag["block"] or "").lower(), len(tag[0])
    if block == "li" and not tag["end"]:
        return "\n- ".ljust(length)
    if not block:
        return " " * length
    return ("\n" if block == "br" else "\n\n").ljust(length)


def blank(text: str, spans: Iterable[Span]) -> str:
    """`text` with `spans` replaced by spaces, so that every other offset stays.

    >>> blank("one [1] two", [(4, 7)])
    'one     two'
    """
    ordered = sorted(spans)
    if not ordered:
        return text
    parts: list[str] = []
    position = 0
    for start, end in ordered:
        start = max(start, position)
        if end <= start:
            continue
        parts += (text[position:start], " " * (end - start))
        position = end
    return "".join((*parts, text[position:]))
