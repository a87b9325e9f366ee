"""Records made of what a test is about."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ragvigil.scorer.trace import Completeness, Document, RagTrace, Retrieval

MakeRecord = Callable[..., RagTrace]


@pytest.fixture
def record() -> MakeRecord:
    """Makes a record from an answer and passages as (id, text) pairs; None instead of pairs: no retrieval seen."""

    def make(
        answer: str | None,
        *passages: tuple[str | None, str | None],
        retrieved: bool = True,
        query: str | None = "What?",
        completeness: Completeness = "complete",
    ) -> RagTrace:
        documents = tuple(Document(name, text, rank=rank) for rank, (name, text) in enumerate(passages, 1))
        ids = tuple(document.id for document in documents)
        return RagTrace(
            trace_id="0" * 32,
            span_id="1" * 16,
            service="shop",
            started_at=0,
            query=query,
            answer=answer,
            documents=documents,
            retrievals=(Retrieval("retrieve", query, ids, (None,) * len(ids)),) if retrieved else (),
            completeness=completeness,
        )

    return make
