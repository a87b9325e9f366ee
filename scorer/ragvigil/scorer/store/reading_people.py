"""Whether answers say of whom they are."""

from __future__ import annotations

import sqlite3
from typing import Literal

_COLUMNS = {"user": "user_id", "conversation": "conversation_id"}


def nobody_named(connection: sqlite3.Connection, kind: Literal["user", "conversation"]) -> bool:
    """Whether there are answers, and none of them names a user, or a conversation."""
    query = f"SELECT count(*) > 0 AND count({_COLUMNS[kind]}) = 0 FROM records"
    return bool(connection.execute(query).fetchone()[0])
