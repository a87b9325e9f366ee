"""What prompts put around their context: tags, a line that says so, marks of its begin and end, or rules.

A pattern that begins with a line break is looked for ten times as fast as one with ^, so every prompt has one before
its first line here.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ragvigil.scorer.dialects.fields import few
from ragvigil.scorer.dialects.labels import ANSWERED, ASKED, BACKGROUND, COLON, CONTEXT, HEAD
from ragvigil.scorer.dialects.orders import only_orders, points, requests
from ragvigil.scorer.dialects.profiles import heads_profile
from ragvigil.scorer.dialects.shapes import RULE, is_template
from ragvigil.scorer.trace import Document

WRAPPER = (
    "[a-z_]*(?:contexts?|documents|docs|sources|passages|chunks|excerpts|snippets|results|references|knowledge(?:_base)?)"
    "|kontexte?|contextes?|contextos?|contesto|dokumente|documentos|documenti|quellen|fuentes|fontes|fonti"
)
"""Names of tags around all passages."""
_OPENED = re.compile(rf"<(?P<tag>{WRAPPER})>\s*\Z", re.IGNORECASE)
_CLOSING = re.compile(rf"\s*</(?:{WRAPPER})>", re.IGNORECASE)
_FRAME = re.compile(rf"\n[ \t]*<(?P<tag>{WRAPPER})>", re.IGNORECASE)
_LINE = re.compile(r"\n(?P<label>[^\n:\uff1a]{1,80})(?:[:\uff1a][*_]*|(?=\n|\Z))")
_CLAUSE = re.compile(
    r"(?:\n|(?<=[.!?]) |(?<=[\u3002\uff01\uff1f]))"
    r"(?P<label>[^\n:\uff1a.!?\u3002\uff01\uff1f]{1,120}(?<![ \t]))"
    r"(?:[ \t]{0,3}[:\uff1a][*_]*|[.\u3002]?[ \t]*(?=\n))"
)
"""What may point at a context: the end of a line, from its last sentence on, or up to a colon."""
_EMPTY = re.compile(r"\s*+(?:[^\n]{1,60}[:\uff1a][*_]*\s*+)?")
"""Nothing, or another label below which there is nothing."""
_BLANK = re.compile(r"\n[ \t]*\n")
_MOST_CLAUSES = 2_000
"""Ends of lines that are looked at in one prompt."""
_BELOW = re.compile(
    r"(?:context|documents?|sources|passages|information)\b.{0,40}\bbelow(?:, surrounded by)?\W*\Z"
    r"|\bfollowing (?:[\w-]+ ){0,4}(?:context|documents|docs|passages|sources|references|excerpts|snippets|chunks"
    r"|information)\b[^.]{0,60}\.?\Z"
)
_SAYS = tuple(CONTEXT.split("|"))
_UNSAID = frozenset("-=~#|.,;!?)]}>\"'0123456789")
"""No word of these ends so, as many a line does: one look spares some two hundred."""
_BACKGROUND = re.compile(rf"[# ]*(?:[^\W\d_]+ )?(?:{BACKGROUND})", re.IGNORECASE)
_SINGLE = ("source", "document", "passage", "excerpt")
"""Words that label one passage as well, where something stands behind their colon."""
_ASKS = re.compile(
    rf"\n{HEAD}(?:user )?(?:{ASKED})(?:{COLON}|[*_]*[ \t]*(?=\n|\Z))|\n[ \t]*<[a-z_]*(?:question|query)>",
    re.IGNORECASE,
)
_TELLS = re.compile(rf"\n{HEAD}(?:{ANSWERED})(?:{COLON}|[*_]*[ \t]*(?=\n|\Z))", re.IGNORECASE)
_ABOVE = 200
"""Characters above a line that are looked at for the end of a question."""
_WORDS = "context|documents|sources|passages|excerpts|search results|knowledge|knowledge base"
_BEGIN = re.compile(
    rf"\n[^\w\n]{{0,20}}(?:begin|start)(?: of)?(?: the)?[ _]+(?P<what>{_WORDS})[^\w\n]{{0,20}}(?=\n)"
    rf"|\n[ \t]*\[(?P<word>{_WORDS})\][ \t]*(?=\n)",
    re.IGNORECASE,
)
_BEGINS = ("[", "begin", "Begin", "BEGIN", "start", "Start", "START")
"""Of these one is in every such mark; most prompts have none."""


class Context(NamedTuple):
    """The context of a prompt."""

    documents: tuple[Document, ...]
    """Its passages; () where they cannot be told apart."""
    start: int
    """Where it begins in the prompt, with its frame."""
    end: int
    whole: str = ""
    """All that stands in it, where its frame tells."""
    exact: bool = False
    """Whether nothing but passages stands in it: what a product says behind them is known."""
    question: str | None = None
    """What is asked, where the words around it tell."""
    of_asker: bool = False
    """Whether its heading, or what it says, tells of who asks: whether that was found, and is evidence, is not told."""


class Frame(NamedTuple):
    """A part of a prompt that is said to be the context: where it begins and ends, and where what is in it does."""

    start: int
    first: int
    last: int
    end: int
    sure: bool = True
    """Whether it is the context for certain; else what is in it has to say so as well."""
    whole: bool = False
    """Whether it says "context" and nothing else, and goes on to the end."""
    points: bool = False
    """Whether what says it points at what follows, as "use this context" does."""
    of_asker: bool = False
    """Whether its heading says that it tells of who asks: after all others."""


def frames(prompt: str, *, apart: bool) -> Iterator[Frame]:
    """The frames that may hold the context of a prompt, `apart` from the question or with it, the surest first."""
    for found in _found(prompt, apart):
        if found is not None and not _EMPTY.fullmatch(prompt, found.first, found.last):
            yield found


def _found(prompt: str, apart: bool) -> Iterator[Frame | None]:
    tags = _headings(_FRAME.finditer(prompt)) if "</" in prompt else _NO_HEADINGS
    yield _tag_frame(prompt, tags.passages)
    yield _marked_frame(prompt)
    lines = _headings(line for line in _LINE.finditer(prompt) if _announces(prompt, line))
    yield from _below(prompt, lines.passages, apart)
    yield _ruled_frame(prompt)
    clauses = _NO_HEADINGS
    if lines.passages is None or not _points(lines.passages, apart):
        ends = itertools.islice(_CLAUSE.finditer(prompt), _MOST_CLAUSES)
        clauses = _headings(clause for clause in ends if _points(clause, apart))
        yield from _below(prompt, clauses.passages, apart)
    for known in (_tag_frame(prompt, tags.asker), *_below(prompt, lines.asker or clauses.asker, apart)):
        yield known and known._replace(of_asker=True)


class _Headings(NamedTuple):
    """The first that stands above passages, and the first before it that stands above what tells of who asks."""

    passages: re.Match[str] | None
    asker: re.Match[str] | None


_NO_HEADINGS = _Headings(None, None)


def _headings(found: Iterable[re.Match[str]]) -> _Headings:
    """Of matches whose first group is the heading."""
    asker = None
    for each in found:
        if not heads_profile(each[1]):
            return _Headings(each, asker)
        asker = asker or each
    return _Headings(None, asker)


def _below(prompt: str, said: re.Match[str] | None, apart: bool) -> Iterator[Frame | None]:
    if said is not None:
        yield _label_frame(prompt, said)
        yield _last_frame(prompt, said, apart)


def _points(said: re.Match[str], apart: bool) -> bool:
    return points(said["label"].strip(" \t\u00a0\u202f*_#").lower(), apart=apart)


def asks(text: str) -> bool:
    """Whether a text ends with a question mark, of whatever script."""
    return text.rstrip("\"'*_ \n").endswith(("?", "\uff1f", "\u061f", "\u037e", "\u055e", "\u1367"))


def framed(prompt: str, start: int) -> bool:
    """Whether a tag that says context opens right before `start`."""
    return _OPENED.search(prompt, 0, start) is not None


def closed_at(prompt: str, start: int, begin: int) -> int | None:
    """Where the tag that opens right before `start` closes, behind `begin`; None without one."""
    opened = _OPENED.search(prompt, 0, start)
    closing = prompt.find(f"</{opened['tag']}>", begin) if opened else -1
    return closing if closing >= 0 else None


def wrapped(prompt: str, documents: Sequence[Document], start: int, end: int) -> Context | None:
    """The context of these passages, with the tags around it; None where they show the form of something."""
    if not documents or is_template([document.text or "" for document in documents]):
        return None
    opening, closing = _OPENED.search(prompt, 0, start), _CLOSING.match(prompt, end)
    if opening and closing:
        start, end = opening.start(), closing.end()
    return Context(tuple(documents), start, end)


def asked_at(prompt: str, start: int) -> int | None:
    """Where the question's label stands, the last one: passages may have such labels, too; else the answer's."""
    for pattern in (_ASKS, _TELLS):
        found = [each.start() for each in pattern.finditer(prompt, start)]
        if found:
            return found[-1]
    return None


def is_example(prompt: str, start: int, end: int) -> bool:
    """Whether a question or an answer has its label there, as in an example that shows how to answer."""
    return _ASKS.search(prompt, start, end) is not None or _TELLS.search(prompt, start, end) is not None


def is_open(prompt: str, frame: Frame, apart: bool) -> bool:
    """Whether a prompt begins with a context, or points at one, that goes on to its end, with the question in it."""
    says = frame.points or (frame.whole and not prompt[: frame.start].strip())
    if not says or apart or frame.of_asker or frame.last < len(prompt):
        return False
    inside = prompt[frame.first :].strip()
    return _BLANK.search(inside) is not None and not only_orders(inside)


def before_question(prompt: str, frame: Frame) -> Frame | None:
    """The frame without what ends the prompt, if that asks and the frame says context or points at one; else None."""
    if not (frame.points or frame.whole) or frame.sure or frame.last < len(prompt):
        return None
    blanks = [each.start() for each in _BLANK.finditer(prompt, frame.first, len(prompt.rstrip()))]
    if not blanks or not prompt[frame.first : blanks[-1]].strip():
        return None
    if not asks(prompt) and not requests(prompt[blanks[-1] :].lstrip()):
        return None
    return frame._replace(last=blanks[-1], end=blanks[-1])


def _tag_frame(prompt: str, opened: re.Match[str] | None) -> Frame | None:
    """Between the one pair of tags that says context."""
    if opened is None:
        return None
    closing = f"</{opened['tag']}>"
    last = prompt.find(closing, opened.end())
    again = prompt.find(f"<{opened['tag']}>", opened.end())
    return None if last < 0 or again >= 0 else Frame(opened.start(), opened.end(), last, last + len(closing))


def _marked_frame(prompt: str) -> Frame | None:
    """Between lines that say where the context begins and where it ends."""
    begun = _BEGIN.search(prompt) if any(word in prompt for word in _BEGINS) else None
    if begun is None:
        return None
    word = re.escape(begun["what"] or begun["word"])
    ends = rf"\n[^\w\n]{{0,20}}(?:end(?: of)?(?: the)?[ _]+|/){word}[^\w\n]{{0,20}}(?=\n|\Z)"
    ended = re.compile(ends, re.IGNORECASE).search(prompt, begun.end())
    return Frame(begun.start(), begun.end(), ended.start(), ended.end()) if ended else None


def _label_frame(prompt: str, said: re.Match[str]) -> Frame | None:
    """From the line that says that a context follows to the question's label, or to the end of what comes after it."""
    last = asked_at(prompt, said.end())
    if last is None and _ASKS.search(prompt, 0, said.start()):
        last = len(prompt)
    if last is None:
        return None
    return _within_rules(prompt, said, last) or Frame(said.start(), said.end(), last, last)


def _last_frame(prompt: str, said: re.Match[str], apart: bool) -> Frame | None:
    """From that line on where nothing labels a question: within the rules around it, else to the end.

    It is the context for certain where it says nothing else, or points at it, and a question is right above it.
    """
    if asked_at(prompt, said.end()) is not None:
        return None
    whole, points_at = _BACKGROUND.fullmatch(said["label"].strip(" \t*_")) is not None, _points(said, apart)
    sure = (whole or points_at) and asks(prompt[max(0, said.start() - _ABOVE) : said.start()])
    end = len(prompt)
    everything = Frame(said.start(), said.end(), end, end, sure=sure, whole=whole, points=points_at)
    return _within_rules(prompt, said, len(prompt)) or everything


def _within_rules(prompt: str, said: re.Match[str], last: int) -> Frame | None:
    """Between the only two rules behind the line that says that a context follows, the first right behind it."""
    rules = [*itertools.islice(RULE.finditer(prompt, said.end(), last), 3)]
    if len(rules) != 2 or rules[0]["rule"] != rules[1]["rule"]:
        return None
    if prompt[said.end() : rules[0].start()].strip(" \t\n-=*_#~"):
        return None
    return Frame(said.start(), rules[0].end(), rules[1].start(), rules[1].end())


def _ruled_frame(prompt: str) -> Frame | None:
    """Between two rules, beside the question's label: LangChain shows sources so, in its examples as well."""
    every = few(RULE, prompt)
    rules = [rule for rule in every if rule["rule"] == every[-1]["rule"]][-2:]
    if len(rules) < 2 or not is_example(prompt, 0, len(prompt)):
        return None
    first, last = rules[0].end(), rules[1].start()
    inside = is_example(prompt, first, last)
    return None if inside else Frame(rules[0].start(), first, last, rules[1].end(), sure=False)


def _announces(prompt: str, line: re.Match[str]) -> bool:
    """Whether a line up to its colon, or a heading, says that a context follows."""
    label = line["label"].strip(" \t\u00a0\u202f*_").lower()
    if ("below" in label or "following" in label) and _BELOW.search(label):
        return True
    if (
        not label
        or label[-1] in _UNSAID
        or not label.endswith(_SAYS)
        or (line.end() == line.end("label") and not label.startswith("#"))
    ):
        return False
    if label.strip("# [(-=") in _SINGLE and prompt[line.end() : line.end() + 1] not in ("", "\n"):
        return False
    before = (label.removesuffix(word)[-1:] for word in _SAYS if label.endswith(word))
    return not all("a" <= letter <= "z" for letter in before)
