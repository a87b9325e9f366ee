"""Python comes with the SQLite of the machine, which may be years old."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragvigil.scorer import store

WRITTEN = [*Path(store.__file__).parent.rglob("*.py"), *Path(store.__file__).parent.rglob("*.sql")]


@pytest.mark.parametrize("newer", ["->>", "RETURNING ", "unixepoch()", "STRICT;"])
def test_no_statement_uses_what_ubuntu_22_04_or_rhel_9_does_not_have(newer: str) -> None:
    """`->>` came with 3.38: an escalation ended with a syntax error where SQLite is 3.37."""
    assert len(WRITTEN) > 40
    assert [path.name for path in WRITTEN if newer in path.read_text(encoding="utf-8")] == []
