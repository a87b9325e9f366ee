"""Signs of notes that the answer explains at its end: ``※1``, ``*1``, ``†``."""

from __future__ import annotations

import re

from ragvigil.scorer.checks.reading.citing.listing import noted
from ragvigil.scorer.checks.reading.citing.page import Page


def read_signs(page: Page) -> None:
    """Each place of a sign whose note names a passage.

    >>> from ragvigil.scorer.checks.reading.passages import Passages
    >>> from ragvigil.scorer.trace import Document
    >>> page = Page("Nine† or ten‡.", Passages.of([Document("doc-1", None)]), {"^†": "doc-1, p. 3", "^‡": "Sundays"})
    >>> read_signs(page)
    >>> [(one.start, one.id) for one in page.found]
    [(4, 'doc-1')]
    """
    for label, target in page.targets.items():
        sign = label[1:]
        if (
            label[0] != "^"
            or not sign
            or sign[0].isalnum()
            or (found := noted(target, page.passages)) is None
        ):
            continue
        for match in re.finditer(re.escape(sign) + r"(?!\d)", page.prose):
            page.cite(match.span(), sign, found, "footnote")
    page.turn()
