"""Having something done to the store: by the scorer that runs, or by this process when none does."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Literal, TypeVar

from ragvigil.scorer.config import Settings
from ragvigil.scorer.errors import StoreError, StoreNotNowError, located
from ragvigil.scorer.lock import Lock
from ragvigil.scorer.request_files import RefusedError, RequestFiles
from ragvigil.scorer.store.sqlite import SqliteStore

By = Literal["scorer", "command"]
"""Who carried it out."""

_PAUSE_SECONDS = 0.05

Q = TypeVar("Q")
A = TypeVar("A")


def have_done(
    settings: Settings,
    requests: RequestFiles[Q, A],
    wanted: Q,
    *,
    here: Callable[[SqliteStore], None],
    seconds: float,
) -> tuple[A, By]:
    """Leave the request and wait for its answer; when no scorer runs, `here` answers what waits, on the store.

    Raises StoreError when it has not been done within `seconds`; the request then stays. Where no scorer runs and
    the store cannot be used with these settings, it does not.
    """
    path = settings.store.path
    if not path.is_file():
        raise StoreError(
            f"{located(path)}: no such store; name the one of your scorer with --config or --store"
        )
    deadline = time.monotonic() + seconds
    try:
        name = requests.ask(wanted)
    except OSError as error:
        raise StoreError(f"the request cannot be left in {settings.inbox_path}: {error.strerror}") from None
    while True:
        answer = _answered(settings, requests, name)
        if answer is not None:
            return answer, "scorer"
        try:
            lock = Lock(path.with_name(f"{path.name}.lock"), what=f"store {path}", remedy="try again")
        except StoreError:
            if time.monotonic() >= deadline:
                raise StoreError(
                    f"the running scorer has not answered within {seconds:g} s; the request stays in "
                    f"{settings.inbox_path} and is carried out when it can"
                ) from None
            time.sleep(_PAUSE_SECONDS)
            continue
        with lock, _opened(settings, requests, name) as store:
            here(store)
        answer = _answered(settings, requests, name)
        if answer is not None:
            return answer, "command"


def _opened(settings: Settings, requests: RequestFiles[Q, A], name: str) -> SqliteStore:
    """The store; where it cannot be used, the request goes: who was told of an error expects nothing later."""
    try:
        return SqliteStore(settings)
    except StoreNotNowError:
        raise
    except StoreError:
        requests.withdraw(name)
        raise


def _answered(settings: Settings, requests: RequestFiles[Q, A], name: str) -> A | None:
    """The answer, if there is one by now."""
    try:
        return requests.answered(name)
    except RefusedError as error:
        raise StoreError(f"the request in {settings.inbox_path}: {error}") from None
