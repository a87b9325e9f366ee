"""What is wrong with a claim of a stored answer, in words: for pages and for the report."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from typing import Any

from ragvigil.exporters import clean
from ragvigil.scorer.store._rows import record_of

_QUOTED = 120
"""Characters of a passage beside the claim that it contradicts."""


def bad_claim(connection: sqlite3.Connection, record_id: int) -> str | None:
    """The claim that the passages carry least, and what they say instead where they contradict it.

    None where no claim is known that they do not carry. Of a passage that is gone nothing is quoted.
    """
    row = connection.execute(
        "SELECT claims FROM verdicts WHERE record_id = ? AND current", (record_id,)
    ).fetchone()
    claims: list[dict[str, Any]] = json.loads(row[0]) if row else []
    worst = min((one for one in claims if one["verdict"] != "supported"), key=_likely, default=None)
    if worst is None:
        return None
    if worst["verdict"] != "contradicted":
        return f"not in the passages: {worst['text']}"
    said = _passage_text(connection, record_id, worst.get("nearest"))
    if said:
        return f'the passages say "{clean(said, limit=_QUOTED)}", not: {worst["text"]}'
    return f"contradicted: {worst['text']}"


def _likely(claim: Mapping[str, Any]) -> tuple[bool, float]:
    """A contradicted one first: what a passage denies is worse than what none tells, however probable either is."""
    return claim["verdict"] != "contradicted", claim["probability"]


def _passage_text(connection: sqlite3.Connection, record_id: int, source: Mapping[str, Any] | None) -> str:
    """The stretch of a passage as it is stored, so redacted; empty where its content is gone."""
    if source is None:
        return ""
    row = connection.execute(
        "SELECT r.*, t.spans FROM records r JOIN traces t USING (trace_id) WHERE r.id = ? "
        "AND r.evidence IS NOT NULL AND t.spans IS NOT NULL",
        (record_id,),
    ).fetchone()
    if row is None:
        return ""
    texts = (
        document.text
        for document in record_of(row).documents
        if (document.id or f"#{document.rank}") == source["passage"]
    )
    return (next(texts, None) or "")[source["start"] : source["end"]]
