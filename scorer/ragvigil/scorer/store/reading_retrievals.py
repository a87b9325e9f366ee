"""With how many answers a retrieval was seen, from a store that another process writes."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from ragvigil.scorer.store.reading_latest import LATEST_OF_EACH

_SEEN = (
    "SELECT r.service, nullif(r.environment, '') AS environment, count(*) AS answers, sum(s.value IS NULL) AS unseen, "
    "sum(s.value IS NULL AND c.completeness = 'content_off') AS hidden, "
    "sum(c.completeness = 'withheld') AS withheld "
    f"FROM ({LATEST_OF_EACH}) r CROSS JOIN records c ON c.id = r.id "
    "CROSS JOIN instruments i ON i.name = 'empty_retrieval' "
    "CROSS JOIN scores s ON s.record_id = r.id AND s.instrument_id = i.id AND s.current "
    "GROUP BY 1, 2 ORDER BY 1, 2"
)


@dataclass(frozen=True, slots=True)
class Retrievals:
    """How many of a service's latest answers came with a retrieval."""

    service: str
    environment: str | None
    answers: int
    unseen: int
    """Of those, how many with none: neither passages nor the word that there were none."""
    hidden: int
    """Of those, how many whose tracer sent no content: passages may have been there."""
    withheld: int
    """Of the answers, how many whose owner keeps ids only."""


def retrievals(connection: sqlite3.Connection, latest: int = 2000) -> Sequence[Retrievals]:
    """Each service by its `latest` answers that were checked."""
    return [Retrievals(*row) for row in connection.execute(_SEEN, {"latest": latest})]
