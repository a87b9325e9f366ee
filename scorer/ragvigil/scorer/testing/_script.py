"""What a scripted judge says: as right as it was told to be, the same for the same seed and data."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ragvigil.scorer.testing._damage import DAMAGES
from ragvigil.scorer.testing._replies import REPLIES
from ragvigil.scorer.testing._shown import Shown, looks_faithful


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
        return REPLIES[wanted](self, shown)

    def said(self, shown: Shown, number: int, wanted: str = "rubric") -> str:
        """The reply to the request of that number as the model writes it: whole, or spoilt."""
        reply = self.reply(shown, wanted)
        if self.chance("damage", number) >= self.damage:
            return json.dumps(reply, ensure_ascii=False)
        ways = list(DAMAGES.values())
        return ways[int(self.chance("way", number) * len(ways))](reply)
