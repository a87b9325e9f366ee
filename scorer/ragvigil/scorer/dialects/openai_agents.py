"""OpenAI's agents as OpenLLMetry tells them: every agent hangs right below the workflow, whoever ran it.

An agent that a tool ran, and one that a guardrail asked, stood beside the one that answered, and looked like another
question or like a later answer. Only their times and texts say which they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from ragvigil.scorer.dialects.about_answers import is_label, is_verdict
from ragvigil.scorer.dialects.messages import last_of
from ragvigil.scorer.dialects.step import Step, gather, rehang
from ragvigil.scorer.dialects.values import ANSWER_KEYS, kind_of, mapping_of

_SCOPE = "opentelemetry.instrumentation.openai_agents"
_KIND = "traceloop.span.kind"
_MOST = 200
"""Agents of a trace that are compared with each other."""


class _Agent(NamedTuple):
    """What an agent was asked first, and replied last."""

    step: Step
    asked: str | None
    replied: str | None


def hang_agents(steps: Sequence[Step], roots: Iterable[Step]) -> None:
    """Hang each agent that ran within a tool below that, and a guardrail's below the agent that it looked after.

    A guardrail's model gave no answer: it is an evaluator. `roots` are those of the steps, which are linked.
    """
    own = [step for step in steps if step.span.scope == _SCOPE]
    if not own:
        return  # as nearly always
    agents = [_agent(step) for step in own if kind_of(step.span.attributes.get(_KIND)) == "agent"][:_MOST]
    tools = [step for step in own if step.reading.tool is not None][:_MOST]
    parents: dict[Step, Step] = {}
    for agent in agents:
        around = [tool for tool in tools if _within(agent.step, tool)]
        looked_after = [other for other in agents if _guards(agent, other)]
        if around:
            parents[agent.step] = around[-1]
        elif looked_after:
            parents[agent.step] = looked_after[0].step
            agent.step.reading = replace(agent.step.reading, role="evaluator")
            agent.step.role = "evaluator"
    rehang(parents, roots)
    for root in roots if parents else ():
        gather(root)


def _agent(step: Step) -> _Agent:
    calls = [each for each in step.children if each.role == "generator"]
    first, last = (list(call.subtree()) for call in (calls[0], calls[-1])) if calls else ([], [])
    asked = (last_of(each.reading.messages, "user") for each in first)
    replied = (each.reading.answer for each in last)  # its client may tell it, in a span below
    return _Agent(step, next(filter(None, asked), None), next(filter(None, replied), None))


def _within(step: Step, around: Step) -> bool:
    """Whether one ran while the other did, and is not above it."""
    inside = around.span.start <= step.span.start and step.span.end <= around.span.end
    return inside and step.parent is not around and step not in around.ancestors()


def _guards(agent: _Agent, other: _Agent) -> bool:
    """Whether an agent was asked what the other was asked or answered, while that ran, and said what is no answer."""
    if (
        agent.step is other.step
        or not agent.asked
        or not agent.replied
        or not _within(agent.step, other.step)
    ):
        return False
    return agent.asked in (other.asked, other.replied) and _is_of_guard(agent.replied, other.replied)


def _is_of_guard(reply: str, answer: str | None) -> bool:
    """Whether a reply is a verdict, a label, or JSON with a truth in it beside an answer that has none.

    >>> flagged = '{"off_topic": false, "reasoning": "It is about ferries."}'
    >>> _is_of_guard(flagged, "At nine."), _is_of_guard(flagged, flagged), _is_of_guard("safe", "At nine.")
    (True, False, True)
    >>> _is_of_guard('{"answer": "At ten.", "sure": true}', "At nine."), _is_of_guard("At ten.", "At nine.")
    (False, False)
    """
    return not _is_flagged(answer or "") and (is_verdict(reply) or is_label(reply) or _is_flagged(reply))


def _is_flagged(reply: str) -> bool:
    fields = mapping_of(reply)
    return fields.keys().isdisjoint(ANSWER_KEYS) and any(isinstance(each, bool) for each in fields.values())
