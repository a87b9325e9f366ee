"""Titles in running text, ``according to the Employee Handbook``, where an answer cites in no other way."""

from __future__ import annotations

import re

from ragvigil.scorer.checks.reading.citing.page import Page

_SAYS = re.compile(
    r"(?<!\w)(?:according to|(?:as )?(?:stated|described|noted|outlined|explained|mentioned|specified|set out|found)\s"
    r"in|"
    r"as per|based on|refer to|see|laut|gemäß|siehe|vgl\.|selon|d['\u2019]après|voir|según|de acuerdo con|véase|"
    r"segundo|conforme|de acordo com|secondo|vedi|volgens|zie|enligt|według|zgodnie z|согласно)"
    r"\s(?:(?:the|our|your|der|dem|den|die|das|la|le|les|l['\u2019]|el|los|las|o|a|os|as|il|lo|de|het)\s?)?"
    r"[\"'\u201c\u201e\u00ab*_]{0,3}\Z",
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
    for title, identity in page.passages.titled.items():
        if len(title) < _SHORTEST:
            continue
        start = folded.find(title)
        for _ in range(_MOST):
            if start < 0:
                break
            end = start + len(title)
            if not folded[end : end + 1].isalnum():
                told = _SAYS.search(page.prose[max(0, start - _BEFORE) : start])
                capital = not page.prose[start].islower() and not page.prose[start - 1 : start].isalnum()
                if told or (capital and _SAYING.match(page.prose, end)):
                    page.cite((start, end), page.prose[start:end], identity, "narrative")
                elif capital and " " in title:
                    others.append((start, end, identity))
            start = folded.find(title, end)
    for start, end, identity in others if page.found else ():
        page.cite((start, end), page.prose[start:end], identity, "narrative")
    page.turn()
