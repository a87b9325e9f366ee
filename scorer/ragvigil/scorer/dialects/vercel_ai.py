"""The Vercel AI SDK, versions 4 to 6 and the legacy mode of 7; version 7 itself writes GenAI conventions."""

from __future__ import annotations

from ragvigil.scorer.dialects.finish import finish_reason_in
from ragvigil.scorer.dialects.messages import last_of, messages_of
from ragvigil.scorer.dialects.prompt import question_in
from ragvigil.scorer.dialects.reading import Reading, Role
from ragvigil.scorer.dialects.rerank_calls import ranking_reading
from ragvigil.scorer.dialects.tool_responses import passages_answered
from ragvigil.scorer.dialects.tools import tool_reading
from ragvigil.scorer.dialects.values import first_count, first_id, first_text, text_of
from ragvigil.scorer.span import Span
from ragvigil.scorer.trace import Tokens

OPERATION = "ai.operationId"
_SCOPE = "ai"
_METADATA = "ai.telemetry.metadata."
_CONVERSATIONS = ("sessionId", "session_id", "conversationId", "conversation_id", "threadId", "chatId")
_USERS = ("userId", "user_id")
_ANSWERS = ("ai.response.text", "ai.response.object", "ai.result.text", "ai.result.object")


class VercelAI:
    """Reads every span with `ai.operationId`, or whose scope and name say that it had one."""

    name = "vercel_ai"

    def matches(self, span: Span) -> bool:
        """Whether the AI SDK made the span."""
        return OPERATION in span.attributes or span.scope == _SCOPE

    def read(self, span: Span) -> Reading:
        """What the operation says; the outer span repeats the inner one, and only inner ones count tokens."""
        get = span.attributes.get
        operation = text_of(get(OPERATION)) or (span.name if span.name.startswith("ai.") else None)
        if operation is None:
            return Reading()
        if operation == "ai.toolCall":
            name = text_of(get("ai.toolCall.name")) or "tool"
            return tool_reading(name, get("ai.toolCall.args"), get("ai.toolCall.result"))
        if operation.startswith("ai.rerank"):
            return ranking_reading(span.attributes)
        role = _role(operation)
        given = get("ai.prompt.messages") or get("ai.prompt")
        messages, tools = messages_of(given), passages_answered(given)
        asked = last_of(messages, "user") if role == "chain" else None
        return Reading(
            role=role,
            query=question_in(asked) if asked else None,
            documents=tools.documents,
            unread_search=tools.unread,
            answer=first_text(span.attributes, *_ANSWERS),
            messages=messages if role != "embedding" else (),
            model=text_of(get("ai.model.id")),
            response_model=text_of(get("ai.response.model")),
            finish_reason=finish_reason_in(span.attributes),
            tokens=Tokens(
                first_count(span.attributes, "ai.usage.inputTokens", "ai.usage.promptTokens"),
                first_count(span.attributes, "ai.usage.outputTokens", "ai.usage.completionTokens"),
            ),
            conversation_id=first_id(span.attributes, *(_METADATA + key for key in _CONVERSATIONS)),
            user_id=first_id(span.attributes, *(_METADATA + key for key in _USERS)),
            streaming=True if ".stream" in operation else None,
        )


def _role(operation: str) -> Role:
    if operation.startswith("ai.embed"):
        return "embedding"
    return "generator" if ".do" in operation else "chain"
