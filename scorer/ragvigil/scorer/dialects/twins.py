"""Steps that two libraries told, each in spans of its own: a framework and its model's client, or two tracers of one.

Neither knows of the other, so their spans stand beside each other in whatever way contexts were passed on. Of each pair
the library that tells more of the trace keeps its step, with what only the other one knew.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace

from ragvigil.scorer.dialects.messages import last_of
from ragvigil.scorer.dialects.reading import Reading, Role, filled
from ragvigil.scorer.dialects.step import Step, gather, move
from ragvigil.scorer.trace import Document

Documents = tuple[Document, ...]
_SEARCHING = frozenset[Role]({"retriever", "reranker"})
_MOST = 20
"""Steps told alike and open at a time among which a twin is looked for."""


def united(steps: Sequence[Step], roots: list[Step]) -> list[Step]:
    """The roots of the forest in which each step is told once; `steps` by start, linked."""
    if len({step.span.scope for step in steps if step.role != "other"}) < 2:
        return roots  # as nearly always
    worth = _worth(steps)
    merged = sum(_merge(_pairs(steps, told, worth)) for told in (_answer, _search, _silent_call))
    chains = _pairs(steps, _question, worth)
    for kept, twin in chains:
        kept.reading = filled(kept.reading, twin.reading)
        move(twin, kept)
    if not merged and not chains:
        return roots
    roots = [root for root in roots if root.parent is None]
    for root in roots:
        gather(root)
    return roots


def _merge(pairs: Sequence[tuple[Step, Step]]) -> int:
    """Leave one step of each pair; how many there are."""
    for kept, twin in pairs:
        documents = _both(kept.reading.documents, twin.reading.documents)
        kept.reading = replace(filled(kept.reading, twin.reading), documents=documents)
        twin.role = "other"
    return len(pairs)


def _both(some: Documents | None, others: Documents | None) -> Documents | None:
    """One list of passages of two that tell them in the same order: one may know ids, and the other texts."""
    if some is None or others is None:
        return others if some is None else some
    return tuple(
        replace(
            one,
            id=other.id if one.id is None else one.id,
            text=other.text if one.text is None else one.text,
            score=other.score if one.score is None else one.score,
        )
        for one, other in zip(some, others, strict=True)
    )


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


def _pairs(
    steps: Sequence[Step], told: Callable[[Step], Hashable], worth: Mapping[str, tuple[int, str]]
) -> list[tuple[Step, Step]]:
    """Steps of two libraries that tell the same of the same time, the one that is kept first."""
    seen: dict[Hashable, list[Step]] = {}
    paired = set[tuple[Step, str]]()
    pairs = list[tuple[Step, Step]]()
    for step in steps:
        if (key := told(step)) is None:
            continue
        scope = step.span.scope
        open_ = [other for other in seen.get(key, ()) if other.span.end > step.span.start][-_MOST:]
        free = (other for other in open_ if (other, scope) not in paired and _is_twin(other, step))
        if twin := next(free, None):
            kept, other = sorted((twin, step), key=lambda each: worth[each.span.scope], reverse=True)
            pairs.append((kept, other))
            paired |= {(kept, scope), (kept, twin.span.scope)}
            open_.remove(twin)
            step = kept
        seen[key] = [*open_, step]
    return pairs


def _is_twin(one: Step, other: Step) -> bool:
    """Whether another library told it, and neither stands within the other: that is read from the tree."""
    if one.span.scope == other.span.scope or not _agree(one.reading, other.reading):
        return False
    return one not in other.ancestors() and other not in one.ancestors()


def _agree(one: Reading, other: Reading) -> bool:
    """Whether nothing that both say is different."""
    if not _alike(one.answer, other.answer):
        return False
    if None in (one.answer, other.answer) and not _alike(
        *(last_of(each.messages, "user") for each in (one, other))
    ):
        return False
    if one.documents is None or other.documents is None:
        return True
    return len(one.documents) == len(other.documents) and all(
        None in pair or pair[0] == pair[1]
        for some, others in zip(one.documents, other.documents, strict=True)
        for pair in ((some.id, others.id), (some.text, others.text))
    )


def _alike(one: str | None, other: str | None) -> bool:
    return one is None or other is None or one.strip() == other.strip()


def _answer(step: Step) -> Hashable:
    """What a model call said."""
    return (step.reading.answer or "").strip() or None if step.role == "generator" else None


def _silent_call(step: Step) -> Hashable:
    """The tokens of a model call, of which one library may not tell what it said; that it failed, where it has none."""
    if step.role != "generator":
        return None
    tokens = step.reading.tokens
    if tokens.input is None and tokens.output is None:
        return step.failed or None
    return tokens


def _search(step: Step) -> Hashable:
    """What was searched for."""
    query = step.reading.query if step.role in _SEARCHING else None
    return (step.role, query) if query is not None else None


def _question(step: Step) -> Hashable:
    """What was asked, of the outermost chain that says so."""
    return step.reading.query if _asks(step) and not any(map(_asks, step.ancestors())) else None


def _asks(step: Step) -> bool:
    return step.role == "chain" and step.reading.query is not None
