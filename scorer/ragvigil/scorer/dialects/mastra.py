"""Mastra's exporter: GenAI conventions on calls of models and tools, names of its own on all that is around them."""

from __future__ import annotations

from collections.abc import Mapping

from ragvigil.scorer.dialects.functions import asked_in, context_in, search_in
from ragvigil.scorer.dialects.messages import messages_of
from ragvigil.scorer.dialects.prompt import question_in
from ragvigil.scorer.dialects.reading import Reading, Role
from ragvigil.scorer.dialects.tools import tool_reading
from ragvigil.scorer.dialects.values import answer_in, first_id, mapping_of, structure_of, text_of
from ragvigil.scorer.span import Span

KIND = "mastra.span.type"

_TOOLS = frozenset({"tool_call", "mcp_tool_call", "provider_tool_call", "client_tool_call"})
_ROLES: dict[str, Role] = {
    "agent_run": "chain",
    "workflow_run": "chain",
    "model_step": "other",
    "scorer_run": "evaluator",
    "scorer_step": "evaluator",
    "classifier_evaluation": "evaluator",
    "model_chunk": "other",
}
_CONVERSATION = tuple(f"mastra.metadata.{key}" for key in ("threadId", "sessionId", "conversationId"))
_USER = tuple(f"mastra.metadata.{key}" for key in ("userId", "resourceId"))


class Mastra:
    """Reads every span that says of which of Mastra's types it is."""

    name = "mastra"

    def matches(self, span: Span) -> bool:
        """Whether Mastra's exporter made the span."""
        return KIND in span.attributes

    def read(self, span: Span) -> Reading:
        """What the span says in Mastra's own words; the conventions' reader tells a model call."""
        attributes = span.attributes
        kind = (text_of(attributes.get(KIND)) or "").lower()
        if kind in _TOOLS:
            return _tool(attributes)
        given, made = (_said(attributes, kind, side) for side in ("input", "output"))
        if kind == "workflow_step":
            return _step(given, made)
        role = _role(kind, attributes)
        asked = asked_in(given) if role == "chain" else None
        return Reading(
            role=role,
            query=question_in(asked) if asked else None,
            answer=_answer(made) if role == "chain" else None,
            messages=messages_of(given) if kind == "model_step" else (),
            conversation_id=first_id(attributes, *_CONVERSATION),
            user_id=first_id(attributes, *_USER),
        )


def _role(kind: str, attributes: Mapping[str, object]) -> Role | None:
    """Two spans tell one model call: the inner one is the call, and where there is none, the outer names the model."""
    if kind == "model_generation":
        return None if "gen_ai.request.model" in attributes else "other"
    return _ROLES.get(kind)


def _said(attributes: Mapping[str, object], kind: str, side: str) -> object:
    """What went into or came out of a step: version 0 had one name for all kinds."""
    return attributes.get(f"mastra.{kind}.{side}", attributes.get(side))


def _answer(made: object) -> str | None:
    """The answer of an agent, which may be an object, or of a workflow."""
    structure = structure_of(made)
    if structure is None:
        return text_of(made)
    return answer_in(structure) or text_of(mapping_of(structure).get("text"))


def _step(given: object, made: object) -> Reading:
    """A step of a workflow: a search where it returned passages alone, else with those that it handed on.

    One text of all of them marks the record where nothing else tells them.
    """
    if search := search_in(given, made):
        return Reading(
            role=search.role,
            query=asked_in(given),
            documents=search.documents,
            input_documents=search.input_documents,
        )
    returned, taken = mapping_of(made), mapping_of(given)
    handed = (None, None) if answer_in(returned) else context_in(returned)
    text, documents = handed if any(handed) else context_in(taken)
    return Reading(role="other", documents=documents, unread_search=text is not None)


def _tool(attributes: Mapping[str, object]) -> Reading:
    get = attributes.get
    return tool_reading(
        text_of(get("gen_ai.tool.name")) or "tool",
        get("gen_ai.tool.call.arguments", get("gen_ai.tool.input")),
        get("gen_ai.tool.call.result", get("gen_ai.tool.output")),
    )
