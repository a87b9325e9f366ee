"""What of all that was searched is left for the model: a rerank stands for what it took in, a loop throws away."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ragvigil.scorer.dialects.passages import Known, fill
from ragvigil.scorer.dialects.step import Step
from ragvigil.scorer.trace import Document

_FEW_WORDS = 12
"""Characters of a grade or a verdict, which stands in any prompt."""


def left_over(searches: Iterable[Step]) -> dict[int, tuple[Document, ...]]:
    """By number of the search, what no later rerank took in: that replaces the searches before it.

    It replaces those that its input came from; all, when nobody says where from.
    """
    searches = list(searches)
    if all(step.role != "reranker" for step in searches):
        return {number: step.reading.documents or () for number, step in enumerate(searches)}
    pool = _Pool()
    for number, step in enumerate(searches):
        found = step.reading.documents or ()
        if step.role == "reranker":
            sources = pool.take(step.reading.input_documents or ())
            found = tuple(_completed(document, sources) for document in found)
        pool.put(number, found)
    return pool.left


class _Pool:
    """What is left so far."""

    def __init__(self) -> None:
        self.left: dict[int, tuple[Document, ...]] = {}
        """By number of the search."""
        self._holders: dict[str, set[int]] = {}
        """Numbers of the searches that hold a passage, by its id and by its text."""

    def put(self, number: int, found: tuple[Document, ...]) -> None:
        """Add what a search found."""
        self.left[number] = found
        for key in _keys(found):
            self._holders.setdefault(key, set()).add(number)

    def take(self, wanted: Iterable[Document]) -> Known:
        """Take out the searches that hold any of these, or else all; the passages that they held."""
        keys = dict.fromkeys(_keys(wanted))
        matching = set[int]().union(*(self._holders.get(key, ()) for key in keys))
        taken = Known(each for source in sorted(matching or self.left) for each in self.left[source])
        for source in matching or set(self.left):
            for key in _keys(self.left.pop(source)):
                self._holders[key].discard(source)
        return taken


def kept(
    pool: dict[int, tuple[Document, ...]],
    searches: Sequence[Step],
    generation: Step | None,
    steps: Iterable[Step],
) -> dict[int, tuple[Document, ...]]:
    """Without what a loop found first and threw away: nothing of it is in the last prompt, where all else is.

    What tools answered may stand there in another form, and what a model made of passages stands for them.
    """
    if len(pool) < 2 or generation is None or any(searches[number].reading.tool for number in pool):
        return pool
    words = "\n".join(message.text or "" for message in generation.reading.messages)
    made = (
        each.reading.answer or "" for each in steps if each.role == "generator" and each is not generation
    )
    if not words or any(len(answer) > _FEW_WORDS and answer.strip() in words for answer in made):
        return pool
    texts = {number: [each.text.strip() for each in found if each.text] for number, found in pool.items()}
    gone = _thrown_away(texts, words)
    return {number: found for number, found in pool.items() if number not in gone}


def _thrown_away(texts: Mapping[int, Sequence[str]], words: str) -> set[int]:
    """The searches of whose texts none stands in these words but those of others, where all texts of another do."""
    here = {number for number, told in texts.items() if told and all(text in words for text in told)}
    if not here:
        return set()
    again = {text for number in here for text in texts[number]}
    return {
        number
        for number, told in texts.items()
        if told and number not in here and not any(text in words for text in told if text not in again)
    }


def _keys(documents: Iterable[Document]) -> Iterator[str]:
    return (key for document in documents for key in (document.id, document.text) if key is not None)


def _completed(document: Document, sources: Known) -> Document:
    """A reranker may give ids only; the text stands in its input."""
    if document.text is not None and document.id is not None:
        return document
    return fill(document, sources.like(document), with_score=False)
