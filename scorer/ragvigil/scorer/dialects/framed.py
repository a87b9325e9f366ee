"""What a frame around a context holds: passages where they are beyond doubt, else the whole of it."""

from __future__ import annotations

import re

from ragvigil.scorer.dialects.frames import Context, before_question, frames, is_open, wrapped
from ragvigil.scorer.dialects.orders import is_order, only_orders, situates
from ragvigil.scorer.dialects.shapes import is_sentence, lone_line, split_frame, tells
from ragvigil.scorer.trace import Document

_BLANK = re.compile(r"\n[ \t]*\n")
_FENCED = re.compile(
    r"\s*(?P<fence>\"{3}|'{3}|`{3})[a-z]{0,20}[ \t]*\n(?P<inside>.*)\n[ \t]*(?P=fence)[ \t]*(?=\n|\Z)",
    re.DOTALL,
)
"""Quotes or a fence around all passages."""


def framed(prompt: str, *, apart: bool, alone: bool) -> Context | None:
    """What the surest frame holds; what is in one that is not sure has to be passages beyond doubt.

    `apart` from the question, which stands elsewhere; `alone`, as a tool gives it.
    """
    for found in frames(prompt, apart=apart):
        above = None if apart else before_question(prompt, found)
        frame, pointed = above or found, apart and found.points
        shown = above is not None or pointed or (apart and found.whole)
        inside = prompt[frame.first : frame.last]
        fenced = _FENCED.match(inside)
        inside, closed = fenced["inside"] if fenced else inside, bool(fenced) or frame.end > frame.last
        documents = split_frame(inside, closed=closed, sure=frame.sure)
        if not documents and shown:
            documents = _told(split_frame(inside, closed=False))
        if not documents and (frame.sure or above is not None or pointed):
            documents = lone_line(inside, closed=closed)
        if apart and all(situates(each.text or "") for each in documents):
            documents = []
        context = wrapped(prompt, documents, frame.start, frame.end)
        if context is None:
            hiding = frame.sure or (shown and _hides(inside, pointed)) or is_open(prompt, frame, apart)
            context = Context((), frame.start, frame.end, inside.strip()) if hiding else None
        if context is not None:
            return of_asker(context) if frame.of_asker and not alone else context
    return None


def of_asker(context: Context) -> Context:
    """What tells of who asks, without passages: it may be evidence, too."""
    return Context((), context.start, context.end, context.whole, of_asker=True)


def _hides(inside: str, points: bool) -> bool:
    """Whether passages stand there that nobody can tell apart, rather than instructions or facts about who asks."""
    return not only_orders(inside) and (points or tells(_BLANK.split(inside.strip(), maxsplit=1)[0]))


def _told(documents: list[Document]) -> list[Document]:
    """Passages if all are sentences: instructions also list the date, the plan and the name of who asks."""
    whole = all(is_sentence(each.text or "") and not is_order(each.text or "") for each in documents)
    return documents if whole else []
