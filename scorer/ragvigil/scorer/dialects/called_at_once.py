"""Searches of tools that a model called at once: it is told what they found in the order in which it called them.

Their spans tell the order in which a pool of threads began or ended them, another one in each trace.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from ragvigil.scorer.dialects.batches import alike
from ragvigil.scorer.dialects.step import Step
from ragvigil.scorer.dialects.tool_turns import turns_of, words_of
from ragvigil.scorer.trace import Document

_Told = TypeVar("_Told")
_MOST = 50
"""Searches whose place among what a model was told is looked for."""


def in_turn(
    pool: dict[int, tuple[Document, ...]], searches: Sequence[Step], generation: Step | None
) -> dict[int, tuple[Document, ...]]:
    """What was found, by the number of the search, in the order in which the model was told it.

    Nothing is moved unless all that each of them found stands in a message of its own.
    """
    numbers = [number for number, found in pool.items() if found]
    if generation is None or not 1 < len(numbers) <= _MOST:
        return pool  # as nearly always
    if any(searches[number].reading.tool is None for number in numbers):
        return pool
    told = [*map(alike, _told(generation))]
    places = _places({number: _standing(pool[number], told) for number in numbers})
    if len(places) < len(numbers):
        return pool
    order = sorted(numbers, key=lambda number: places[number])
    return {number: pool[number] for number in [*order, *(each for each in pool if each not in places)]}


def _told(generation: Step) -> list[str]:
    """The words of the tools' messages that the model was sent for the last question."""
    reading = generation.reading
    said = _last_of([(message.role, message.text) for message in reading.messages if message.text], "user")
    texts = [text for role, text in said if role == "tool" and text]
    if texts or not reading.exchange:
        return texts
    turns = _last_of([(turn.kind, turn) for turn in turns_of(reading.exchange[0])], "asked")
    return [words_of(turn) for kind, turn in turns if kind == "answered"]


def _last_of(said: list[tuple[str, _Told]], asking: str) -> list[tuple[str, _Told]]:
    """What came after the last question: an earlier one may have found the same, in another order."""
    asked = max((place for place, (role, _) in enumerate(said) if role == asking), default=-1)
    return said[asked + 1 :]


def _standing(found: Sequence[Document], told: Sequence[str]) -> list[int]:
    """The messages in which all texts that were found stand."""
    texts = [alike(document.text.strip()) for document in found if document.text and document.text.strip()]
    return [place for place, message in enumerate(told) if texts and all(text in message for text in texts)]


def _places(standing: Mapping[int, Sequence[int]]) -> dict[int, int]:
    """A message for each search: the first that no other one has, which stands in fewer.

    A page that was opened later, or notes, may say again what was found.
    """
    places: dict[int, int] = {}
    for number in sorted(standing, key=lambda each: len(standing[each])):
        free = (place for place in standing[number] if place not in places.values())
        if (place := next(free, None)) is not None:
            places[number] = place
    return places
