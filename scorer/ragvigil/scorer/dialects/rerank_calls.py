"""Calls of a reranking model as OpenLLMetry's Cohere instrumentation writes them: as if they were chats."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ragvigil.scorer.dialects.documents import ranked, score_of
from ragvigil.scorer.dialects.flattened import indexed
from ragvigil.scorer.dialects.messages import last_of
from ragvigil.scorer.dialects.reading import Message, Reading
from ragvigil.scorer.dialects.values import text_of
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
