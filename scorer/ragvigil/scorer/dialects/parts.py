"""What a user's message of several parts asks and shows: clients take passages and question in a list.

>>> said = Message("user", None, ("Snow is white.", "Coal is black.", "What is white?"))
>>> asked_in(said), [each.text for each in shown_in(said).documents]
('What is white?', ['Snow is white.', 'Coal is black.'])
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from ragvigil.scorer.dialects.fields import without_fields
from ragvigil.scorer.dialects.frames import Context, asks
from ragvigil.scorer.dialects.labels import ANSWERED, ASKED, COLON, CONTEXT, HEAD
from ragvigil.scorer.dialects.orders import is_order, is_own, limits, points, requests, situates
from ragvigil.scorer.dialects.prompt import context_of, documents_in, given_context, labelled_in, question_in
from ragvigil.scorer.dialects.reading import Message
from ragvigil.scorer.dialects.shapes import is_sentence, tells
from ragvigil.scorer.trace import Document

_BLANK = re.compile(r"\n[ \t]*\n")
_HEADING = re.compile(r"\s*+[^\n]{1,80}[:\uff1a][*_]*\s*|\s*+#{1,6} [^\n]{1,80}\s*")
"""A line that only says what the next one is."""
_NAMES = re.compile(
    rf"\s*+{HEAD}(?:(?:user )?(?:{ASKED})|{ANSWERED}|(?P<context>{CONTEXT}))(?:{COLON}|[*_]*)\s*",
    re.IGNORECASE,
)
"""A heading that says that what follows is the question, the answer or the context."""
_NAMED = re.compile(r"\s*+[^\s:\uff1a]{1,20}[:\uff1a][^\n]*\w")
"""A word with a colon, and what it is about, on one line."""
_MATTER = re.compile(
    r"\A\s*+<|```|[;{}][ \t]*$|\)[ \t]*:[ \t]*$|^[ \t]+at \S{1,200}\(|^[ \t]*\d{4}-\d\d-\d\d|\A\s*+[A-Za-z]\)\s",
    re.MULTILINE,
)
"""Code, a log, tags, or one answer of several to choose from."""
_LABEL = re.compile(rf"\A\s*+{HEAD}(?:{CONTEXT}){COLON}\s*", re.IGNORECASE)
_TALK = re.compile(
    r"\n[ \t*_>]*(user|human|customer|assistant|ai|bot|agent|system)[ \t*_]*[:\uff1a]", re.IGNORECASE
)
"""Who speaks, before what was said: where two do, it is an earlier part of the conversation."""
_ENDED = re.compile(r"(?<=[.!?])\s+|(?<=[\u3002\uff01\uff1f\u0964\u061f])\s*")
_LONG = 200
"""Bytes of a passage that may be cut off within a sentence: nobody titles, greets or orders in as many."""
_MOST = 200
"""Parts of one message that are looked at."""


class _Parted(NamedTuple):
    question: str
    context: Context | None


def asked_in(message: Message) -> str:
    """What a user's message asks: one of its parts where that is beyond doubt, else what its whole text does."""
    found = _parted(message.parts) if message.parts else None
    return found.question if found is not None else question_in(message.text or "")


def shown_in(message: Message, *, apart: bool = False) -> Context | None:
    """The context of a message; without passages where some of its parts may be some, and none asks for certain."""
    text = message.text or ""
    if not message.parts or message.role != "user":
        return context_of(text, apart=apart)
    found = _parted(message.parts)
    return Context((), 0, len(text), text) if found is None else found.context


def _parted(parts: Sequence[str]) -> _Parted | None:
    """The one part that asks, at the end or the beginning, and what the others show; None where nobody can tell."""
    if len(parts) > _MOST:
        return None
    told = [place for place, part in enumerate(parts) if not _says_nothing(part)]
    if any(len({who.lower() for who in _TALK.findall(f"\n{parts[place]}")}) > 1 for place in told):
        return None
    if len(told) < 2:
        whole = parts[told[0]] if told else ""
        whole = whole if told and (asks(whole) or context_of(whole)) else "\n".join(parts)
        return _Parted(question_in(whole), context_of(whole))
    asked = _asking(parts, told)
    if asked is None:
        return None
    if len(told) > 2 and asked - 1 in told and _HEADING.fullmatch(parts[asked - 1]):
        told.remove(asked - 1)
    others = [parts[place] for place in told if place != asked]
    documents = _marked(others)
    if not documents and len(_sentences(labelled_in(parts[asked]) or parts[asked])) > 1:
        return None  # a passage may end with a question, too
    documents = documents or _unmarked(others, _is_said(parts, told, asked))
    limiting = {place: part for place, part in enumerate(parts) if place not in told and limits(part)}
    limiting[asked] = labelled_in(parts[asked]) or question_in(parts[asked])
    question = "\n".join(limiting[place].strip() for place in sorted(limiting))
    return _Parted(question, Context(documents, 0, 0, "\n\n".join(others)))


def _asking(parts: Sequence[str], told: Sequence[int]) -> int | None:
    """Which of several parts, the first or the last, is the one that asks; None where nobody can tell."""
    asking = [place for place in told if labelled_in(parts[place]) or _asks(parts[place])]
    if not asking and len(told) == 2:  # one may say that it is a context
        asking = [place for place in told if context_of(parts[place]) is None]
    if len(asking) != 1 or asking[0] not in (told[0], told[-1]) or context_of(parts[asking[0]]):
        return None
    unclear = asking[0] == told[0] and requests(parts[told[-1]])  # which of the two is a passage
    return None if unclear else asking[0]


def _asks(part: str) -> bool:
    """Whether a part asks; a passage that does may have a label."""
    return asks(part) and not _LABEL.match(part)


def _sentences(text: str) -> list[str]:
    """Of each line, without those of blanks."""
    return [each for line in text.split("\n") for each in _ENDED.split(line) if each.strip(" \t*_#-=~")]


def _says_nothing(part: str) -> bool:
    """Whether a part is nothing but orders to the model, or says what the next one is."""
    if _NAMES.fullmatch(part) or (_HEADING.fullmatch(part) and _points(part)):
        return labelled_in(part) is None and context_of(part) is None
    said = [each for each in _sentences(part) if not _HEADING.fullmatch(each)] or [part]
    if not all(is_order(each) and not _NAMED.match(each) for each in said) or labelled_in(part):
        return False
    return context_of(part) is None and not documents_in(part, alone=True)


def _points(part: str) -> bool:
    """Whether one of its sentences says that passages follow, or stand above."""
    said = (
        each.strip(" \t\u00a0\u202f*_#").rstrip(".\u3002:\uff1a*_ \u00a0\u202f").lower()
        for each in _sentences(part)
    )
    named = _NAMES.fullmatch(part)
    return (named is not None and named["context"] is not None) or any(
        points(each, apart=True) for each in said
    )


def _is_said(parts: Sequence[str], told: Sequence[int], asked: int) -> bool | None:
    """Whether something says that what stands on their side of the question is passages; None beside other orders.

    One of those may be a passage that reads like an order, unless it is above what says that passages follow.
    """
    side = range(asked) if asked == told[-1] else range(asked + 1, len(parts))
    silent = [place for place in side if place not in told]
    pointing = [place for place in silent if _points(parts[place])]
    orders = [place for place in silent if place not in pointing and not _NAMES.fullmatch(parts[place])]
    first = next((place for place in pointing if place < min(each for each in told if each in side)), -1)
    if any(place > first for place in orders):
        return None
    return bool(pointing)


def _marked(others: Sequence[str]) -> tuple[Document, ...]:
    """The passages in the parts beside the question where these have numbers, names or tags; one may hold all."""
    bare = _unlabelled(others)
    for texts in (others, bare) if bare != others else (others,):
        joined = "\n\n".join(texts)
        whole = given_context(joined).documents
        if not whole or (len(whole) == 1 and whole[0].text == texts[0].strip()):
            continue
        if any(map(is_own, texts)) and not documents_in(joined, alone=True):
            continue
        if len(others) == 1 or (len(whole) == len(others) and all(map(_is_of, whole, others))):
            return whole
    return ()


def _unmarked(others: Sequence[str], said: bool | None) -> tuple[Document, ...]:
    """The passages where each part is one, or () if some may be none: what the user tells, code, an order to the model.

    What stands alone beside a question is one only where something says so: it may be anything.
    """
    bare = _unlabelled(others)
    if said is None or (len(others) == 1 and not said and bare == others):
        return ()
    if any(map(_is_doubtful, bare)) or any(map(_is_untold, {*others, *bare})):
        return ()
    found = [given_context(part).documents for part in bare]
    if all(len(each) == 1 for each in found):
        return tuple(document for each in found for document in each)
    long = [part for part in bare if _BLANK.search(part.strip())]
    if any(len(each) > 1 for each in found) or len(long) == 1 or not all(map(_is_passage, bare)):
        return ()
    return () if len(bare) == 1 and tells(bare[0]) else tuple(without_fields(bare))


def _unlabelled(others: Sequence[str]) -> list[str]:
    """Without what says at their beginning that all of them are the context."""
    if any(map(_LABEL.match, others[1:])):
        return [*others]
    return [_LABEL.sub("", others[0], count=1), *others[1:]]


def _is_of(document: Document, part: str) -> bool:
    return (document.text or "") in part


def _is_untold(part: str) -> bool:
    """Whether it is said to be a context, or has a heading, and nobody can tell how many passages it holds."""
    shown = context_of(part)
    if shown is not None and not shown.documents:
        return True
    first, _, below = part.strip().partition("\n")
    return _HEADING.fullmatch(first) is not None and "\n" in below.strip() and tells(below)


def _is_doubtful(part: str) -> bool:
    """Whether it may be an order, about who asks, or what the question is about."""
    return is_order(part) or situates(part) or is_own(part) or _MATTER.search(part) is not None


def _is_passage(part: str) -> bool:
    """Whether there is a sentence in it, wherever a search cut it off."""
    ended = _ENDED.split(part)
    return is_sentence(part) or any(map(is_sentence, ended[:-1])) or len(part.encode()) >= _LONG
