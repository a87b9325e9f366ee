"""Questions for a test set or a quarter's holdout, out of a store."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path

from ragvigil.scorer.moments import DAY
from ragvigil.scorer.store.reading import open_for_reading
from ragvigil.scorer.store.reading_questions import questions
from ragvigil.scorer.testset.draw import MARK, Drawn, drawn
from ragvigil.scorer.testset.freeze import unchanged
from ragvigil.scorer.testset.quarter import MARK as HELD
from ragvigil.scorer.testset.quarter import SIZE, quarter_named

_USUAL = 300


def draw_from(
    store: Path,
    size: int | None,
    *,
    by: Sequence[str],
    service: str | None,
    days: float,
    quarter: str | None,
    without: Iterable[Path],
) -> Drawn:
    """Questions of the last `days`; or those first asked in a quarter, tagged as its holdout. None is of `without`.

    What was asked before the quarter and is still kept is no fresh question. Raises InputError and StoreError.
    """
    now = time.time_ns()
    held = [(row.query_id, row.query) for file in without for row in unchanged(file).rows]
    with closing(open_for_reading(store)) as connection:
        if quarter is None:
            since = now - round(days * DAY)
            return drawn(questions(connection, since, now, service), size or _USUAL, by, without=held)
        told = quarter_named(quarter, now)
        earlier = [one.query for one in questions(connection, 0, told.begin, service)]
        asked = questions(connection, told.begin, told.end, service)
    return drawn(asked, size or SIZE, by, without=held, earlier=earlier, tags=(MARK, HELD, told.name))
