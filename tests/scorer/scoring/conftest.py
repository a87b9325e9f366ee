"""The pipeline that most tests of this room begin with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.scorer.scoring.bench import Bench


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    """Every record is judged."""
    made = Bench(tmp_path, rate=1.0)
    yield made
    made.close()
