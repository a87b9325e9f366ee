"""What was found out about one call, as span attributes within the policy and the limits.

Finding out happens in the call: what is kept is references to texts, which cannot change. Writing JSON, redacting
and reading citations happen when the span is sent, away from the service's own time (`_finishing`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from ragvigil.tracer import attributes as names
from ragvigil.tracer._answers import Answer
from ragvigil.tracer._citing import Citing, Markers
from ragvigil.tracer._documents import Passage, Reading
from ragvigil.tracer._facts import AttributeValue, Facts
from ragvigil.tracer._metadata import Copy
from ragvigil.tracer._reading import LONGEST_ID, identifier
from ragvigil.tracer._settings import Content, Policy
from ragvigil.tracer._sizes import bound, bound_of

SLACK = 256
"""Characters kept beyond a limit until redaction is done, so that a cut cannot halve what it looks for."""
MOST_MARKS = 64
LONGEST_MARK = 128


@dataclass(slots=True)
class Message:
    """One message of a GenAI message list."""

    role: str
    text: str
    finish_reason: str | None


class Findings:
    """Facts and texts of one span as they are found, and the attributes that they make."""

    __slots__ = (
        "_documents_bytes", "_weight", "citing", "content", "documents", "facts", "fixed", "limits", "messages",
        "policy", "retrieved", "shared", "slack", "texts", "total", "truncated", "unreadable",
    )  # fmt: skip

    def __init__(self, policy: Policy, content: Content) -> None:
        self.policy = policy
        self.content: Content = content
        self.limits = policy.limits
        self.facts: dict[str, AttributeValue] = {}
        self.fixed: Mapping[str, str] = {}
        """What every span of the role says."""
        self.shared: Facts | None = None
        """What every span of the request says; more may become known until the span is sent."""
        self.retrieved: Sequence[str | None] = ()
        """Ids that the request had retrieved when an answer was given, in the order it saw them."""
        self.citing: Citing | None = None
        """Markers of an answer of which not all is kept; otherwise they are read when the span is sent."""
        self.slack = SLACK if content == "redacted" else 0
        """Characters kept beyond the limits of metadata."""
        self.truncated: list[str] = []
        self.unreadable: list[str] = []
        self.texts: dict[str, str] = {}
        self.messages: dict[str, Message] = {}
        self.documents: list[Passage] | None = None
        self.total = 0
        """How many documents there were."""
        self._documents_bytes = 0
        self._weight = 0

    @property
    def small(self) -> bool:
        """Whether even six times what was weighed, in three places, is within the limits: most spans are.

        A character of one byte is at most six in JSON, and what is wider grows less; a redactor may add what it likes.
        """
        most = min(self.limits.span_bytes // 3, self.limits.attribute_bytes) - _MARGIN_BYTES
        return self.content != "redacted" and 0 < 6 * self._weight < most

    def add(self, name: str, value: AttributeValue | None) -> None:
        """Note a fact that is no content; None is left out."""
        if value is not None:
            self.facts[name] = value

    def add_id(self, name: str, value: object) -> None:
        """Note an id or a name, in at most 256 characters."""
        told = identifier(value, LONGEST_ID + 1)
        if told is not None:
            self.facts[name] = self._short(name, told)

    def add_ids(self, name: str, reading: Reading) -> None:
        """Note the ids of documents that came in."""
        if reading.unreadable is None:
            if reading.total > len(reading.passages):
                self.mark_cut(name)
            self.facts[name] = [self._short(name, passage.id or "") for passage in reading.passages]

    def add_text(self, name: str, value: str | None) -> None:
        """Note a text."""
        if value is not None:
            self.texts[name] = self._kept(name, value)

    def add_message(self, name: str, role: str, value: str | None, finish_reason: str | None = None) -> None:
        """Note a text as the one message of a GenAI message list."""
        if value is not None:
            self.messages[name] = Message(role, self._kept(name, value), finish_reason)

    def mark_cut(self, name: str) -> None:
        """Mark that this attribute does not hold all there was."""
        if name not in self.truncated and len(self.truncated) < MOST_MARKS:
            self.truncated.append(name[:LONGEST_MARK])

    def add_answer(self, answer: Answer) -> None:
        """Note what the model said about itself: its name, the response's id, tokens, why it stopped."""
        self.add_id(names.GEN_AI_RESPONSE_MODEL, answer.model)
        self.add_id(names.GEN_AI_RESPONSE_ID, answer.response_id)
        self.add(names.GEN_AI_USAGE_INPUT_TOKENS, answer.input_tokens)
        self.add(names.GEN_AI_USAGE_OUTPUT_TOKENS, answer.output_tokens)
        if (reason := identifier(answer.finish_reason, LONGEST_ID + 1)) is not None:
            reason = self._short(names.GEN_AI_RESPONSE_FINISH_REASONS, reason)
            self.add(names.GEN_AI_RESPONSE_FINISH_REASONS, (reason,))

    def read_markers(self, name: str, answer: Answer) -> None:
        """Mark what of an answer was not read or kept, and read the citations of one that is too long to be kept."""
        if answer.unreadable is not None:
            self.unreadable.append(f"answer: {answer.unreadable}")
        if answer.odd is not None:
            self.unreadable += answer.odd
        if answer.cut:
            self.mark_cut(name)
        self.citing = answer.citing
        if self.citing is None and answer.text is not None and len(answer.text) > self.limits.attribute_bytes:
            markers = Markers()
            markers.feed(answer.text)
            self.citing = markers.result()

    def add_documents(self, reading: Reading) -> None:
        """Note the documents; their metadata is copied, because the service may change it later."""
        self.unreadable += reading.odd
        if reading.unreadable is not None:
            self.unreadable.append(f"documents: {reading.unreadable}")
            if not reading.passages:
                return
        self.documents, self.total = reading.passages, reading.total
        longest, copy, weight = self.limits.document_bytes + SLACK, Copy(self.slack), 0
        for passage in reading.passages:
            identity, text = passage.id, passage.text
            if identity is not None:
                if len(identity) > LONGEST_ID:
                    passage.id = identity = self._short(names.CUT_DOCUMENT_IDS, identity)
                weight += 4 * len(identity)
            if text is not None and len(text) > longest:
                passage.text = text = text[:longest]
                self.mark_cut(names.GEN_AI_RETRIEVAL_DOCUMENTS)
            if self.content == "ids_only":
                passage.text = passage.metadata = None
                continue
            if text is not None:
                weight += len(text) if text.isascii() else bound(text)
            if passage.metadata:
                passage.metadata = cast("dict[str, object]", copy.of(passage.metadata))
        self._documents_bytes = weight + copy.bytes + _PASSAGE_BYTES * len(reading.passages)
        if copy.cut:
            self.mark_cut(names.CUT_METADATA)
        self.unreadable += [names.UNREADABLE_METADATA + kind for kind in copy.odd]

    def ids(self) -> list[str | None]:
        """Ids of the documents noted, in order."""
        return [passage.id for passage in self.documents or ()]

    def weight(self) -> int:
        """At least the bytes of all that is held here: texts, metadata, ids and facts, in memory and in UTF-8.

        What is said of the request after this is asked is not counted, nor are the objects around the texts.
        """
        weight = self._documents_bytes
        if self.facts:
            weight += bound_of(self.facts.items())
        for text in self.texts.values():
            weight += len(text) if text.isascii() else bound(text)
        for message in self.messages.values():
            text = message.text
            weight += len(text) if text.isascii() else bound(text)
        if self.retrieved:
            weight += 8 * len(self.retrieved) + 4 * sum(map(len, filter(None, self.retrieved)))
        if self.shared is not None and (shared := self.shared.all()):
            weight += bound_of(shared.items())
        if self.citing is not None:
            weight += sum(map(bound, self.citing.markers))
        self._weight = weight
        return weight

    def _kept(self, name: str, value: str) -> str:
        limit = self.limits.attribute_bytes
        if len(value) > limit:
            self.mark_cut(name)
            return value[: limit + SLACK]
        return value

    def _short(self, name: str, told: str) -> str:
        if len(told) <= LONGEST_ID:
            return told
        self.mark_cut(name)
        return told[:LONGEST_ID]


_MARGIN_BYTES = 32_768
"""For citations of ranges, which grow when they are read, what is said of the request later, and marks."""
_PASSAGE_BYTES = 60
"""At least what JSON puts around one passage."""
