"""What production retrieved: the passages of records, matched with labelled queries by the text of the query."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ragvigil.scorer.errors import InputError
from ragvigil.scorer.retrieval.queries import Query
from ragvigil.scorer.retrieval.rankings import Ids, Run, interleaved
from ragvigil.scorer.trace import RagTrace

_STAGES = ("retrieve", "rerank")


def plain(text: str) -> str:
    """A query as it is matched: without regard to case and white space.

    >>> plain("When  does it\\nOpen?")
    'when does it open?'
    """
    return " ".join(text.casefold().split())


def runs_of(name: str, found: Mapping[str, RagTrace], notes: tuple[str, ...] = ()) -> list[Run]:
    """What the generator was given, and where records tell of both a first pass and a rerank, these two as well.

    `found`: the record of each query, by the query's id. Raises InputError where no passage has an id.
    """
    context = {query: given(record) for query, record in found.items()}
    if not any(one is not None for ids in context.values() for one in ids) and any(context.values()):
        raise InputError(
            name, "its passages have no ids, so none can be a labelled one; record ids, as in {id, text}"
        )
    runs = [Run(name, context, recorded=True, notes=notes)]
    stages = {stage: _stage(stage, found) for stage in _STAGES}
    both = [query for query in found if all(query in stages[stage] for stage in _STAGES)]
    for stage in _STAGES if both else ():
        rankings = {query: stages[stage][query] for query in both}
        runs.append(Run(f"{name}, {stage}", rankings, stage, recorded=True))
    return runs


def given(record: RagTrace) -> Ids:
    """Ids of the passages that the generator saw, in its order."""
    return tuple(one.id for one in sorted(record.documents, key=lambda one: one.rank))


def matched(
    name: str, records: Iterable[tuple[str, RagTrace]], queries: Sequence[Query]
) -> tuple[Mapping[str, RagTrace], tuple[str, ...]]:
    """The latest record of each query that is there, and what to say of the others.

    Records, each with what it is called, belong to queries of their text, else to the one whose id that is. Raises
    InputError where none is of a labelled query.
    """
    by_text: dict[str, list[str]] = {}
    for query in queries:
        if query.text:
            by_text.setdefault(plain(query.text), []).append(query.id)
    known = {query.id for query in queries}
    found: dict[str, RagTrace] = {}
    unseen = again = seen = 0
    for called, record in records:
        seen += 1
        ids = by_text.get(plain(record.query or ""), [called] if called in known else [])
        if ids and not record.retrieved:
            unseen += 1
            continue
        for one in ids:
            again += one in found
            if one not in found or record.started_at >= found[one].started_at:
                found[one] = record
    if not found:
        raise InputError(name, _why_none(seen, unseen))
    notes: list[str] = []
    if again:
        notes.append(f"{again:,} more records are of the same queries: the latest of each counts")
    if unseen:
        notes.append(f"{unseen:,} records of these queries came without their retrieval and are left out")
    return found, tuple(notes)


def _why_none(seen: int, unseen: int) -> str:
    if unseen:
        return (
            f"its {unseen:,} records of these queries came without their retrieval; ragvigil explain says why"
        )
    return f"none of its {seen:,} records is of a labelled query; they are matched by the text of the query"


def _stage(stage: str, found: Mapping[str, RagTrace]) -> dict[str, Ids]:
    """What one stage found for each query that has it; several searches of a first pass are taken in turn."""
    rankings: dict[str, Ids] = {}
    for query, record in found.items():
        lists = [one.ids for one in record.retrievals if one.stage == stage]
        if lists:
            # Of several reranks the last one made the order that was used.
            rankings[query] = lists[-1] if stage == "rerank" or len(lists) == 1 else interleaved(lists)
    return rankings
