"""The list of answers, by service, verdict and failure tag."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

from ragvigil.scorer.dashboard.naming import NO_ENVIRONMENT
from ragvigil.scorer.dashboard.page import Asked, UnclearError
from ragvigil.scorer.failure_tags import TAGS
from ragvigil.scorer.store.reading_answers import MOST_SEARCHED, Choice, Found, Place, latest, places
from ragvigil.scorer.verdict import State

_A_PAGE = 50
_FAILING = "failing"
VERDICTS: tuple[str, ...] = (_FAILING, *get_args(State))
"""What `verdict` may be: a state, or those that the judge did not pass."""


@dataclass(frozen=True, slots=True)
class Answers:
    """One page of the list, newest first."""

    chosen: Choice
    verdict: str | None
    found: Found
    searched: int
    """How many answers one look goes back."""
    environment: str | None
    """As the address says it."""
    services: Sequence[str]
    environments: Sequence[str]
    verdicts: Sequence[str]
    tags: Sequence[str]


def answers(asked: Asked) -> Answers:
    """The newest answers of what the address asks for: service, environment, verdict, tag, before."""
    verdict = asked.query.get("verdict")
    if verdict is not None and verdict not in VERDICTS:
        raise UnclearError(f"There is no verdict {verdict}: say one of {', '.join(VERDICTS)}.")
    try:
        chosen = Choice(
            asked.query.get("service"),
            _environment(asked.query.get("environment")),
            None if verdict == _FAILING else verdict,
            failing=verdict == _FAILING,
            tag=asked.query.get("tag"),
            before=_place(asked.query["before"]) if "before" in asked.query else None,
        )
    except ValueError as error:
        raise UnclearError(f"That cannot be looked for: {error}.") from None
    found = latest(asked.connection, chosen, _A_PAGE)
    known = places(asked.connection)
    return Answers(
        chosen,
        verdict,
        found,
        MOST_SEARCHED,
        asked.query.get("environment"),
        sorted({service for service, _ in known}),
        sorted({environment or NO_ENVIRONMENT for _, environment in known}),
        VERDICTS,
        TAGS,
    )


def _environment(told: str | None) -> str | None:
    return "" if told == NO_ENVIRONMENT else told


def _place(text: str) -> Place:
    """A place as links tell it. ValueError for anything else."""
    numbers = [int(part) for part in text.split("-")]
    if len(numbers) != 2 or max(numbers) >= 2**63:
        raise ValueError(f"{text!r} is no place in the list")
    return Place(*numbers)
