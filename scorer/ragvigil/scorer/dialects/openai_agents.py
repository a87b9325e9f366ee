"""OpenAI's agents as OpenLLMetry tells them: every agent hangs right below the workflow, whoever ran it.

An agent that a tool ran, and one that a guardrail asked, stood beside the one that answered, and looked like another
question or like a later answer. Only their times and texts say which they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from ragvigil.scorer.dialects.about_answers import is_label, is_verdict
from ragvigil.scorer.dialects.messages import last_of
from ragvigil.scorer.dialects.step import Step, gather, rehang
from ragvigil.scorer.dialects.values import ANSWER_KEYS, kind_of, mapping_of, text_of

_SCOPE = "opentelemetry.instrumentation.openai_agents"
_KIND = "traceloop.span.kind"
_MOST = 200
"""Agents of a trace that are compared with each other."""
_LEAST = 12
"""Characters of a text that stands in another one by no chance."""


class _Agent(NamedTuple):
    """What an agent was asked first, and replied last."""

    step: Step
    asked: str | None
    replied: str | None


class _Tool(NamedTuple):
    """What a tool was given, its texts alone, and what it returned."""

    step: Step
    given: list[str]
    returned: str | None


def hang_agents(steps: Sequence[Step], roots: Iterable[Step]) -> None:
    """Hang each agent that ran within a tool below that, and a guardrail's below the agent that it looked after.

    A guardrail's model gave no answer: it is an evaluator. `roots` are those of the steps, which are linked.
    """
    own = [step for step in steps if step.span.scope == _SCOPE]
    if not own:
        return  # as nearly always
    agents = [_agent(step) for step in own if kind_of(step.span.attributes.get(_KIND)) == "agent"][:_MOST]
    tools = [_tool(step) for step in own if step.reading.tool is not None][:_MOST] if agents else []
    parents: dict[Step, Step] = {}
    for agent in agents:
        around = next((tool.step for tool in reversed(tools) if _ran(agent, tool)), None)
        guarded = next((other.step for other in agents if _guards(agent, other)), None)
        above = around or guarded
        if above is None or _is_below(above, agent.step, parents):
            continue
        parents[agent.step] = above
        if around is None:
            agent.step.reading = replace(agent.step.reading, role="evaluator")
            agent.step.role = "evaluator"
    rehang(parents, roots)
    for root in roots if parents else ():
        gather(root)


def _is_below(step: Step, other: Step, parents: Mapping[Step, Step]) -> bool:
    """Whether a step is, or will be, below the other: times of a hostile trace may say so of both."""
    above: Step | None = step
    while above is not None and above is not other:
        above = parents.get(above, above.parent)
    return above is other


def _agent(step: Step) -> _Agent:
    calls = [each for each in step.children if each.role == "generator"]
    first, last = (list(call.subtree()) for call in (calls[0], calls[-1])) if calls else ([], [])
    asked = (last_of(each.reading.messages, "user") for each in first)
    replied = (each.reading.answer for each in last)  # its client may tell it, in a span below
    return _Agent(step, next(filter(None, asked), None), next(filter(None, replied), None))


def _tool(step: Step) -> _Tool:
    told = step.span.attributes
    given = mapping_of(told.get("gen_ai.tool.call.arguments")).values()
    texts = [each for each in given if isinstance(each, str)]
    return _Tool(step, texts, text_of(told.get("gen_ai.tool.call.result")))


def _ran(agent: _Agent, tool: _Tool) -> bool:
    """Whether a tool of the same workflow ran the agent: around it, with what it was asked or replied as its own."""
    workflow = agent.step.parent
    if workflow is None or not _within(agent.step, tool.step) or workflow not in tool.step.ancestors():
        return False
    return any(_agree(each, agent.asked) for each in tool.given) or _agree(tool.returned, agent.replied)


def _agree(one: str | None, other: str | None) -> bool:
    """Whether two texts are the same, or one of them is a part of the other by no chance."""
    if not one or not other:
        return False
    return one == other or (min(len(one), len(other)) >= _LEAST and (one in other or other in one))


def _within(step: Step, around: Step) -> bool:
    """Whether one ran while the other did."""
    return around.span.start <= step.span.start and step.span.end <= around.span.end


def _guards(agent: _Agent, other: _Agent) -> bool:
    """Whether an agent was asked what the other was asked or answered, while that ran, and said what is no answer."""
    workflow = agent.step.parent
    if agent.step is other.step or workflow is None or workflow is not other.step.parent:
        return False
    if not agent.asked or not agent.replied or not _within(agent.step, other.step):
        return False
    return agent.asked in (other.asked, other.replied) and _is_of_guard(agent.replied, other.replied or "")


def _is_of_guard(reply: str, answer: str) -> bool:
    """Whether a reply is JSON with a truth in it, or a verdict or a label, and the answer is not.

    >>> flagged = '{"off_topic": false, "reasoning": "It is about ferries."}'
    >>> _is_of_guard(flagged, "At nine."), _is_of_guard(flagged, flagged), _is_of_guard("safe", "At nine.")
    (True, False, True)
    >>> _is_of_guard('{"answer": "At ten.", "sure": true}', "At nine."), _is_of_guard("At ten.", "At nine.")
    (False, False)
    >>> _is_of_guard("blue", "red"), _is_of_guard(flagged, "Yes.")
    (False, True)
    """
    if _is_flagged(reply) or _is_flagged(answer):
        return not _is_flagged(answer)
    return _is_word(reply) and not _is_word(answer)


def _is_word(reply: str) -> bool:
    return is_verdict(reply) or is_label(reply)


def _is_flagged(reply: str) -> bool:
    fields = mapping_of(reply)
    return fields.keys().isdisjoint(ANSWER_KEYS) and any(isinstance(each, bool) for each in fields.values())
