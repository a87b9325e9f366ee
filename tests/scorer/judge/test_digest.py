"""What a judge is shown."""

from __future__ import annotations

from typing import cast

from ragvigil.scorer.judge.digest import digest
from ragvigil.scorer.trace import Document, RagTrace

FILLER = "The weather was unremarkable that year. " * 50
NEEDLE = "A lost library card costs twelve euros."


def shown(*texts: str, most: int) -> tuple[list[dict[str, str]], dict[str, str]]:
    """Passages and metadata of a digest."""
    documents = tuple(Document(f"d{place}", text) for place, text in enumerate(texts))
    record = RagTrace(
        "0" * 32,
        "1" * 16,
        "s",
        0,
        query="What does a lost library card cost?",
        answer="Twelve euros.",
        documents=documents,
        segment={"language": "en", "tenant": "secret-tenant"},
    )
    found = digest(record, most_evidence=most, most_answer=100)
    return cast("list[dict[str, str]]", found["evidence"]), cast("dict[str, str]", found["metadata"])


def test_evidence_that_fits_stands_whole() -> None:
    """And nothing is said of a cut; dimensions that do not concern the judge stay out."""
    evidence, metadata = shown(NEEDLE, "b", most=1000)
    assert evidence == [{"id": "d0", "text": NEEDLE}, {"id": "d1", "text": "b"}]
    assert metadata == {"language": "en"}


def test_evidence_beyond_the_budget_is_cut_to_what_concerns_the_answer_and_says_so() -> None:
    """The one sentence that matters stays, wherever it stands; each passage keeps its id."""
    evidence, metadata = shown(FILLER + NEEDLE + " " + FILLER, FILLER, most=200)
    assert NEEDLE in evidence[0]["text"]
    assert "…" in evidence[0]["text"]
    assert [one["id"] for one in evidence] == ["d0", "d1"]
    assert sum(len(one["text"]) for one in evidence) < 260
    assert metadata["evidence_cut"].startswith("200 of ")
