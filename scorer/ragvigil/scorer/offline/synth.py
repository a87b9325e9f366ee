"""`ragvigil synth`: questions for a test set from chunks of one's own documents.

Each pair has a fact that stands by itself and a question that this fact alone answers. Adversarial ones come from
look-alike chunks. What its own chunk does not carry, what is there already, and what no user would ask (realism below
4 of 5) is left out, and counted.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ragvigil.prompts import Prompt
from ragvigil.scorer import config
from ragvigil.scorer.checks.prepared import Prepared
from ragvigil.scorer.checks.reading.language import language_of
from ragvigil.scorer.errors import InputError
from ragvigil.scorer.judge import model_at_a_terminal
from ragvigil.scorer.judge.asker import Asker
from ragvigil.scorer.judge.endpoint import Completion, RefusedError
from ragvigil.scorer.judge.replies import Pair, PairsReply, RealismReply, usable
from ragvigil.scorer.judge.similarity import Lexical
from ragvigil.scorer.judge.terminal import told_when_away
from ragvigil.scorer.offline.passages import passages_in
from ragvigil.scorer.offline.synthetic import MARK
from ragvigil.scorer.trace import Document, RagTrace

_REAL = 4
"""Least realism of a question that is kept."""
_SAME = 0.9
"""Similarity from which two questions are one."""
_LOOK_ALIKE = 0.25
"""Least similarity of a chunk that a question may be mistaken for."""
_OTHERS = 3
_CARRIED = 0.5
_LONGEST_CHUNK = 8_000
_MOST_CHUNKS = 2_000


@dataclass(frozen=True, slots=True)
class Chunk:
    """One chunk of the documents."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Made:
    """A question for the test set."""

    question: str
    fact: str
    chunk: str
    adversarial: bool
    look_alikes: tuple[str, ...]
    realism: int
    language: str | None

    def as_row(self, number: int) -> dict[str, object]:
        """As a row of a test set: its golden context, and the fact as the answer."""
        return {
            "query_id": f"synth-{number:05d}",
            "query": self.question,
            "intent": "single_fact",
            "golden_context_ids": [self.chunk],
            "golden_answer": self.fact,
            "required_facts": [self.fact],
            "language": self.language,
            "tags": [MARK, *(["adversarial"] if self.adversarial else [])],
            "look_alike_ids": list(self.look_alikes),
            "realism": self.realism,
        }


@dataclass(slots=True)
class Questions:
    """What was made, and what became of the rest."""

    made: list[Made] = field(default_factory=list[Made])
    left_out: Counter[str] = field(default_factory=Counter[str])
    usage: Mapping[str, object] = field(default_factory=dict[str, object])


def chunks_of(path: Path) -> list[Chunk]:
    """The chunks of a file of rows {id, text}. Raises InputError that names line, field and fix."""
    found = passages_in(path)
    if len(found) > _MOST_CHUNKS:
        raise InputError(
            str(path), f"holds {len(found):,} chunks, at most {_MOST_CHUNKS:,}; draw some of them"
        )
    return [Chunk(name, text[:_LONGEST_CHUNK]) for name, text in found.items()]


def synthesise(
    chunks: Sequence[Chunk], settings: config.Settings, *, each: int, adversarial: int
) -> Questions:
    """At most `each` questions and `adversarial` hard ones from each chunk, against the budget of the scorer.

    Raises InputError where the endpoint does not answer, ConfigError where no language model is configured.
    """
    with told_when_away():
        return asyncio.run(_made(chunks, settings, each, adversarial))


async def _made(chunks: Sequence[Chunk], settings: config.Settings, each: int, adversarial: int) -> Questions:
    maker = _Maker(model_at_a_terminal(settings))
    near = Lexical()
    try:
        jobs = [maker.of(chunk, (), each) for chunk in chunks if each]
        for chunk in chunks if adversarial else ():
            alike = look_alikes(chunk, chunks, near)
            if alike:
                jobs.append(maker.of(chunk, alike, adversarial))
            else:
                maker.found.left_out["no_look_alike"] += 1
        made = [one for some in await asyncio.gather(*jobs) for one in some]
    finally:
        await maker.close()
    kept: list[Made] = []
    for one in made:
        if any(near.between(one.question, other.question) >= _SAME for other in kept):
            maker.found.left_out["asked_already"] += 1
        else:
            kept.append(one)
    maker.found.made = kept
    maker.found.usage = maker.usage
    return maker.found


def look_alikes(chunk: Chunk, chunks: Sequence[Chunk], near: Lexical) -> tuple[Chunk, ...]:
    """The chunks that are most like it, at most three; none that are the same."""
    ranked = sorted(
        ((near.between(chunk.text, other.text), other) for other in chunks if other.id != chunk.id),
        key=lambda one: -one[0],
    )
    return tuple(other for alike, other in ranked if _LOOK_ALIKE <= alike < 1.0 - 1e-9)[:_OTHERS]


class _Maker:
    """Asks for questions about one chunk after another, and holds them against it."""

    def __init__(self, asker: Asker) -> None:
        self._asker = asker
        self._plain = usable("synthetic", "synthetic", ("passage", "count"))
        self._hard = usable("adversarial", "synthetic", ("passage", "others", "count"))
        self._realism = usable("realism", "realism", ("query",))
        self._completions: list[Completion] = []
        self.found = Questions()

    @property
    def usage(self) -> Mapping[str, object]:
        """What it cost."""
        return self._asker.usage(self._completions)

    async def close(self) -> None:
        """Let go of the endpoint."""
        await self._asker.close()

    async def of(self, chunk: Chunk, others: tuple[Chunk, ...], count: int) -> list[Made]:
        """The questions about a chunk that are worth keeping."""
        pairs = await self._pairs(chunk, others, count)
        judged = await asyncio.gather(*(self._kept(pair, chunk, others) for pair in pairs))
        return [one for one in judged if one is not None]

    async def _pairs(self, chunk: Chunk, others: tuple[Chunk, ...], count: int) -> list[Pair]:
        values: dict[str, object] = {"passage": _shown(chunk), "count": count}
        prompt: Prompt = self._plain
        if others:
            prompt = self._hard
            values["others"] = [_shown(other) for other in others]
        try:
            asked = await self._asker.ask(prompt, values, PairsReply, language=language_of(chunk.text))
        except RefusedError:
            self.found.left_out["refused"] += 1
            return []
        self._completions += asked.completions
        if asked.reply is None:
            self.found.left_out["unreadable"] += 1
            return []
        return [one for one in asked.reply.pairs if one.fact.strip() and one.question.strip()][:count]

    async def _kept(self, pair: Pair, chunk: Chunk, others: tuple[Chunk, ...]) -> Made | None:
        if not carries(chunk.text, pair.fact):
            self.found.left_out["fact_not_in_chunk"] += 1
            return None
        if any(carries(other.text, pair.fact) for other in others):
            self.found.left_out["fact_in_look_alike"] += 1
            return None
        language = language_of(chunk.text)
        try:
            asked = await self._asker.ask(
                self._realism, {"query": pair.question}, RealismReply, language=language
            )
        except RefusedError:
            self.found.left_out["refused"] += 1
            return None
        self._completions += asked.completions
        if asked.reply is None or asked.reply.realism < _REAL:
            self.found.left_out["unreadable" if asked.reply is None else "not_realistic"] += 1
            return None
        alike = tuple(other.id for other in others)
        return Made(pair.question, pair.fact, chunk.id, bool(others), alike, asked.reply.realism, language)


def carries(text: str, fact: str) -> bool:
    """Whether the built-in judge finds the fact in a text.

    >>> carries("The library opens at nine.", "The library opens at nine.")
    True
    """
    record = RagTrace("0" * 32, "0" * 16, "synth", 0, documents=(Document("c", text),), answer=fact)
    found = Prepared(record).assessment.faithfulness
    return found is not None and found >= _CARRIED


def _shown(chunk: Chunk) -> dict[str, object]:
    return {"id": chunk.id, "text": chunk.text}
