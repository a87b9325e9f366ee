"""What a judge is shown of one record: never raw spans, and no more than a budget."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ragvigil.scorer.checks.reading.citations import Citation
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
_MOST_QUERY = 8_000
"""Characters of the question."""
_MOST_MARKS, _LONGEST_MARK = 100, 200


@dataclass(frozen=True, slots=True)
class _Stretch:
    """A sentence of a passage and how much of the question and the answer is in it."""

    passage: int
    start: int
    end: int
    shared: float


def digest(
    record: RagTrace, *, most_evidence: int, most_answer: int, citations: Iterable[Citation] = ()
) -> dict[str, object]:
    """The values of `FIELDS`; evidence beyond `most_evidence` characters is cut to what concerns the answer.

    The metadata says what was cut, and which passage each of the answer's `citations` means where its mark is not the
    passage's id in brackets. Without cuts the passages stand whole, in the order in which the generator saw them.

    >>> record = RagTrace("0" * 32, "1" * 16, "s", 0, query="q", answer="a", documents=(Document("d", "text"),))
    >>> digest(record, most_evidence=100, most_answer=100)["evidence"]
    [{'id': 'd', 'text': 'text'}]
    """
    query, answer = record.query or "", record.answer or ""
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
    if len(query) > _MOST_QUERY:
        metadata["question_cut"] = f"{_MOST_QUERY} of {len(query)} characters shown"
    marks = _marks(answer[:most_answer], citations)
    if marks:
        metadata["citation_marks"] = marks
    return {
        "query": query[:_MOST_QUERY],
        "evidence": [
            {"id": name_of(document), "text": text}
            for document, text in zip(record.documents, texts, strict=True)
        ],
        "metadata": metadata,
        "answer": answer[:most_answer],
    }


def _marks(answer: str, citations: Iterable[Citation]) -> dict[str, list[str]]:
    """The passages that each mark stands for, as ``[id]``; none for what is not among the evidence.

    >>> _marks("Nine [1].", [Citation(5, 8, "1", "terms#2", "ordinal")])
    {'[1]': ['[terms#2]']}
    >>> _marks("Nine [terms#2].", [Citation(5, 14, "terms#2", "terms#2", "id")])
    {}
    """
    found: dict[str, list[str]] = {}
    for one in citations:
        mark = answer[one.start : one.end][:_LONGEST_MARK]
        if mark and (mark in found or len(found) < _MOST_MARKS):
            found.setdefault(mark, []).extend([f"[{one.id}]"] if one.id else [])
    return {mark: list(dict.fromkeys(ids)) for mark, ids in found.items() if ids != [mark]}


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
