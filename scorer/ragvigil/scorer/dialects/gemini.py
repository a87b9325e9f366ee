"""What OpenLLMetry's spans of Google's client leave out: a stream but for its last piece, and what the client ran."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from ragvigil.scorer.dialects.reading import Message, Reading
from ragvigil.scorer.dialects.tool_turns import turns_of
from ragvigil.scorer.dialects.tools import is_search

SCOPE = "opentelemetry.instrumentation.google_generativeai"

# All numbers are chosen by hand on the safe side, an answer that stays: no tokenizer was asked.
_FEW_TOKENS = 12
"""Of fewer nothing is said."""
_FEW_WORDS = 8
"""Nor where so few are left for words: Gemini counts each digit and mark, and the space before one, as a token."""
_FIGURE = re.compile(r" ?[^\w\s]| ?\d")
_DENSE = 1.5
"""Characters of a token, at least, in letters of ASCII: words have four, JSON three."""
_PRINTED = re.compile(r"(?:\w+=None ){3}.*\btext='' ", re.DOTALL)
"""How a part without a text is printed, as the last of a stream often is."""
_DENSEST = 0.5
"""In any other script."""


def with_gaps(reading: Reading, attributes: Mapping[str, object]) -> Reading:
    """The reading of a call with what its span cannot have told in full marked as not told."""
    reading = replace(reading, messages=tuple(_united(reading.messages)))
    if reading.answer is None:
        return reading
    if _PRINTED.match(reading.answer) or _is_last_piece(reading.answer, reading.tokens.output):
        return replace(reading, answer=None, unread=True, streaming=True)
    said = turns_of(attributes.get("gen_ai.output.messages"))
    searches = any(turn.kind == "called" and is_search(turn.name or "") for turn in said)
    return replace(reading, unread_search=reading.unread_search or (searches and reading.documents is None))


def _united(messages: Iterable[Message]) -> Iterator[Message]:
    """The messages with those of a user in a row as one: the span writes each text of a list as a message.

    >>> [said.parts for said in _united([Message("user", "Snow is white."), Message("user", "What is white?")])]
    [('Snow is white.', 'What is white?')]
    """
    for role, group in itertools.groupby(messages, key=lambda message: message.role):
        said = [*group]
        if role != "user" or len(said) == 1:
            yield from said
            continue
        parts = [part for each in said for part in each.parts or (each.text,) if part]
        yield Message(role, "\n".join(parts) or None, tuple(parts) if len(parts) > 1 else ())


def _is_last_piece(answer: str, tokens: int | None) -> bool:
    """Whether an answer is too short for its tokens.

    >>> _is_last_piece("18:30.", 17), _is_last_piece("It leaves at nine, in summer at ten.", 12)
    (True, False)
    >>> _is_last_piece("DE89 3704 0044 0532 0130 00", 27), _is_last_piece("2024-03-01, 2024-06-01, 2024-09-01", 32)
    (False, False)
    """
    if tokens is None or tokens < _FEW_TOKENS:
        return False
    words = _FIGURE.sub("", answer)
    left = tokens - (len(answer) - len(words))
    plain = sum(map(str.isascii, answer)) > len(answer) * 0.9
    return left >= _FEW_WORDS and len(words) < left * (_DENSE if plain else _DENSEST)
