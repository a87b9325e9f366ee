"""The question among the arguments of a decorated function: decorators that do not name them leave open which it is.

What was searched for, and what a model was asked, tell; so does an argument that is called a question.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import cast

from ragvigil.scorer.dialects.messages import last_message, last_of, messages_of
from ragvigil.scorer.dialects.parts import asked_in
from ragvigil.scorer.dialects.reading import Reading
from ragvigil.scorer.dialects.step import Step
from ragvigil.scorer.dialects.values import (
    mapping_of,
    named_query_in,
    one_line,
    query_in,
    sequence_of,
    text_of,
)

_CALLED = frozenset({"args", "kwargs"})
_ASKING = ("question", "query", "query_str", "message", "user_message")
_WORD = re.compile(r"[!-~]+")
"""One word without a blank, as an id, a language or the name of a model is; in scripts with blanks."""
_CLASS = re.compile(r"[A-Z]\w*", re.ASCII)
"""How OpenLLMetry writes an object, such as the one whose method was called: the name of its class."""
_LEAST = 12
"""Bytes of an argument that stands in a prompt by no chance."""
_MOST_ARGUMENTS = 20
_MOST = 100
"""Calls of a trace, and models, of which the arguments are looked for in what was said."""
_LONGEST = 20_000
"""Characters at the end of what a user said in which they are looked for."""
_LONGEST_WHOLE = 200_000
"""And of all that was said."""


def arguments_in(given: object) -> tuple[object, ...]:
    """The arguments in order, then those with names in one object, where it is open which of them is the question.

    >>> arguments_in({"args": ["u-1", "why?"], "kwargs": {}}), arguments_in({"args": ["why?"], "kwargs": {}})
    (('u-1', 'why?', {}), ())
    """
    if isinstance(given, str) and not given.startswith('{"args"'):
        return ()  # as nearly always: nothing is decoded for it
    fields = mapping_of(given)
    if frozenset(fields) != _CALLED:
        return ()
    listed, named = sequence_of(fields["args"]), mapping_of(fields["kwargs"])
    alone = len(listed) == 1 and not named and not _CLASS.fullmatch(text_of(listed[0]) or "")
    return (*listed[:_MOST_ARGUMENTS], named) if listed and not alone else ()


def settle_questions(steps: Sequence[Step]) -> None:
    """Say of each call with several arguments which of them is the question, where the trace tells."""
    open_ = [step for step in steps if step.reading.arguments and step.reading.query is not None]
    if not open_:
        return  # as nearly always
    told = _Told(steps)
    for step in open_[:_MOST]:
        query = _question(step.reading, told)
        if query != step.reading.query:
            step.reading = _asking(step.reading, query)


def _asking(reading: Reading, query: str | None) -> Reading:
    otherwise = reading.otherwise
    if otherwise is not None and otherwise.query is not None:
        otherwise = replace(otherwise, query=query)
    return replace(reading, query=query, otherwise=otherwise)


class _Told:
    """What the trace tells of its questions beside the arguments of calls."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self._models = [step for step in steps if step.role == "generator" and step.reading.messages][-_MOST:]
        searches = (step for step in steps if step.role in ("retriever", "reranker"))
        queries = (step.reading.query for step in searches if not step.reading.arguments)
        self.searched = {one_line(query) for query in queries if query}

    @cached_property
    def asked(self) -> set[str]:
        """What models were asked, with and without the context around it."""
        said = [last_message(model.reading.messages, "user") for model in self._models]
        return {
            one_line(text) for each in said if each is not None for text in (each.text or "", asked_in(each))
        }

    @cached_property
    def words(self) -> str:
        """What users said to models, and was searched for."""
        messages = (message for model in self._models for message in model.reading.messages)
        said = (message.text or "" for message in messages if message.role == "user")
        each = {one_line(text[-_LONGEST:]): None for text in said}
        return "\n".join([*sorted(self.searched), *each])[-_LONGEST_WHOLE:]

    def knows(self, text: str) -> bool:
        """Whether it was searched for, or a model asked it."""
        return text in self.searched or text in self.asked

    def holds(self, text: str) -> bool:
        """Whether it stands there, as a word if it is one."""
        if not _WORD.fullmatch(text):
            return text in self.words
        return re.search(rf"(?<!\w){re.escape(text)}(?!\w)", self.words) is not None


def _question(reading: Reading, told: _Told) -> str | None:
    """The argument that was asked, or stands in a prompt that does not show the first; else the first, but no class."""
    first, texts = reading.query or "", list(_texts(reading.arguments))
    plain = one_line(first)
    if told.knows(plain):
        return first
    others = [text for text in texts if one_line(text) != plain]
    if asked := [text for text in others if one_line(text) in told.asked]:
        return asked[0]
    held = told.holds(plain)
    if not held and (searched := [text for text in others if one_line(text) in told.searched]):
        return searched[0]
    named = _named(reading.arguments)
    if named is not None and (_WORD.fullmatch(plain) or not held):
        return named
    if held or not _WORD.fullmatch(plain):
        return first
    long = [text for text in others if len(text.encode()) >= _LEAST and not _WORD.fullmatch(text)]
    if shown := [text for text in long if told.holds(one_line(text))]:
        return shown[0]
    if text_of(reading.arguments[0]) != first or not _CLASS.fullmatch(first):
        return first
    return next(iter(long), first if others or not told.words else None)


def _named(arguments: Sequence[object]) -> str | None:
    named = mapping_of(arguments[-1])
    return next((text for key in _ASKING if (text := text_of(named.get(key)))), None) or (
        named_query_in(named) or None
    )


def _texts(arguments: Iterable[object]) -> Iterator[str]:
    """The texts among arguments, and those in objects that name a question, or are a conversation."""
    for argument in arguments:
        if isinstance(argument, list):
            text = last_of(messages_of(cast("list[object]", argument)), "user")
        else:
            text = text_of(argument) or query_in(mapping_of(argument))
        if text:
            yield text
