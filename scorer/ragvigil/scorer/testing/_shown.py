"""What a scripted judge is shown, and what it says of itself to whoever writes its replies."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from ragvigil.scorer.checks.prepared import Prepared
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


class Believes(Protocol):
    """How right a judge is: what it knows of an answer, and what it then says."""

    @property
    def truth(self) -> Callable[[Shown], bool]:
        """Whether an answer is faithful."""
        ...

    def passes(self, truth: bool, *about: object) -> bool:
        """What it says of something that is true or not; the same for the same `about`."""
        ...
