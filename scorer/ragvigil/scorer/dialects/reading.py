"""Reading: the neutral facts of one span, and the port that every dialect implements.

A dialect of your own is a class with `name`, `matches` and `read`:

>>> from ragvigil.scorer.span import Span
>>> class Acme:
...     name = "acme"
...     def matches(self, span: Span) -> bool:
...         return span.scope == "acme-rag"
...     def read(self, span: Span) -> Reading:
...         if span.name == "search":
...             hits = documents_of(span.attributes.get("acme.hits"))
...             return Reading(role="retriever", query=text_of(span.attributes.get("acme.q")), documents=hits)
...         return Reading(role="chain", answer=text_of(span.attributes.get("acme.reply")))
>>> from ragvigil.scorer.dialects.documents import documents_of
>>> from ragvigil.scorer.dialects.values import text_of
>>> span = Span("0" * 32, "1" * 16, None, "search", 1, 0, 9, {"acme.q": "why?", "acme.hits": '[{"id": "a"}]'})
>>> reading = Acme().read(span)
>>> reading.query, [document.id for document in reading.documents or ()]
('why?', ['a'])
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Literal, Protocol

from ragvigil.scorer.span import Span
from ragvigil.scorer.trace import Cited, Document, Tokens

Role = Literal["chain", "retriever", "reranker", "generator", "tool", "embedding", "evaluator", "other"]
"""What a span does. The topmost `chain` of a question is its root; below an `evaluator` nothing answers."""


@dataclass(frozen=True, slots=True)
class Message:
    """One chat message, its text parts joined."""

    role: str
    text: str | None
    """None when the message holds no text: a tool call, an image, hidden content."""
    parts: tuple[str, ...] = field(default=(), repr=False)
    """The texts of its parts, where there are several."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a step failed, as far as the span says."""

    type: str | None
    """Type name as the service's language writes it; None when only a generic one is known."""
    message: str | None


@dataclass(slots=True, kw_only=True)
class Reading:
    """What one span says. Unknown is None; documents `()` means that nothing was found, which is known.

    Nobody changes it: not frozen, because to make it would take four times as long.
    """

    role: Role | None = None
    """None when this dialect cannot tell, and the next that matches may; `other` is final."""
    query: str | None = None
    """The question, of a chain or a retrieval."""
    arguments: tuple[object, ...] = ()
    """What a function was given, in order, then what has names: which of it is the question, the trace must tell."""
    documents: tuple[Document, ...] | None = None
    """What came out of a retrieval or rerank; on any other role, passages that fill gaps elsewhere."""
    input_documents: tuple[Document, ...] | None = None
    """What went into a rerank."""
    answer: str | None = None
    messages: tuple[Message, ...] = ()
    """What the model was sent."""
    context: str | None = None
    """What the template of the prompt was given as its context, where the span says so."""
    tool: str | None = None
    """Name of the tool, when the step was a tool call."""
    words: str | None = None
    """The one text that a tool returned which searched, as the model was told it."""
    model: str | None = None
    response_model: str | None = None
    response_id: str | None = None
    """The provider's name of this reply: spans that share it tell one call twice."""
    finish_reason: str | None = None
    prompt_version: str | None = None
    tokens: Tokens = field(default_factory=Tokens)
    cost_usd: float | None = None
    conversation_id: str | None = None
    user_id: str | None = None
    environment: str | None = None
    service_version: str | None = None
    segment: Mapping[str, str] = field(default_factory=dict[str, str])
    feedback: tuple[Mapping[str, object], ...] = ()
    cited: Cited | None = None
    """What the span's own tracer says that the answer cites."""
    sampled_with: float | None = None
    """Probability with which the span's own tracer kept it, where it says so beside the trace state."""
    evaluations: tuple[Mapping[str, object], ...] = ()
    failure: Failure | None = None
    """Set when the step failed and the dialect knows more than the span's status and exception event say."""
    streaming: bool | None = None
    redacted: bool = False
    """Whether content was replaced or switched off by the sender."""
    withheld: bool = False
    """Whether they were because the service's owner keeps ids only."""
    truncated: bool = False
    """Whether the sender says that it cut documents or their texts."""
    unread_search: bool = False
    """Whether a search answered a model in words that may be passages, or an apology: nobody can tell."""
    unread_list: bool = False
    """Whether a function that is called a search returned a text or a list that nobody knows for passages."""
    exchange: tuple[object, ...] = ()
    """The request to a model and its reply as the span has them, where passages may stand in them."""
    unread: bool = False
    """Whether an answer is there in a shape that nobody can read: it is unknown, and neither empty nor hidden."""
    piecemeal: bool = False
    """Whether its tracer hangs no step below another: with no span above them, each is a trace of its own."""
    otherwise: Reading | None = None
    """What the span says if the passages that it returned are an answer: only their shape says that it searched."""
    declared: bool = False
    """Whether its kind says that it searched, which some SDKs call a whole pipeline: then a model below it answered."""


_UNKNOWN: tuple[object, ...] = (None, (), {}, Tokens(), False)


def filled(reading: Reading, other: Reading) -> Reading:
    """The reading, with what it does not know taken from the other; its role stays unless it has none."""
    gaps = {
        field.name: getattr(other, field.name)
        for field in fields(Reading)
        if field.name != "role" and getattr(reading, field.name) in _UNKNOWN
    }
    if reading.documents == () or reading.role not in (None, other.role):
        gaps.pop("documents", None)
    return replace(reading, role=reading.role or other.role, **gaps)


class Dialect(Protocol):
    """One way of writing spans. `read` is called only for spans that `matches`, and never raises."""

    @property
    def name(self) -> str:
        """Short name, as `read` shows it."""
        ...

    def matches(self, span: Span) -> bool:
        """Whether the span is written in this dialect; one look at its scope or one attribute."""
        ...

    def read(self, span: Span) -> Reading:
        """What the span says."""
        ...
