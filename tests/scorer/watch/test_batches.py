"""What the detectors read of records."""

from __future__ import annotations

from ragvigil.scorer.watch.batches import planned
from ragvigil.scorer.watch.port import Seen


def numbered(*conversations: int) -> list[float]:
    """The numbers that the detectors see of these, one record each."""
    rows = [
        Seen(number, f"{number:032x}", number, "{}", one, 0.9, 1, 3, "checked_only", 0.1, None, None, None)
        for number, one in enumerate(conversations)
    ]
    return [float(one) for one in planned(rows, [0] * len(rows), 0, 10**9).conversation]


def test_conversations_have_the_same_numbers_in_each_store() -> None:
    """Each knows them by a key of its own, and sums in another order differ in their last bit."""
    assert numbered(9, 5, 9, 7) == numbered(2, 30, 2, 4)
