"""Laminar's SDK: functions under `@observe`; the calls of models beside them are written in GenAI conventions."""

from __future__ import annotations

from ragvigil.scorer.dialects.functions import asked_in, found_in, or_answer, sent_to, unread_list
from ragvigil.scorer.dialects.reading import Reading
from ragvigil.scorer.dialects.replies import completion_of, returned_in
from ragvigil.scorer.dialects.tools import tool_reading
from ragvigil.scorer.dialects.values import first_id, kind_of, unquoted
from ragvigil.scorer.span import Span

_KIND = "lmnr.span.type"
_PROPERTIES = "lmnr.association.properties."
_CALLS = ("llm", "cached")
_JUDGING = ("evaluator", "human_evaluator")


class Laminar:
    """Reads every span of Laminar's SDK."""

    name = "laminar"

    def matches(self, span: Span) -> bool:
        """Whether Laminar names the kind of the span."""
        return _KIND in span.attributes

    def read(self, span: Span) -> Reading:
        """What the span says; a model's call is left to the GenAI reader, but for what a person put on it."""
        get = span.attributes.get
        kind, given, made = kind_of(get(_KIND)), get("lmnr.span.input"), unquoted(get("lmnr.span.output"))
        conversation = first_id(span.attributes, _PROPERTIES + "session_id")
        user = first_id(span.attributes, _PROPERTIES + "user_id")
        if kind == "tool":
            return tool_reading(span.name, given, made)
        if kind in _CALLS:
            sent, answer = sent_to(given), completion_of(made)
            return Reading(
                messages=sent.messages,
                context=sent.context,
                answer=answer,
                conversation_id=conversation,
                user_id=user,
            )
        if kind in _JUDGING:
            return Reading(role="evaluator")
        asked, search = asked_in(given), found_in(given, made)
        answered = Reading(
            role="chain",
            query=asked,
            answer=returned_in(made, asked),
            conversation_id=conversation,
            user_id=user,
            unread_list=search is None and unread_list(span.name, made),
        )
        if search is None:
            return answered
        searched = Reading(
            role=search.role,
            query=asked,
            documents=search.documents,
            input_documents=search.input_documents,
            conversation_id=conversation,
            user_id=user,
        )
        return or_answer(searched, answered, made)
