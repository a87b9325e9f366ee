"""A reader of the folder that the test's writers fill."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ragvigil.scorer.inbox import InboxReader


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[InboxReader]:
    """A reader of the test's folder."""
    reader = InboxReader(tmp_path)
    yield reader
    reader.close()
