"""Where in a prompt its context stands, and the passages in it, in the shapes that frameworks and people write.

A shape is taken where it is unmistakable: tags that open and close around each passage; "Document 1:" and its kin,
and [1], [2], numbered without a gap; and within a frame what `shapes` knows. A frame is a pair of tags that says
context, or runs from a line that says so to the label of the question. Any other context is found and left whole: how
many passages it holds would be a guess.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from typing import NamedTuple

from ragvigil.scorer.dialects.labels import ANSWERED, ASKED, COLON, CONTEXT, HEAD, PASSAGE
from ragvigil.scorer.dialects.shapes import in_turn, is_template, split_frame
from ragvigil.scorer.trace import Document

_ITEM = "document|doc|passage|source|chunk|excerpt|snippet|article|search_result|context|result|item"
_GENERIC = frozenset(("result", "item", "article", "source"))
"""Names that any XML may have."""
_WRAPPER = "[a-z_]*(?:contexts?|documents|docs|sources|passages|chunks|excerpts|snippets|results|knowledge(?:_base)?)"
_ATTRIBUTES = r"""\s(?>[^<>"']+|"[^"<\n]*"|'[^'<\n]*')*"""
_TAG = re.compile(
    rf"<(?P<opened>{_ITEM})(?P<attributes>{_ATTRIBUTES})?>|</(?P<closed>{_ITEM})>", re.IGNORECASE
)
_OPENED = re.compile(rf"<(?P<tag>{_WRAPPER})>\s*\Z", re.IGNORECASE)
_CLOSING = re.compile(rf"\s*</(?:{_WRAPPER})>", re.IGNORECASE)
_FRAME = re.compile(rf"\n[ \t]*<(?P<tag>{_WRAPPER})>", re.IGNORECASE)
_ID = re.compile(
    r"""\b(?:id|doc_id|document_id|chunk_id)\s*=\s*(?P<quote>["'])(?P<id>[^"']{1,200})(?P=quote)""",
    re.IGNORECASE,
)
_CONTENT = re.compile(r"<(?P<tag>document_content|page_content|contents?|text)>", re.IGNORECASE)
_LABELLED = re.compile(
    rf"\n{HEAD}[\[\u3010(]?(?P<label>{PASSAGE})[-_ \t\u00a0]*(?:no\.?|n[°º]|#)?[ \t]*[\[(]?(?P<number>\d{{1,3}})"
    rf"[\])\u3011]?(?:{COLON}|[ \t]+[-\u2013\u2014][ \t]|(?=[ \t]*\([^()\n]{{1,200}}\))|[*_]*[ \t]*(?=\n|\Z))",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"\n[ \t]*[\[\u3010\uff3b](?P<number>\d{1,3})[\]\u3011\uff3d][ \t:\uff1a]*(?=\S)")
_LINE = re.compile(r"\n(?P<label>[^\n:\uff1a]{1,80})(?:[:\uff1a][*_]*|(?=\n|\Z))")
_BELOW = re.compile(r"(?:context|documents?|sources|passages|information)\b.{0,40}\bbelow\W*\Z")
_SAYS = tuple(CONTEXT.split("|"))
_ASKS = re.compile(
    rf"\n{HEAD}(?:user )?(?:{ASKED})(?:{COLON}|[*_]*[ \t]*(?=\n|\Z))|\n[ \t]*<[a-z_]*(?:question|query)>",
    re.IGNORECASE,
)
_TELLS = re.compile(rf"\n{HEAD}(?:{ANSWERED})(?:{COLON}|[*_]*[ \t]*(?=\n|\Z))", re.IGNORECASE)
_END = re.compile(
    rf"\n(?:[ \t]*\n|(?=[ \t]*[-=]{{3,}}[ \t]*\n)|(?={HEAD}(?:user )?(?:{ASKED}|{ANSWERED})(?:{COLON}|[*_]*[ \t]*\n))"
    rf"|(?=[ \t]*</?(?:{_WRAPPER}|document|source|passage|[a-z_]*(?:question|query))>))",
    re.IGNORECASE,
)
"""Where the last of several passages ends: at a blank line, a rule, a label of what follows, or a tag."""
_INDENT = 40
_BLANK = re.compile(r"\n[ \t]*\n")


class Context(NamedTuple):
    """The context of a prompt."""

    documents: tuple[Document, ...]
    """Its passages; () where they cannot be told apart."""
    start: int
    """Where it begins in the prompt, with its frame."""
    end: int


class _Frame(NamedTuple):
    """A part of a prompt that is said to be the context: where it begins and ends, and where what is in it does."""

    start: int
    first: int
    last: int
    end: int


def context_in(prompt: str) -> Context | None:
    """The context of a prompt; None where nothing says that there is one.

    >>> [each.text for each in context_in("<doc id='a'>Snow.</doc>\\n<doc id='b'>Coal.</doc>\\nWhy?").documents]
    ['Snow.', 'Coal.']
    >>> [each.text for each in context_in("Dokument 1: Schnee.\\nDokument 2: Kohle.\\n\\nWarum?").documents]
    ['Schnee.', 'Kohle.']
    >>> [each.text for each in context_in("Context:\\n1. Snow.\\n2. Coal.\\n\\nQuestion: Why?").documents]
    ['Snow.', 'Coal.']
    >>> context_in("Context: Snow.\\nQuestion: Why?").documents, context_in("1. Be brief.\\n2. Cite.")
    ((), None)
    """
    text = (
        f"\n{prompt}"  # a pattern that begins with a line break is looked for ten times as fast as one with ^
    )
    found = _tagged(text) or _labelled(text) or _numbered(text) or _framed(text)
    return found and Context(found.documents, max(0, found.start - 1), found.end - 1)


def _tagged(prompt: str) -> Context | None:
    """Each passage between a tag and its end, nothing between them."""
    tags = [*_TAG.finditer(prompt)] if "</" in prompt and "<example" not in prompt else []
    begun = [tag for tag in tags if tag["opened"] and _begins_line(prompt, tag.start())]
    if begun and sum(tag["opened"].lower() == "context" for tag in begun) == 1:
        begun = [tag for tag in begun if tag["opened"].lower() != "context"]  # that is the frame of all
    if not begun:
        return None
    name = begun[0]["opened"].lower()
    own = [tag for tag in begun if tag["opened"].lower() == name]
    own += [tag for tag in tags if (tag["closed"] or "").lower() == name and tag.start() > own[0].start()]
    own.sort(key=lambda tag: tag.start())
    opened, closed = own[::2], own[1::2]
    if (
        len(opened) != len(closed)
        or not all(tag["opened"] for tag in opened)
        or any(tag["opened"] for tag in closed)
    ):
        return None
    start, end = opened[0].start(), closed[-1].end()
    bare = not opened[0]["attributes"] and not _OPENED.search(prompt, 0, start)
    between = [prompt[end.end() : start.start()] for end, start in zip(closed, opened[1:], strict=False)]
    if bare and (len(opened) == 1 or name in _GENERIC or prompt.count("```", 0, start) % 2):
        return None
    if any(gap.strip() for gap in between):
        return None
    documents = [
        Document(_attribute_id(one["attributes"]), _content(prompt[one.end() : other.start()]))
        for one, other in zip(opened, closed, strict=True)
    ]
    return _context(prompt, documents, start, end)


def _begins_line(prompt: str, place: int) -> bool:
    """Whether nothing but white space or another tag stands before."""
    return prompt[max(0, place - _INDENT) : place].rstrip(" \t")[-1:] in ("", "\n", ">")


def _attribute_id(attributes: str | None) -> str | None:
    found = _ID.search(attributes or "")
    return found["id"] if found else None


def _content(text: str) -> str:
    """A passage without what Anthropic's form puts around it."""
    found = _CONTENT.search(text)
    end = text.rfind(f"</{found['tag']}>") if found else -1
    return (text[found.end() : end] if found and found.end() <= end else text).strip()


def _labelled(prompt: str) -> Context | None:
    """One word for each passage, numbered from one or naught without a gap; a lone one only before a question."""
    marks = [*_LABELLED.finditer(prompt)]
    marks = _last_run(prompt, [mark for mark in marks if mark["label"].lower() == marks[0]["label"].lower()])
    if not marks or (len(marks) == 1 and _asked_at(prompt, marks[0].end()) is None):
        return None
    return _marked(prompt, marks, (0, 1))


def _numbered(prompt: str) -> Context | None:
    return _marked(prompt, _last_run(prompt, [*_NUMBERED.finditer(prompt)]), (1,))


def _last_run(prompt: str, marks: list[re.Match[str]]) -> list[re.Match[str]]:
    """The marks without those of an example that shows how to answer: it has a question or an answer of its own."""
    starts = [place for place, mark in enumerate(marks) if place and mark["number"] == marks[0]["number"]]
    for start in reversed(starts):
        end, edge = marks[start - 1].end(), marks[start].start()
        if _ASKS.search(prompt, end, edge) or _TELLS.search(prompt, end, edge):
            return marks[start:]
    return marks


def _marked(prompt: str, marks: Sequence[re.Match[str]], first: Sequence[int]) -> Context | None:
    """The passages behind marks that count from one of `first` on."""
    if not in_turn([int(mark["number"]) for mark in marks], first):
        return None
    texts = [prompt[mark.end() : other.start()].strip() for mark, other in itertools.pairwise(marks)]
    begin = marks[-1].end()
    begin = len(prompt) - len(prompt[begin:].lstrip())
    end = _last_end(prompt, begin, texts)
    texts.append(prompt[begin:end].strip())
    return _context(prompt, [Document(None, text) for text in texts], marks[0].start(), end)


def _last_end(prompt: str, begin: int, others: Sequence[str]) -> int:
    """Where the last passage ends. Where others have paragraphs it may, and goes on to the question's label."""
    if any(map(_BLANK.search, others)) and (asked := _asked_at(prompt, begin)) is not None:
        return asked
    found = _END.search(prompt, begin)
    return found.start() if found else len(prompt)


def _framed(prompt: str) -> Context | None:
    frame = _tag_frame(prompt) or _label_frame(prompt)
    inside = prompt[frame.first : frame.last] if frame else ""
    if frame is None or not inside.strip():
        return None
    documents = split_frame(inside, closed=frame.end > frame.last)
    found = _context(prompt, documents, frame.start, frame.end)
    return found or Context((), frame.start, frame.end)


def _tag_frame(prompt: str) -> _Frame | None:
    """Between the one pair of tags that says context."""
    opened = _FRAME.search(prompt) if "</" in prompt else None
    if opened is None:
        return None
    closing = f"</{opened['tag']}>"
    last = prompt.find(closing, opened.end())
    again = prompt.find(f"<{opened['tag']}>", opened.end())
    return None if last < 0 or again >= 0 else _Frame(opened.start(), opened.end(), last, last + len(closing))


def _label_frame(prompt: str) -> _Frame | None:
    """From the line that says that a context follows to the question's label, or to the end of what comes after it."""
    said = next((line for line in _LINE.finditer(prompt) if _announces(line)), None)
    if said is None:
        return None
    last = _asked_at(prompt, said.end())
    if last is None and _ASKS.search(prompt, 0, said.start()):
        last = len(prompt)
    return None if last is None else _Frame(said.start(), said.end(), last, last)


def _announces(line: re.Match[str]) -> bool:
    """Whether a line up to its colon, or a heading, says that a context follows."""
    label = line["label"].strip(" \t\u00a0\u202f*_").lower()
    if _BELOW.search(label):
        return True
    if not label.endswith(_SAYS) or (line.end() == line.end("label") and not label.startswith("#")):
        return False
    before = (label.removesuffix(word)[-1:] for word in _SAYS if label.endswith(word))
    return not all("a" <= letter <= "z" for letter in before)


def _asked_at(prompt: str, start: int) -> int | None:
    """Where the question's label stands, the last one: passages may have such labels, too; else the answer's."""
    for pattern in (_ASKS, _TELLS):
        found = [each.start() for each in pattern.finditer(prompt, start)]
        if found:
            return found[-1]
    return None


def _context(prompt: str, documents: Sequence[Document], start: int, end: int) -> Context | None:
    """The context that stands there, and the tags around it."""
    if not documents or is_template([document.text or "" for document in documents]):
        return None
    opening, closing = _OPENED.search(prompt, 0, start), _CLOSING.match(prompt, end)
    if opening and closing:
        start, end = opening.start(), closing.end()
    return Context(tuple(documents), start, end)
