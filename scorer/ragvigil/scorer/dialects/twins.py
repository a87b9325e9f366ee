"""Steps that two libraries told, each in spans of its own: a framework and its model's client, or two tracers of one.

Neither knows of the other, so their spans stand beside each other in whatever way contexts were passed on. What is one
step and what is two that look alike (guards, a second pipeline, a retry) is only known where several facts of both are
the same, none differs, and no third step would do as well. Anything else is left as it is: a call that is counted
twice does less harm than one that is lost.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from ragvigil.scorer.dialects.messages import last_of
from ragvigil.scorer.dialects.reading import Reading, Role, filled
from ragvigil.scorer.dialects.step import Step, gather, rehang
from ragvigil.scorer.trace import Document

Documents = tuple[Document, ...]
Pair = tuple[Step, Step]
_SEARCHING = frozenset[Role]({"retriever", "reranker"})
_NEAR = 0.1
_MOST = 20
"""Libraries of a trace, and steps told alike and open at a time, of which any may be a twin: no service has more."""


def united(steps: Sequence[Step], roots: list[Step]) -> list[Step]:
    """The roots of the forest in which each step is told once; `steps` by start, linked."""
    if not 1 < len({step.span.scope for step in steps if step.role != "other"}) <= _MOST:
        return roots  # as nearly always
    pairs = list(_alone(_candidates(steps)))
    if not pairs:
        return roots
    above = {step: _chains_above(step) for pair in pairs for step in pair}
    branches = {(one, other): _branches(above[one], above[other]) for one, other in pairs}
    worth = _worth(steps)
    chains = _joined(_chains(branches), worth)
    merged = _joined([pair for pair, two in branches.items() if _is_one(two, chains)], worth)
    for twin in merged:
        twin.merged, twin.role = twin.role, "other"
    rehang(chains, roots)
    roots = [root for root in roots if root.parent is None]
    for root in roots:
        gather(root)
    return roots


def _candidates(steps: Sequence[Step]) -> dict[tuple[Step, str], dict[Step, None]]:
    """Per step and other library, the steps of that one that tell the same of the same time."""
    seen: dict[Hashable, list[Step]] = {}
    found: dict[tuple[Step, str], dict[Step, None]] = {}
    known = _ids(steps)
    for step in steps:
        for key in _shared(step, known):
            open_ = [other for other in seen.get(key, ()) if _touch(other, step)][-_MOST:]
            for other in open_:
                if _is_twin(other, step):
                    found.setdefault((other, step.span.scope), {})[step] = None
                    found.setdefault((step, other.span.scope), {})[other] = None
            seen[key] = [*open_, step]
    return found


def _touch(step: Step, later: Step) -> bool:
    """Whether a step was open when another began, or both began in one tick of a coarse clock."""
    return step.span.end > later.span.start or step.span.start == later.span.start


def _alone(found: Mapping[tuple[Step, str], Mapping[Step, None]]) -> Iterator[Pair]:
    """The pairs of which neither has another candidate, once each: which of two would it be?"""
    for (step, _), others in found.items():
        other = next(iter(others))
        rivals = found[other, step.span.scope]
        if len(others) == len(rivals) == 1 and _order(step) < _order(other):
            yield step, other


def _order(step: Step) -> tuple[int, str]:
    return step.span.start, step.span.span_id


def _chains_above(step: Step) -> list[Step]:
    """The chains above a step, the outermost first."""
    return [each for each in step.ancestors() if each.role == "chain"][::-1]


def _branches(ours: Sequence[Step], theirs: Sequence[Step]) -> tuple[Step | None, Step | None]:
    """The outermost chain above each of two steps that is not above the other; what is above both comes first."""
    both = range(min(len(ours), len(theirs)))
    place = bisect_left(both, True, key=lambda number: ours[number] is not theirs[number])
    first, second = (above[place] if place < len(above) else None for above in (ours, theirs))
    return first, second


def _is_one(branches: tuple[Step | None, Step | None], kept: Mapping[Step, Step]) -> bool:
    """Whether steps of these chains may be one: not of two that stay two, each of which needs its own."""
    one, other = branches
    return one is None or other is None or kept.get(one, one) is kept.get(other, other)


def _chains(branches: Mapping[Pair, tuple[Step | None, Step | None]]) -> list[Pair]:
    """Chains of two libraries that hold what is one step, and nothing of which one differs.

    Two pipelines that are compared ask the same, and may well answer the same: what they found tells them apart.
    """
    searched: dict[Pair, bool] = {}
    for (step, _), (one, other) in branches.items():
        if one is not None and other is not None:
            pair = (one, other) if _order(one) < _order(other) else (other, one)
            searched[pair] = searched.get(pair, False) or step.role in _SEARCHING
    found: dict[tuple[Step, str], dict[Step, None]] = {}
    finding = {chain: _finds(chain) for pair in searched for chain in pair}
    for (one, other), same in searched.items():
        if _is_twin(one, other) and (same or not (finding[one] and finding[other])):
            found.setdefault((one, other.span.scope), {})[other] = None
            found.setdefault((other, one.span.scope), {})[one] = None
    return list(_alone(found))


def _finds(chain: Step) -> bool:
    return any(step.role in _SEARCHING and step.reading.documents for step in chain.subtree())


def _joined(pairs: Sequence[Pair], worth: Mapping[str, tuple[int, str]]) -> dict[Step, Step]:
    """Each step that another one stands for, with that one, which now knows what both do.

    A third step is compared with what two of them tell together.
    """
    kept: dict[Step, Step] = {}
    members: dict[Step, list[Step]] = {}
    ranks = {step: _rank(step, worth) for pair in pairs for step in pair}
    for pair in pairs:
        one, other = (kept.get(step, step) for step in pair)
        ours, theirs = (members.get(step, [step]) for step in (one, other))
        scopes = {step.span.scope for step in (*ours, *theirs)}
        if len(scopes) < len(ours) + len(theirs) or not _agree(one, other):
            continue
        best, twin = sorted((one, other), key=ranks.__getitem__, reverse=True)
        best.reading = _both(best.reading, twin.reading)
        members[best] = [*ours, *theirs]
        kept |= dict.fromkeys([step for step in members[best] if step is not best], best)
    return kept


def _rank(step: Step, worth: Mapping[str, tuple[int, str]]) -> tuple[int, tuple[int, str]]:
    """What stands within a chain stays there, whoever knows more: the chain would have no call of its own."""
    return len(_chains_above(step)), worth[step.span.scope]


def _worth(steps: Sequence[Step]) -> dict[str, tuple[int, str]]:
    """How much each library tells of the trace; its name decides between equals."""
    worth: dict[str, int] = {}
    for step in steps:
        worth[step.span.scope] = worth.get(step.span.scope, 0) + _facts(step.reading)
    return {scope: (facts, scope) for scope, facts in worth.items()}


def _facts(reading: Reading) -> int:
    known = (reading.query, reading.answer, reading.documents)
    texts = sum((each.text is not None) + (each.id is not None) for each in reading.documents or ())
    return texts + sum(fact is not None for fact in known)


def _both(reading: Reading, other: Reading) -> Reading:
    """What both tell; of passages, one may know ids, and the other texts."""
    documents = reading.documents or other.documents
    if reading.documents and other.documents:
        documents = tuple(
            replace(
                one,
                id=another.id if one.id is None else one.id,
                text=another.text if one.text is None else one.text,
                score=another.score if one.score is None else one.score,
            )
            for one, another in zip(reading.documents, other.documents, strict=True)
        )
    return replace(filled(reading, other), documents=documents)


def _ids(steps: Iterable[Step]) -> dict[str, str]:
    """The id of each text of which some step tells the same one always."""
    known: dict[str, str | None] = {}
    for step in steps:
        for document in step.reading.documents or ():
            if document.text and document.id:
                known[document.text] = (
                    document.id if known.get(document.text, document.id) == document.id else None
                )
    return {text: key for text, key in known.items() if key is not None}


def _shared(step: Step, known: Mapping[str, str]) -> Iterator[Hashable]:
    """What another library has to tell of the step, too, any one of these: each holds two facts or more."""
    if step.role in _SEARCHING and step.reading.query is not None:
        return _shared_of_search(step, step.reading.documents or (), known)
    return _shared_of_call(step) if step.role == "generator" else iter(())


def _shared_of_search(
    step: Step, documents: Sequence[Document], known: Mapping[str, str]
) -> Iterator[Hashable]:
    query = step.reading.query
    for place, document in enumerate(documents):
        for kind, fact in (("id", document.id), ("text", document.text)):
            if fact:
                yield step.role, query, place, kind, fact
    keys = tuple(document.id or known.get(document.text or "") for document in documents)
    if keys and None not in keys:
        yield step.role, query, keys
    scores = tuple(document.score for document in documents)
    if len(set(scores)) > 1 and not _are_ranks(scores):
        yield step.role, query, scores


def _shared_of_call(step: Step) -> Iterator[Hashable]:
    reading = step.reading
    answer, said = _bare(reading.answer), _bare(last_of(reading.messages, "user"))
    tokens = (reading.tokens.input, reading.tokens.output)
    told = {"answer": answer, "said": said, "tokens": None if None in tokens else tokens}
    for kinds in (("answer", "said"), ("answer", "tokens"), ("said", "tokens")):
        facts = tuple(told[kind] for kind in kinds)
        if None not in facts:
            yield kinds, facts
    if step.failed and said is not None:
        yield "failed", said


def _are_ranks(scores: Sequence[float | None]) -> bool:
    """Whether scores are unknown, or say no more than ranks, so that any two searches may have them.

    Reciprocal rank fusion gives 1 / (60 + rank) for each list that a document is in (Cormack et al. 2009, SIGIR).

    >>> _are_ranks((1 / 61, 1 / 62)), _are_ranks((0.0328, 0.0323)), _are_ranks((0.83, 0.71)), _are_ranks((0.9, None))
    (True, True, False, True)
    """
    return all(not score or abs(2 / score - round(2 / score)) < _NEAR for score in scores) or None in scores


def _bare(text: str | None) -> str | None:
    return (text or "").strip() or None


def _is_twin(one: Step, other: Step) -> bool:
    """Whether another library may have told it, and neither stands within the other: that is read from the tree."""
    if one.span.scope == other.span.scope or one.role != other.role or not _agree(one, other):
        return False
    if one.depth == other.depth:
        return True
    return one not in other.ancestors() and other not in one.ancestors()


def _agree(one: Step, other: Step) -> bool:
    """Whether both failed or neither, and nothing that both say is different."""
    ours, theirs = one.reading, other.reading
    texts = (
        (ours.answer, theirs.answer),
        (ours.query, theirs.query),
        (last_of(ours.messages, "user"), last_of(theirs.messages, "user")),
    )
    if one.failed != other.failed or not all(_alike(_bare(some), _bare(others)) for some, others in texts):
        return False
    if one.role == "generator" and not (
        _alike(ours.tokens.input, theirs.tokens.input) and _alike(ours.tokens.output, theirs.tokens.output)
    ):
        return False
    return _agree_on_documents(ours.documents, theirs.documents)


def _agree_on_documents(some: Documents | None, others: Documents | None) -> bool:
    if some is None or others is None:
        return True
    return len(some) == len(others) and all(
        _alike(one.id, other.id) and _alike(one.text, other.text)
        for one, other in zip(some, others, strict=True)
    )


def _alike(one: Hashable, other: Hashable) -> bool:
    return one is None or other is None or one == other
