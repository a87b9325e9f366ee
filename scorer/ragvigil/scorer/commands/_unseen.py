"""Of which services no passages arrive, or no texts, for ``ragvigil status``."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from ragvigil.scorer.commands._places import places
from ragvigil.scorer.store.reading_retrievals import Retrievals, retrievals
from ragvigil.scorer.trace import WITHHELD_MEANS

_HALF = 0.5
"""Small talk needs no passages; a service whose answers mostly come without has a retriever that is not traced."""


def as_json(connection: sqlite3.Connection) -> Sequence[dict[str, object]]:
    """Service, environment, how many of its latest answers were looked at, and with how many no retrieval was seen."""
    return [
        {
            "service": one.service,
            "environment": one.environment,
            "answers": one.answers,
            "unseen": one.unseen,
            "hidden": one.hidden,
            "withheld": one.withheld,
        }
        for one in retrievals(connection)
    ]


def as_text(connection: sqlite3.Connection) -> list[str]:
    """One line for each service most of whose answers come without passages, and one where texts are withheld."""
    found = retrievals(connection)
    named = places([_key(one) for one in found])
    unseen = [f"{named[_key(one)]}: {_told(one)}" for one in found if one.unseen > _HALF * one.answers]
    return unseen + [
        f"{named[_key(one)]}: {one.withheld:,} of its latest {one.answers:,} answers: {WITHHELD_MEANS}"
        for one in found
        if one.withheld
    ]


def _told(one: Retrievals) -> str:
    if one.hidden > _HALF * one.unseen:
        return (
            f"content capture is off for {one.hidden:,} of its latest {one.answers:,} answers, which cannot be judged "
            "without their texts: switch it on in the service's tracer (ragvigil explain FILE says how)"
        )
    return (
        f"no retrieval was seen with {one.unseen:,} of its latest {one.answers:,} answers, which "
        "are not judged without their passages: trace the retriever (docs/tracer.md)"
    )


def _key(one: Retrievals) -> tuple[str, str | None]:
    return one.service, one.environment
