"""What the generator saw: the documents left after every retrieval and rerank before the answer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ragvigil.scorer.dialects.as_shown import as_shown, is_shown_otherwise, stands_for_none, widened
from ragvigil.scorer.dialects.documents import ranked, same
from ragvigil.scorer.dialects.frames import Context
from ragvigil.scorer.dialects.parts import asked_in, shown_in
from ragvigil.scorer.dialects.passages import Known, United
from ragvigil.scorer.dialects.prompt import given_context
from ragvigil.scorer.dialects.provided import provided_in
from ragvigil.scorer.dialects.reading import Role
from ragvigil.scorer.dialects.roles import by_tool, innermost
from ragvigil.scorer.dialects.shapes import as_many
from ragvigil.scorer.dialects.step import Step
from ragvigil.scorer.dialects.tool_responses import passages_answered
from ragvigil.scorer.trace import Document, Retrieval

_SEARCHING = frozenset[Role]({"retriever", "reranker"})

_FEW_WORDS = 12
"""Characters of a grade or a verdict, which stands in any prompt."""
_ORDERING = frozenset({"system", "developer"})
"""Roles of those who ask nothing: the question is in another message."""


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


def evidence_of(steps: Sequence[Step], generation: Step | None, *, planned: bool = False) -> Evidence:
    """The evidence of the answer that `generation` gave (none: of all that was searched).

    Where it was `planned`, what other models were shown for their parts of it counts as well.
    """
    searches = _before(sorted(_distinct(steps), key=_by_end), generation)
    told = [step for step in searches if step.reading.documents is not None]
    known = bool(told) or not any(not step.failed for step in searches)
    pool = _left_over(told)
    pool = _kept(pool, told, generation, steps)
    sources = tuple(told[number] for number in pool)
    documents = _filled(_union(pool.values()), steps)
    if generation is not None:
        documents = _as_shown(widened(documents, generation.reading.messages), told, generation, steps)
    model = generation or _speaking(steps) or _given(steps)
    whole = documents and all(document.text is not None for document in documents)
    contexts = [] if whole else _clearest(model)
    unread, untold = False, None
    shown = next((texts for context in contexts if (texts := _texts(context, documents))), None)
    if shown and model is not None:
        sources = (*sources, model)
        pairs = zip(documents, shown, strict=True)
        documents = [replace(document, text=document.text or text) for document, text in pairs]
    elif not documents and (not told or not known):
        sources, documents = _beside(steps, generation)
        if not documents and model is not None and not searches:
            sources, documents, unread = _provided(steps, model)
        if not documents and model is not None and contexts:
            documents = [*contexts[0].documents]
            sources = (model,) if documents else ()
            known = known and bool(searches)  # what nobody can tell apart was shown all the same
        if not documents and generation is not None and planned:
            sources, documents, left = _of_parts(steps, generation)
            unread = unread or left
        if not documents and generation is not None and not (searches or contexts or unread):
            sources, documents, unread = _found_before(generation)
        known = (known or bool(documents)) and not unread
        untold = model if contexts and not documents else None
    section, of_asker = (contexts[0].whole, contexts[0].of_asker) if untold is not None else ("", False)
    return Evidence(tuple(searches), ranked(documents), sources, known, untold, section, of_asker)


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


def _speaking(steps: Iterable[Step]) -> Step | None:
    """Where no model has a span, what is around one and says what was sent and what came back.

    It names the model, or what it sent shows a context. One that failed counts where none answered.
    """
    chains = [step for step in steps if step.role == "chain" and step.reading.messages]
    answered = [step for step in chains if step.reading.answer is not None]
    telling = answered or [step for step in chains if step.failed]
    return next((step for step in telling if step.reading.model or _contexts(step)), None)


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


def _left_over(searches: Iterable[Step]) -> dict[int, tuple[Document, ...]]:
    """By number of the search, what no later rerank took in: that replaces the searches before it.

    It replaces those that its input came from; all, when nobody says where from.
    """
    searches = list(searches)
    if all(step.role != "reranker" for step in searches):
        return {number: step.reading.documents or () for number, step in enumerate(searches)}
    pool: dict[int, tuple[Document, ...]] = {}
    holders: dict[str, set[int]] = {}
    for number, step in enumerate(searches):
        found = step.reading.documents or ()
        if step.role == "reranker":
            keys = [key for document in step.reading.input_documents or () for key in _keys(document)]
            matching = set[int]().union(*(holders.get(key, ()) for key in dict.fromkeys(keys)))
            sources = Known(each for source in sorted(matching or pool) for each in pool[source])
            for source in matching or set(pool):
                for key in (key for document in pool.pop(source) for key in _keys(document)):
                    holders[key].discard(source)
            found = tuple(_completed(document, sources) for document in found)
        pool[number] = found
        for key in (key for document in found for key in _keys(document)):
            holders.setdefault(key, set()).add(number)
    return pool


def _kept(
    pool: dict[int, tuple[Document, ...]],
    searches: Sequence[Step],
    generation: Step | None,
    steps: Iterable[Step],
) -> dict[int, tuple[Document, ...]]:
    """Without what a loop found first and threw away: nothing of it is in the last prompt, where all else is.

    What tools answered may stand there in another form, and what a model made of passages stands for them.
    """
    if len(pool) < 2 or generation is None or any(searches[number].reading.tool for number in pool):
        return pool
    words = "\n".join(message.text or "" for message in generation.reading.messages)
    made = (
        each.reading.answer or "" for each in steps if each.role == "generator" and each is not generation
    )
    if not words or any(len(answer) > _FEW_WORDS and answer.strip() in words for answer in made):
        return pool
    texts = {number: [each.text.strip() for each in found if each.text] for number, found in pool.items()}
    here = {number for number, told in texts.items() if told and all(text in words for text in told)}
    again = {text for number in here for text in texts[number]}
    gone = {
        number
        for number, told in texts.items()
        if told and number not in here and not any(text in words for text in told if text not in again)
    }
    return {number: found for number, found in pool.items() if number not in gone} if here else pool


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
    shown = next(iter(_contexts(generation)), None)
    asked = {step.reading.query for step in steps}
    same = {generation, *generation.ancestors(), *generation.subtree()}
    others = [step for step in steps if step.role == "generator" and not step.failed and step not in same]
    if shown is None or not all(stands_for_none(step.reading.answer, asked) for step in others):
        return documents
    return as_shown(documents, shown.documents, messages, filter(None, asked))


def _keys(document: Document) -> list[str]:
    return [key for key in (document.id, document.text) if key is not None]


def _completed(document: Document, sources: Known) -> Document:
    """A reranker may give ids only; the text stands in its input."""
    if document.text is not None and document.id is not None:
        return document
    return _fill(document, sources.like(document), with_score=False)


def _union(groups: Iterable[tuple[Document, ...]]) -> list[Document]:
    """What several searches found, each passage once; what one of them found twice, the model was shown twice."""
    found = [*groups]
    every = [each for group in found for each in group]
    if len(found) < 2 or _differ(every):
        return every
    united = United()
    for group in found:
        for document, place in [(document, united.place_of(document)) for document in group]:
            if place is None:
                united.put(document)
            else:
                united.put(_fill(united.documents[place], [document]), place)
    return united.documents


def _differ(documents: Sequence[Document]) -> bool:
    """Whether all are whole passages, and no two alike: what most searches find."""
    whole = {(each.id, each.text) for each in documents if each.id is not None and each.text is not None}
    return len(whole) == len(documents)


def _filled(documents: list[Document], steps: Iterable[Step]) -> list[Document]:
    """Gaps filled from wherever else in the question the same passages stand."""
    if all(document.id is not None and document.text is not None for document in documents):
        return documents
    elsewhere = Known(each for step in steps for each in step.reading.documents or ())
    taken: set[str | None] = set()
    filled: list[Document] = []
    for document in documents:
        twins = elsewhere.like(document) if document.id is None or document.text is None else []
        others = twins if document.id else [each for each in twins if each.id not in taken] or twins
        filled.append(_fill(document, others, with_score=False))
        taken.add(filled[-1].id)
    return filled


def _fill(document: Document, others: Iterable[Document], *, with_score: bool = True) -> Document:
    for other in others:
        if other is not document and same(document, other):
            score = other.score if with_score and document.score is None else document.score
            document = replace(
                document,
                id=document.id or other.id,
                text=document.text or other.text,
                score=score,
                metadata=document.metadata or other.metadata,
            )
    return document


def _beside(steps: Iterable[Step], generation: Step | None) -> tuple[tuple[Step, ...], list[Document]]:
    """Documents that a step without a search of its own handled: a function, a formatter, a prompt builder.

    Of several before the generation, the last to begin is the nearest to what the model was shown.
    """
    telling = [step for step in steps if step.role not in _SEARCHING and step.reading.documents]
    begun = generation.span.start if generation is not None else None
    before = [step for step in telling if begun is None or step.span.start <= begun]
    nearest = max(before or telling[:1], key=lambda step: (step.span.start, step.depth), default=None)
    return ((nearest,), list(nearest.reading.documents or ())) if nearest is not None else ((), [])


def _provided(steps: Iterable[Step], generation: Step) -> tuple[tuple[Step, ...], list[Document], bool]:
    """What the models' providers searched or were given, up to the answer; and whether some of it cannot be read."""
    models = [step for step in steps if step.reading.exchange and step.span.start <= generation.span.start]
    told = [(step, provided_in(*step.reading.exchange)) for step in innermost(models)]
    sources = tuple(step for step, found in told if found.documents)
    documents = _union(found.documents or () for _, found in told)
    return sources, documents, any(found.unread for _, found in told)


def _found_before(generation: Step) -> tuple[tuple[Step, ...], list[Document], bool]:
    """What tools had found for earlier questions of the conversation: all that the model was shown."""
    before = passages_answered(
        generation.reading.exchange[0] if generation.reading.exchange else None, earlier=True
    )
    return (generation,) if before.documents else (), [*(before.documents or ())], before.unread


def _clearest(model: Step | None) -> list[Context]:
    """The contexts that the model was shown, or those of the call around it, without words of a framework."""
    shown = _contexts(model)
    if model is None or (shown and shown[0].documents) or (not shown and model.reading.messages):
        return shown
    around = next((step for step in model.ancestors() if step.reading.messages), None)
    others = _contexts(around)
    return others if others and others[0].documents else shown


def _contexts(generation: Step | None) -> list[Context]:
    """The context of each message that shows the model one, the last first; at the end what leaves no question, and
    what tells of who asks.

    What the model said itself is no context: a list of sources looks like one. So does a question that is a list, or
    begins with a number: nothing else is asked. Nor are a user's parts one where instructions show passages.
    """
    if generation is not None and generation.reading.context is not None:
        return [given_context(generation.reading.context)]
    messages = generation.reading.messages if generation is not None else ()
    told = [each for each in reversed(messages) if each.role != "assistant" and each.text]
    read = [(each, shown_in(each, apart=each.role in _ORDERING)) for each in told]
    if any(context.documents for each, context in read if context and each.role in _ORDERING):
        read = [(each, context) for each, context in read if each.role != "user" or not each.parts]
    found = [(context, _leaves(each.text or "", context), each.role) for each, context in read if context]
    asking = [each for each in told if each.role == "user"]
    if len(asking) == 1 and asked_in(asking[0]) == asking[0].text and not asking[0].parts:
        found = [each for each in found if each[1] or each[2] != "user" or len(each[0].documents) != 1]
    if len(found) > 1:
        found.sort(key=lambda each: (each[0].of_asker, not each[1]))
    return [context for context, *_ in found]


def _leaves(text: str, context: Context) -> bool:
    """Whether anything is left of a message beside the context in it."""
    return bool((text[: context.start] + text[context.end :]).strip())


def _of_parts(steps: Iterable[Step], generation: Step) -> tuple[tuple[Step, ...], list[Document], bool]:
    """What stands in the prompts of all models up to the answer; and whether some of it cannot be told apart."""
    models = [step for step in steps if step.role == "generator" and step.span.start <= generation.span.start]
    shown = [(step, _contexts(step)[:1]) for step in innermost(models)]
    sources = tuple(step for step, contexts in shown if contexts)
    contexts = [context for _, found in shown for context in found]
    return sources, _union(each.documents for each in contexts), not all(each.documents for each in contexts)


def _texts(context: Context, documents: Sequence[Document]) -> Sequence[str | None]:
    """The texts in a context of passages of which only the ids are known; () where they are not as many."""
    if not documents:
        return ()
    if len(context.documents) == len(documents):
        return [each.text for each in context.documents]
    if context.documents and not context.exact:
        return ()
    if any(document.text for document in documents):
        return ()  # then it is not the one thing that is missing
    return (
        [context.whole] if context.exact and len(documents) == 1 else as_many(context.whole, len(documents))
    )


def _by_end(step: Step) -> tuple[int, int, str]:
    return step.span.end, step.span.start, step.span.span_id
