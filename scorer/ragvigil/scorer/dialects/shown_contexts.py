"""The contexts that a model was shown in its prompt, the surest first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ragvigil.scorer.dialects.frames import Context
from ragvigil.scorer.dialects.parts import asked_in, shown_in
from ragvigil.scorer.dialects.prompt import given_context
from ragvigil.scorer.dialects.shapes import as_many
from ragvigil.scorer.dialects.step import Step
from ragvigil.scorer.trace import Document

_ORDERING = frozenset({"system", "developer"})
"""Roles of those who ask nothing: the question is in another message."""


def clearest(model: Step | None) -> list[Context]:
    """The contexts that the model was shown, or those of the call around it, without words of a framework."""
    shown = contexts_of(model)
    if model is None or (shown and shown[0].documents) or (not shown and model.reading.messages):
        return shown
    around = next((step for step in model.ancestors() if step.reading.messages), None)
    others = contexts_of(around)
    return others if others and others[0].documents else shown


def contexts_of(generation: Step | None) -> list[Context]:
    """The context of each message that shows the model one, the last first; at the end what leaves no question, and
    what tells of who asks.

    What the model said itself is no context: a list of sources looks like one. So does a question that is a list, or
    begins with a number: nothing else is asked. Nor are a user's parts one where instructions show passages.
    """
    if generation is not None and generation.reading.context is not None:
        return [given_context(generation.reading.context)]
    messages = generation.reading.messages if generation is not None else ()
    told = [each for each in reversed(messages) if each.role != "assistant" and each.text]
    read = [(each, shown_in(each, apart=each.role in _ORDERING)) for each in told]
    if any(context.documents for each, context in read if context and each.role in _ORDERING):
        read = [(each, context) for each, context in read if each.role != "user" or not each.parts]
    found = [
        _Shown(context, _is_left(each.text or "", context), each.role) for each, context in read if context
    ]
    asking = [each for each in told if each.role == "user"]
    if len(asking) == 1 and asked_in(asking[0]) == asking[0].text and not asking[0].parts:
        found = [each for each in found if not each.is_one_of_user]
    if len(found) > 1:
        found.sort(key=lambda each: (each.context.of_asker, not each.with_more))
    return [each.context for each in found]


class _Shown(NamedTuple):
    """One message's context."""

    context: Context
    with_more: bool
    """Whether anything else stands in the message."""
    role: str

    @property
    def is_one_of_user(self) -> bool:
        """Whether it is one passage and all that a user said."""
        return not self.with_more and self.role == "user" and len(self.context.documents) == 1


def _is_left(text: str, context: Context) -> bool:
    """Whether anything is left of a message beside the context in it."""
    return bool((text[: context.start] + text[context.end :]).strip())


def texts_in(context: Context, documents: Sequence[Document]) -> Sequence[str | None]:
    """The texts in a context of passages of which only the ids are known; () where they are not as many."""
    if not documents:
        return ()
    if len(context.documents) == len(documents):
        return [each.text for each in context.documents]
    if context.documents and not context.exact:
        return ()
    if any(document.text for document in documents):
        return ()  # then it is not the one thing that is missing
    return (
        [context.whole] if context.exact and len(documents) == 1 else as_many(context.whole, len(documents))
    )
