"""What the generator saw: the documents left after every retrieval and rerank before the answer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ragvigil.scorer.dialects.documents import ranked, same
from ragvigil.scorer.dialects.prompt import passages_in
from ragvigil.scorer.dialects.reading import Role
from ragvigil.scorer.dialects.step import Step
from ragvigil.scorer.trace import Document, Retrieval

_SEARCHING = frozenset[Role]({"retriever", "reranker"})


@dataclass(frozen=True, slots=True)
class Evidence:
    """The evidence of one answer."""

    searches: tuple[Step, ...]
    """The retrievals and reranks that count, each once, by end."""
    documents: tuple[Document, ...]
    known: bool
    """False when a search ran and nothing tells what it found."""


def evidence_of(steps: Sequence[Step], generation: Step | None) -> Evidence:
    """The evidence of the answer that `generation` gave (none: of all that was searched)."""
    searches = _before(sorted(_distinct(steps), key=_by_end), generation)
    told = [step for step in searches if step.reading.documents is not None]
    known = bool(told) or not any(not step.span.failed for step in searches)
    documents = _filled(_left_over(told), steps)
    passages = _passages(generation)
    if passages and len(passages) == len(documents):
        pairs = zip(documents, passages, strict=True)
        documents = [replace(document, text=document.text or text) for document, text in pairs]
    elif not documents and (not told or not known):
        documents = _beside(steps) or [Document(None, text) for text in passages]
        known = known or bool(documents)
    return Evidence(tuple(searches), ranked(documents), known)


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


def _distinct(steps: Iterable[Step]) -> Iterable[Step]:
    """Searches of one role that are nested are one search: the outermost that tells what it found."""
    for step in steps:
        if step.role in _SEARCHING and not any(above.role in _SEARCHING for above in step.ancestors()):
            yield from _telling(step)


def _telling(step: Step) -> list[Step]:
    if step.reading.documents is not None:
        return [step]
    inner = [below for below in step.subtree() if below is not step and below.role in _SEARCHING]
    telling = [below for below in inner if below.reading.documents is not None]
    outermost = [below for below in telling if not any(above in telling for above in below.ancestors())]
    return outermost or [step]


def _before(searches: list[Step], generation: Step | None) -> list[Step]:
    """Those that ended before the generation began; all of them when clocks disagree and none did."""
    if generation is None:
        return searches
    return [step for step in searches if step.span.end <= generation.span.start] or searches


def _left_over(searches: Iterable[Step]) -> list[Document]:
    """A rerank replaces the searches that its input came from (all, when nobody says where from)."""
    pool: dict[int, tuple[Document, ...]] = {}
    holders: dict[str, list[int]] = {}
    for number, step in enumerate(searches):
        found = step.reading.documents or ()
        if step.role == "reranker":
            keys = [key for document in step.reading.input_documents or () for key in _keys(document)]
            matching = {each for key in keys for each in holders.get(key, ()) if each in pool}
            sources = [pool.pop(each) for each in sorted(matching or pool)]
            found = tuple(_completed(document, sources) for document in found)
        pool[number] = found
        for key in (key for document in found for key in _keys(document)):
            holders.setdefault(key, []).append(number)
    return _union(pool.values())


def _keys(document: Document) -> list[str]:
    return [key for key in (document.id, document.text) if key is not None]


def _completed(document: Document, groups: Iterable[tuple[Document, ...]]) -> Document:
    """A reranker may give ids only; the text stands in its input."""
    if document.text is not None and document.id is not None:
        return document
    return _fill(document, (each for group in groups for each in group), with_score=False)


def _union(groups: Iterable[Iterable[Document]]) -> list[Document]:
    united: list[Document] = []
    places: dict[str, list[int]] = {}
    for document in (each for group in groups for each in group):
        keys = _keys(document)
        twins = (place for key in keys for place in places.get(key, ()) if same(united[place], document))
        if (place := next(twins, None)) is not None:
            united[place] = _fill(united[place], [document])
            continue
        for key in keys:
            places.setdefault(key, []).append(len(united))
        united.append(document)
    return united


def _filled(documents: list[Document], steps: Iterable[Step]) -> list[Document]:
    """Gaps filled from wherever else in the question the same passages stand."""
    if all(document.id is not None and document.text is not None for document in documents):
        return documents
    elsewhere = [each for step in steps for each in step.reading.documents or ()]
    return [_fill(document, elsewhere, with_score=False) for document in documents]


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


def _beside(steps: Iterable[Step]) -> list[Document]:
    """Documents that a step without a search of its own handled: a formatter, a prompt builder."""
    others = (step.reading.documents for step in steps if step.role not in _SEARCHING)
    return list(next((documents for documents in others if documents), ()))


def _passages(generation: Step | None) -> tuple[str, ...]:
    if generation is None:
        return ()
    found = (passages_in(message.text) for message in generation.reading.messages if message.text)
    return max(found, key=len, default=())


def _by_end(step: Step) -> tuple[int, int, str]:
    return step.span.end, step.span.start, step.span.span_id
