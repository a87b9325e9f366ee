"""What was found out about one call, as span attributes within the limits."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from ragvigil.tracer import attributes as names
from ragvigil.tracer._answers import Answer
from ragvigil.tracer._documents import Passage, Reading
from ragvigil.tracer._reading import encodable, plain
from ragvigil.tracer._settings import Limits

AttributeValue: TypeAlias = str | bool | int | float | Sequence[str]

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode


class Findings:
    """Attributes of one span as they are found; texts are cut to the limits, and what was cut is marked."""

    __slots__ = ("attributes", "content", "limits", "truncated", "unreadable")

    def __init__(self, *, content: bool, limits: Limits) -> None:
        self.attributes: dict[str, AttributeValue] = {}
        self.content = content
        self.limits = limits
        self.truncated: list[str] = []
        self.unreadable: list[str] = []

    def add(self, name: str, value: AttributeValue | None) -> None:
        """Note a fact that is no content; None is left out."""
        if value is not None:
            self.attributes[name] = value

    def add_text(self, name: str, value: str | None) -> None:
        """Note a text, if texts may be recorded."""
        if value is not None and self.content:
            self.attributes[name] = self._cut(name, value)

    def add_message(self, name: str, role: str, value: str | None, finish_reason: str | None = None) -> None:
        """Note a text as the one message of a GenAI message list, if texts may be recorded."""
        if value is None or not self.content:
            return
        limit = self.limits.attribute_characters
        written = _message(role, value, finish_reason)
        while len(written) > limit and value:
            self.mark_cut(name)
            value = value[: min(len(value) - 1, len(value) * limit // len(written))]
            written = _message(role, value, finish_reason)
        self.attributes[name] = written

    def mark_cut(self, name: str) -> None:
        """Mark that this attribute does not hold all there was."""
        if name not in self.truncated:
            self.truncated.append(name)

    def add_answer(self, answer: Answer) -> None:
        """Note what the model said about itself: its name, the response's id, tokens, why it stopped."""
        self.add(names.GEN_AI_RESPONSE_MODEL, answer.model)
        self.add(names.GEN_AI_RESPONSE_ID, answer.response_id)
        self.add(names.GEN_AI_USAGE_INPUT_TOKENS, answer.input_tokens)
        self.add(names.GEN_AI_USAGE_OUTPUT_TOKENS, answer.output_tokens)
        if answer.finish_reason is not None:
            self.add(names.GEN_AI_RESPONSE_FINISH_REASONS, (answer.finish_reason,))

    def add_documents(self, reading: Reading) -> None:
        """Note the documents as one JSON array that stays valid whatever had to be cut."""
        if reading.unreadable is not None:
            self.unreadable.append(f"documents: {reading.unreadable}")
            if not reading.passages:
                return
        text, kept, cut = documents_json(reading.passages, content=self.content, limits=self.limits)
        self.attributes[names.GEN_AI_RETRIEVAL_DOCUMENTS] = text
        if kept < reading.total:
            self.attributes[names.RAGVIGIL_DOCUMENTS_TOTAL] = reading.total
        if cut or kept < reading.total:
            self.mark_cut(names.GEN_AI_RETRIEVAL_DOCUMENTS)

    def finished(self) -> Mapping[str, AttributeValue]:
        """All attributes, with the marks of what was cut and what could not be read."""
        if self.truncated:
            self.attributes[names.RAGVIGIL_CONTENT_TRUNCATED] = self.truncated
        if self.unreadable:
            self.attributes[names.RAGVIGIL_UNREADABLE] = self.unreadable
        return self.attributes

    def _cut(self, name: str, value: str) -> str:
        if len(value) > self.limits.attribute_characters:
            self.mark_cut(name)
            value = value[: self.limits.attribute_characters]
        return encodable(value)


def _message(role: str, value: str, finish_reason: str | None) -> str:
    message: dict[str, object] = {"role": role, "parts": [{"type": "text", "content": value}]}
    if finish_reason is not None:
        message["finish_reason"] = finish_reason
    return encodable(_encode([message]))


def documents_json(passages: Sequence[Passage], *, content: bool, limits: Limits) -> tuple[str, int, bool]:
    """The JSON array, how many of the passages it holds, and whether any text or metadata was cut.

    >>> documents_json([Passage(id="a", score=0.5, text="Ice")], content=True, limits=Limits())
    ('[{"id":"a","score":0.5,"content":"Ice"}]', 1, False)
    """
    longest = limits.document_characters
    rows = [_row(passage, longest, content=content) for passage in passages]
    cut = content and any("truncated" in row for row in rows)
    written = encodable(_encode(rows))
    if len(written) <= limits.attribute_characters:
        return written, len(rows), cut
    for row in rows:
        row.pop("metadata", None)
    while content and longest and len(written := encodable(_encode(rows))) > limits.attribute_characters:
        longest = min(longest, limits.attribute_characters // max(1, len(rows))) // 2
        for row in rows:
            _shorten(row, longest)
    while rows and len(written := encodable(_encode(rows))) > limits.attribute_characters:
        rows = rows[: len(rows) // 2]
    return written if rows else "[]", len(rows), True


def _row(passage: Passage, longest: int, *, content: bool) -> dict[str, object]:
    row: dict[str, object] = {}
    if passage.id is not None:
        row["id"] = passage.id
    if passage.score is not None:
        row["score"] = passage.score
    if not content:
        return row
    if passage.text is not None:
        row["content"] = passage.text
        if len(passage.text) > longest:
            _shorten(row, longest)
    if passage.metadata:
        row["metadata"] = plain(passage.metadata)
    return row


def _shorten(row: dict[str, object], longest: int) -> None:
    given = row.get("content")
    if isinstance(given, str) and len(given) > longest:
        row["content"] = given[:longest]
        row["truncated"] = True
