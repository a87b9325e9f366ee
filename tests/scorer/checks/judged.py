"""What the built-in judge says of an answer."""

from __future__ import annotations

from ragvigil import prompts
from ragvigil.scorer.judge import Builtin
from ragvigil.scorer.trace import Document, RagTrace


def judged(question: str, answer: str, *passages: str) -> str:
    """The state of its verdict: ``supported``, ``partial``, ``unsupported``, ``contradicted`` or ``no_claims``."""
    documents = tuple(Document(f"d{rank}", text, rank=rank) for rank, text in enumerate(passages, 1))
    record = RagTrace("0" * 32, "1" * 16, "shop", 0, query=question, answer=answer, documents=documents)
    return Builtin().judge_now(record, prompts.load("faithfulness")).state
