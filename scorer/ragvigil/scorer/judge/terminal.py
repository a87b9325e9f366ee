"""How whoever runs a command waits for a judge's endpoint: so long, and then it is said that it does not answer."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from ragvigil.scorer.errors import InputError
from ragvigil.scorer.judge.endpoint import UnavailableError

PATIENCE_SECONDS = 180.0
"""How long an endpoint may be away; nobody waits longer at a terminal."""


@contextmanager
def told_when_away() -> Generator[None]:
    """Raises InputError where the endpoint was waited for in vain: the fault is not the judge's, nor the answers'.

    >>> with told_when_away():
    ...     raise UnavailableError("no route")
    Traceback (most recent call last):
    ragvigil.scorer.errors.InputError: the judge's endpoint: does not answer (no route); is judge.base_url right?
    """
    try:
        yield
    except UnavailableError as error:
        raise InputError(
            "the judge's endpoint", f"does not answer ({error}); is judge.base_url right?"
        ) from None
