"""Under how many keys people and conversations are stored: an erasure finds what is under its own key alone."""

from __future__ import annotations

import sqlite3

from ragvigil.scorer.redact import Pseudonyms
from ragvigil.scorer.store._sqlite_meta import remember, remembered

_KEYS = "user_id_keys"


def note_key(connection: sqlite3.Connection, pseudonyms: Pseudonyms) -> None:
    """Remember that ids are stored under that key from now on: a hash under it, which gives nothing away."""
    own = remembered(connection, "user_id_key")
    used = [*_noted(connection), *([_mark(Pseudonyms(own))] if own else []), _mark(pseudonyms)]
    known = " ".join(dict.fromkeys(used))
    if known != remembered(connection, _KEYS):
        remember(connection, _KEYS, known)


def keys_used(connection: sqlite3.Connection) -> int:
    """How many there were."""
    return len(_noted(connection))


def _noted(connection: sqlite3.Connection) -> list[str]:
    return (remembered(connection, _KEYS) or "").split()


def _mark(pseudonyms: Pseudonyms) -> str:
    return pseudonyms.digest("the key itself")
