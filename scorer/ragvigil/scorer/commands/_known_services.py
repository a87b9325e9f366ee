"""A service that is named to a command and of which the store has no answers: it may be misspelt."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from typing import TYPE_CHECKING

from ragvigil.scorer.errors import StoreError, located, nearest

if TYPE_CHECKING:
    from ragvigil.scorer.config import Settings

_MOST_NAMED = 5


def others_than(settings: Settings, service: str) -> list[str]:
    """The services of which the store has answers, the likeliest meant first; empty where it is one of them.

    Empty as well where nobody can say: there is no store here, or no answer yet.
    """
    from ragvigil.scorer.store import reading
    from ragvigil.scorer.store.reading_history import knows, services

    if not settings.store.path.is_file():
        return []
    try:
        with closing(reading.open_for_reading(settings.store.path)) as connection:
            if knows(connection, service):
                return []
            known = sorted({place.service for place in services(connection)})
    except StoreError:
        return []
    near = nearest(service, known, most=_MOST_NAMED, cutoff=0.0)
    return [*near, *(one for one in known if one not in near)]


def unknown(settings: Settings, service: str, others: Sequence[str]) -> str:
    """The sentence that says so, with at most five of the `others`."""
    from ragvigil.scorer.commands._places import on_screen

    named = ", ".join(map(on_screen, others[:_MOST_NAMED])) + (", …" if len(others) > _MOST_NAMED else "")
    return f"but no answer of service {service!r} is in {located(settings.store.path)}; there are answers of {named}."
