"""Pydantic AI agents, instrumented by Logfire: `python ask_pydantic_ai.py CASE`."""

from __future__ import annotations

import contextlib
from dataclasses import asdict
from typing import Any

import logfire
from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from scenario import API, FERRY, MODEL, Scenario
from telemetry import run
from tiny_openai import serving


def agent(url: str, scenario: Scenario, *, broken: bool = False) -> Any:
    """One that calls its tool once and answers from what that found."""
    provider = OpenAIProvider(base_url=url, api_key="unused")
    made = Agent(OpenAIChatModel(MODEL, provider=provider), name="desk")

    @made.tool_plain
    def find_passages(query: str) -> list[dict[str, Any]]:
        """Find passages of the site."""
        if broken:
            raise ConnectionError("index 'ferry' unreachable")
        return [asdict(each) for each in scenario.passages]

    return made


def tool(scenario: Scenario, *, broken: bool = False) -> None:
    with serving([{"query": scenario.question}, scenario.answer]) as url:
        agent(url, scenario, broken=broken).run_sync(scenario.question, conversation_id="s-5")


def pasted(scenario: Scenario) -> None:
    """No tool: the passages stand in the prompt."""
    with serving([scenario.answer]) as url:
        prompt = f"Context:\n{scenario.numbered()}\n\nQuestion: {scenario.question}"
        agent(url, scenario).run_sync(prompt, conversation_id="s-5")


def failed() -> None:
    with contextlib.suppress(ConnectionError):
        tool(FERRY, broken=True)


CASES = {"tool": lambda: tool(FERRY), "pasted": lambda: pasted(API), "retriever_error": failed}


if __name__ == "__main__":
    logfire.configure(send_to_logfire=False, console=False, service_version="3", metrics=False)
    logfire.instrument_pydantic_ai()
    run(CASES)
