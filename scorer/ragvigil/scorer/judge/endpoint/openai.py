"""OpenAI's chat completions, as vLLM, Ollama, llama.cpp, LiteLLM, OpenRouter and Azure speak it too."""

from __future__ import annotations

import json
from collections.abc import Mapping

from ragvigil.scorer.judge.endpoint.manner import STRUCTURES, Manner
from ragvigil.scorer.judge.endpoint.port import Completion, Question
from ragvigil.scorer.judge.endpoint.wire import Json, count, items, mapping, text

_REPLY = "verdict"


class OpenAI:
    """Chat completions."""

    path = "chat/completions"
    structures = STRUCTURES

    def headers(self, key: str | None) -> Mapping[str, str]:
        """A bearer token, and the header of its own that Azure wants; local servers need neither."""
        return {"authorization": f"Bearer {key}", "api-key": key} if key else {}

    def body(self, question: Question, model: str, manner: Manner) -> dict[str, object]:
        """The question in the manner that the server takes."""
        body: dict[str, object] = {
            "model": model,
            "messages": _messages(question),
            "max_tokens" if manner.old_limit else "max_completion_tokens": question.most_tokens * manner.room,
        }
        if manner.temperature:
            body["temperature"] = 0
        if manner.structure == "json_schema":
            wanted = {"name": _REPLY, "strict": True, "schema": question.schema}
            body["response_format"] = {"type": "json_schema", "json_schema": wanted}
        elif manner.structure == "json_object":
            body["response_format"] = {"type": "json_object"}
        elif manner.structure == "tool":
            body["tools"] = [
                {"type": "function", "function": {"name": _REPLY, "parameters": question.schema}}
            ]
            body["tool_choice"] = {"type": "function", "function": {"name": _REPLY}}
        return body

    def completion(self, answer: Json) -> Completion:
        """What the first choice says, in its content or as the call of the tool."""
        choice = mapping(next(iter(items(answer.get("choices"))), None))
        message = mapping(choice.get("message"))
        called = mapping(next(iter(items(message.get("tool_calls"))), None))
        arguments = mapping(called.get("function")).get("arguments")
        said = arguments if isinstance(arguments, str) else json.dumps(arguments) if arguments else ""
        usage = mapping(answer.get("usage"))
        return Completion(
            text=said or _content(message.get("content")),
            model=text(answer.get("model")) or None,
            cut=choice.get("finish_reason") == "length",
            input_tokens=count(usage.get("prompt_tokens")),
            output_tokens=count(usage.get("completion_tokens")),
            refusal=_refusal(choice, message),
        )


def _messages(question: Question) -> list[dict[str, str]]:
    messages = [
        {"role": "system", "content": question.system},
        {"role": "user", "content": question.data},
    ]
    for reply, complaint in question.said:
        messages += [{"role": "assistant", "content": reply}, {"role": "user", "content": complaint}]
    return messages


def _refusal(choice: Json, message: Json) -> str | None:
    parts = [mapping(part).get("refusal") for part in items(message.get("content"))]
    told = "".join(map(text, [message.get("refusal"), *parts]))
    return told or ("its content filter" if choice.get("finish_reason") == "content_filter" else None)


def _content(content: object) -> str:
    """The text of a message, which may come in parts."""
    return text(content) or "".join(text(mapping(part).get("text")) for part in items(content))
