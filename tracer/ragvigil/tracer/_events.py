"""Events of vendors' raw streams: told by their type, because most of them repeat what others said."""

from __future__ import annotations

import re

from ragvigil.tracer import _reading
from ragvigil.tracer._answers import Answer, answer_text, first, note_usage, read_answer, read_facts, string

_TEXT = frozenset(
    {
        "response.output_text.delta",
        "response.refusal.delta",
        "content_block_start",
        "content_block_delta",
        "content.delta",
        "refusal.delta",
    }
)
"""Events that bring a piece of the answer, under ``delta`` or ``content_block``."""
_FACTS = frozenset({"message_start", "message_delta", "message_stop", "chunk"})
"""Events that say something of the answer: its model and id at the start, tokens and why it stopped at the end."""
_SILENT = frozenset(
    {
        "content_block_stop",
        "content.done",
        "refusal.done",
        "ping",
        "error",
        "thinking",
        "signature",
        "citation",
        "input_json",
        "compaction",
        "logprobs.content.delta",
        "logprobs.content.done",
        "logprobs.refusal.delta",
        "logprobs.refusal.done",
        "tool_calls.function.arguments.delta",
        "tool_calls.function.arguments.done",
    }
)
"""Events of which nothing belongs to the answer, or nothing new."""
_FAMILIES = ("response.", "content_block_", "message_")
_ANSWERS = frozenset({"text", "content", "message"})
_NO_ANSWERS = frozenset(
    {"reasoning", "thinking", "summary", "audio", "transcript", "call", "arguments", "code", "image"}
)


def read_event(piece: object) -> Answer | None:
    """What an event adds to the answer; None for a piece that is no such event.

    >>> read_event({"type": "response.output_text.delta", "delta": "100 °C"}).text
    '100 °C'
    >>> read_event({"type": "response.output_text.done", "text": "100 °C"}).text is None
    True
    """
    kind = _reading.field(piece, ("type",))
    if not isinstance(kind, str):
        if _reading.field(piece, ("object",)) == "chat.completion.chunk":
            return _of_a_chunk(piece)
        return _of_a_framework(piece)
    if kind in _TEXT:
        return _text(piece)
    if kind in _FACTS:
        return _facts(piece)
    if kind in _SILENT or (kind == "text" and _reading.field(piece, ("snapshot",)) is not None):
        return Answer()
    return _unknown(piece, kind) if kind.startswith(_FAMILIES) else None


def _of_a_chunk(piece: object) -> Answer:
    """A chunk of OpenAI's chat completions: the most frequent of all, and of one form."""
    found = Answer()
    note_usage(found, piece, [])
    found.model = string(_reading.field(piece, ("model",)))
    found.response_id = string(_reading.field(piece, ("id",)))
    choice = first(_reading.field(piece, ("choices",)))
    if choice is not None:
        found.finish_reason = string(_reading.field(choice, ("finish_reason",)))
        delta = _reading.field(choice, ("delta",))
        found.text = _reading.text(_reading.field(delta, ("content", "refusal")))
    return found


def _text(piece: object) -> Answer:
    """The text that this event brings; a delta of another kind, such as a thought, has none."""
    delta = _reading.field(piece, ("delta", "content_block"))
    kind = _reading.field(delta, ("type",))
    if isinstance(kind, str) and kind not in ("text", "text_delta"):
        return Answer()
    return Answer(text=answer_text(delta, 0, []))


def _facts(piece: object) -> Answer:
    """What is said of the answer in the event itself, and in what it carries; no text."""
    found = Answer()
    for source in (
        piece,
        *(_reading.field(piece, (name,)) for name in ("message", "delta", "chunk", "response")),
    ):
        if source is None:
            continue
        told = read_facts(source)
        for name in ("model", "response_id", "finish_reason", "input_tokens", "output_tokens"):
            if getattr(found, name) is None:
                setattr(found, name, getattr(told, name))
    return found


def _unknown(piece: object, kind: str) -> Answer:
    """What an event says of the response; one that may have brought text, by a name that is not known, is marked."""
    found = _facts(piece) if _reading.field(piece, ("response",)) is not None else Answer()
    words = frozenset(re.split(r"[._]", kind))
    if "delta" in words and words & _ANSWERS and not words & _NO_ANSWERS:
        found.odd = [f"answer: event {kind[:64]}"]
    return found


def _of_a_framework(piece: object) -> Answer | None:
    """A chunk of the model in LangChain's stream of events; its other events repeat it."""
    if not _reading.is_mapping(piece):
        return None
    event = piece.get("event")
    if not isinstance(event, str) or not event.startswith("on_") or "run_id" not in piece:
        return None
    if event == "on_chat_model_stream":
        return read_answer(_reading.field(piece.get("data"), ("chunk",)))
    return Answer()
