"""The latest assessments by content, so that the check on every record and the judge share one computation."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock

from ragvigil.scorer.checks.alignment.assess import Assessment
from ragvigil.scorer.checks.reading.citing.rules import Rules

_MOST_CLAIMS_KEPT = 20_000

Key = tuple[str, str, int | None, Rules]
"""Input hash, model name, most claims, how citations are read."""


class Recent:
    """A bounded memory of assessments, shared by threads; the oldest go first."""

    def __init__(self, most_claims: int = _MOST_CLAIMS_KEPT) -> None:
        self._most_claims = most_claims
        self._lock = Lock()
        self._kept: OrderedDict[Key, Assessment] = OrderedDict()
        self._claims = 0

    def __len__(self) -> int:
        return len(self._kept)

    def recall(self, key: Key, make: Callable[[], Assessment]) -> Assessment:
        """What `make` gave under `key` before; made now, outside the lock, when that is forgotten.

        >>> from ragvigil.scorer.checks.reading.citing.rules import EVERYTHING
        >>> recent, empty = Recent(most_claims=1), Assessment((), None, None, False, False)
        >>> [recent.recall((key, "m", 9, EVERYTHING), lambda: empty).claims for key in ("a", "b")]
        [(), ()]
        >>> len(recent)
        1
        """
        with self._lock:
            if key in self._kept:
                return self._kept[key]
        assessment = make()
        with self._lock:
            self._keep(key, assessment)
        return assessment

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._kept.clear()
            self._claims = 0

    def _keep(self, key: Key, assessment: Assessment) -> None:
        if key in self._kept:
            return
        self._kept[key] = assessment
        self._claims += _size(assessment)
        while self._claims > self._most_claims:
            self._claims -= _size(self._kept.popitem(last=False)[1])


def _size(assessment: Assessment) -> int:
    return 1 + len(assessment.claims)


RECENT = Recent()
"""The process's one memory."""
