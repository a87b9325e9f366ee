"""The list of sources at an answer's end, where the answer cites in no other way."""

from __future__ import annotations

from ragvigil.scorer.checks.reading.citing.listing import listed
from ragvigil.scorer.checks.reading.citing.page import Page
from ragvigil.scorer.checks.reading.citing.references import Entry, entries


def read_sources(page: Page, prose: str) -> None:
    """Each source that `prose`, the answer without code, lists; a note only where it names a passage.

    A bracketed label may be dead; a number that only counts the list is a rank where there is such a passage.
    """
    for entry in entries(prose):
        _source(page, entry)


def _source(page: Page, entry: Entry) -> None:
    passages, target = page.passages, entry.target
    found = passages.by_address(target) or passages.mentioned(target) or passages.by_title(target.strip())
    if found is not None:
        page.cite(entry.span, entry.label, found, "link" if "://" in target else "footnote")
    elif dead := next((word for word in map(_bare, target.split()) if passages.kindred(word)), None):
        page.cite(entry.span, dead, None, "footnote")
    elif entry.kind == "bracketed":
        page.add(entry.span, listed(entry.span, entry.label, passages))
    elif entry.kind == "numbered" and (ranked := passages.by_rank(int(entry.label))) is not None:
        page.cite(entry.span, entry.label, ranked, "ordinal")


def _bare(word: str) -> str:
    return word.strip(".,;()<>[]\"'")
