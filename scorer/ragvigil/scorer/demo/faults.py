"""Faults that a real RAG service could have, applied to the answers of the example service.

``citations``: passages are cited through the id table of an older index, so the ids name passages that were
never retrieved, while every sentence is still right. ``unfaithful``: the generator stops following the
passages; its sentences come from elsewhere or contradict them, while the citations name what was retrieved.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from ragvigil.scorer.demo.answerer import Answer, Statement
from ragvigil.scorer.demo.corpus import Passage
from ragvigil.scorer.demo.prose import is_readable, sentences
from ragvigil.scorer.demo.retrieval import Hit
from ragvigil.tracer.redaction import redact

FaultName = Literal["citations", "unfaithful"]

_INVENTED = 0.7
"""Share of the sentences of an unfaithful answer that come from elsewhere; the others are twisted."""
_INDEX_GROWTH = 97
"""Rows by which the index grew since the id table was written."""

_TWISTS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"\b(is|are|can|does|will|must|may|should) not\b", r"\1 always"),
        (r"\b(is|are|can|does|will|must|may|should)\b", r"\1 not"),
        (r"\bTrue\b", "False"),
        (r"\bFalse\b", "True"),
        (r"\bNone\b", "an empty list"),
        (r"\ball\b", "none"),
    )
)
_NUMBER = re.compile(r"\b\d+\b")


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with the service at the moment."""

    name: FaultName
    share: float = 0.6
    """Share of the answers that it hits, in [0, 1]."""
    seed: int = 0

    def hits(self, number: int) -> bool:
        """Whether it hits question `number`: by a seeded hash, so neither scripted nor periodic.

        >>> sum(Fault("citations", 0.6).hits(number) for number in range(1000))
        586
        """
        return fraction(f"{self.seed}:{self.name}:{number}") < self.share


def fraction(text: str) -> float:
    """A number in [0, 1) that depends on nothing but `text`."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6]) / 2**48


class Saboteur:
    """Applies faults; holds the corpus that wrong ids and invented sentences come from."""

    def __init__(self, corpus: Sequence[Passage]) -> None:
        """Remember the row of every id, as an index build would write it."""
        self._corpus = tuple(corpus)
        self._rows = {passage.id: row for row, passage in enumerate(self._corpus)}
        self._table: dict[FaultName, Callable[[Answer, Sequence[Hit], int], Answer]] = {
            "citations": self._miscite,
            "unfaithful": self._invent,
        }

    def apply(self, fault: Fault | None, answer: Answer, hits: Sequence[Hit], number: int) -> Answer:
        """`answer` as the service gives it to question `number` while `fault` lasts; an abstention stays."""
        if fault is None or not answer.citations or not fault.hits(number):
            return answer
        return self._table[fault.name](answer, hits, number)

    def _miscite(self, answer: Answer, hits: Sequence[Hit], number: int) -> Answer:
        del number
        retrieved = {hit.document.id for hit in hits}
        return Answer(
            tuple(
                Statement(
                    statement.text, statement.citation and self._stale_id(statement.citation, retrieved)
                )
                for statement in answer.statements
            )
        )

    def _stale_id(self, citation: str, retrieved: set[str]) -> str:
        """What the older table says for the row of `citation`: never a passage that was retrieved."""
        row = self._rows.get(citation, 0)
        for step in range(1, len(self._corpus)):
            stale = self._corpus[(row + step * _INDEX_GROWTH) % len(self._corpus)].id
            if stale not in retrieved:
                return stale
        return f"{citation}.old"

    def _invent(self, answer: Answer, hits: Sequence[Hit], number: int) -> Answer:
        evidence = " ".join(hit.document.text for hit in hits)
        made_up: list[Statement] = []
        for place, statement in enumerate(answer.statements):
            key = f"{number}:{place}"
            text = _twist(statement.text) if place and fraction(f"twist:{key}") >= _INVENTED else None
            if text is None or text in evidence:
                text = self._foreign(key, statement.text, evidence)
            made_up.append(Statement(text, statement.citation))
        return Answer(tuple(made_up))

    def _foreign(self, key: str, text: str, evidence: str) -> str:
        """A sentence from a passage that was not retrieved, said of the thing that `text` is about.

        It holds no address of a person or machine: that would be a fault of its own, which pages on its own.
        """
        subject = text.partition(": ")[0] if ": " in text else None
        start = int(fraction(f"foreign:{key}") * len(self._corpus))
        for step in range(len(self._corpus)):
            passage = self._corpus[(start + step) % len(self._corpus)]
            for sentence in sentences(passage.text.removeprefix(f"{passage.name}: ")):
                if is_readable(sentence) and sentence not in evidence and redact(sentence) == sentence:
                    return f"{subject}: {sentence}" if subject else sentence
        return _twist(text)


def _twist(text: str) -> str:
    """`text` with its number, its negation or its verb turned round."""
    subject, colon, body = text.rpartition(": ")
    for pattern, replacement in _TWISTS:
        twisted, count = pattern.subn(replacement, body, count=1)
        if count:
            return subject + colon + twisted
    twisted, count = _NUMBER.subn(lambda match: str(int(match[0]) * 3 + 7), body)
    return subject + colon + (twisted if count else f"Never {body[:1].lower()}{body[1:]}")
