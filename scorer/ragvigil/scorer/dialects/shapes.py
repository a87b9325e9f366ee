"""Passages within a frame of a prompt: lists, parts with rules between them, blocks that begin alike."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from ragvigil.scorer.dialects.documents import passages_of
from ragvigil.scorer.dialects.labels import COLON, HEAD
from ragvigil.scorer.trace import Document

_LISTED = re.compile(
    r"\n[ \t]*(?P<open>[(\uff08]?)(?P<number>\d{1,3})(?P<close>[.)](?=[ \t])|[\uff09\u3001\uff0e])[ \t]*(?=\S)"
)
_ENCLOSED = frozenset((".", ")", "()", "\u3001", "\uff0e", "\uff09", "\uff08\uff09"))
"""What may stand around the number of an item; the last four are Chinese and Japanese."""
_RULE = re.compile(r"\n[ \t]*(?P<rule>-{3,}|={3,}|\*{3,}|_{3,}|#{3,})[ \t]*(?=\n|\Z)")
_BLANK = re.compile(r"\n[ \t]*\n")
_TITLE = re.compile(r"(?:\A|\n[ \t]*\n)[^\n]{0,60}[^\s.!?\u3002\uff01\uff1f\u0964]\n?\Z")
"""A line that may be a title, which Markdown underlines, and no end of a passage."""
_FIELD = re.compile(
    rf"\n{HEAD}(?P<name>source|url|title|file|id|content|text|quelle|fuente|fonte|bron|titel|titre|título|titolo"
    rf"|contenu|contenido|conteúdo|contenuto|inhalt|источник|来源|出典){COLON}[^\S\n]*",
    re.IGNORECASE,
)
_TEXTS = frozenset(("content", "text", "contenu", "contenido", "conteúdo", "contenuto", "inhalt"))
_NAMES = frozenset(("source", "id", "quelle", "fuente", "fonte", "bron", "источник", "来源", "出典"))
_TEMPLATE = re.compile(r"\s*(?:<[^<>\n]*>|\[[^\]\n]*\]|\{[^}\n]*\}|\.{3}|\u2026)?\s*")
"""What stands for a passage where a prompt shows the form of an answer."""


def split_frame(inside: str, *, closed: bool = True) -> list[Document]:
    """The passages of a context; [] where they cannot be told apart.

    Unless a tag closes it, what follows a blank line in the last of passages of one paragraph is an instruction.

    >>> [each.text for each in split_frame("(1) Snow.\\n(2) Coal.")]
    ['Snow.', 'Coal.']
    >>> [each.text for each in split_frame("Snow is white.\\n---\\nCoal is black.")]
    ['Snow is white.', 'Coal is black.']
    >>> [(each.id, each.text) for each in split_frame("Source: a.txt\\nSnow.\\n\\nSource: b.txt\\nCoal.")]
    [('a.txt', 'Snow.'), ('b.txt', 'Coal.')]
    >>> split_frame("Snow is white.\\n\\nCoal is black.")
    []
    """
    if written := passages_of(inside.strip()):
        return [*written]
    text = f"\n{inside}"
    found = _listed(text) or _ruled(text) or _blocks(text)
    if closed or not found or any(_BLANK.search(each.text or "") for each in found[:-1]):
        return found
    return [*found[:-1], replace(found[-1], text=_BLANK.split(found[-1].text or "", maxsplit=1)[0])]


def in_turn(numbers: Sequence[int], first: Sequence[int] = (1,)) -> bool:
    """Whether the numbers count up from one of `first` without a gap.

    >>> in_turn([1, 2, 3]), in_turn([1, 3]), in_turn([0, 1], (0, 1)), in_turn([])
    (True, False, True, False)
    """
    return numbers[:1] in [[number] for number in first] and [*numbers] == [
        *range(numbers[0], numbers[0] + len(numbers))
    ]


def is_template(texts: Sequence[str]) -> bool:
    """Whether one of these is empty or shows the form of something, and is no passage.

    >>> is_template(["<name of the source>"]), is_template(["..."]), is_template(["Snow."])
    (True, True, False)
    """
    return any(_TEMPLATE.fullmatch(text) for text in texts)


def _listed(inside: str) -> list[Document]:
    """A list that begins where the context does, numbered alike and without a gap."""
    marks = [*_LISTED.finditer(inside)]
    alike = {mark["open"] + mark["close"] for mark in marks}
    if len(marks) < 2 or len(alike) > 1 or not alike <= _ENCLOSED or inside[: marks[0].start()].strip():
        return []
    if not in_turn([int(mark["number"]) for mark in marks]):
        return []
    edges = [*(mark.start() for mark in marks[1:]), len(inside)]
    return [
        Document(None, inside[mark.end() : edge].strip()) for mark, edge in zip(marks, edges, strict=True)
    ]


def _ruled(inside: str) -> list[Document]:
    """Parts with the same rule between them; a rule before the first or after the last belongs to the frame."""
    rules = [*_RULE.finditer(inside)]
    if not rules or len({rule["rule"] for rule in rules}) > 1:
        return []
    edges = [0, *(edge for rule in rules for edge in rule.span()), len(inside)]
    texts = [inside[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True)]
    if any(_TITLE.search(text.lstrip()) for text in texts[:-1]):
        return []
    if len(rules) == 2 and not texts[0].strip():
        return []  # a fence around all of it
    last = len(texts) - 1
    texts = [text.strip() for place, text in enumerate(texts) if text.strip() or 0 < place < last]
    return [Document(None, text) for text in texts] if len(texts) > 1 else []


def _blocks(inside: str) -> list[Document]:
    """Blocks that begin with the same field, the first where the context begins; their names where all differ."""
    fields = [*_FIELD.finditer(inside)]
    starts = [field.start() for field in fields if field["name"].lower() == fields[0]["name"].lower()]
    if len(starts) < 2 or inside[: starts[0]].strip():
        return []
    blocks = [inside[start:end] for start, end in zip(starts, [*starts[1:], len(inside)], strict=True)]
    named = [_block(block.strip()) for block in blocks]
    distinct = len({name for name, _ in named}) == len(named)
    return [Document(name if distinct else None, text) for name, text in named]


def _block(block: str) -> tuple[str | None, str]:
    """What names a block, on its first or last line, and its text without that."""
    lines, name = block.split("\n"), None
    for place in (0, -1):
        field = _FIELD.match(f"\n{lines[place]}")
        if field and field["name"].lower() in _NAMES and len(lines) > 1:
            name = lines.pop(place)[field.end() - 1 :].strip() or None
            break
    text = "\n".join(lines).strip()
    field = _FIELD.match(f"\n{text}")
    return name, text[field.end() - 1 :].strip() if field and field["name"].lower() in _TEXTS else text
