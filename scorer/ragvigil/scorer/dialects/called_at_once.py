"""Searches of tools that a model called at once: it is told what they found in the order in which it called them.

Their spans tell the order in which a pool of threads began or ended them, another one in each trace.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from ragvigil.scorer.dialects.batches import alike
from ragvigil.scorer.dialects.step import Step
from ragvigil.scorer.dialects.tool_turns import turns_of
from ragvigil.scorer.trace import Document

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
    places = {number: _place(pool[number], told) for number in numbers}
    if None in places.values() or len({*places.values()}) < len(numbers):
        return pool
    order = sorted(numbers, key=lambda number: places[number] or 0)
    return {number: pool[number] for number in [*order, *(each for each in pool if each not in places)]}


def _told(generation: Step) -> list[str]:
    """The words of the tools' messages that the model was sent."""
    reading = generation.reading
    said = [message.text for message in reading.messages if message.role == "tool" and message.text]
    if said or not reading.exchange:
        return said
    answered = (turn.result for turn in turns_of(reading.exchange[0]) if turn.kind == "answered")
    return [each if isinstance(each, str) else json.dumps(each, ensure_ascii=False) for each in answered]


def _place(found: Sequence[Document], told: Sequence[str]) -> int | None:
    """The last message in which all texts that were found stand: an earlier question may have found them, too."""
    texts = [alike(document.text.strip()) for document in found if document.text and document.text.strip()]
    if not texts:
        return None
    places = range(len(told) - 1, -1, -1)
    return next((place for place in places if all(text in told[place] for text in texts)), None)
