"""Anthropic's messages."""

from __future__ import annotations

import json
from collections.abc import Mapping

from ragvigil.scorer.judge.endpoint.manner import Manner, Structure
from ragvigil.scorer.judge.endpoint.port import Completion, Question
from ragvigil.scorer.judge.endpoint.wire import Json, count, items, mapping, text

_REPLY = "verdict"
_API_VERSION = "2023-06-01"


class Anthropic:
    """Messages, with the verdict as the call of a tool; where the server takes no tools, as text."""

    path = "messages"
    structures: tuple[Structure, ...] = ("tool", "plain")

    def headers(self, key: str | None) -> Mapping[str, str]:
        """The key, and the version of the interface that is spoken."""
        return {"anthropic-version": _API_VERSION} | ({"x-api-key": key} if key else {})

    def body(self, question: Question, model: str, manner: Manner) -> dict[str, object]:
        """The question in the manner that the server takes."""
        body: dict[str, object] = {
            "model": model,
            "system": question.system,
            "messages": _messages(question),
            "max_tokens": question.most_tokens * manner.room,
        }
        if manner.temperature:
            body["temperature"] = 0
        if manner.structure == "tool":
            body["tools"] = [
                {"name": _REPLY, "description": "Gives the verdict.", "input_schema": question.schema}
            ]
            body["tool_choice"] = {"type": "tool", "name": _REPLY}
        return body

    def completion(self, answer: Json) -> Completion:
        """The input of the tool's call, else the text."""
        blocks = [mapping(block) for block in items(answer.get("content"))]
        called = next((block.get("input") for block in blocks if block.get("type") == "tool_use"), None)
        said = "".join(text(block.get("text")) for block in blocks if block.get("type") == "text")
        usage = mapping(answer.get("usage"))
        return Completion(
            text=json.dumps(called, ensure_ascii=False) if called else said,
            model=text(answer.get("model")) or None,
            cut=answer.get("stop_reason") == "max_tokens",
            input_tokens=count(usage.get("input_tokens")),
            output_tokens=count(usage.get("output_tokens")),
            refusal=(said or "without a word") if answer.get("stop_reason") == "refusal" else None,
        )


def _messages(question: Question) -> list[dict[str, str]]:
    messages = [{"role": "user", "content": question.data}]
    for reply, complaint in question.said:
        messages += [
            {"role": "assistant", "content": reply or "(nothing)"},
            {"role": "user", "content": complaint},
        ]
    return messages
