"""Labels on their way into the store: files ask, the one writer keeps them."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import TypeAdapter

from ragvigil.scorer.labels.port import KeepDraw, KeepLabels, Kept, LabelOrder, LabelStore, TakeBack
from ragvigil.scorer.request_files import Answering, RequestFiles

if TYPE_CHECKING:
    from ragvigil.scorer.config import Settings

_LOOK_SECONDS = 0.1
"""A person at the desk waits for it after each key."""
_WAIT_SECONDS = 30.0


def label_requests(inbox: Path) -> RequestFiles[LabelOrder, Kept]:
    """The folder of them in an inbox."""
    order: TypeAdapter[LabelOrder] = TypeAdapter(LabelOrder)
    return RequestFiles(inbox / "labels", order, TypeAdapter(Kept))


class LabelClerk(Answering[LabelOrder, Kept]):
    """Keeps the labels that wait."""

    def __init__(
        self,
        requests: RequestFiles[LabelOrder, Kept],
        store: LabelStore,
        *,
        now: Callable[[], int] = time.time_ns,
    ) -> None:
        super().__init__(requests, lambda order: Kept(self._keep(order)), look_seconds=_LOOK_SECONDS)
        self._store = store
        self._now = now

    def _keep(self, order: LabelOrder) -> int:
        match order:
            case KeepDraw():
                return self._store.keep_draw(order.drawn)
            case KeepLabels():
                return self._store.keep_labels(order.given, self._now())
            case TakeBack():
                return self._store.take_back(order.record_id, order.annotator, order.criterion)


def keep(settings: Settings, order: LabelOrder) -> int:
    """Have it kept, by the scorer that runs or by this process; how many rows. Raises StoreError."""
    from ragvigil.scorer.asking import have_done
    from ragvigil.scorer.store.sqlite import SqliteStore

    requests = label_requests(settings.inbox_path)

    def here(store: SqliteStore) -> None:
        LabelClerk(requests, store.labels).clear()

    return have_done(settings, requests, order, here=here, seconds=_WAIT_SECONDS)[0].rows
