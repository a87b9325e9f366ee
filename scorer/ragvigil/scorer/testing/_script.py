"""What a scripted judge says: as right as it was told to be, the same for the same seed and data."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ragvigil.scorer.checks.prepared import Prepared
from ragvigil.scorer.testing._damage import DAMAGES
from ragvigil.scorer.trace import Document, RagTrace

_FENCED = re.compile(r"<([a-z_]+) ([0-9a-f]{8,})>\n(.*?)\n?</\1 \2>", re.DOTALL)
_PASSES = 0.5


@dataclass(frozen=True, slots=True)
class Shown:
    """What a judge was shown, read back from between the fences."""

    query: str
    evidence: tuple[Document, ...]
    answer: str
    parts: Mapping[str, str] = field(default_factory=dict[str, str])
    """Everything between fences as it stands, by name."""

    @classmethod
    def read(cls, data: str) -> Shown:
        """What stands between the fences of a prompt; empty where there are none."""
        parts = {match[1]: match[3] for match in _FENCED.finditer(data)}
        passages = [json.loads(line) for line in parts.get("evidence", "").splitlines() if line.strip()]
        return cls(
            query=json.loads(parts.get("question", '""')),
            evidence=tuple(
                Document(one["id"], one["text"], rank=rank) for rank, one in enumerate(passages, 1)
            ),
            answer=json.loads(parts.get("answer", '""')),
            parts=parts,
        )

    @property
    def record(self) -> RagTrace:
        """As a record that the checks can read."""
        return RagTrace(
            "0" * 32, "0" * 16, "scripted", 0, query=self.query, documents=self.evidence, answer=self.answer
        )


def looks_faithful(shown: Shown) -> bool:
    """What the built-in judge says: a stand-in for the truth where nobody knows it."""
    value = Prepared(shown.record).assessment.faithfulness
    return value is None or value >= _PASSES


@dataclass(frozen=True, slots=True)
class Script:
    """How good a judge is, and how its replies and its server fail. Shares are in [0, 1]."""

    seed: int = 0
    sensitivity: float = 0.85
    """Share of faithful answers that it passes."""
    specificity: float = 0.92
    """Share of unfaithful answers that it does not pass."""
    truth: Callable[[Shown], bool] = looks_faithful
    """Whether an answer is faithful."""
    latency_seconds: float = 0.0
    damage: float = 0.0
    """Share of replies that are spoilt, in each of DAMAGES in turn."""
    errors: Mapping[int, float] = field(default_factory=dict[int, float])
    """Share of requests that are answered with a status, such as {429: .2, 500: .1}."""
    hangs: float = 0.0
    """Share of requests that are never answered."""
    cuts: float = 0.0
    """Share of requests whose answer breaks off in the middle."""
    context_tokens: int = 1_000_000
    """Of what it is sent it says to have read no more, as servers do that cut it silently."""
    retry_after_seconds: float = 0.05
    """What it says with a 429 or 503."""

    def chance(self, *about: object) -> float:
        """A number in [0, 1) that depends on the seed and on `about` alone.

        >>> Script(seed=1).chance("a") == Script(seed=1).chance("a") != Script(seed=2).chance("a")
        True
        """
        digest = hashlib.sha256(json.dumps([self.seed, *about], default=str).encode()).digest()
        return int.from_bytes(digest[:8], "big") / 2**64

    def passes(self, truth: bool, *about: object) -> bool:
        """What it says of something that is true or not: right with its sensitivity and specificity."""
        luck = self.chance(*about)
        return luck < self.sensitivity if truth else luck >= self.specificity

    def reply(self, shown: Shown, wanted: str = "rubric") -> dict[str, object]:
        """The reply to the prompt that wants a reply of that name."""
        from ragvigil.scorer.testing._replies import REPLIES

        return REPLIES[wanted](self, shown)

    def said(self, shown: Shown, number: int, wanted: str = "rubric") -> str:
        """The reply to the request of that number as the model writes it: whole, or spoilt."""
        reply = self.reply(shown, wanted)
        if self.chance("damage", number) >= self.damage:
            return json.dumps(reply, ensure_ascii=False)
        ways = list(DAMAGES.values())
        return ways[int(self.chance("way", number) * len(ways))](reply)
