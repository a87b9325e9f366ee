"""Passages of a corpus from a file of rows {id, text}."""

from __future__ import annotations

from pathlib import Path

from ragvigil.scorer.errors import InputError
from ragvigil.scorer.offline.rows import is_id, rows_in


def passages_in(path: Path) -> dict[str, str]:
    """The texts by id, in the order of the file; `_id` is read as well. InputError names line, field and fix."""
    found: dict[str, str] = {}
    for number, row in rows_in(path):
        name = row.get("id", row.get("_id"))
        if not is_id(name) or name == "":
            raise InputError(
                f"{path}, line {number}, id", "is missing; give each chunk an id, as it is cited"
            )
        said = row.get("text")
        if not isinstance(said, str) or not said.strip():
            raise InputError(
                f"{path}, line {number}, text", "is missing or empty; put the chunk's text there"
            )
        if str(name) in found:
            raise InputError(
                f"{path}, line {number}, id", f"{str(name)[:60]!r} is there twice; ids must differ"
            )
        found[str(name)] = said
    if not found:
        raise InputError(str(path), "holds no chunk; write one {id, text} a line")
    return found
