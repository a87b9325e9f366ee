"""What was last read of answers, by content, so that the checks on every record and the judge share one computation."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from threading import Lock
from typing import Generic, TypeVar

from ragvigil.scorer.checks.alignment.assess import Assessment
from ragvigil.scorer.checks.reading.citing.page import Citation
from ragvigil.scorer.checks.reading.citing.rules import Rules
from ragvigil.scorer.checks.reading.claims import Statement
from ragvigil.scorer.checks.reading.markup import Span

_MOST_CLAIMS_KEPT = 20_000
_MOST_STATEMENTS_KEPT = 10_000
_MOST_CITATIONS_KEPT = 10_000

T = TypeVar("T")
K = TypeVar("K")


class Recent(Generic[K, T]):
    """A bounded memory of what was made of content, shared by threads; the oldest goes first."""

    def __init__(self, most: int, size: Callable[[T], int]) -> None:
        """At most `most` pieces in all, as `size` counts them."""
        self._most = most
        self._size = size
        self._lock = Lock()
        self._kept: OrderedDict[K, T] = OrderedDict()
        self._pieces = 0

    def __len__(self) -> int:
        return len(self._kept)

    def recall(self, key: K, make: Callable[[], T]) -> T:
        """What `make` gave under `key` before; made now, outside the lock, when that is forgotten.

        >>> recent = Recent[str, str](1, lambda _: 1)
        >>> [recent.recall(key, key.upper) for key in ("a", "b")], len(recent)
        (['A', 'B'], 1)
        """
        with self._lock:
            if key in self._kept:
                return self._kept[key]
        made = make()
        self.keep(key, made)
        return made

    def __contains__(self, key: K) -> bool:
        return key in self._kept

    def keep(self, key: K, made: T) -> None:
        """Recall `made` under `key` from now on, unless something is kept under it."""
        with self._lock:
            if key in self._kept:
                return
            self._kept[key] = made
            self._pieces += self._size(made)
            while self._pieces > self._most:
                self._pieces -= self._size(self._kept.popitem(last=False)[1])

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._kept.clear()
            self._pieces = 0


RECENT: Recent[tuple[str, str, int | None, tuple[Span, ...]], Assessment] = Recent(
    _MOST_CLAIMS_KEPT, lambda assessment: 1 + len(assessment.claims)
)
"""The process's one memory of assessments: by input hash, model name, most claims, where citations stand.

Not by the rules: the judge does not know in which style a service usually cites, and mostly finds the same ones."""
READ: Recent[tuple[str, tuple[Span, ...]], tuple[Statement, ...]] = Recent(
    _MOST_STATEMENTS_KEPT, lambda statements: 1 + len(statements)
)
"""The process's one memory of statements: by answer, and what of it is not read."""
CITED: Recent[tuple[str, bytes, Rules], tuple[Citation, ...]] = Recent(
    _MOST_CITATIONS_KEPT, lambda citations: 1 + len(citations)
)
"""The process's one memory of citations: by input hash, digest of what else is known of the passages, rules."""
TOLD: Recent[tuple[str, bytes, tuple[Span, ...]], Sequence[Statement]] = Recent(
    _MOST_STATEMENTS_KEPT, lambda statements: 1 + len(statements)
)
"""The process's one memory of statements in the words of the passages: by the same, but where citations stand."""
