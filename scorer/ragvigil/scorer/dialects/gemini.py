"""What OpenLLMetry's spans of Google's client leave out: a stream but for its last piece, and what the client ran."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ragvigil.scorer.dialects.reading import Reading
from ragvigil.scorer.dialects.tools import is_search
from ragvigil.scorer.dialects.values import mapping_of, sequence_of, text_of

SCOPE = "opentelemetry.instrumentation.google_generativeai"

_FEW_TOKENS = 12
"""Of so few nothing is said: figures have one a character."""
_DENSE = 1.5
"""Characters of a token, at least, in letters of ASCII: words have four, JSON three."""
_DENSEST = 0.5
"""In any other script."""


def with_gaps(reading: Reading, attributes: Mapping[str, object]) -> Reading:
    """The reading of a call with what its span cannot have told in full marked as not told."""
    if reading.answer is None:
        return reading
    if _is_last_piece(reading.answer, reading.tokens.output):
        return replace(reading, answer=None, unread=True, streaming=True)
    offered = (mapping_of(each) for each in sequence_of(attributes.get("gen_ai.tool.definitions")))
    searches = any(is_search(text_of(each.get("name")) or "") for each in offered)
    return replace(reading, unread_search=reading.unread_search or (searches and reading.documents is None))


def _is_last_piece(answer: str, tokens: int | None) -> bool:
    """Whether an answer is too short for its tokens.

    >>> _is_last_piece("18:30.", 17), _is_last_piece("It leaves at nine, in summer at ten.", 12)
    (True, False)
    """
    if tokens is None or tokens < _FEW_TOKENS:
        return False
    plain = sum(map(str.isascii, answer)) > len(answer) * 0.9
    return len(answer) < tokens * (_DENSE if plain else _DENSEST)
