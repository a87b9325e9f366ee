"""All bytes that a store and an inbox hold."""

from __future__ import annotations

from pathlib import Path

from tests.scorer.scoring.bench import span

from ragvigil.scorer.inbox import Arrival


def asked(trace: int, user: str, *, secret: str, conversation: str = "c") -> list[Arrival]:
    """A question of that user; the secret stands in question, passage and answer."""
    retrieval = {"openinference__span__kind": "RETRIEVER", "retrieval__documents__0__document__id": "p1"}
    retrieval["retrieval__documents__0__document__content"] = f"The {secret} weighs {trace} grams."
    root = {"openinference__span__kind": "CHAIN", "input__value": f"What does the {secret} weigh?"}
    root |= {"output__value": f"The {secret} weighs {trace} grams [p1].", "user__id": user}
    return [
        span(trace, "search", parent=True, **retrieval),
        span(trace, "root", parent=False, **root, session__id=conversation),
    ]


def files(store: Path, inbox: Path) -> bytes:
    """Every byte on disk: the store, its log, the segments."""
    paths = [store, store.with_name(f"{store.name}-wal"), *inbox.rglob("*")]
    return b"".join(path.read_bytes() for path in paths if path.is_file())
