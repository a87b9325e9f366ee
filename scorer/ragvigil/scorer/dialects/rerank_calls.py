"""Calls of a reranking model.

OpenLLMetry's Cohere instrumentation writes them as if they were chats, the AI SDK as JSON in lists of texts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from ragvigil.scorer.dialects.documents import document_of, ranked, score_of
from ragvigil.scorer.dialects.flattened import indexed
from ragvigil.scorer.dialects.messages import last_of
from ragvigil.scorer.dialects.reading import Message, Reading
from ragvigil.scorer.dialects.values import count_of, mapping_of, sequence_of, structure_of, text_of, unquoted
from ragvigil.scorer.trace import Document

_PLACED = re.compile(r"Doc (?P<place>\d{1,6}), Score: (?P<score>\S+)")


def rerank_reading(attributes: Mapping[str, object], prompt: tuple[Message, ...]) -> Reading:
    """A rerank: what went in are the system's messages, what came out their places, from naught, with scores.

    >>> sent = (Message("system", "Snow."), Message("system", "Coal."), Message("user", "why?"))
    >>> made = rerank_reading({"gen_ai.completion.0.content": "Doc 1, Score: 0.9"}, sent)
    >>> made.query, [(each.text, each.score) for each in made.documents or ()]
    ('why?', [('Coal.', 0.9)])
    """
    given = [Document(None, message.text) for message in prompt if message.role == "system"]
    said = [text_of(item.get("content")) or "" for item in indexed(attributes, "gen_ai.completion.")]
    placed = [found for text in said if (found := _PLACED.match(text)) and int(found["place"]) < len(given)]
    made = [Document(None, given[int(found["place"])].text, score_of(found["score"])) for found in placed]
    return Reading(
        role="reranker",
        query=last_of(prompt, "user"),
        documents=ranked(made) if said else None,
        input_documents=ranked(given),
    )


def ranking_reading(attributes: Mapping[str, object]) -> Reading:
    """A rerank of the AI SDK: what went in, and the places of what came out, from naught; the query is not told.

    >>> told = {"ai.documents": ['"Snow."', '"Coal."'], "ai.ranking": ['{"index": 1, "relevanceScore": 0.9}']}
    >>> [(each.text, each.score) for each in ranking_reading(told).documents or ()]
    [('Coal.', 0.9)]
    """
    given = [_sent(unquoted(each)) for each in sequence_of(attributes.get("ai.documents"))]
    ranking = [mapping_of(each) for each in sequence_of(attributes.get("ai.ranking"))]
    placed = [(count_of(each.get("index")), score_of(each.get("relevanceScore"))) for each in ranking]
    made = [
        replace(given[place], score=score)
        for place, score in placed
        if place is not None and place < len(given)
    ]
    return Reading(
        role="reranker",
        documents=ranked(made) if ranking else None,
        input_documents=ranked(given) or None,
    )


def _sent(value: object) -> Document:
    """A text, or an object, which is told as it stands where it has no text of its own."""
    found = document_of(structure_of(value))
    return found if found and found.text else Document(found.id if found else None, text_of(value))
