"""A service whose search is decorated, and whose vendor's client is instrumented: `python ask_vendors.py CASE`."""

from __future__ import annotations

from typing import Any

from scenario import API, FERRY, MODEL, TRAIN, Scenario
from telemetry import run
from tiny_openai import serving

from ragvigil.tracer import trace_rag, trace_retriever


@trace_retriever(source="site")
def search(query: str, scenario: Scenario) -> Any:
    """The scenario's passages."""
    return [{"id": each.id, "text": each.text, "score": each.score} for each in scenario.passages]


def messages(scenario: Scenario) -> Any:
    """The prompt, with the passages in it."""
    prompt = f"Answer from:\n{scenario.plain()}\n\nQuestion: {scenario.question}"
    return [{"role": "user", "content": prompt}]


@trace_rag(query="question")
def by_openai(question: str, scenario: Scenario, *, stream: bool = False) -> str:
    """By OpenAI's client."""
    from openai import OpenAI

    search(question, scenario)
    with serving([scenario.answer]) as url:
        chat = OpenAI(base_url=url, api_key="unused").chat.completions
        if not stream:
            return str(chat.create(model=MODEL, messages=messages(scenario)).choices[0].message.content)
        usage: Any = {"include_usage": True}
        chunks: Any = chat.create(model=MODEL, messages=messages(scenario), stream=True, stream_options=usage)
        return "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)


@trace_rag(query="question")
def by_anthropic(question: str, scenario: Scenario) -> str:
    """By Anthropic's client."""
    from anthropic import Anthropic

    search(question, scenario)
    with serving([scenario.answer]) as url:
        client = Anthropic(base_url=url.removesuffix("/v1"), api_key="unused")
        answer: Any = client.messages.create(model=MODEL, max_tokens=100, messages=messages(scenario))
        return str(answer.content[0].text)


CASES = {
    "openai": lambda: by_openai(FERRY.question, FERRY),
    "openai_stream": lambda: by_openai(TRAIN.question, TRAIN, stream=True),
    "anthropic": lambda: by_anthropic(API.question, API),
}


if __name__ == "__main__":
    run(CASES)
