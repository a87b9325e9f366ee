"""OpenAI's client, instrumented by Logfire: `python ask_logfire.py CASE`."""

from __future__ import annotations

import json
from typing import Any

import logfire
from openai import OpenAI
from scenario import FERRY, MODEL, TRAIN, Scenario
from telemetry import run
from tiny_openai import serving


def messages(scenario: Scenario) -> list[Any]:
    """The prompt, with the passages in it."""
    return [
        {"role": "system", "content": f"Answer from:\n{scenario.numbered()}"},
        {"role": "user", "content": scenario.question},
    ]


def stream() -> None:
    """Below a request: what came is told by a log when all of it has."""
    usage: Any = {"include_usage": True}
    with serving([TRAIN.answer]) as url, logfire.span("POST /chat"):
        chat = OpenAI(base_url=url, api_key="unused").chat.completions
        list(chat.create(model=MODEL, messages=messages(TRAIN), stream=True, stream_options=usage))


def tool() -> None:
    """The service runs the tool itself, without a span."""
    tools: Any = [
        {"type": "function", "function": {"name": "find_passages", "parameters": {"type": "object"}}}
    ]
    said: list[Any] = [{"role": "user", "content": FERRY.question}]
    with serving([{"query": "bateau"}, FERRY.answer]) as url, logfire.span("POST /chat"):
        chat = OpenAI(base_url=url, api_key="unused").chat.completions
        call = chat.create(model=MODEL, messages=said, tools=tools).choices[0].message
        found = [{"id": each.id, "text": each.text, "score": each.score} for each in FERRY.passages]
        answer = {"role": "tool", "tool_call_id": call.tool_calls[0].id, "content": json.dumps(found)}
        chat.create(model=MODEL, messages=[*said, call.model_dump(exclude_none=True), answer], tools=tools)


CASES = {"stream": stream, "tool": tool}


if __name__ == "__main__":
    logfire.configure(send_to_logfire=False, console=False, service_version="3", metrics=False)
    logfire.instrument_openai()
    run(CASES)
