"""RagTrace: one question answered once, as every later room reads it.

Unknown is ``None``, never ``""`` or 0. All values are frozen: a late span makes a new record.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

Completeness = Literal["complete", "partial_evidence", "content_off", "withheld", "timed_out"]
"""`content_off`: whoever traces sent no texts, and perhaps nobody wanted that. `withheld`: the owner keeps ids only,
and nothing but the texts is missing."""
WITHHELD = "texts withheld by ids_only"
"""Why no claim is judged then, for people."""
WITHHELD_MEANS = f"{WITHHELD}: no claim is judged, citations and retrieval are"
"""The same with what that leaves."""
Place = tuple[str, str | None]
"""A service and its environment; None where it names none."""


@dataclass(frozen=True, slots=True)
class Document:
    """One retrieved passage, at the place where the generator saw it."""

    id: str | None
    text: str | None
    score: float | None = None
    rank: int = 1
    """1-based position in the order the generator saw, after reranking."""
    metadata: Mapping[str, object] = field(default_factory=dict[str, object])


@dataclass(frozen=True, slots=True)
class Retrieval:
    """One retrieval step; first pass and rerank are kept apart so that first-pass recall can be measured."""

    stage: Literal["retrieve", "rerank"]
    query: str | None
    ids: tuple[str | None, ...]
    scores: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens counted at the leaf generation spans."""

    input: int | None = None
    output: int | None = None


@dataclass(frozen=True, slots=True)
class Cited:
    """What an answer cites, as the service found it itself because it does not send the answer."""

    ids: tuple[str, ...]
    """Retrieved passages, each once."""
    unknown: tuple[str, ...]
    """Ids and ranks that were not retrieved, each once."""
    read_characters: int | None = None
    """Characters of the answer that were read; None when it was all of it, otherwise more may be cited."""


class _Hashed:
    """Room for a record's input hash, which checks, judge and store all ask for; it is no field of the record."""

    __slots__ = ("kept_hash",)
    kept_hash: str


@dataclass(frozen=True, slots=True)
class RagTrace(_Hashed):
    """One question answered once."""

    trace_id: str
    """32 lower-case hex characters."""
    span_id: str
    """Span of the evaluated generation (of the root when nothing was generated), 16 hex characters."""
    service: str
    started_at: int
    """Unix time, nanoseconds, UTC."""
    query: str | None = None
    documents: tuple[Document, ...] = ()
    """What the generator could see, in its order."""
    answer: str | None = None
    environment: str | None = None
    service_version: str | None = None
    model: str | None = None
    """Requested model; the response's where the request's is missing or ``unknown``."""
    response_model: str | None = None
    finish_reason: str | None = None
    """Why the model stopped, as it says: ``stop``, ``length``, ``content_filter`` and so on."""
    prompt_version: str | None = None
    retrievals: tuple[Retrieval, ...] = ()
    tokens: Tokens = field(default_factory=Tokens)
    cost_usd: float | None = None
    retrieval_seconds: float | None = None
    generation_seconds: float | None = None
    total_seconds: float | None = None
    conversation_id: str | None = None
    user_id: str | None = None
    segment: Mapping[str, str] = field(default_factory=dict[str, str])
    """Low-cardinality dimensions: language, answer_type, tenant, index version."""
    feedback: tuple[Mapping[str, object], ...] = ()
    evaluations: tuple[Mapping[str, object], ...] = ()
    error: str | None = None
    """Type name of the error, counted once; its message, cut short, where no type is known."""
    error_where: str | None = None
    """Step that failed first: retriever, reranker, generator, root, or ``NAME tool``."""
    error_message: str | None = None
    streaming: bool | None = None
    cited: Cited | None = None
    """Set only where the answer itself is not known."""
    completeness: Completeness = "complete"
    dialect: str | None = None
    upstream_probability: float | None = None
    """Probability in (0, 1] with which the sender's sampler kept the trace; None when it does not say."""
    upstream_sampler: str | None = None
    """A sampler before the scorer that left traces out and does not say how many."""

    @property
    def place(self) -> Place:
        """Where it was answered."""
        return self.service, self.environment or None

    @property
    def retrieved(self) -> bool:
        """Whether any retrieval step was seen at all (an empty result still counts)."""
        return bool(self.retrievals) or bool(self.documents)


def input_hash(record: RagTrace) -> str:
    """SHA-256 over query, answer and evidence (ids and texts in order): what a score is a score *of*.

    Each text stands as its length in bytes, a colon and its UTF-8; what is not known as a hyphen.

    >>> from dataclasses import asdict, replace
    >>> one = RagTrace("0" * 32, "1" * 16, "s", 0, query="q", answer="a")
    >>> two = RagTrace("0" * 32, "1" * 16, "s", 5, query="q", answer="b")
    >>> input_hash(one) == input_hash(two), len(input_hash(one))
    (False, 64)
    >>> input_hash(replace(one, answer="b")) == input_hash(two), "kept_hash" in asdict(one)
    (True, False)
    """
    try:
        return record.kept_hash
    except AttributeError:
        texts = [record.query, record.answer]
        for document in record.documents:
            texts += (document.id, document.text)
        found = hashlib.sha256(_measured(texts)).hexdigest()
        object.__setattr__(record, "kept_hash", found)  # a memory, no change: whoever reads it gets the same
        return found


def _measured(texts: Iterable[str | None]) -> bytes:
    pieces: list[bytes] = []
    for text in texts:
        if text is None:
            pieces.append(b"-")
        else:
            encoded = text.encode("utf-8", "surrogatepass")
            pieces += (b"%d:" % len(encoded), encoded)
    return b"".join(pieces)
