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
from ragvigil.scorer.dialects.labels import COLON, CONTEXT, HEAD
from ragvigil.scorer.dialects.orders import only_orders, points
from ragvigil.scorer.dialects.prompt import context_of, given_context, labelled_in, question_in
from ragvigil.scorer.dialects.reading import Message
from ragvigil.scorer.dialects.shapes import is_sentence
from ragvigil.scorer.trace import Document

_BLANK = re.compile(r"\n[ \t]*\n")
_HEADING = re.compile(r"\s*[^\n]{1,80}[:\uff1a][*_]*\s*|\s*#{1,6} [^\n]{1,80}\s*")
"""A part that only says what the next one is."""
_LABEL = re.compile(rf"\A\s*{HEAD}(?:{CONTEXT}){COLON}\s*", re.IGNORECASE)
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
    told = [part for part in parts[:_MOST] if not _says_nothing(part)]
    if any(len({who.lower() for who in _TALK.findall(f"\n{part}")}) > 1 for part in told):
        return None
    if len(told) < 2 and len(parts) <= _MOST:
        whole = told[0] if told and (asks(told[0]) or context_of(told[0])) else "\n".join(parts)
        return _Parted(question_in(whole), context_of(whole))
    asking = [part for part in told if labelled_in(part)] or [part for part in told if asks(part)]
    if not asking and len(told) == 2:
        asking = [
            part for part in told if context_of(part) is None
        ]  # the other one says that it is a context
    if len(parts) > _MOST or len(asking) != 1 or context_of(asking[0]):
        return None
    if asking[0] not in (told[0], told[-1]):
        return None
    others = told[:-1] if asking[0] is told[-1] else told[1:]
    documents = _passages(others)
    question = labelled_in(asking[0]) or question_in(asking[0])
    return _Parted(question, Context(documents, 0, 0, "\n\n".join(others)))


def _says_nothing(part: str) -> bool:
    """Whether a part is nothing but orders to the model, or a heading of the next one."""
    label = part.strip(" \t\n\u00a0*_#").rstrip(".\u3002").lower()
    if labelled_in(part):
        return False
    return only_orders(part) or _HEADING.fullmatch(part) is not None or points(label)


def _passages(others: Sequence[str]) -> tuple[Document, ...]:
    """The passages in the parts beside the question: each is one, save where one of several may hold all of them."""
    bare = [*others]
    if not any(map(_LABEL.match, others[1:])):
        bare[0] = _LABEL.sub("", others[0], count=1)
    for texts in (others, bare):
        whole = given_context("\n\n".join(texts)).documents
        if len(others) == 1 and whole:
            return whole
        if len(whole) == len(others) and all(map(_is_of, whole, others)):
            return whole
    others = bare
    found = [given_context(part).documents for part in others]
    if all(len(each) == 1 for each in found):
        return tuple(document for each in found for document in each)
    long = [part for part in others if _BLANK.search(part.strip())]
    if any(len(each) > 1 for each in found) or len(long) == 1 or not all(map(_is_passage, others)):
        return ()
    return tuple(without_fields(others))


def _is_of(document: Document, part: str) -> bool:
    return (document.text or "") in part


def _is_passage(part: str) -> bool:
    """Whether there is a sentence in it, wherever a search cut it off."""
    ended = _ENDED.split(part)
    return is_sentence(part) or any(map(is_sentence, ended[:-1])) or len(part.encode()) >= _LONG
