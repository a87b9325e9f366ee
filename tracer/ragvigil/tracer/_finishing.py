"""The attributes that the findings of one span make: redacted, within the limits, and marked where they are cut."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias, cast

from ragvigil.tracer import attributes as names
from ragvigil.tracer._citing import OPENING
from ragvigil.tracer._findings import SLACK
from ragvigil.tracer._metadata import DEEPEST, longest_at
from ragvigil.tracer._notices import notices
from ragvigil.tracer._quoting import quoted
from ragvigil.tracer._reading import LONGEST_ID, encodable
from ragvigil.tracer._sizes import cut, encoded_attributes, too_large, utf8_size

if TYPE_CHECKING:
    from ragvigil.tracer._documents import Passage
    from ragvigil.tracer._facts import AttributeValue
    from ragvigil.tracer._findings import Findings, Message

Clean: TypeAlias = Callable[[str], str]

MARKS_BYTES = 2_048
"""Kept free for marks that come up while the texts are written."""


_JSON = frozenset(
    {names.GEN_AI_RETRIEVAL_DOCUMENTS, names.GEN_AI_INPUT_MESSAGES, names.GEN_AI_OUTPUT_MESSAGES}
)
"""Within the limit already, and nothing once it is cut."""


def finished(findings: Findings) -> dict[str, AttributeValue]:
    """All attributes of a span, those that matter most last: an SDK at its attribute limit evicts the first ones."""
    shared: Mapping[str, AttributeValue] = {}
    if findings.shared is not None:
        shared = findings.shared.all()
        if (wanted := findings.shared.strictest()) is not None:
            findings.content = findings.policy.at_least(findings.content, wanted)
    return _Finishing(findings, shared).attributes()


class _Finishing:
    """Writes the attributes of one span, those that matter most last: an SDK at its limit evicts the first ones."""

    __slots__ = ("_clean", "_findings", "_found", "_names", "_room", "_small")

    def __init__(self, findings: Findings, shared: Mapping[str, AttributeValue]) -> None:
        self._findings = findings
        self._found: dict[str, AttributeValue] = {**shared, **findings.facts}
        for mark in cast("Sequence[str]", self._found.pop(names.RAGVIGIL_CONTENT_TRUNCATED, ())):
            findings.mark_cut(mark)
        self._clean = self._redactor()
        self._names: dict[str, str] = {}
        """Names in the metadata, redacted."""
        self._small = findings.small
        """Whether nothing need be measured."""
        self._room = findings.limits.span_bytes

    def attributes(self) -> dict[str, AttributeValue]:
        """All of them."""
        findings = self._findings
        cited = self._cited()
        if not self._small:
            marks = {names.RAGVIGIL_CONTENT_TRUNCATED: findings.truncated}
            known = encoded_attributes({**self._found, **cited, **marks, **findings.fixed})
            self._room -= MARKS_BYTES + known
        if self._clean is not None:
            for name, text in findings.texts.items():
                self._add({name: self._text(name, self._whole(text, findings.limits.attribute_bytes))})
            for name, message in findings.messages.items():
                text = self._whole(message.text, findings.limits.attribute_bytes)
                self._add(self._message(name, message, text))
        if findings.documents is not None:
            self._add_documents()
        self._found |= cited
        if not self._small:
            self._leave_out()
        fixed: Mapping[str, AttributeValue] = findings.fixed
        if (most := findings.policy.longest_value) is not None and most < LONGEST_ID:
            self._found |= self._shortened(self._found, most)
            fixed = self._shortened(fixed, most)
            findings.truncated = [mark[:most] for mark in findings.truncated]
        self._mark()
        return self._within({**self._found, **fixed})

    def _add(self, attributes: Mapping[str, AttributeValue]) -> None:
        self._found |= attributes
        if not self._small:
            self._room -= encoded_attributes(attributes)

    def _leave_out(self) -> None:
        """Leave out what is too large although no text is: too many facts, ids or citations."""
        findings = self._findings
        most = max(0, findings.limits.span_bytes - MARKS_BYTES - encoded_attributes(findings.fixed))
        for name in too_large(self._found, most):
            del self._found[name]
            findings.mark_cut(name)

    def _shortened(self, facts: Mapping[str, AttributeValue], most: int) -> Mapping[str, AttributeValue]:
        """These with what has more letters than the provider's limit cut and named: an SDK would cut it silently."""
        found = dict(facts)
        for name, value in facts.items():
            if isinstance(value, str) and name not in _JSON:
                found[name] = value[:most]
            elif isinstance(value, list | tuple):
                found[name] = [entry[:most] for entry in cast("Sequence[str]", value)]
            if found[name] != (list(value) if isinstance(value, tuple) else value):
                self._findings.mark_cut(name)
        return found

    def _redactor(self) -> Clean | None:
        """What every text goes through before it is written; None when no text may be written."""
        if self._findings.content == "ids_only":
            return None
        if self._findings.content == "full":
            return encodable
        if self._findings.policy.redact is not None:
            return self._findings.policy.redact
        # Here and below, imported where it is needed: most services never do, and patterns take time to compile.
        from ragvigil.tracer.redaction import redact

        return redact

    def _cleaned(self, text: str) -> str:
        """The text as it may leave; nothing of it when the service's own redactor fails."""
        if self._clean is None:
            return ""
        if self._findings.content == "full":
            return self._clean(text)
        try:
            return encodable(self._clean(text))
        except (Exception, SystemExit) as error:
            notices.say("a text was left out, redaction failed", error)
            mark = f"redaction: {type(error).__name__}"
            if mark not in self._findings.unreadable:
                self._findings.unreadable.append(mark)
            return ""

    def _whole(self, text: str, longest: int) -> str:
        """The text as it may leave, without its end where that was cut before: half of a number is not found."""
        cleaned = self._cleaned(text)
        halved = self._findings.content != "full" and len(text) >= longest + SLACK
        return cleaned[:-SLACK] if halved else cleaned

    def _text(self, name: str, value: str) -> str:
        kept = cut(value, min(self._findings.limits.attribute_bytes, self._room - 32 - len(name)))
        if len(kept) < len(value):
            self._findings.mark_cut(name)
        return kept

    def _message(self, name: str, message: Message, text: str) -> dict[str, AttributeValue]:
        """The message as JSON, with its copies for OpenInference; a shorter text until all of it fits."""
        most = self._findings.limits.attribute_bytes
        while True:
            written = _message_json(message.role, text, message.finish_reason)
            found: dict[str, AttributeValue] = {name: written}
            if self._findings.policy.openinference:
                from ragvigil.tracer._flattened import flattened_message

                found = {**flattened_message(message.role, text), name: written}
            if self._small:
                return found
            size, total = utf8_size(written), encoded_attributes(found)
            fits = size <= most and total <= self._room
            if fits or (not text and size <= most):
                return found
            self._findings.mark_cut(name)
            if not text:  # not even its JSON fits, and half of that would be none
                return {}
            letters = utf8_size(text)
            fitting = min(most / size, max(0, self._room) / total, 1.0)
            text = cut(text, min(letters - 1, int(letters * fitting)))

    def _add_documents(self) -> None:
        from ragvigil.tracer._passages import write_documents

        findings, clean = self._findings, self._clean
        passages = findings.documents or []
        if clean is not None and findings.content != "full":
            for passage in passages:
                if passage.text is not None:
                    passage.text = self._whole(passage.text, findings.limits.document_bytes)
                if passage.metadata:
                    passage.metadata = self._entries(passage.metadata, 1)
        written = write_documents(
            passages,
            content=clean is not None,
            spread=findings.policy.openinference and clean is not None,
            limits=findings.limits,
            room=self._room,
            small=self._small
            and 4 * max(map(_characters, passages), default=0) <= findings.limits.document_bytes,
        )
        self._add(written.attributes)
        if written.kept < findings.total:
            self._add({names.RAGVIGIL_DOCUMENTS_TOTAL: findings.total})
        if written.cut or written.kept < findings.total:
            findings.mark_cut(names.GEN_AI_RETRIEVAL_DOCUMENTS)
        if written.metadata_cut:
            findings.mark_cut(names.CUT_METADATA)

    def _deep(self, value: object, depth: int) -> object:
        """A piece of metadata with every text in it redacted."""
        if isinstance(value, str):
            return self._brief(value, depth)
        if isinstance(value, dict):
            return self._entries(cast("dict[str, object]", value), depth + 1)
        if isinstance(value, list):
            return [self._deep(entry, depth + 1) for entry in cast("list[object]", value)]
        return value

    def _entries(self, entries: Mapping[str, object], depth: int) -> dict[str, object]:
        """The same of a mapping, with its names redacted too; of two that are then alike, the first."""
        found: dict[str, object] = {}
        for name, value in entries.items():
            clean = self._names.get(name)
            if clean is None:
                clean = self._names[name] = self._brief(name, DEEPEST)
            if clean in found:
                self._findings.mark_cut(names.CUT_METADATA)
            else:
                found[clean] = self._deep(value, depth)
        return found

    def _brief(self, text: str, depth: int) -> str:
        """A short text redacted, and without its end where that was cut before: half of a number is not found."""
        longest, cleaned = longest_at(depth), self._cleaned(text)
        if self._findings.slack and len(text) >= longest + SLACK:
            cleaned = cleaned[:-SLACK]
        elif not self._findings.slack and len(text) >= longest:
            cleaned = (
                ""  # the policy became stricter after the text was cut: where a number began is not known
            )
        return cleaned[:longest]

    def _cited(self) -> dict[str, AttributeValue]:
        """What the whole answer cites, and how much of it was read where that is not all."""
        findings = self._findings
        answer = findings.messages.get(names.GEN_AI_OUTPUT_MESSAGES)
        text = answer.text if answer else findings.texts.get(names.OUTPUT_VALUE)
        if not findings.retrieved or text is None:
            return {}
        if findings.citing is None and OPENING.search(text) is None:
            return {}
        from ragvigil.tracer._citations import cited_by, read_answer_once

        citing = findings.citing or read_answer_once(text)
        cited = cited_by(citing.markers, tuple(findings.retrieved))
        told: dict[str, AttributeValue] = {}
        if citing.read is not None:
            told[names.RAGVIGIL_CITATIONS_READ] = citing.read
        if cited.ids:
            told[names.RAGVIGIL_CITED_IDS] = cited.ids
        if cited.unknown or cited.words:
            unnamed = [f"(unnamed {number})" for number in range(1, len(cited.words) + 1)]
            told[names.RAGVIGIL_CITED_UNKNOWN] = [*cited.unknown, *unnamed]
        return told

    def _mark(self) -> None:
        """Say what was cut, what could not be read, and what was left out on purpose."""
        findings = self._findings
        if findings.truncated:
            self._found[names.RAGVIGIL_CONTENT_TRUNCATED] = findings.truncated
        if findings.unreadable:
            self._found[names.RAGVIGIL_UNREADABLE] = findings.unreadable
        if findings.content != "full":
            off = findings.content == "ids_only"
            self._found[names.RAGVIGIL_CONTENT] = names.CONTENT_OFF if off else names.CONTENT_REDACTED

    def _within(self, found: dict[str, AttributeValue]) -> dict[str, AttributeValue]:
        """The attributes that the provider can hold, with the number of those that it cannot."""
        most = self._findings.policy.most_attributes
        if most is None or len(found) <= most:
            return found
        kept = dict(list(found.items())[len(found) - most + 1 :])
        return {names.RAGVIGIL_ATTRIBUTES_DROPPED: len(found) - len(kept), **kept}


def _characters(passage: Passage) -> int:
    return len(passage.text or "")


NO_REASON = "unknown"


def _message_json(role: str, value: str, finish_reason: str | None) -> str:
    # The convention demands one of an answer, and viewers show no answer without.
    reason = finish_reason or (NO_REASON if role == "assistant" else None)
    end = "" if reason is None else f',"finish_reason":{quoted(reason)}'
    return encodable(
        f'[{{"role":{quoted(role)},"parts":[{{"type":"text","content":{quoted(value)}}}]{end}}}]'
    )
