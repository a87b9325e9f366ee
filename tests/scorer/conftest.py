"""What holds for every test of the scorer."""

from __future__ import annotations

from collections.abc import Generator
from itertools import count
from types import SimpleNamespace

import pytest

from ragvigil.scorer.labels import book


@pytest.fixture(scope="module", autouse=True)
def _named_draws() -> Generator[None]:
    """The name of a draw of labels is its seed: the same ones on each run, or one in twenty misses its own interval."""
    numbers = count()

    def token_hex(_: int) -> str:
        return f"{next(numbers):08x}"

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(book, "secrets", SimpleNamespace(token_hex=token_hex))
        yield
