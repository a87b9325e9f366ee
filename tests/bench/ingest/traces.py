"""Requests of traces that are all different: 4 spans, ten passages and an answer of 1 kB each, about 14.7 kB."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import ScopeSpans, Status

SPANS_PER_TRACE = 4
_PASSAGES, _CHARACTERS, _QUESTION = 10, 1_000, 120
_POOL_SENTENCES = 4_000
_WORDS = (
    *(
        "the",
        "retrieval",
        "service",
        "returned",
        "evidence",
        "about",
        "water",
        "pressure",
        "turbine",
        "policy",
    ),
    *("contract", "refund", "invoice", "maintenance", "sensor", "valve", "engine", "report", "quarter"),
    *("revenue", "patient", "dosage", "trial", "outcome", "safety", "margin", "design", "limit", "record"),
    *("network", "latency", "storage", "index", "query", "answer", "document", "source", "according"),
    *(
        "measured",
        "between",
        "after",
        "before",
        "under",
        "over",
        "city",
        "river",
        "bridge",
        "1998",
        "42",
        "3.5",
    ),
)


class Texts:
    """Sentences of random words; the answer repeats some of what the passages say and cites them."""

    def __init__(self, seed: int, passages: int = 0) -> None:
        """Passages are drawn from so many, as a service retrieves the same ones again and again; 0: all differ."""
        self._dice = random.Random(seed)
        sentences = (" ".join(self._dice.choices(_WORDS, k=14)).capitalize() for _ in range(_POOL_SENTENCES))
        self._pool = ". ".join(sentences)
        self._passages = [self.some() for _ in range(passages)]

    def passage(self) -> str:
        """One of the pool, or a new one."""
        return self._dice.choice(self._passages) if self._passages else self.some()

    def some(self, length: int = _CHARACTERS) -> str:
        """So many characters."""
        start = self._dice.randrange(len(self._pool) - length)
        return self._pool[start : start + length]

    def answer(self, passages: list[str]) -> str:
        """Half of it from the passages, with citations, half of it not."""
        quoted = (
            f"{self._dice.choice(passages)[200:310]} [{self._dice.randrange(_PASSAGES) + 1}]"
            for _ in range(4)
        )
        return ". ".join((*quoted, self.some(500)))[:_CHARACTERS]


def requests(traces: int, batch: int, seed: int, *, passages: int = 0) -> Iterator[bytes]:
    """Serialised requests of `batch` traces, `traces` in all; OpenInference, children before their root."""
    texts, now = Texts(seed, passages), time.time_ns() - 60 * 10**9
    for first in range(0, traces, batch):
        request = ExportTraceServiceRequest()
        resource = request.resource_spans.add()
        resource.resource.attributes.add(key="service.name").value.string_value = "bench"
        scope = resource.scope_spans.add()
        for number in range(first, min(first + batch, traces)):
            _add(scope, (seed << 64) + number + 1, texts, now)
        yield request.SerializeToString()


def _add(scope: ScopeSpans, number: int, texts: Texts, now: int) -> None:
    passages = [texts.passage() for _ in range(_PASSAGES)]
    question, answer = texts.some(_QUESTION), texts.answer(passages)
    found: dict[str, object] = {
        f"retrieval.documents.{rank}.document.{name}": value
        for rank, passage in enumerate(passages)
        for name, value in (("id", f"doc-{number}-{rank}"), ("content", passage), ("score", 1 - rank / 20))
    }
    spent: dict[str, object] = {
        "llm.model_name": "m-large",
        "llm.token_count.prompt": 2600,
        "llm.token_count.completion": 220,
    }
    steps: tuple[tuple[str, int, int, dict[str, object]], ...] = (
        ("EMBEDDING", 5, 40, {"embedding.model_name": "m-small"}),
        ("RETRIEVER", 45, 160, found),
        ("LLM", 210, 890, {"output.value": answer, "llm.model_name": "m-large", **spent}),
        ("CHAIN", 0, 900, {"output.value": answer}),
    )
    for place, (kind, begin, end, attributes) in enumerate(steps, 1):
        span = scope.spans.add(
            trace_id=number.to_bytes(16, "big"), span_id=_span_id(number, place), name=kind
        )
        span.parent_span_id = b"" if kind == "CHAIN" else _span_id(number, SPANS_PER_TRACE)
        span.start_time_unix_nano, span.end_time_unix_nano = now + begin * 10**6, now + end * 10**6
        span.status.code = Status.STATUS_CODE_OK
        for key, value in {"openinference.span.kind": kind, "input.value": question, **attributes}.items():
            put = span.attributes.add(key=key).value
            if isinstance(value, str):
                put.string_value = value
            elif isinstance(value, float):
                put.double_value = value
            elif isinstance(value, int):
                put.int_value = value


def _span_id(number: int, place: int) -> bytes:
    return ((number << 3 | place) & (2**64 - 1)).to_bytes(8, "big")
