"""What a scripted judge says: as right as it was told to be, the same for the same seed and data."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import cast

from ragvigil.scorer.checks.prepared import Prepared
from ragvigil.scorer.testing._damage import DAMAGES
from ragvigil.scorer.trace import Document, RagTrace

_FENCED = re.compile(r"<(question|evidence|metadata|answer) ([0-9a-f]+)>\n(.*?)\n?</\1 \2>", re.DOTALL)
_PASSES = 0.5


@dataclass(frozen=True, slots=True)
class Shown:
    """What a judge was shown, read back from between the fences."""

    query: str
    evidence: tuple[Document, ...]
    answer: str

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
    retry_after_seconds: float = 0.05
    """What it says with a 429 or 503."""

    def chance(self, *about: object) -> float:
        """A number in [0, 1) that depends on the seed and on `about` alone.

        >>> Script(seed=1).chance("a") == Script(seed=1).chance("a") != Script(seed=2).chance("a")
        True
        """
        digest = hashlib.sha256(json.dumps([self.seed, *about], default=str).encode()).digest()
        return int.from_bytes(digest[:8], "big") / 2**64

    def reply(self, shown: Shown) -> dict[str, object]:
        """The reply to the rubric."""
        faithful = self.truth(shown)
        luck = self.chance("verdict", shown.query, shown.answer, [one.text for one in shown.evidence])
        passes = luck < self.sensitivity if faithful else luck >= self.specificity
        return _reply(shown, passes=passes)

    def said(self, shown: Shown, number: int) -> str:
        """The reply to the request of that number as the model writes it: whole, or spoilt."""
        reply = self.reply(shown)
        if self.chance("damage", number) >= self.damage:
            return json.dumps(reply, ensure_ascii=False)
        ways = list(DAMAGES.values())
        return ways[int(self.chance("way", number) * len(ways))](reply)


def _reply(shown: Shown, *, passes: bool) -> dict[str, object]:
    prepared = Prepared(shown.record)
    names = [str(one.id) for one in shown.evidence]
    claims: list[dict[str, object]] = [
        {"claim": shown.answer[one.start : one.end], "supported_by": names[:1], "verdict": "supported"}
        for one in prepared.statements
        if one.checkworthy
    ]
    if claims and not passes:
        claims[-1] |= {"supported_by": cast("list[str]", []), "verdict": "unsupported"}
    point = 5 if passes else 2
    return {
        "supported_claims": claims,
        "must_pass": dict.fromkeys(
            (
                "schema_valid",
                "language_match",
                "safety_pass",
                "citations_present",
                "citations_valid",
                "no_hallucinated_entities",
            ),
            True,
        ),
        "scores": {"groundedness": point, "completeness": 4, "directness": 4, "style": 5},
        "abstain": {"should_have_abstained": not names, "abstain_quality": None},
    }
