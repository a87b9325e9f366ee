"""What the generator saw: the documents left after every retrieval and rerank before the answer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from ragvigil.scorer.dialects.as_shown import as_shown, is_shown_otherwise, stands_for_none, widened
from ragvigil.scorer.dialects.called_at_once import in_turn
from ragvigil.scorer.dialects.documents import ranked
from ragvigil.scorer.dialects.left_over import kept, left_over
from ragvigil.scorer.dialects.passages import completed, union_of
from ragvigil.scorer.dialects.provided import provided_in
from ragvigil.scorer.dialects.reading import Role
from ragvigil.scorer.dialects.roles import by_tool, innermost
from ragvigil.scorer.dialects.shown_contexts import clearest, contexts_of, texts_in
from ragvigil.scorer.dialects.step import Step
from ragvigil.scorer.dialects.tool_responses import passages_answered
from ragvigil.scorer.trace import Document, Retrieval

_SEARCHING = frozenset[Role]({"retriever", "reranker"})


@dataclass(frozen=True, slots=True)
class Evidence:
    """The evidence of one answer."""

    searches: tuple[Step, ...]
    """The retrievals and reranks that count, each once, by end."""
    documents: tuple[Document, ...]
    sources: tuple[Step, ...]
    """The steps that the documents came from, or their texts; a rerank stands for the searches before it."""
    known: bool
    """False when a search ran and nothing tells what it found."""
    untold: Step | None = None
    """The model whose prompt shows passages that nobody can tell apart, where nothing else tells them."""
    section: str = ""
    """What it shows of them, where that is known."""
    of_asker: bool = False
    """Whether that tells of who asks, and may be evidence or not."""


class _Found(NamedTuple):
    """What somebody tells of passages where no search does."""

    sources: tuple[Step, ...] = ()
    documents: Sequence[Document] = ()
    unread: bool = False
    """Whether there is more that cannot be read, or told apart."""


def evidence_of(steps: Sequence[Step], generation: Step | None, *, planned: bool = False) -> Evidence:
    """The evidence of the answer that `generation` gave (none: of all that was searched).

    Where it was `planned`, what other models were shown for their parts of it counts as well.
    """
    searches = tuple(_before(sorted(_distinct(steps), key=_by_end), generation))
    told = [step for step in searches if step.reading.documents is not None]
    if not told:
        return _elsewhere(steps, generation, searches, planned=planned)
    pool = in_turn(kept(left_over(told), told, generation, steps), told, generation)
    sources = tuple(told[number] for number in pool)
    elsewhere = (each for step in steps for each in step.reading.documents or ())
    documents = completed(union_of(pool.values()), elsewhere)
    if generation is not None:
        documents = _as_shown(widened(documents, generation.reading.messages), told, generation, steps)
    if all(document.text is not None for document in documents):
        return Evidence(searches, ranked(documents), sources, known=True)
    model = _model(steps, generation)
    shown = next((texts for context in clearest(model) if (texts := texts_in(context, documents))), None)
    if shown and model is not None:
        sources = (*sources, model)
        pairs = zip(documents, shown, strict=True)
        documents = [replace(document, text=document.text or text) for document, text in pairs]
    return Evidence(searches, ranked(documents), sources, known=True)


def _elsewhere(
    steps: Sequence[Step], generation: Step | None, searches: tuple[Step, ...], *, planned: bool
) -> Evidence:
    """The evidence where no search tells what it found: what stands beside them, at a provider, or in prompts."""
    model = _model(steps, generation)
    contexts = clearest(model)
    found = _beside(steps, generation)
    if not found.documents and model is not None and not searches:
        found = _provided(steps, model)
    if not found.documents and model is not None and contexts:
        documents = contexts[0].documents
        found = _Found((model,) if documents else (), documents, found.unread)
    if not found.documents and generation is not None and planned:
        parts = _of_parts(steps, generation)
        found = parts._replace(unread=found.unread or parts.unread)
    if not found.documents and generation is not None and not (searches or contexts or found.unread):
        found = _found_before(generation)
    # What nobody can tell apart was shown all the same.
    nothing = all(step.failed for step in searches) if searches else not contexts
    known = (bool(found.documents) or nothing) and not found.unread
    evidence = Evidence(searches, ranked(found.documents), found.sources, known)
    if found.documents or not contexts:
        return evidence
    return replace(evidence, untold=model, section=contexts[0].whole, of_asker=contexts[0].of_asker)


def retrievals_of(evidence: Evidence) -> tuple[Retrieval, ...]:
    """The searches as the record keeps them: first pass and rerank apart."""
    return tuple(_retrieval(step) for step in evidence.searches)


def _retrieval(step: Step) -> Retrieval:
    documents = step.reading.documents or ()
    return Retrieval(
        "rerank" if step.role == "reranker" else "retrieve",
        step.reading.query,
        tuple(document.id for document in documents),
        tuple(document.score for document in documents),
    )


def _model(steps: Sequence[Step], generation: Step | None) -> Step | None:
    """The step that tells what a model was shown."""
    return generation or _speaking(steps) or _given(steps)


def _speaking(steps: Iterable[Step]) -> Step | None:
    """Where no model has a span, what is around one and says what was sent and what came back.

    It names the model, or what it sent shows a context. One that failed counts where none answered.
    """
    chains = [step for step in steps if step.role == "chain" and step.reading.messages]
    answered = [step for step in chains if step.reading.answer is not None]
    telling = answered or [step for step in chains if step.failed]
    return next((step for step in telling if step.reading.model or contexts_of(step)), None)


def _given(steps: Iterable[Step]) -> Step | None:
    """Where nothing of a model is told at all, the outermost step that answered and was given a context by name."""
    chains = [step for step in steps if step.role == "chain" and step.reading.context is not None]
    answering = (step for step in chains if step.reading.answer is not None)
    return min(answering, key=lambda step: step.depth, default=None)


def _distinct(steps: Iterable[Step]) -> Iterable[Step]:
    """Searches of one role that are nested are one search: the outermost that tells what it found."""
    for step in steps:
        if step.role in _SEARCHING and step.roles_above.isdisjoint(_SEARCHING):
            yield from _telling(step)


def _telling(step: Step) -> list[Step]:
    """The outermost searches of the subtree that tell what they found, in the tree's order."""
    telling: list[Step] = []
    waiting = [step]
    while waiting:
        below = waiting.pop()
        if below.role in _SEARCHING and below.reading.documents is not None:
            telling += _within(below) or [below]
        else:
            waiting += reversed(below.children)
    return telling or [step]


def _within(tool: Step) -> list[Step]:
    """The searches in a tool, where all that they found stands in its words: they tell ids, and each passage apart."""
    if tool.reading.tool is None or not tool.children:
        return []
    inner = [step for child in tool.children for step in _telling(child) if step.role in _SEARCHING]
    found = [document.text for step in inner for document in step.reading.documents or ()]
    told = tool.reading.documents or ()
    words = tool.reading.words or "\n".join(document.text or "" for document in told)
    return inner if found and all(text is not None and text.strip() in words for text in found) else []


def _before(searches: list[Step], generation: Step | None) -> list[Step]:
    """Those that ended before the generation began; all of them when clocks disagree and none did.

    Not those, though, that only their shape says are searches, and that began after it: they took its answer apart.
    """
    if generation is None:
        return searches
    start, end = generation.span.start, generation.span.end
    before = [step for step in searches if step.span.end <= start]
    if before or generation.reading.answer is None:
        return before or searches
    return [step for step in searches if step.reading.otherwise is None or step.span.start < end]


def _as_shown(
    documents: list[Document], searches: Iterable[Step], generation: Step, steps: Iterable[Step]
) -> list[Document]:
    """The passages as code put them into the prompt, where that parts them beyond doubt.

    What tools answered may stand in the prompt in another form.
    """
    messages = generation.reading.messages
    if not documents or not messages or any(map(by_tool, searches)):
        return documents
    if generation.span.dropped_attributes or not is_shown_otherwise(documents, messages):
        return documents
    shown = next(iter(contexts_of(generation)), None)
    asked = {step.reading.query for step in steps}
    same = {generation, *generation.ancestors(), *generation.subtree()}
    others = [step for step in steps if step.role == "generator" and not step.failed and step not in same]
    if shown is None or not all(stands_for_none(step.reading.answer, asked) for step in others):
        return documents
    return as_shown(documents, shown.documents, messages, filter(None, asked))


def _beside(steps: Iterable[Step], generation: Step | None) -> _Found:
    """Documents that a step without a search of its own handled: a function, a formatter, a prompt builder.

    Of several before the generation, the last to begin is the nearest to what the model was shown.
    """
    telling = [step for step in steps if step.role not in _SEARCHING and step.reading.documents]
    begun = generation.span.start if generation is not None else None
    before = [step for step in telling if begun is None or step.span.start <= begun]
    nearest = max(before or telling[:1], key=lambda step: (step.span.start, step.depth), default=None)
    return _Found((nearest,), nearest.reading.documents or ()) if nearest is not None else _Found()


def _provided(steps: Iterable[Step], generation: Step) -> _Found:
    """What the models' providers searched or were given, up to the answer."""
    models = [step for step in steps if step.reading.exchange and step.span.start <= generation.span.start]
    told = [(step, provided_in(*step.reading.exchange)) for step in innermost(models)]
    sources = tuple(step for step, found in told if found.documents)
    documents = union_of(found.documents or () for _, found in told)
    return _Found(sources, documents, any(found.unread for _, found in told))


def _found_before(generation: Step) -> _Found:
    """What tools had found for earlier questions of the conversation: all that the model was shown."""
    sent = generation.reading.exchange[0] if generation.reading.exchange else None
    before = passages_answered(sent, earlier=True)
    return _Found((generation,) if before.documents else (), before.documents or (), before.unread)


def _of_parts(steps: Iterable[Step], generation: Step) -> _Found:
    """What stands in the prompts of all models up to the answer."""
    models = [step for step in steps if step.role == "generator" and step.span.start <= generation.span.start]
    shown = [(step, contexts_of(step)[:1]) for step in innermost(models)]
    sources = tuple(step for step, contexts in shown if contexts)
    contexts = [context for _, found in shown for context in found]
    documents = union_of(each.documents for each in contexts)
    return _Found(sources, documents, not all(each.documents for each in contexts))


def _by_end(step: Step) -> tuple[int, int, str]:
    return step.span.end, step.span.start, step.span.span_id
