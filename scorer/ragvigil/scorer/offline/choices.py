"""For each fact of a record: the span that it was taken from, and why the others were not."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from ragvigil.scorer.dialects.errors import error_of
from ragvigil.scorer.dialects.evidence import evidence_of
from ragvigil.scorer.dialects.people import conversation_of
from ragvigil.scorer.dialects.provided import provided_in
from ragvigil.scorer.dialects.question import Question
from ragvigil.scorer.dialects.roles import (
    Candidate,
    Roles,
    answer_candidates,
    counted,
    innermost,
    query_candidates,
    roles_of,
)
from ragvigil.scorer.dialects.step import Step
from ragvigil.scorer.trace import RagTrace

_LONGEST = 200
_SEARCHING = ("retriever", "reranker")


@dataclass(frozen=True, slots=True)
class Place:
    """One span that told a fact, or could have."""

    span_id: str
    why: str


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact of the record."""

    name: str
    value: object
    """As it stands in the record, texts cut short; None when it is missing."""
    taken: tuple[Place, ...]
    others: tuple[Place, ...]
    """Spans that could have told it, each with why it was not taken."""
    looked_at: tuple[str, ...] = ()
    """When it is missing: the spans that would have told it."""


def facts_of(question: Question, record: RagTrace) -> tuple[Fact, ...]:
    """The facts of one record, with where they come from."""
    roles = roles_of(question)
    return (
        _query(roles),
        _documents(roles, record),
        _answer(roles),
        _model(roles, record),
        _tokens(roles, record),
        _conversation(roles),
        *_error(question),
    )


def _query(roles: Roles) -> Fact:
    first, others = _first_of(query_candidates(roles))
    return _fact(roles, "query", first, others, ("chain", *_SEARCHING, "generator"))


def _answer(roles: Roles) -> Fact:
    first, others = _first_of(answer_candidates(roles))
    generators = [step for step in roles.question.steps if step.role == "generator"]
    inner = set(innermost([step for step in generators if step.reading.answer is not None]))
    others += [
        Place(step.span.span_id, _why_not_this_generation(step, roles, inner))
        for step in generators
        if step is not roles.generation
    ]
    return _fact(roles, "answer", first, others, ("generator", "chain"))


def _first_of(candidates: Iterable[Candidate]) -> tuple[Candidate | None, list[Place]]:
    every = list(candidates)
    if not every:
        return None, []
    first = every[0]
    return first, [_place(other, f"{other.place}; {first.place} comes first") for other in every[1:]]


def _fact(
    roles: Roles, name: str, first: Candidate | None, others: Iterable[Place], wanted: Sequence[str]
) -> Fact:
    if first is None:
        return Fact(name, None, (), tuple(others), _looked_at(roles, wanted))
    own = first.step.span.span_id
    kept = {place.span_id: place for place in others if place.span_id != own}
    return Fact(name, _short(first.value), (_place(first, first.place),), tuple(kept.values()))


def _why_not_this_generation(step: Step, roles: Roles, inner: Collection[Step]) -> str:
    if "evaluator" in step.roles_above:
        return "below an evaluator: it judged, it did not answer"
    if step.reading.answer is None:
        return "says no answer: a tool call, or its output is not on the span"
    if step not in inner:
        return "wraps another generation that answered"
    returned = roles.root.reading.answer if roles.root else None
    if returned is not None and step.reading.answer.strip() != returned.strip():
        return "the root returned another answer"
    if roles.generation is not None and step.span.start >= roles.generation.span.end:
        return "an aside: a title, a verdict, or of a model that was shown neither passages nor an answer"
    return "a later generation answered"


def _documents(roles: Roles, record: RagTrace) -> Fact:
    question = roles.question
    evidence = evidence_of(question.steps, roles.generation, planned=question.plan is not None)
    searches = [step for step in roles.question.steps if step.role in _SEARCHING]
    sources, counting = set(evidence.sources), set(evidence.searches)
    taken = [Place(step.span.span_id, _what_it_found(step)) for step in evidence.sources]
    if len(taken) > 1 and searches and evidence.sources[-1] is roles.generation:
        taken[-1] = Place(taken[-1].span_id, "their texts, in its prompt")
    others = [
        Place(step.span.span_id, _why_not_this_search(step, counting, roles.generation))
        for step in searches
        if step not in sources
    ]
    if evidence.untold is not None:
        others.append(
            Place(evidence.untold.span.span_id, "its prompt shows a context, and not where passages end")
        )
    shown = [{"id": each.id, "text": _short(each.text)} for each in record.documents]
    if not evidence.known or not taken:
        return Fact("documents", None, (), tuple(others), _looked_at(roles, _SEARCHING))
    return Fact("documents", shown, tuple(taken), tuple(others))


def _what_it_found(step: Step) -> str:
    if step.role in _SEARCHING:
        found = len(step.reading.documents or ())
        return f"{found} document{'' if found == 1 else 's'} of a {step.role}" if found else "found nothing"
    if step.role != "generator":
        return f"documents that a {step.role} handled"
    if step.reading.documents:
        return "what tools answered, in its messages"
    provided = provided_in(*step.reading.exchange).documents
    return "passages that its provider found or was given" if provided else "passages of its prompt"


def _why_not_this_search(step: Step, counting: Collection[Step], generation: Step | None) -> str:
    if step in counting:
        if step.reading.documents is None:
            return "failed before it found anything" if step.failed else "does not say what it found"
        return "its documents went into a rerank, which stands for them"
    if generation is not None and step.span.end > generation.span.start:
        return "ended after the answer had begun"
    if step.roles_above.isdisjoint(_SEARCHING):
        return "says nothing of its documents; the search inside it does"
    return "is part of the search above it, which was taken"


def _model(roles: Roles, record: RagTrace) -> Fact:
    telling = [
        step for step in roles.question.steps if step.reading.model is not None or step.reading.response_model
    ]
    taken = [step for step in telling if record.model in (step.reading.model, step.reading.response_model)]
    order = {id(roles.generation): 0, id(roles.root): 2}
    chosen = set(sorted(taken, key=lambda step: order.get(id(step), 1))[:1])
    if record.model is None:
        return Fact("model", None, (), (), _looked_at(roles, ("generator",)))
    others = [
        Place(step.span.span_id, f"says {_short(step.reading.model or step.reading.response_model)}")
        for step in telling
        if step not in chosen
    ]
    places = [Place(step.span.span_id, f"model of the {step.role}") for step in chosen]
    return Fact("model", _short(record.model), tuple(places), tuple(others))


def _tokens(roles: Roles, record: RagTrace) -> Fact:
    steps = roles.question.steps
    given = set(counted(steps, lambda step: step.reading.tokens.input))
    made = set(counted(steps, lambda step: step.reading.tokens.output))
    if not given and not made:
        return Fact("tokens", None, (), (), _looked_at(roles, ("generator",)))
    taken = [
        Place(step.span.span_id, f"{step.reading.tokens.input} in, {step.reading.tokens.output} out")
        for step in steps
        if step in given or step in made
    ]
    others = [
        Place(
            step.span.span_id,
            "names no tokens"
            if step.reading.tokens.input is None and step.reading.tokens.output is None
            else "repeats or judges what a span of its own counts",
        )
        for step in steps
        if step.role == "generator" and step not in given and step not in made
    ]
    value = {"input": record.tokens.input, "output": record.tokens.output}
    return Fact("tokens", value, tuple(taken), tuple(others))


def _conversation(roles: Roles) -> Fact:
    found = conversation_of(roles)
    if found is None:
        return Fact("conversation", None, (), (), _looked_at(roles, ("generator", "chain"))[:1])
    step, value = found
    others = [
        Place(other.span.span_id, f"says {_short(other.reading.conversation_id)}")
        for other in roles.question.steps
        if other.reading.conversation_id not in (None, value)
    ]
    return Fact(
        "conversation", _short(value), (Place(step.span.span_id, f"of the {_named(step)}"),), tuple(others)
    )


def _named(step: Step) -> str:
    return "span" if step.role == "other" else step.role


def _error(question: Question) -> Iterator[Fact]:
    """What failed, where anything did: a question without an error misses nothing."""
    error = error_of(question)
    if error is None:
        return
    told = {"where": error.where, "type": error.failure.type, "message": _short(error.failure.message)}
    others = [
        Place(step.span.span_id, _why_not_this_failure(step, error.step))
        for step in question.steps
        if step.failed and step is not error.step
    ]
    yield Fact("error", told, (Place(error.step.span.span_id, "failed first"),), tuple(others))


def _why_not_this_failure(step: Step, first: Step) -> str:
    if step in first.ancestors():
        return "failed with what failed below it"
    return "was tried again, failed later, or harmed nobody"


def _looked_at(roles: Roles, wanted: Sequence[str]) -> tuple[str, ...]:
    return tuple(step.span.span_id for step in roles.question.steps if step.role in wanted)


def _place(candidate: Candidate, why: str) -> Place:
    return Place(candidate.step.span.span_id, why)


def _short(text: str | None) -> str | None:
    return text if text is None or len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
