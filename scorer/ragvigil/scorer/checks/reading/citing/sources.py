"""The list of sources at an answer's end, where the answer cites in no other way."""

from __future__ import annotations

import re

from ragvigil.scorer.checks.reading.citing.listing import filed, is_locator, listed, noted, places_of
from ragvigil.scorer.checks.reading.citing.page import Page
from ragvigil.scorer.checks.reading.citing.references import Entry, entries, unlabelled
from ragvigil.scorer.checks.reading.markup import Span
from ragvigil.scorer.checks.reading.paged import Place, place_in
from ragvigil.scorer.checks.reading.passages import Passages

_SEPARATOR = re.compile(r"\s*[,;|]\s*|\s+[\u2013\u2014-]\s+")
_AND = re.compile(r"\s+(?:and|&|y|e|et|und|en|i|и|و)\s+")
_AROUND = " \t*_()\"'`"
_PAGED = re.compile(r"\s*\(([^()]{0,40})\)\Z")


def read_sources(page: Page, prose: str) -> None:
    """Each source that `prose`, the answer without code, lists; a note only where it names a passage.

    A bracketed label may be dead; a number that only counts the list is a rank where there is such a passage.
    """
    listed_ones = entries(prose)
    for entry in listed_ones:
        _source(page, entry)
    if not listed_ones:
        for span in unlabelled(prose):
            _named(page, span, prose)


def _named(page: Page, span: Span, prose: str) -> None:
    """Titles, files, ids and addresses of retrieved passages, and nothing else that stands beside them.

    Each reaches from the one before to the next, so that of a line of them only its label is left.
    """
    content = prose[slice(*span)]
    whole = content.strip(_AROUND)
    start = span[0] + content.find(whole)
    bounds = (start, start + len(whole))
    members = [one.strip(_AROUND) for one in _SEPARATOR.split(whole)]
    if len(members) > 1 and _one(page, bounds, whole, None, words=False):
        return
    if len(members) == 1:
        closed = f"{whole})" if "(" in whole and ")" not in whole else whole
        paged = _PAGED.search(closed)
        place = place_in(paged[1]) if paged and is_locator(paged[1]) else None
        name = closed[: paged.start()] if paged and closed != whole else whole
        _one(page, (start, start + len(name)), name, place, words=True)
        return
    starts = [start]
    for member in members[1:]:
        starts.append(prose.find(member, starts[-1] + 1))
    ends = [first + len(member) for first, member in zip(starts, members, strict=True)]
    reaches = zip([start, *ends], [*starts[1:], bounds[1]], strict=False)
    for member, reach, place in zip(members, reaches, places_of(members), strict=True):
        _one(page, reach, member, place, words=True)


def _one(page: Page, bounds: Span, member: str, place: Place | None, *, words: bool) -> bool:
    """Whether `member` of a list of sources names a passage, or two that "and" joins; `words`: or holds an id."""
    passages = page.passages
    if place is not None and (
        of_the_page := filed(bounds, _PAGED.sub("", member), passages, "footnote", place)
    ):
        page.add(bounds, of_the_page)
        return True
    found = passages.by_title(member) or passages.by_id(member) or passages.by_address(member)
    if words and found is None:
        found = next((one for word in member.split() if (one := _tellable(passages, word))), None)
    joined = [one.strip(_AROUND) for one in _AND.split(member)]
    if len(joined) > 1 and all(map(passages.by_id, joined)):
        for one in joined:
            page.cite(bounds, one, passages.by_id(one), "footnote")
    elif found is not None:
        page.cite(bounds, member, found, "link" if "://" in member else "footnote")
    elif filed_ones := filed(bounds, _PAGED.sub("", member), passages, "footnote"):
        page.add(bounds, filed_ones)
    else:
        return False
    return True


def _source(page: Page, entry: Entry) -> None:
    passages, target = page.passages, entry.target
    found = noted(target, passages) if "." in target else passages.explained(target)
    if found is not None:
        page.cite(entry.span, entry.label, found, "link" if "://" in target else "footnote")
    elif dead := next((word for word in map(_bare, target.split()) if passages.kindred(word)), None):
        page.cite(entry.span, dead, None, "footnote")
    elif entry.kind == "bracketed":
        page.add(entry.span, listed(entry.span, entry.label, passages))
    elif entry.kind == "numbered" and (ranked := passages.by_rank(int(entry.label))) is not None:
        page.cite(entry.span, entry.label, ranked, "ordinal")


def _tellable(passages: Passages, word: str) -> str | None:
    """The passage with this id, unless that may be a word like any other."""
    bare = _bare(word)
    return passages.by_id(bare) if not bare.isalnum() or not (bare.isalpha() or bare.isdigit()) else None


def _bare(word: str) -> str:
    return word.strip(".,;()<>[]\"'")
