"""What a judge is shown."""

from __future__ import annotations

from typing import cast

from ragvigil.scorer.checks.prepared import Prepared
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


def test_marks_that_are_no_ids_are_told_by_the_ids_that_they_mean() -> None:
    """One format for all styles; what means nothing that was retrieved is told to mean nothing (G1)."""
    answer = "Twelve euros [1, 2]. Cards are free at first [7]. Ask the desk [d1]."
    documents = (Document("d1", NEEDLE, rank=1), Document("d2", "Cards are free at first.", rank=2))
    record = RagTrace("0" * 32, "1" * 16, "s", 0, query="q", answer=answer, documents=documents)
    found = digest(record, most_evidence=1000, most_answer=1000, citations=Prepared(record).citations)
    marks = cast("dict[str, dict[str, list[str]]]", found["metadata"])["citation_marks"]
    assert marks == {"[1, 2]": ["[d1]", "[d2]"], "[7]": []}


def test_a_question_without_end_is_cut_and_said_so() -> None:
    """Nobody asks so; who floods the judge pays for it with nothing."""
    record = RagTrace("0" * 32, "1" * 16, "s", 0, query="word " * 10_000, answer="a")
    found = digest(record, most_evidence=1000, most_answer=1000)
    assert len(str(found["query"])) == 8_000
    assert found["metadata"] == {"question_cut": "8000 of 50000 characters shown"}
