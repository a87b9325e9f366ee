"""From all spans of a trace to records: one span per role, tokens at the leaves, and nothing guessed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from ragvigil.scorer.checks.reading.refusal import refuses
from ragvigil.scorer.dialects.about_answers import is_no_answer
from ragvigil.scorer.dialects.afterwards import informed, is_same, without_afterwards
from ragvigil.scorer.dialects.asides import is_aside, is_grade
from ragvigil.scorer.dialects.batches import shows
from ragvigil.scorer.dialects.called_agents import TOOLS, of_callers
from ragvigil.scorer.dialects.failure import failure_of
from ragvigil.scorer.dialects.frames import Context
from ragvigil.scorer.dialects.messages import last_message, last_of
from ragvigil.scorer.dialects.orders import is_order, is_own
from ragvigil.scorer.dialects.parts import asked_in, shown_in
from ragvigil.scorer.dialects.plans import question_of
from ragvigil.scorer.dialects.prompt import context_of, question_in
from ragvigil.scorer.dialects.question import Question
from ragvigil.scorer.dialects.react import answer_after_thoughts, hands_over
from ragvigil.scorer.dialects.reading import Message, Role
from ragvigil.scorer.dialects.shapes import is_sentence
from ragvigil.scorer.dialects.step import Step
from ragvigil.scorer.dialects.values import sequence_of

_Value = TypeVar("_Value")

_SEARCHING = frozenset[Role]({"retriever", "reranker"})
IN_A_CALL = "argument of a tool call"
"""The place of a question that nobody told but in a model's own words."""
_ASKING = re.compile(r"[?\uff1f\u061f]")
_ITEM = re.compile(r"(?:[-*\u2022]|\d{1,2}[.)])\s+")


@dataclass(frozen=True, slots=True)
class Roles:
    """Which step was taken for which role."""

    question: Question
    root: Step | None
    """The topmost chain that knows the question or the answer; else the topmost chain."""
    generation: Step | None
    """The generation that gave the answer; the last one when none did."""
    replied: bool = True
    """Whether it is known that its reply is the answer, and not a verdict on that of another one, or the like."""

    def known(self, fact: Callable[[Step], _Value | None]) -> _Value | None:
        """The fact as the generation tells it, else the root, else the first step that does."""
        for step in (self.generation, self.root, *self.question.steps):
            if step is not None and (value := fact(step)) is not None:
                return value
        return None


def roles_of(question: Question) -> Roles:
    """One step per role."""
    root = _root(question.steps) if question.plan is None else _above(question)
    generation, known = _generation(question.steps, root)
    return Roles(question, root, generation, replied=known)


@dataclass(frozen=True, slots=True)
class Candidate:
    """One step that could tell a fact of the record."""

    step: Step
    value: str
    place: str
    """Where in the step it stands, in words."""


def answer_of(roles: Roles) -> str | None:
    """The answer as the generator gave it, else as the root returned it."""
    return next((candidate.value for candidate in answer_candidates(roles)), None)


def query_candidates(roles: Roles) -> Iterator[Candidate]:
    """Every place where the question may stand: root, search, last user message, tool call; the first is taken."""
    if (whole := _uncut(roles)) is not None:
        yield whole
    if (root := roles.root) is not None and root.reading.query is not None:
        yield Candidate(root, _without_passages(root.reading.query, roles), "input of the root")
    plan = roles.question.plan
    if plan is not None and (planned := question_of(plan, roles.question.top)) is not None:
        yield Candidate(plan, planned, "what the plan is for")
    searches = [step for step in roles.question.steps if step.role in ("retriever", "reranker")]
    asked = [(step, step.reading.query) for step in searches]
    if (rewritten := _rewritten(roles, {query for _, query in asked if query is not None})) is not None:
        yield rewritten
    for step, query in asked:
        if query is not None and not by_tool(step):
            yield Candidate(step, query, f"query of a {step.role}")
    for model in (roles.generation, *generations(roles)):
        if model is not None and (said := last_message(model.reading.messages, "user")):
            yield Candidate(model, _asked(said, roles), "last user message")
    for step in roles.question.steps:
        if step.role == "chain" and step.reading.query is not None and not by_tool(step):
            yield Candidate(step, step.reading.query, "input of a step")
    for step, query in asked:
        if query is not None and by_tool(step):
            yield Candidate(step, query, IN_A_CALL)


def answer_candidates(roles: Roles) -> Iterator[Candidate]:
    """Every place where the answer may stand; the first is taken."""
    places = [(roles.generation, "reply of the model"), (roles.root, "output of the root")]
    for step, place in reversed(places) if _is_composed(roles) else places:
        if step is not None and step.reading.answer is not None:
            answer = answer_after_thoughts(step.reading.answer)
            if answer and not _is_failure(answer, roles):
                yield Candidate(step, answer, place)


def _is_failure(answer: str, roles: Roles) -> bool:
    """Whether it is word for word why a model's call failed, which agents return in the place of an answer.

    Where a model answered, what a later call failed with is what code told the user, such as an apology.
    """
    if roles.generation is not None and roles.generation.reading.answer is not None:
        return False
    failed = (step for step in generations(roles) if step.failed)
    told = (step.reading.failure or failure_of(step.span) for step in failed)
    return any(failure is not None and failure.message == answer.strip() for failure in told)


def _is_composed(roles: Roles) -> bool:
    """Whether what the root returned is the answer, and no model's reply: it is made of several, as by LlamaIndex's
    `accumulate`, or of code in one, or the service's own words.
    """
    returned = roles.root.reading.answer if roles.root is not None else None
    if roles.question.plan is not None:
        return returned is not None
    last = roles.generation.reading.answer if roles.generation is not None else None
    if returned is None or last is None:
        return False
    others = {each.reading.answer or "" for each in generations(roles)} - {last}
    if len(returned) > len(last) and last in returned:
        return any(" " in other and other in returned and other not in last for other in others)
    return hands_over(last, returned) or _is_in_own_words(roles, returned, {last, *others})


def _is_in_own_words(roles: Roles, returned: str, replies: set[str]) -> bool:
    """Whether the service's code wrote the sentence that the root returned, instead of what a model said.

    A guard refused, nothing was found, a cache had it. Beside an answer a root may as well return that it was sent:
    so it has to be a refusal, or nothing that a model said, or was shown, can have been the answer.
    """
    if returned in replies or not is_sentence(returned) or any(is_same(each, returned) for each in replies):
        return False
    steps = roles.question.steps
    asked = {(step.reading.query or "").strip() for step in steps}
    found = (each.text or "" for step in steps for each in step.reading.documents or ())
    if returned.strip() in asked or any(is_same(each, returned) for each in found if each):
        return False
    if refuses(returned) is not None:
        return True
    models = generations(roles)
    shown = any(shows(model, bare=True) for model in models) or any(
        each.role == "tool" for model in models for each in model.reading.messages
    )
    return not shown and all(is_no_answer(each, asked) for each in replies)


def _asked(said: Message, roles: Roles) -> str:
    """What a message asks: all of its parts where a search found the passages, and none of them stands there."""
    searches = [step for step in roles.question.steps if said.parts and step.role in _SEARCHING]
    found = [document.text or "" for step in searches for document in step.reading.documents or ()]
    texts = [text.strip() for text in found if text.strip()]
    whole = said.text or ""
    return whole if texts and not any(text in whole for text in texts) else asked_in(said)


def by_tool(step: Step) -> bool:
    """Whether a model asked for a search, in its own words: a tool, or a search within one."""
    return step.reading.tool is not None or any(above.reading.tool for above in step.ancestors())


def _without_passages(asked: str, roles: Roles) -> str:
    """What the root was asked, out of the prompt with passages that it was given and sent on to the model as it was.

    An application that searches itself asks an agent so. Where a step searched, all of it is the question.
    """
    model = roles.generation
    sent = last_message(model.reading.messages, "user") if model is not None else None
    if (
        sent is None
        or (sent.text or "").strip() != asked.strip()
        or any(each.role in _SEARCHING for each in roles.question.steps)
    ):
        return asked
    context = shown_in(sent)
    return asked_in(sent) if context is not None and context.documents else asked


def _uncut(roles: Roles) -> Candidate | None:
    """All of what a user said that looks like a prompt with a context, where tools searched and none of it is in there.

    Agents are sent what was asked as it is; a user may write "Context:", too.
    """
    searches = [step for step in roles.question.steps if step.role in _SEARCHING]
    model = roles.generation
    if model is None or not searches or not all(map(by_tool, searches)):
        return None
    said = last_of(model.reading.messages, "user")
    context = context_of(said) if said else None
    if said is None or context is None or (context.documents and not _is_told(said, context)):
        return None
    found = (document.text for step in searches for document in step.reading.documents or ())
    return (
        None if any(text and text in said for text in found) else Candidate(model, said, "last user message")
    )


def _is_told(said: str, context: Context) -> bool:
    """Whether passages in what was said are what a user tells of himself: no order stands around them, and some of
    them say "I" or "my". Lists of frequent questions do so, too, and ask.
    """
    around = f"{said[: context.start]}\n{said[context.end :]}"
    told = (document.text or "" for document in context.documents)
    own = any(is_own(text) and not _ASKING.search(text) for text in told)
    return own and not any(map(is_order, around.splitlines()))


def _rewritten(roles: Roles, searched: set[str]) -> Candidate | None:
    """The question of the last prompt, where a model was asked it before and what it answered was searched for."""
    model = roles.generation
    asked = [
        last_of(other.reading.messages, "user") or ""
        for other in generations(roles)
        if other is not model and not searched.isdisjoint(_queries(other.reading.answer or ""))
    ]
    prompt = last_of(model.reading.messages, "user") if model is not None and asked else None
    if model is None or prompt is None:
        return None
    question = question_in(prompt)
    told = any(question in text for text in asked)
    return Candidate(model, question, "last user message, rewritten for the search") if told else None


def _queries(answer: str) -> set[str]:
    """What may have been searched for, of what a model said: all of it, a line, an item of a list."""
    listed = [text for text in sequence_of(answer) if isinstance(text, str)]
    lines = [line.strip(" \t\"'") for line in answer.splitlines()]
    return {answer.strip(" \n\"'"), *listed, *lines, *(_ITEM.sub("", line, count=1) for line in lines)}


def generations(roles: Roles) -> list[Step]:
    """Every generation of the question, evaluators' left out."""
    return _generators(roles.question.steps)


def leaf_sum(steps: Sequence[Step], amount: Callable[[Step], float | None]) -> float | None:
    """The sum over generations that contain no other counted one; None when none tells."""
    amounts = [amount(step) or 0 for step in counted(steps, amount)]
    return sum(amounts) if amounts else None


def counted(steps: Sequence[Step], amount: Callable[[Step], float | None]) -> list[Step]:
    """The generations that tell the amount and contain no other one that does; where none tells, what is around them.

    Frameworks trace one call two or three times, one inside the other, and repeat its tokens; an SDK that traces
    itself does so beside its instrumentation, at the same time and with one response's id, or within its time and with
    the same amount.
    """
    telling = innermost([step for step in _generators(steps) if amount(step) is not None])
    if not telling:
        chains = {step for step in steps if step.role == "chain" and amount(step) is not None}
        return [step for step in steps if step in chains and chains.isdisjoint(step.ancestors())]
    ends: dict[str, int] = {}
    calls: list[Step] = []
    if len(telling) > 1 and len({step.span.scope for step in telling}) > 1:
        around = _told_around(telling, amount)
        telling = [step for step in telling if step not in around]
    for step in telling:
        name = step.reading.response_id or step.span.span_id
        if step.span.start >= ends.get(name, step.span.start):
            calls.append(step)
        ends[name] = max(step.span.end, ends.get(name, 0))
    return calls


def _told_around(steps: Sequence[Step], amount: Callable[[Step], float | None]) -> set[Step]:
    """Those that another library tells, too: a span beside it begins before it, ends behind it, and says as much."""
    last: dict[tuple[Step | None, float | None], dict[str, int]] = {}
    around: set[Step] = set()
    for step in sorted(steps, key=lambda step: (step.span.start, -step.span.end, step.span.scope)):
        scope, end, key = step.span.scope, step.span.end, (step.parent, amount(step))
        ends = last.get(key, {})
        if any(other != scope and latest >= end for other, latest in ends.items()):
            around.add(step)
        ends = {**ends, scope: max(end, ends.get(scope, end))}
        last[key] = dict(
            sorted(ends.items(), key=lambda each: each[1])[-2:]
        )  # one of two is another library's
    return around


def _root(steps: Sequence[Step]) -> Step | None:
    """A silent chain above several that tell stands for itself: none of its parts is the whole.

    What a tool does to answer a model, such as to ask a whole engine, is a part of that model's question.
    """
    every = sorted((step for step in steps if step.role == "chain"), key=_place)
    chains = [step for step in every if TOOLS.isdisjoint(step.roles_above)]
    if not chains and not any(
        step.role == "generator" and TOOLS.isdisjoint(step.roles_above) for step in steps
    ):
        chains = every
    telling = [step for step in chains if step.reading.query is not None or step.reading.answer is not None]
    if not telling:
        return chains[0] if chains else None
    rivals = [step for step in telling if step.depth == telling[0].depth]
    above = chains[0] in telling[0].ancestors()
    return chains[0] if above and len(rivals) > 1 else _unprepared(rivals)


def _above(question: Question) -> Step | None:
    """The nearest chain above all parts of a planned question: none of them is the whole."""
    path = [question.top, *question.top.ancestors()] if question.top else []
    return next((step for step in path if step.role == "chain"), None)


def _unprepared(rivals: Sequence[Step]) -> Step:
    """The first of them, but for calls that had nothing to go by, such as one that rewrites the question."""
    for step in rivals if len(rivals) > 1 else ():
        if (
            "generator" not in step.roles_within
            or not step.roles_within.isdisjoint(_SEARCHING)
            or shows(step)
        ):
            return step
    return rivals[0]


def _generation(steps: Sequence[Step], root: Step | None) -> tuple[Step | None, bool]:
    """Of the generations that answered, the last whose answer the root returned, else the last that is no aside.

    And whether it is known that this one answered the user.
    """
    every = sorted(_generators(steps), key=lambda step: (step.span.end, step.span.start, step.span.span_id))
    answering = innermost([step for step in every if step.reading.answer is not None])
    expected = answer_after_thoughts((root.reading.answer if root else None) or "").strip()
    said = {step: answer_after_thoughts(step.reading.answer or "").strip() for step in answering}
    agreeing = [step for step in answering if expected and said[step] == expected]
    if len(answering) > 1 and agreeing and is_grade(expected):
        agreeing, expected = [], ""  # Haystack's pipelines return what a judge of the answer made, too
    if agreeing or len(answering) == 1:
        return (agreeing or answering)[-1], True
    if not answering:
        return _sent(next(reversed(innermost(every)), None)), True
    answering, told = of_callers(answering, every)
    answers = informed([step for step in answering if not is_aside(said[step])], told) or answering
    found = {each.text.strip() for step in steps for each in step.reading.documents or () if each.text}
    telling = [root, *(step for step in steps if step.role in _SEARCHING)]
    asked = {(step.reading.query or "").strip() for step in telling if step is not None}
    last = without_afterwards(answers, found - {""}, asked - {""}, expected, told)
    return last.answers[-1], last.known


def _sent(step: Step | None) -> Step | None:
    """The call, or the one right around it where only that says what was sent: a client's own span may tell none."""
    if step is None or step.reading.messages:
        return step
    around = step.parent
    return around if around is not None and around.role == "generator" and around.reading.messages else step


def _generators(steps: Iterable[Step]) -> list[Step]:
    return [step for step in steps if step.role == "generator" and "evaluator" not in step.roles_above]


def innermost(steps: Sequence[Step]) -> list[Step]:
    """Those of the steps that have none of the others below them."""
    outer: set[Step] = set()
    for step in steps:
        for above in step.ancestors():
            if above in outer:
                break
            outer.add(above)
    return [step for step in steps if step not in outer]


def _place(step: Step) -> tuple[int, int, int, str]:
    """By depth and start; of those that began at once, the one around the others first."""
    return step.depth, step.span.start, -step.span.end, step.span.span_id
