"""Word lists for citations, read once from data."""

from __future__ import annotations

import json
from importlib.resources import files

_DATA: dict[str, list[str]] = json.loads(
    files("ragvigil.scorer.data").joinpath("citations.json").read_text("utf-8")
)
POINTERS = frozenset(_DATA["pointers"])
"""Words that a number may follow to name one passage by its rank."""
INFLECTED_POINTERS = tuple(_DATA["inflected_pointers"])
"""How such words begin that have many endings."""
CODE_NAMES = frozenset(_DATA["code_names"])
"""Names before a bracket that make it an index."""
UNITS = frozenset(_DATA["units"])
"""Units before a superscript that make it a power."""
