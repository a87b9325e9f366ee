"""How near two questions are: cosine of their embeddings, or of their weighted words where there is no such model."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple, Protocol, cast

from ragvigil.scorer.checks.alignment.model import load
from ragvigil.scorer.checks.prepared import DEFAULT_MODEL
from ragvigil.scorer.checks.reading.words import words
from ragvigil.scorer.judge.endpoint import Completion, Endpoint, Question, RefusedError
from ragvigil.scorer.judge.endpoint.manner import Manner, Structure
from ragvigil.scorer.judge.endpoint.wire import Json, count, items, mapping, text
from ragvigil.scorer.judge.presence import Presence

_MOST_CHARACTERS = 4_000
_KEPT = 4_096
"""Texts whose stems are kept: many are compared with each."""


class Near(NamedTuple):
    """How near some texts are to one."""

    values: tuple[float, ...]
    """In [0, 1]."""
    completions: tuple[Completion, ...] = ()
    """What was paid for that."""


class Similarity(Protocol):
    """Compares texts."""

    method: str
    """What it does, as results say it."""
    across_languages: bool
    """Whether texts of two languages can be compared."""

    async def of(self, one: str, others: Sequence[str]) -> Near:
        """The similarity of `one` with each of `others`; RefusedError, UnavailableError when it cannot be had."""
        ...

    async def close(self) -> None:
        """Let go of what it holds open."""
        ...


class Lexical:
    """Cosine over the stems of meaningful words, each weighted by how telling it is; offline."""

    method = "lexical-1"
    across_languages = False

    def __init__(self) -> None:
        self._weights = load(DEFAULT_MODEL).weights
        self._stems = lru_cache(_KEPT)(self._read)

    async def of(self, one: str, others: Sequence[str]) -> Near:
        """Cosines of binary vectors with squared weights."""
        return Near(tuple(self.between(one, other) for other in others))

    def between(self, one: str, other: str) -> float:
        """The cosine of two texts; 0 when one of them has no meaningful word."""
        first, second = self._stems(one), self._stems(other)
        shared = sum(weight for stem, weight in first.items() if stem in second)
        size = math.sqrt(sum(first.values()) * sum(second.values()))
        return min(1.0, shared / size) if size else 0.0

    async def close(self) -> None:
        """It holds nothing."""

    def _read(self, said: str) -> Mapping[str, float]:
        stems = {word.stem for word in words(said[:_MOST_CHARACTERS]) if word.content}
        known = self._weights.known
        return {stem: known.get(stem, self._weights.unknown) ** 2 for stem in stems}


class Embedding:
    """Cosine of the vectors that an OpenAI-compatible endpoint gives; negative ones count as 0."""

    across_languages = True

    def __init__(self, endpoint: Endpoint, model: str) -> None:
        self.method = f"embedding {model}"
        self._endpoint = endpoint
        self._presence = Presence()

    async def of(self, one: str, others: Sequence[str]) -> Near:
        """Cosines; RefusedError when the endpoint gives no vectors, or too few; UnavailableError when it is away."""
        texts = [said[:_MOST_CHARACTERS] for said in (one, *others)]
        question = Question("", json.dumps(texts), {}, 1)
        completion = await self._presence.ask(lambda: self._endpoint.ask(question))
        vectors = cast("list[list[float]]", json.loads(completion.text or "[]"))
        if len(vectors) != len(texts) or len({len(vector) for vector in vectors}) != 1 or not vectors[0]:
            raise RefusedError(
                "the embedding endpoint gives no vector for each text; is judge.embedding_model one?"
            )
        return Near(tuple(_cosine(vectors[0], vector) for vector in vectors[1:]), (completion,))

    async def close(self) -> None:
        """Let go of the endpoint."""
        await self._endpoint.close()


class EmbeddingWire:
    """OpenAI's embeddings, as vLLM, Ollama, llama.cpp and text-embeddings-inference speak it too."""

    path = "embeddings"
    structures: tuple[Structure, ...] = ("plain",)

    def headers(self, key: str | None) -> Mapping[str, str]:
        """As for chat completions."""
        return {"authorization": f"Bearer {key}", "api-key": key} if key else {}

    def body(self, question: Question, model: str, manner: Manner) -> dict[str, object]:
        """All texts at once."""
        del manner
        return {"model": model, "input": json.loads(question.data)}

    def completion(self, answer: Json) -> Completion:
        """The vectors as JSON, in the order of the texts."""
        rows = sorted((mapping(one) for one in items(answer.get("data"))), key=_place)
        vectors = [[float(cast("float", x)) for x in items(row.get("embedding"))] for row in rows]
        usage = mapping(answer.get("usage"))
        spent = count(usage.get("prompt_tokens"))
        return Completion(
            json.dumps(vectors), text(answer.get("model")) or None, cut=False, input_tokens=spent
        )


def _place(row: Json) -> int:
    return count(row.get("index")) or 0


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    size = math.sqrt(sum(x * x for x in one) * sum(y * y for y in other))
    product = sum(x * y for x, y in zip(one, other, strict=True))
    return min(1.0, max(0.0, product / size)) if size else 0.0
