"""Ranks in circles, ``nine①``, told apart from the numbers of a list."""

from __future__ import annotations

import re
import unicodedata

from ragvigil.scorer.checks.reading.citing.listing import ranked
from ragvigil.scorer.checks.reading.citing.page import Page

_CIRCLED = re.compile("[\u2460-\u2473\u2776-\u277f]")
_RUN = re.compile("[\u2460-\u2473\u2776-\u277f]{1,10}")
_BEHIND = re.compile(r"\s|[.,;:!?)\u3002\uff0c\uff1b\uff01\uff1f、|]|\Z")


def read_circled(page: Page) -> None:
    """Circled numbers where all of them stand right behind a word and close something.

    >>> from ragvigil.scorer.checks.reading.passages import Passages
    >>> from ragvigil.scorer.trace import Document
    >>> known = Passages.of([Document("a", None, rank=1), Document("b", None, rank=2)])
    >>> pages = [Page(text, known, {}) for text in ("Nine①, not ten②.", "① Open it. ② Shut it.")]
    >>> for page in pages:
    ...     read_circled(page)
    >>> [[one.id for one in page.found] for page in pages]
    [['a', 'b'], []]
    """
    if page.prose.isascii() or not _CIRCLED.search(page.prose):
        return
    runs = list(_RUN.finditer(page.prose))
    for run in runs:
        before = page.prose[run.start() - 1 : run.start()] if run.start() else " "
        if before.isspace() or before in "(:\uff1a\uff1b;" or not _BEHIND.match(page.prose, run.end()):
            return
    for run in runs:
        for place, sign in enumerate(run[0], run.start()):
            rank = int(unicodedata.numeric(sign))
            page.add((place, place + 1), ranked((place, place + 1), [rank], page.passages))
    page.turn()
