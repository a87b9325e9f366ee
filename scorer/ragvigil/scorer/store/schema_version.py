"""Which files are stores of this version: asked before anything is acknowledged, written or shown."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from ragvigil.scorer.errors import StoreError, located

SCHEMA_VERSION = 1


def known_version(connection: sqlite3.Connection, path: Path) -> int:
    """The version of the tables in a file, 0 where there are none; StoreError where they are not for us to touch."""
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if version > SCHEMA_VERSION:
        raise StoreError(f"{located(path)}: written by a newer ragvigil (schema {version}); upgrade")
    tables = connection.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' LIMIT 1").fetchone()
    if version < SCHEMA_VERSION and tables is not None:
        raise StoreError(f"{located(path)}: holds tables that are not ragvigil's; name another file")
    return version
