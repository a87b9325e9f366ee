"""Passages with an empty text: an index may hold such, and nothing of the evidence is missing."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ragvigil.scorer.dialects.documents import documents_of

from .conftest import ANSWER, PASSAGES, QUESTION, as_json, chain, generation, only, span

Hits = list[dict[str, object]]
Write = Callable[..., dict[str, object]]


def hits(*texts: object) -> Hits:
    """As many passages."""
    return [{"id": f"p-{place}", "text": text, "score": 0.5} for place, text in enumerate(texts)]


def pages(*texts: object) -> Hits:
    """LangChain's, without an id."""
    return [{"page_content": text, "metadata": {}, "type": "Document"} for text in texts]


def langchain(*texts: str) -> dict[str, object]:
    """OpenInference flattens no empty text, and no document of which it knows nothing else."""
    flat = [(place, text) for place, text in enumerate(texts) if text]
    return {
        "openinference.span.kind": "RETRIEVER",
        "input.value": QUESTION,
        "output.value": as_json({"documents": pages(*texts)}),
        "output.mime_type": "application/json",
        **{f"retrieval.documents.{place}.document.content": text for place, text in flat},
    }


def langfuse(*texts: str) -> dict[str, object]:
    """A retriever's."""
    told = {"langfuse.observation.input": QUESTION, "langfuse.observation.output": as_json(hits(*texts))}
    return {"langfuse.observation.type": "retriever", **told}


def genai(*texts: str) -> dict[str, object]:
    """With contents, as our tracer writes them."""
    found = [{"id": f"p-{place}", "content": text, "score": 0.5} for place, text in enumerate(texts)]
    return {"gen_ai.operation.name": "retrieval", "gen_ai.retrieval.documents": as_json(found)}


TEXT = PASSAGES[0][1]


@pytest.mark.parametrize("write", [langchain, langfuse, genai])
@pytest.mark.parametrize("texts", [(TEXT, ""), ("", TEXT), (TEXT, " \n")])
def test_an_empty_passage_is_known_to_be_empty(write: Write, texts: tuple[str, str]) -> None:
    """It keeps its place, and the record is judged: one such chunk took every answer of a service out of the judge."""
    spans = [span("a0", chain(), start=0, end=99), span("a1", write(*texts), parent="a0", start=1, end=9)]
    record = only([*spans, span("a2", generation(), parent="a0", start=10, end=90)])
    assert [each.text for each in record.documents] == [text.strip() for text in texts]
    assert (record.answer, record.completeness) == (ANSWER, "complete")


@pytest.mark.parametrize("texts", [("", ""), (None, TEXT), ("__REDACTED__", TEXT)])
def test_a_text_that_may_be_hidden_is_unknown(texts: tuple[object, ...]) -> None:
    """Where all are empty nobody told one; so where there is none, or a word in its place."""
    assert any(each.text is None for each in documents_of(hits(*texts)) or ())


def test_an_empty_text_of_anything_else_is_no_passage() -> None:
    """A message, or a row."""
    assert documents_of([{"text": ""}, {"text": TEXT}]) == documents_of([{"text": TEXT}])
