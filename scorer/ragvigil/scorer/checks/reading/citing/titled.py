"""Titles in running text, ``according to the Employee Handbook``, where an answer cites in no other way."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ragvigil.scorer.checks.reading.citing.listing import filed
from ragvigil.scorer.checks.reading.citing.page import Page
from ragvigil.scorer.checks.reading.markup import Span
from ragvigil.scorer.checks.reading.paged import Place, place_in

SAYS = re.compile(
    r"(?<!\w)(?:according to|(?:as )?(?:stated|described|noted|outlined|explained|mentioned|specified|set out|found)\s"
    r"in|"
    r"as per|based on|refer to|see|laut|gemäß|siehe|vgl\.|selon|d['\u2019]après|voir|según|de acuerdo con|véase|"
    r"segundo|conforme|de acordo com|secondo|vedi|volgens|zie|enligt|według|zgodnie z|согласно)"
    r"\s(?:(?:the|our|your|der|dem|den|die|das|la|le|les|l['\u2019]|el|los|las|o|a|os|as|il|lo|de|het)\s?)?"
    r"[\"'\u201c\u201e\u00ab*_`]{0,3}\Z",
    re.IGNORECASE,
)
_PAGE_WORD = r"(?:pp?\.|pages?|S\.|Seiten?|páginas?|págs?\.|pag\.)"
PAGE_OF = re.compile(
    rf"(?<!\w)({_PAGE_WORD}\s?\d{{1,4}})\s(?:of|in|von|de|do|da|du|des|der|del|di)\s(?:the\s)?[\"'*_`]{{0,3}}\Z",
    re.IGNORECASE,
)
"""A page before the name of its file, "page 13 of"."""
_SIGNED = re.compile(r"(?:\A|\n)[>\s]*(?:[\u2014\u2013]|--)\s\Z")
"""The dash before what a quotation is from."""
_ITS_PAGE = re.compile(
    rf"[\"'\u201d*_`]{{0,3}}(?:,\s|\s\(|\s)({_PAGE_WORD}\s?\d{{1,4}}(?:\s?[-\u2013]\s?\d{{1,4}})?)",
    re.IGNORECASE,
)
_SAYING = re.compile(
    r"[\"'\u201d\u201c\u00bb*_]{0,3}(?:\s?\((?:pp?\.|pages?|S\.|Seite|s\.|sec(?:tion|\.)|§|págs?\.|pág\.|pag\.|ch(?:apter|\.))\s?\d[^()]{0,20}\)"
    r"|\s(?:says|states|specifies|explains|notes|mentions|lists|stipulates|besagt|regelt|nennt|indique|précise|indica|"
    r"establece|especifica|estabelece|diz|specifica|stabilisce)\b)"
)
"""What stands behind a title that says something."""
_BEFORE = 50
_SHORTEST = 6
_MOST = 20
_IN_NAMES = frozenset("._-/\\0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")


def read_titles(page: Page) -> None:
    """Titles of passages behind words that say where something stands, and then others with a capital.

    >>> from ragvigil.scorer.checks.reading.passages import Passages
    >>> from ragvigil.scorer.trace import Document
    >>> known = Passages.of([Document("a1", None, metadata={"title": "Travel Policy"})])
    >>> page = Page('According to the "Travel Policy", flights are paid. The travel policy is new.', known, {})
    >>> read_titles(page)
    >>> [(one.start, one.cited, one.id) for one in page.found]
    [(18, 'Travel Policy', 'a1')]
    """
    others: list[tuple[int, int, str]] = []
    folded = page.prose.casefold()
    if len(folded) != len(page.prose):
        return  # offsets would differ
    files = {name: None for name in page.passages.files.names if name in folded}
    in_files: set[int] = set()
    for title, identity in {**files, **page.passages.titled}.items():
        if len(title) < _SHORTEST:
            continue
        for start, end in _places(folded, title):
            before = page.prose[max(0, start - _BEFORE) : start]
            if title in files and before[-1:] in _IN_NAMES:
                continue  # the end of another file's name
            if title in files:
                in_files.add(start)
            elif start in in_files:
                continue  # a title that a file's name begins with: one citation, that of the file
            capital = not page.prose[start].islower() and not page.prose[start - 1 : start].isalnum()
            if _is_told(page.prose, before, end, capital=capital, of_file=title in files):
                behind = PAGE_OF.search(before) or _ITS_PAGE.match(page.prose, end)
                _cite(page, (start, end), identity, place_in(behind[1]) if behind else None)
            elif identity is not None and capital and " " in title:
                others.append((start, end, identity))
    for start, end, identity in others if page.found else ():
        page.cite((start, end), page.prose[start:end], identity, "narrative")
    page.turn()


def _is_told(prose: str, before: str, end: int, *, capital: bool, of_file: bool) -> bool:
    """Whether words `before` a title, which ends at `end`, or right behind it say that something stands there."""
    if PAGE_OF.search(before) or SAYS.search(before) or (of_file and _SIGNED.search(before)):
        return True
    return (capital or of_file) and _SAYING.match(prose, end) is not None


def _places(folded: str, title: str) -> Iterator[Span]:
    """Where whole words say `title`."""
    start = folded.find(title)
    for _ in range(_MOST):
        if start < 0:
            return
        end = start + len(title)
        if not folded[end : end + 1].isalnum():
            yield start, end
        start = folded.find(title, end)


def _cite(page: Page, span: Span, identity: str | None, place: Place | None) -> None:
    """A title or a file, of which a page may be told."""
    name = page.prose[slice(*span)]
    read = (
        filed(span, name, page.passages, "narrative", place) if identity is None or place is not None else []
    )
    if read:
        page.add(span, read)
    elif identity is not None:
        page.cite(span, name, identity, "narrative")
