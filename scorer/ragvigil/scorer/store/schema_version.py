"""Which files are stores of this version, or become one: asked before anything is acknowledged, written or shown.

Each version of the tables is a file in `schema/`, which makes it of the one before; a store is brought up to date when
the scorer opens it. Stores of before the first release may call themselves 1 and have other tables: they are refused.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Set
from contextlib import closing
from importlib.resources import files
from pathlib import Path

from ragvigil.scorer.errors import StoreError, located

_VERSIONS = (
    "0001_initial.sql",
    "0002_arrivals.sql",
    "0003_again_since.sql",
    "0004_counted_and_told.sql",
    "0005_rollups_counted.sql",
    "0006_incidents_by_place.sql",
)
SCHEMA_VERSION = len(_VERSIONS)
_SHOWN = 3


def known_version(connection: sqlite3.Connection, path: Path) -> int:
    """The version of the tables in a file, 0 where there are none; StoreError where they are not for us to touch."""
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if version > SCHEMA_VERSION:
        raise StoreError(f"{located(path)}: written by a newer ragvigil (schema {version}); upgrade")
    tables = connection.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' LIMIT 1").fetchone()
    if version < 1 and tables is not None:
        raise StoreError(f"{located(path)}: holds tables that are not ragvigil's; name another file")
    if 0 < version < SCHEMA_VERSION:
        _refuse_other_tables(connection, path, version)
    return version


def refuse_earlier_version(connection: sqlite3.Connection, path: Path) -> None:
    """For who only reads: StoreError where the scorer has not brought the file up to date, or must not."""
    version = known_version(connection, path)
    if 0 < version < SCHEMA_VERSION:
        raise StoreError(
            f"{located(path)}: written by an earlier ragvigil (schema {version} of {SCHEMA_VERSION}); "
            "ragvigil serve brings it up to date when it starts with this store"
        )


def bring_up_to_date(connection: sqlite3.Connection, version: int) -> None:
    """Make the tables of this version, all or none, of those of an earlier `version`, 0 for nothing."""
    if version < SCHEMA_VERSION:
        steps = "\n".join(_steps(_VERSIONS[version:]))
        connection.executescript(
            f"BEGIN IMMEDIATE;\n{steps}\nPRAGMA user_version = {SCHEMA_VERSION};\nCOMMIT;"
        )


def _steps(names: Iterable[str]) -> Iterable[str]:
    folder = files("ragvigil.scorer.store").joinpath("schema")
    return (folder.joinpath(name).read_text() for name in names)


def _refuse_other_tables(connection: sqlite3.Connection, path: Path, version: int) -> None:
    with closing(sqlite3.connect(":memory:")) as model:
        for step in _steps(_VERSIONS[:version]):
            model.executescript(step)
        lacking = sorted(_parts(model) - _parts(connection))
    if lacking:
        shown = ", ".join(lacking[:_SHOWN]) + (" and more" if lacking[_SHOWN:] else "")
        raise StoreError(
            f"{located(path)}: written by a ragvigil of before the first release, with other tables "
            f"(no {shown}); name another file"
        )


def _parts(connection: sqlite3.Connection) -> Set[str]:
    """The names of its columns, indexes, triggers and views."""
    columns = "SELECT t.name || '.' || c.name FROM sqlite_master t JOIN pragma_table_info(t.name) c"
    others = "SELECT name FROM sqlite_master WHERE sql IS NOT NULL"
    return {str(row[0]) for row in connection.execute(f"{columns} UNION {others}")}
