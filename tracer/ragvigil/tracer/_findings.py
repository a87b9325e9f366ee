"""What was found out about one call, as span attributes within the policy and the limits.

Finding out happens in the call: what is kept is references to texts, which cannot change. Writing JSON, redacting
and reading citations happen when the span is sent, away from the service's own time.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, cast

from ragvigil.tracer import attributes as names
from ragvigil.tracer._answers import Answer
from ragvigil.tracer._documents import Passage, Reading
from ragvigil.tracer._facts import Facts
from ragvigil.tracer._notices import notices
from ragvigil.tracer._reading import encodable, plain
from ragvigil.tracer._settings import Content, Limits, Policy

AttributeValue: TypeAlias = str | bool | int | float | Sequence[str]

SLACK = 256
"""Characters kept beyond a limit until redaction is done, so that a cut cannot halve what it looks for."""

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode


@dataclass(slots=True)
class Message:
    """One message of a GenAI message list."""

    role: str
    text: str
    finish_reason: str | None


class Findings:
    """Facts and texts of one span as they are found, and the attributes that they make."""

    __slots__ = (
        "_documents",
        "_messages",
        "_policy",
        "_texts",
        "_total",
        "content",
        "facts",
        "fixed",
        "limits",
        "retrieved",
        "shared",
        "truncated",
        "unreadable",
    )  # fmt: skip

    def __init__(self, policy: Policy, content: Content) -> None:
        self._policy = policy
        self.content: Content = content
        self.limits = policy.limits
        self.facts: dict[str, AttributeValue] = {}
        self.fixed: Mapping[str, str] = {}
        """What every span of the role says."""
        self.shared: Facts | None = None
        """What every span of the request says; more may become known until the span is sent."""
        self.retrieved: Sequence[str | None] = ()
        """Ids that the request had retrieved when an answer was given, in the order it saw them."""
        self.truncated: list[str] = []
        self.unreadable: list[str] = []
        self._texts: dict[str, str] = {}
        self._messages: dict[str, Message] = {}
        self._documents: list[Passage] | None = None
        self._total = 0

    def add(self, name: str, value: AttributeValue | None) -> None:
        """Note a fact that is no content; None is left out."""
        if value is not None:
            self.facts[name] = value

    def add_text(self, name: str, value: str | None) -> None:
        """Note a text."""
        if value is not None:
            self._texts[name] = self._kept(name, value)

    def add_message(self, name: str, role: str, value: str | None, finish_reason: str | None = None) -> None:
        """Note a text as the one message of a GenAI message list."""
        if value is not None:
            self._messages[name] = Message(role, self._kept(name, value), finish_reason)

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
        """Note the documents; their metadata is copied, because the service may change it later."""
        if reading.unreadable is not None:
            self.unreadable.append(f"documents: {reading.unreadable}")
            if not reading.passages:
                return
        self._documents, self._total = reading.passages, reading.total
        longest = self.limits.document_characters + SLACK
        odd: list[str] = []
        for passage in reading.passages:
            if self.content == "ids_only":
                passage.text = passage.metadata = None
                continue
            if passage.text is not None and len(passage.text) > longest:
                passage.text = passage.text[:longest]
                self.mark_cut(names.GEN_AI_RETRIEVAL_DOCUMENTS)
            if passage.metadata:
                copied = plain(passage.metadata, odd=odd)
                passage.metadata = cast("dict[str, object]", copied)
        self.unreadable += [names.UNREADABLE_METADATA + kind for kind in odd]

    def ids(self) -> list[str | None]:
        """Ids of the documents noted, in order."""
        return [passage.id for passage in self._documents or ()]

    def weight(self) -> int:
        """About how many characters the attributes will have."""
        weight = sum(map(len, self._texts.values())) + sum(len(kept.text) for kept in self._messages.values())
        for passage in self._documents or ():
            weight += 60 + len(passage.text or "")
        return weight

    def finished(self) -> dict[str, AttributeValue]:
        """All attributes, those that matter most last: an SDK at its attribute limit evicts the first ones."""
        shared: Mapping[str, AttributeValue] = {}
        if self.shared is not None:
            shared = self.shared.all()
            if (wanted := self.shared.strictest()) is not None:
                self.content = self._policy.at_least(self.content, wanted)
        found = {**shared, **self.facts}
        room = self.limits.span_characters
        clean = self._redactor()
        for name, text in self._texts.items() if clean else ():
            found[name] = self._cut(name, self._cleaned(clean, text), room)
            room -= len(str(found[name]))
        for name, message in self._messages.items() if clean else ():
            found |= self._written_message(name, message, clean, room)
            room -= len(str(found[name]))
        if self._documents is not None:
            found |= self._written_documents(self._documents, clean, max(2, room))
        self._cite(found)
        self._mark(found)
        return self._within({**found, **self.fixed})

    def _kept(self, name: str, value: str) -> str:
        limit = self.limits.attribute_characters
        if len(value) > limit:
            self.mark_cut(name)
            return value[: limit + SLACK]
        return value

    def _redactor(self) -> Callable[[str], str] | None:
        """What every text goes through before it is written; None when no text may be written."""
        if self.content == "ids_only":
            return None
        if self.content == "full":
            return encodable
        if self._policy.redact is not None:
            return self._policy.redact
        # Here and below, imported where it is needed: most services never do, and patterns take time to compile.
        from ragvigil.tracer.redaction import redact

        return redact

    def _cleaned(self, clean: Callable[[str], str] | None, text: str) -> str:
        """The text as it may leave; nothing of it when the service's own redactor fails."""
        if clean is None:
            return ""
        if self.content == "full":
            return clean(text)
        try:
            return encodable(clean(text))
        except (Exception, SystemExit) as error:
            notices.say("a text was left out, redaction failed", error)
            mark = f"redaction: {type(error).__name__}"
            if mark not in self.unreadable:
                self.unreadable.append(mark)
            return ""

    def _cut(self, name: str, value: str, room: int) -> str:
        limit = max(0, min(self.limits.attribute_characters, room))
        if len(value) > limit:
            self.mark_cut(name)
            return value[:limit]
        return value

    def _written_message(
        self, name: str, message: Message, clean: Callable[[str], str] | None, room: int
    ) -> dict[str, AttributeValue]:
        limit = min(self.limits.attribute_characters, max(0, room))
        text = self._cleaned(clean, message.text)
        written = _message(message.role, text, message.finish_reason)
        while len(written) > limit and text:
            self.mark_cut(name)
            text = text[: min(len(text) - 1, len(text) * limit // len(written))]
            written = _message(message.role, text, message.finish_reason)
        found: dict[str, AttributeValue] = {}
        if self._policy.openinference:
            from ragvigil.tracer._flattened import flattened_message

            found |= flattened_message(message.role, text)
        return {**found, name: written}

    def _written_documents(
        self, passages: list[Passage], clean: Callable[[str], str] | None, room: int
    ) -> dict[str, AttributeValue]:
        if clean is not None and self.content != "full":
            for passage in passages:
                if passage.text is not None:
                    passage.text = self._cleaned(clean, passage.text)
                if passage.metadata:
                    passage.metadata = {
                        key: self._deep(clean, value) for key, value in passage.metadata.items()
                    }
        limits = self.limits
        if room < limits.attribute_characters:
            limits = Limits(
                attribute_characters=room,
                document_characters=limits.document_characters,
                documents=limits.documents,
            )
        spread = self._policy.openinference and clean is not None
        text, kept, cut = documents_json(passages, content=clean is not None and not spread, limits=limits)
        found: dict[str, AttributeValue] = {}
        if spread:
            from ragvigil.tracer._flattened import flattened_documents

            found = dict(flattened_documents(passages[:kept], limits))
            cut = cut or any(len(passage.text or "") > limits.document_characters for passage in passages)
        found[names.GEN_AI_RETRIEVAL_DOCUMENTS] = text
        if kept < self._total:
            found[names.RAGVIGIL_DOCUMENTS_TOTAL] = self._total
        if cut or kept < self._total:
            self.mark_cut(names.GEN_AI_RETRIEVAL_DOCUMENTS)
        return found

    def _deep(self, clean: Callable[[str], str], value: object) -> object:
        """A piece of metadata with every text in it redacted."""
        if isinstance(value, str):
            return self._cleaned(clean, value)
        if isinstance(value, dict):
            entries = cast("dict[str, object]", value)
            return {key: self._deep(clean, entry) for key, entry in entries.items()}
        if isinstance(value, list):
            return [self._deep(clean, entry) for entry in cast("list[object]", value)]
        return value

    def _cite(self, found: dict[str, AttributeValue]) -> None:
        answer = self._messages.get(names.GEN_AI_OUTPUT_MESSAGES)
        text = answer.text if answer else self._texts.get(names.OUTPUT_VALUE)
        if not self.retrieved or text is None or not ("[" in text or "【" in text):
            return
        from ragvigil.tracer._citations import read_citations

        cited = read_citations(text, self.retrieved)
        if cited.ids:
            found[names.RAGVIGIL_CITED_IDS] = cited.ids
        if cited.unknown:
            found[names.RAGVIGIL_CITED_UNKNOWN] = cited.unknown

    def _mark(self, found: dict[str, AttributeValue]) -> None:
        """Say what was cut, what could not be read, and what was left out on purpose."""
        if self.truncated and self.content != "ids_only":
            found[names.RAGVIGIL_CONTENT_TRUNCATED] = self.truncated
        if self.unreadable:
            found[names.RAGVIGIL_UNREADABLE] = self.unreadable
        if self.content != "full":
            found[names.RAGVIGIL_CONTENT] = (
                names.CONTENT_OFF if self.content == "ids_only" else names.CONTENT_REDACTED
            )

    def _within(self, found: dict[str, AttributeValue]) -> dict[str, AttributeValue]:
        """The attributes that the provider can hold, with the number of those that it cannot."""
        most = self._policy.most_attributes
        if most is None or len(found) <= most:
            return found
        kept = dict(list(found.items())[len(found) - most + 1 :])
        return {names.RAGVIGIL_ATTRIBUTES_DROPPED: len(found) - len(kept), **kept}


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
        row["metadata"] = passage.metadata
    return row


def _shorten(row: dict[str, object], longest: int) -> None:
    given = row.get("content")
    if isinstance(given, str) and len(given) > longest:
        row["content"] = given[:longest]
        row["truncated"] = True
