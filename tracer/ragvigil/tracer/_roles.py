"""The roles of a RAG request: what each span is called, and what it tells."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from opentelemetry.trace import SpanKind

from ragvigil.tracer import _reading
from ragvigil.tracer import attributes as names
from ragvigil.tracer._answers import read_answer
from ragvigil.tracer._arguments import (
    NO_PARAMETER,
    OWN_QUESTION,
    Arguments,
    Keywords,
    Parameter,
    first_list,
    first_text,
    question_in,
)
from ragvigil.tracer._documents import DocumentPieces, read_documents
from ragvigil.tracer._findings import SLACK, Findings
from ragvigil.tracer._identities import one_word
from ragvigil.tracer._pieces import AnswerPieces
from ragvigil.tracer._settings import Content, Limits

Extract: TypeAlias = Callable[[Any], object]
"""Turns an odd result into a shape that we read; with a stream it is given each piece."""


class Pieces(Protocol):
    """Collects a streamed result within the limits."""

    def add(self, piece: object) -> None:
        """Take one piece."""
        ...

    def result(self) -> object:
        """The result as far as it came, in a shape that the role reads."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Role:
    """What the roles have in common: which arguments matter, and what is written before and after a call."""

    operation: str
    kind: SpanKind = SpanKind.INTERNAL
    label: Parameter = NO_PARAMETER
    """What the span's name says after the operation: the model, the index, the pipeline."""
    question: Parameter = NO_PARAMETER
    facts: Mapping[str, Parameter] = field(default_factory=dict[str, Parameter])
    """Attributes that are an argument's value."""
    shared: Mapping[str, Parameter] = field(default_factory=dict[str, Parameter])
    """Attributes of the whole request that are an argument's value."""
    fixed: Mapping[str, str] = field(default_factory=dict[str, str])
    """Attributes known before any call: samplers see them at the span's start."""
    extract: Extract | None = None
    root: bool = False
    content: Content | None = None
    """What this call wants of texts to be recorded at most."""

    answers: bool = True
    """Whether the result is an answer, as opposed to documents."""
    named: tuple[str, bool] | None = field(init=False, default=None)
    """The name of each span, where it is known before any call."""

    def __post_init__(self) -> None:
        """Name spans here, where every call has the same label."""
        if self.label.fixed and isinstance(self.label.default, str | None):
            object.__setattr__(self, "named", self._name(self.label.default))

    def name(self, arguments: Arguments, keywords: Keywords) -> tuple[str, bool]:
        """The span's name, the operation and what it works on, and whether that was cut."""
        return self.named or self._name(self.label.value(arguments, keywords))

    def _name(self, value: object) -> tuple[str, bool]:
        label = _reading.identifier(_named(value), _reading.LONGEST_ID + 1)
        if not label:
            return self.operation, False
        return f"{self.operation} {label[: _reading.LONGEST_ID]}", len(label) > _reading.LONGEST_ID

    def query(self, arguments: Arguments, keywords: Keywords, enclosing: str | None) -> str | None:
        """The question of this call; the enclosing request's when the call has none of its own."""
        own = question_in(self.question.value(arguments, keywords))
        return own or self._first(arguments, keywords) or enclosing

    def _first(self, arguments: Arguments, keywords: Keywords) -> str | None:
        """Any text, where the question's own parameter is not known: otherwise it would be another argument's."""
        return None if self.question.known else first_text(arguments, keywords)

    def before(self, findings: Findings, query: str | None, arguments: Arguments, keywords: Keywords) -> None:
        """Note what the arguments tell, before the function can change them."""
        for name, parameter in self.facts.items():
            value = parameter.value(arguments, keywords)
            if isinstance(value, int) or name == names.GEN_AI_RETRIEVAL_TOP_K:
                findings.add(name, _reading.whole(value))
            else:
                findings.add_id(name, _named(value))
        self.note_query(findings, query)

    def note_query(self, findings: Findings, query: str | None) -> None:
        """Note the question where this role's readers look for it."""
        raise NotImplementedError

    def after(self, findings: Findings, result: object) -> None:
        """Note what the result tells."""
        raise NotImplementedError

    def see(self, retrieved: list[str | None], findings: Findings) -> None:
        """Tell the request what was retrieved, or the findings what the answer could see."""
        findings.retrieved = tuple(retrieved)

    def pieces(self, limits: Limits) -> Pieces:
        """A fresh collector for a streamed result."""
        return AnswerPieces(at_most=limits.attribute_bytes + SLACK)


def _named(value: object) -> object:
    """A name as given; of an object what it prints, where that is one word: a client prints its settings and keys."""
    if value is None or isinstance(value, str):
        return value
    told = _reading.identifier(value, _reading.LONGEST_ID + 1)
    return told if told is not None and one_word(told) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Workflow(Role):
    """The root: one question answered once."""

    def note_query(self, findings: Findings, query: str | None) -> None:
        """Note the question."""
        findings.add_text(names.INPUT_VALUE, query)

    def after(self, findings: Findings, result: object) -> None:
        """Note the answer."""
        answer = read_answer(result)
        findings.read_markers(names.OUTPUT_VALUE, answer)
        findings.add_text(names.OUTPUT_VALUE, answer.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Retriever(Role):
    """A search: a query in, documents out."""

    answers: bool = False

    def note_query(self, findings: Findings, query: str | None) -> None:
        """Note what was searched for."""
        findings.add_text(names.GEN_AI_RETRIEVAL_QUERY_TEXT, query)

    def after(self, findings: Findings, result: object) -> None:
        """Note the documents in the order returned."""
        at_most = findings.limits.documents
        if isinstance(result, DocumentPieces):
            findings.add_documents(result.read())
        else:
            findings.add_documents(read_documents(result, at_most=at_most))

    def see(self, retrieved: list[str | None], findings: Findings) -> None:
        """Add the documents found to those that the request has."""
        retrieved += findings.ids()

    def pieces(self, limits: Limits) -> Pieces:
        """Collects documents one by one."""
        return DocumentPieces(at_most=limits.documents)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reranker(Retriever):
    """A second pass: documents in, the same in a better order out."""

    documents: Parameter = NO_PARAMETER

    def see(self, retrieved: list[str | None], findings: Findings) -> None:
        """Replace the documents that the request has by their new order, unless nothing could be read."""
        retrieved[:] = findings.ids() or retrieved

    def before(self, findings: Findings, query: str | None, arguments: Arguments, keywords: Keywords) -> None:
        """Note the query and the ids that came in."""
        Role.before(self, findings, query, arguments, keywords)
        given = self.documents.value(arguments, keywords)
        documents = given if given is not None or self.documents.known else first_list(arguments)
        reading = read_documents(documents, at_most=findings.limits.documents)
        findings.add_ids(names.RAGVIGIL_RERANK_INPUT_IDS, reading)


@dataclass(frozen=True, slots=True, kw_only=True)
class Generator(Role):
    """A model call: the question, with passages, in; the answer out."""

    def query(self, arguments: Arguments, keywords: Keywords, enclosing: str | None) -> str | None:
        """The user's own words; a rendered prompt repeats the passages, so the request's question goes before it."""
        given = question_in(self.question.value(arguments, keywords))
        if given and (self.question.told or self.question.names[0] in OWN_QUESTION):
            return given
        return enclosing or given or self._first(arguments, keywords)

    def note_query(self, findings: Findings, query: str | None) -> None:
        """Note the question as the only input message."""
        findings.add_message(names.GEN_AI_INPUT_MESSAGES, "user", query)

    def after(self, findings: Findings, result: object) -> None:
        """Note the answer, the model that gave it, and its usage."""
        answer = read_answer(result)
        findings.read_markers(names.GEN_AI_OUTPUT_MESSAGES, answer)
        findings.add_answer(answer)
        findings.add_message(names.GEN_AI_OUTPUT_MESSAGES, "assistant", answer.text, answer.finish_reason)
