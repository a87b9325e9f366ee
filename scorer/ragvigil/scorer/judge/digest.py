"""What a judge is shown of one record (G1 of the evaluation methods): never raw spans, and no more than a budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ragvigil.scorer.checks.reading.passages import name_of
from ragvigil.scorer.checks.reading.sentences import sentences
from ragvigil.scorer.checks.reading.words import words
from ragvigil.scorer.trace import Document, RagTrace

FIELDS = ("query", "evidence", "metadata", "answer")
"""Values that a prompt may have places for."""
_SEGMENT_DIMENSIONS = (
    "language",
    "locale",
    "answer_type",
    "corpus_version",
    "policy_version",
    "index_version",
)
_GAP = " … "


@dataclass(frozen=True, slots=True)
class _Stretch:
    """A sentence of a passage and how much of the question and the answer is in it."""

    passage: int
    start: int
    end: int
    shared: float


def digest(record: RagTrace, *, most_evidence: int, most_answer: int) -> dict[str, object]:
    """The values of `FIELDS`; evidence beyond `most_evidence` characters is cut to what concerns the answer.

    The metadata says what was cut. Without cuts the passages stand whole, in the order in which the generator saw
    them.

    >>> record = RagTrace("0" * 32, "1" * 16, "s", 0, query="q", answer="a", documents=(Document("d", "text"),))
    >>> digest(record, most_evidence=100, most_answer=100)["evidence"]
    [{'id': 'd', 'text': 'text'}]
    """
    answer = record.answer or ""
    texts, shown = _evidence(record, most_evidence)
    length = sum(len(document.text or "") for document in record.documents)
    metadata: dict[str, object] = {
        name: record.segment[name] for name in _SEGMENT_DIMENSIONS if name in record.segment
    }
    if shown < length:
        metadata["evidence_cut"] = (
            f"{shown} of {length} characters shown, those nearest to question and answer"
        )
    if len(answer) > most_answer:
        metadata["answer_cut"] = f"{most_answer} of {len(answer)} characters shown"
    return {
        "query": record.query or "",
        "evidence": [
            {"id": name_of(document), "text": text}
            for document, text in zip(record.documents, texts, strict=True)
        ],
        "metadata": metadata,
        "answer": answer[:most_answer],
    }


def _evidence(record: RagTrace, most: int) -> tuple[list[str], int]:
    """The text of each passage, whole or in parts, and how many characters they have in all."""
    texts = [document.text or "" for document in record.documents]
    length = sum(map(len, texts))
    if length <= most:
        return texts, length
    kept = _nearest(record, most)
    shown = [
        _joined(document, [one for one in kept if one.passage == place])
        for place, document in enumerate(record.documents)
    ]
    return shown, sum(one.end - one.start for one in kept)


def _nearest(record: RagTrace, most: int) -> list[_Stretch]:
    """Sentences that share most with question and answer, in their order, `most` characters in all."""
    asked = {word.stem for word in words(f"{record.query or ''} {record.answer or ''}") if word.content}
    stretches = [
        _Stretch(place, start, end, _shared(document.text or "", start, end, asked))
        for place, document in enumerate(record.documents)
        for start, end in sentences(document.text or "")
    ]
    kept: list[_Stretch] = []
    room = most
    for stretch in sorted(stretches, key=lambda one: (-one.shared, one.passage, one.start)):
        length = min(stretch.end - stretch.start, room)
        if length <= 0:
            break
        kept.append(_Stretch(stretch.passage, stretch.start, stretch.start + length, stretch.shared))
        room -= length
    return sorted(kept, key=lambda one: (one.passage, one.start))


def _shared(text: str, start: int, end: int, asked: set[str]) -> float:
    """Meaningful words in common, less for a long sentence than for a short one."""
    found = [word.stem for word in words(text[start:end]) if word.content]
    return len(asked.intersection(found)) / (len(found) ** 0.5 or 1.0)


def _joined(document: Document, parts: Sequence[_Stretch]) -> str:
    text = document.text or ""
    joined = ""
    last = 0
    for part in parts:
        between = text[last : part.start]
        joined += (between if not between.strip() else _GAP) + text[part.start : part.end]
        last = part.end
    return joined + (_GAP.rstrip() if text[last:].strip() else "")
