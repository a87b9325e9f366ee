"""The part of an erasure that only a receiver can do: what waits in its memory to be forwarded."""

from __future__ import annotations

import logging
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from ragvigil.scorer.config import Settings
from ragvigil.scorer.erasure.forgetting import Wanted
from ragvigil.scorer.errors import StoreError
from ragvigil.scorer.lock import Lock
from ragvigil.scorer.receive.forward.unwanted import Unsent, Unwanted, unsent_requests
from ragvigil.scorer.redact import Pseudonyms
from ragvigil.scorer.request_files import RefusedError
from ragvigil.scorer.store.reading import open_for_reading

logger = logging.getLogger(__name__)

_PAUSE_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class Answered(Unsent):
    """What a receiver said, if any runs."""

    unanswered: bool = False
    """Whether one runs that said nothing in time."""


def erase_unsent(settings: Settings, wanted: Wanted, before: float, deadline: float) -> Answered:
    """Have it forgotten until `deadline` (monotonic), once the store knows every trace of before (Unix seconds).

    What waits ends with its receiver, so there is nothing to do where none runs. Raises StoreError.
    """
    requests = unsent_requests(settings.inbox_path)
    if not _runs(settings.inbox_path):
        return Answered({}, {})
    try:
        name = requests.ask(_unwanted(settings, wanted, before))
    except OSError as error:
        raise StoreError(f"the request cannot be left in {settings.inbox_path}: {error.strerror}") from None
    try:
        while True:
            answer = requests.answered(name)
            if answer is not None:
                return Answered(answer.cut, answer.late)
            if not _runs(settings.inbox_path):
                return Answered({}, {})
            if time.monotonic() >= deadline:
                return Answered({}, {}, unanswered=True)
            time.sleep(_PAUSE_SECONDS)
    except RefusedError as error:
        logger.error("the request to the receiver in %s: %s", settings.inbox_path, error)
        return Answered({}, {}, unanswered=True)
    finally:
        requests.withdraw(name)


def _unwanted(settings: Settings, wanted: Wanted, before: float) -> Unwanted:
    with closing(open_for_reading(settings.store.path)) as connection:
        tombstones = [row[0].hex() for row in connection.execute("SELECT digest FROM forgotten")]
        kept = connection.execute("SELECT value FROM meta WHERE key = 'user_id_key'").fetchone()
    configured = settings.store.user_id_key
    key = configured.get_secret_value() if configured else str(kept[0]) if kept else ""
    if wanted.kind == "trace":
        return Unwanted(before, [], "", tombstones)
    pseudonyms = Pseudonyms(key)
    is_pseudonym = pseudonyms.of(wanted.id) == wanted.id
    names = sorted({wanted.id, pseudonyms.of(wanted.id)})
    return Unwanted(before, names, key if is_pseudonym else "", tombstones)


def _runs(inbox: Path) -> bool:
    """Whether a receiver runs."""
    try:
        Lock(inbox / "lock", what=f"inbox {inbox}", remedy="try again").close()
    except StoreError:
        return True
    return False
