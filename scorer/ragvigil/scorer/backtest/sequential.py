"""The sequential detectors over stored records: the same core, batch by batch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from ragvigil.scorer import config
from ragvigil.scorer.backtest.paged import Paged
from ragvigil.scorer.detect import Alert, Monitor, nanoseconds
from ragvigil.scorer.watch.batches import observed
from ragvigil.scorer.watch.core_settings import core_settings
from ragvigil.scorer.watch.gold import Labels, with_own_floor
from ragvigil.scorer.watch.port import Place, Seen
from ragvigil.scorer.watch.segments import Book


def sequential_pages(
    place: Place, rows: Iterable[Sequence[Seen]], settings: config.Settings, labels: Labels, since: int
) -> Iterator[Paged]:
    """What the detector of one service would have paged for; `rows` are all its batches from `since` on.

    The past cannot be judged again: a canary is not answered, so that a fall waits until the detector decides without,
    and what another rule would have had judged beyond what was is not there. Where the judge's version changed, the
    detector is told that nothing is known of the change.
    """
    own = settings.model_copy(update={"detect": with_own_floor(settings.detect, labels)})
    core = Monitor(core_settings(own), labels.gold)
    named = settings.detect.segment_by or None
    book = Book(settings.detect.segments, named, named=named)
    length = nanoseconds(settings.detect.batch_seconds)
    start, version = since, ""
    for batch in rows:
        end = start + length
        core.forget(book.learn([row.segment for row in batch], at=end, busy=core.alarmed()))
        coded = [row._replace(stream=book.place(book.code(row.segment))) for row in batch]
        whole = observed(coded, start, end)
        alerts = list(core.observe(whole))
        if core.canary_wanted and whole.judge_version and whole.judge_version != version:
            alerts += core.canary(np.zeros(0), np.zeros(0))
        version = whole.judge_version or version
        yield from (_paged(place, alert, book) for alert in alerts if alert.kind == "page")
        start = end


def _paged(place: Place, alert: Alert, book: Book) -> Paged:
    return Paged(
        "sequential",
        alert.metric,
        place.service,
        place.environment,
        None if alert.segment is None else book.name(book.code_at(alert.segment)),
        round(alert.time * 1e9),
        None,
        None,
        None,
        dict(alert.evidence),
    )
