"""Passages within a frame of a prompt: lists, parts with rules between them, blocks that begin alike."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import replace

from ragvigil.scorer.dialects.fields import blocks, few, lone_name, named, texts_behind, without_fields
from ragvigil.scorer.dialects.orders import is_nothing, is_order, only_orders
from ragvigil.scorer.dialects.values import structure_of
from ragvigil.scorer.dialects.written import written_in
from ragvigil.scorer.trace import Document

_LISTED = re.compile(
    r"\n[ \t]*(?P<open>[(\uff08]?)(?P<number>\d{1,3})(?P<close>[.)](?=[ \t])|[\uff09\u3001\uff0e])[ \t]*(?=\S)"
)
_ENCLOSED = frozenset((".", ")", "()", "\u3001", "\uff0e", "\uff09", "\uff08\uff09"))
"""What may stand around the number of an item; the last four are Chinese and Japanese."""
_BULLETS = r"[-*+\u2013](?=[ \t])|[\u2022\u00b7\u2023\u25aa\u25cf\u25a0\u25c6\u30fb\uff65]"
_BULLET = re.compile(rf"\n(?P<lead>[ \t]*)(?P<mark>{_BULLETS})[ \t\u3000]*(?=\S)")
_INDENTED = re.compile(r"\n[ \t]")
RULE = re.compile(r"\n[ \t]*(?P<rule>-{3,}|={3,}|\*{3,}|_{3,}|#{3,}|~{3,})[ \t]*(?=\n|\Z)")
"""A line that parts what is above it from what is below."""
_BLANK = re.compile(r"\n[ \t]*\n")
_ENDS = (
    *(".", "!", "?", "\u2026", "\u3002", "\uff01", "\uff1f"),
    *("\u0964", "\u061f", "\u1362", "\u104b", "\u17d4"),
)
_CLOSING = "\"'\u00bb\u201d\u2019)]\u300d"
"""What ends a sentence, and what may stand behind that."""
_SHORTEST = 10
"""Bytes of a sentence that tells something."""
_TITLE = re.compile(r"(?:\A|\n[ \t]*\n)[^\n]{0,60}[^\s.!?\u3002\uff01\uff1f\u0964]\n?\Z")
"""A line that may be a title, which Markdown underlines, and no end of a passage."""
_TEMPLATE = re.compile(r"\s*(?:<[^<>\n]*>|\[[^\]\n]*\]|\{[^}\n\"]*\})\s*")
"""What stands for a passage where a prompt shows the form of an answer."""
_LEFT_OUT = re.compile(r"\s*(?:\.{3}|\u2026)?\s*")


def split_frame(inside: str, *, closed: bool = True, sure: bool = True) -> list[Document]:
    """The passages of a context; [] where they cannot be told apart.

    Unless a tag closes it, what follows a blank line in the last of passages of one paragraph has to be an instruction.
    Unless it is `sure` that this is a context, only data, names and fields say that it holds passages.

    >>> [each.text for each in split_frame("(1) Snow.\\n(2) Coal.")]
    ['Snow.', 'Coal.']
    >>> [each.text for each in split_frame("- Snow.\\n- Coal.")]
    ['Snow.', 'Coal.']
    >>> [each.text for each in split_frame("Snow is white.\\n---\\nCoal is black.")]
    ['Snow is white.', 'Coal is black.']
    >>> [(each.id, each.text) for each in split_frame("Source: a.txt\\nSnow.\\n\\nSource: b.txt\\nCoal.")]
    [('a.txt', 'Snow.'), ('b.txt', 'Coal.')]
    >>> split_frame("Snow is white.\\n\\nCoal is black."), split_frame("- Snow.\\n- Coal.", sure=False)
    ([], [])
    """
    if written := written_in(inside):
        return [*written]
    text = f"\n{inside}"
    found = named(text) or blocks(text) or _lone_named(text)
    if not found and sure:
        found = _listed(text) or _bulleted(text, closed=closed) or _indented(text) or _ruled(text)
        found = without_fields([each.text or "" for each in found])
    if closed or not found or any(_BLANK.search(each.text or "") for each in found[:-1]):
        return found
    text, *behind = _BLANK.split(found[-1].text or "", maxsplit=1)
    return [*found[:-1], replace(found[-1], text=text)] if only_orders("".join(behind)) else []


def _lone_named(text: str) -> list[Document]:
    """The one passage behind a name of its own, where that is a file's or it begins with a sentence; else []."""
    found = lone_name(text)
    if found is None or found.text is None:
        return []
    told = "." in (found.id or "") or is_sentence(_BLANK.split(found.text, maxsplit=1)[0])
    return [found] if told else []


def lone_line(inside: str, *, closed: bool = True) -> list[Document]:
    """The one passage of a context of one line, a sentence in which nothing could part two; [] of any other.

    Unless a tag closes it, instructions may follow.

    >>> [each.text for each in lone_line("Snow is white.\\n\\nBe brief.", closed=False)]
    ['Snow is white.']
    >>> lone_line("Snow is white.\\nCoal is black."), lone_line("1. Snow is white."), lone_line("None were found.")
    ([], [], [])
    """
    text, *behind = _BLANK.split(inside.strip(), maxsplit=1)
    if behind and (closed or not only_orders(behind[0])):
        return []
    text = without_bullet(text)
    if _LISTED.match(f"\n{text}") or "\n" in text.strip() or not is_sentence(text):
        return []
    return [] if is_order(text) or is_nothing(text) else [Document(None, text.strip())]


def without_bullet(text: str) -> str:
    """A list's only item without the bullet before it; any other text unchanged.

    >>> without_bullet("- Snow is white."), without_bullet("- Snow.\\n- Coal."), without_bullet("Snow - white.")
    ('Snow is white.', '- Snow.\\n- Coal.', 'Snow - white.')
    """
    bullets = [*itertools.islice(_BULLET.finditer(f"\n{text}"), 2)]
    return text[bullets[0].end() - 1 :] if len(bullets) == 1 and not bullets[0].start() else text


def is_sentence(text: str) -> bool:
    """Whether a text ends as a sentence does, and is long enough to tell something.

    >>> is_sentence("It snows today."), is_sentence("Plan: pro"), is_sentence("Snow.")
    (True, False, False)
    """
    return text.rstrip().rstrip(_CLOSING).endswith(_ENDS) and len(text.encode()) >= _SHORTEST


def tells(inside: str) -> bool:
    """Whether the lines of a text are sentences, and none of them an order.

    >>> tells("Snow is white.\\nCoal is black."), tells("Snow is white.\\nBe brief."), tells("Plan: pro")
    (True, False, False)
    """
    lines = [line for line in inside.split("\n") if line.strip()]
    return bool(lines) and all(is_sentence(line) and not is_order(line) for line in lines)


def as_many(inside: str, count: int) -> list[str]:
    """The paragraphs of a context, or its lines, where they are as many as passages are known to be in it; else [].

    >>> as_many("Snow.\\n\\nCoal.", 2), as_many("Snow.\\nCoal.", 2), as_many("Snow.\\n\\nIt falls.\\n\\nCoal.", 2)
    (['Snow.', 'Coal.'], ['Snow.', 'Coal.'], [])
    """
    parts = [part.strip() for part in _BLANK.split(inside) if part.strip()]
    if len(parts) == 1:
        parts = [line.strip() for line in inside.split("\n") if line.strip()]
    return parts if len(parts) == count else []


def in_turn(numbers: Sequence[int], first: Sequence[int] = (1,)) -> bool:
    """Whether the numbers count up from one of `first` without a gap.

    >>> in_turn([1, 2, 3]), in_turn([1, 3]), in_turn([0, 1], (0, 1)), in_turn([])
    (True, False, True, False)
    """
    return numbers[:1] in [[number] for number in first] and [*numbers] == [
        *range(numbers[0], numbers[0] + len(numbers))
    ]


def is_template(texts: Sequence[str]) -> bool:
    """Whether one of these is left out, or all show the form of something: then they are no passages.

    Redaction leaves such forms, too, but hardly in every passage; a list in JSON is none.

    >>> is_template(["<name of the source>"]), is_template(["Snow.", "..."])
    (True, True)
    >>> is_template(["Snow."]), is_template(["<PERSON>", "Snow."]), is_template(["[1, 2]"])
    (False, False, False)
    """
    if any(_LEFT_OUT.fullmatch(text) for text in texts):
        return True
    return all(_TEMPLATE.fullmatch(text) and not structure_of(text) for text in texts)


def _listed(inside: str) -> list[Document]:
    """A list that begins where the context does, numbered alike and without a gap."""
    marks = few(_LISTED, inside)
    alike = {mark["open"] + mark["close"] for mark in marks}
    if len(marks) < 2 or len(alike) > 1 or not alike <= _ENCLOSED or inside[: marks[0].start()].strip():
        return []
    if not in_turn([int(mark["number"]) for mark in marks]):
        return []
    return [Document(None, text) for text in texts_behind(marks, inside)]


def _bulleted(inside: str, *, closed: bool) -> list[Document]:
    """A list whose items have the same bullet: nothing is before it, and no paragraph of it begins without one."""
    marks = few(_BULLET, inside)
    if not marks or inside[: marks[0].start()].strip():
        return []
    marks = [mark for mark in marks if mark.groups() == marks[0].groups()]
    end = len(inside.rstrip()) if closed else marks[-1].start()
    begins = {mark.start("lead") for mark in marks}
    paragraphs = [blank.end() for blank in _BLANK.finditer(inside, marks[0].end(), end)]
    deeper = (f"{marks[0]['lead']} ", f"{marks[0]['lead']}\t")
    if len(marks) < 2 or any(
        place not in begins and not inside.startswith(deeper, place) for place in paragraphs
    ):
        return []
    return [Document(None, text) for text in texts_behind(marks, inside)]


def _indented(inside: str) -> list[Document]:
    """Paragraphs that are all indented alike: so a template's loop writes passages of one paragraph each."""
    paragraphs = [part.strip("\n") for part in _BLANK.split(inside) if part.strip()]
    leads = {part[: len(part) - len(part.lstrip(" \t"))] for part in paragraphs}
    if len(paragraphs) < 2 or len(leads) > 1 or len(next(iter(leads))) < 2:
        return []
    if any(_INDENTED.search(part) for part in paragraphs):
        return []
    return [Document(None, part.strip()) for part in paragraphs]


def _ruled(inside: str) -> list[Document]:
    """Parts with the same rule between them; a rule before the first or after the last belongs to the frame."""
    rules = few(RULE, inside)
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
