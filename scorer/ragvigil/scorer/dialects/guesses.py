"""Lists of which only their shape says that a search found them: turns of a talk, orders or messages look the same."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ragvigil.scorer.dialects.parts import shown_in
from ragvigil.scorer.dialects.step import Step
from ragvigil.scorer.dialects.tools import is_search
from ragvigil.scorer.trace import Document

_HEAD = 40
"""Characters of a passage that a prompt shows even where it cuts or changes the rest."""


def without_unshown(searches: list[Step], generation: Step | None) -> list[Step]:
    """The searches without those lists of which the model's prompt shows nothing, where it does show a context."""
    guessed = [step for step in searches if _is_guessed(step)]
    if not guessed or generation is None:
        return searches  # as mostly
    told = [each for each in generation.reading.messages if each.role != "assistant" and each.text]
    words = _plain("\n".join(each.text or "" for each in told))
    unseen = {step for step in guessed if not any(head in words for head in _heads(step))}
    if not unseen or not any(map(shown_in, told)):
        return searches
    return [step for step in searches if step not in unseen]


def is_doubtful(searches: Sequence[Step], generation: Step | None) -> bool:
    """Whether such a list stands beside what a search by name or kind found, and no prompt tells which was shown."""
    if generation is None or any(each.text for each in generation.reading.messages):
        return False
    guessed = [step for step in searches if _is_guessed(step) and not is_search(step.span.name)]
    known = {head for step in searches if step not in guessed for head in _heads(step)}
    return bool(known) and any(known.isdisjoint(_heads(step)) for step in guessed if step.reading.documents)


def _is_guessed(step: Step) -> bool:
    reading = step.reading
    return step.role == "retriever" and reading.otherwise is not None and not reading.declared


def _heads(step: Step) -> list[str]:
    documents: Iterable[Document] = step.reading.documents or ()
    return [_plain(each.text)[:_HEAD] for each in documents if each.text and not each.text.isspace()]


def _plain(text: str) -> str:
    """The text in one case, with one blank for all that is white."""
    return " ".join(text.casefold().split())
