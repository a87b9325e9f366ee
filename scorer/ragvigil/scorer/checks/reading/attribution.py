"""Attribution: which claims each citation of an answer covers."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence

from ragvigil.scorer.checks.reading.citations import Citation
from ragvigil.scorer.checks.reading.citing.references import names_sources
from ragvigil.scorer.checks.reading.claims import Statement
from ragvigil.scorer.checks.reading.markup import blank

_ITEM = re.compile(r"[ \t>]{0,8}(?:[-*+•][ \t]|\d{1,3}[.)][ \t]|\[\^?[^\[\]\n]{1,60}\]:?[ \t])")
_WORD = re.compile(r"[^\W_]")
_GAP = 8
_MOST_COVERED, _MOST_LISTED = 200, 200
"""Statements that one marker covers, and markers of a list that covers all: so that few texts make many pairs."""
_ENDS = frozenset(".!?…:。\uff01\uff1f؟।")


def attribute(
    answer: str, statements: Sequence[Statement], citations: Sequence[Citation]
) -> Mapping[int, tuple[Citation, ...]]:
    """The citations of each statement, by its place in `statements`.

    A marker inside a statement covers it, as does one right behind it; there it also covers the clauses before it
    of the same sentence that carry none. One that opens a line covers the sentence that follows. One alone on its
    line covers the lines above it, up to an empty line or one that carries its own. Where an answer cites nowhere but
    in a list of sources at its end, that list covers every claim.

    >>> from ragvigil.scorer.checks.reading.citations import read_citations
    >>> from ragvigil.scorer.checks.reading.claims import read_statements
    >>> from ragvigil.scorer.trace import Document
    >>> answer = "It opens at nine every day, but it never opens on public holidays [1]. It is old."
    >>> found = read_citations(answer, [Document(None, "x")])
    >>> covered = attribute(answer, read_statements(answer, [one.span for one in found]), found)
    >>> {place: [one.cited for one in cited] for place, cited in covered.items()}
    {0: ['1'], 1: ['1']}
    """
    if not citations or not statements:
        return {}
    prose = blank(answer, [citation.span for citation in citations])
    starts = [statement.start for statement in statements]
    covered: defaultdict[int, list[Citation]] = defaultdict(list)
    own: set[int] = set()
    text = _Text(prose)
    for citation in citations:
        for place in _places(text, statements, starts, citation, own):
            covered[place].append(citation)
    end = sources_at_end(answer, statements, citations)
    if end is not None:
        for place, statement in enumerate(statements):
            if statement.checkworthy and statement.end <= end:
                covered[place] = [*citations[:_MOST_LISTED]]
    return {place: tuple(cited) for place, cited in sorted(covered.items())}


def sources_at_end(answer: str, statements: Sequence[Statement], citations: Sequence[Citation]) -> int | None:
    """Where the list of sources begins that ends `answer` and holds all its citations; None without such a list.

    It begins with ``Sources:`` in one of many languages, or below an empty line where nothing but markers follow.
    """
    if not citations:
        return None
    first = answer.rfind("\n", 0, citations[0].start) + 1
    claim = next((one for one in statements if one.checkworthy), None)
    if claim is None or claim.end > first:
        return None  # as mostly: the list begins there or above
    prose = blank(answer, [citation.span for citation in citations])
    bare = not any(map(str.isalnum, prose[first:]))
    apart = bare and prose[max(0, first - _GAP) : first].replace("\r", "").endswith("\n\n")
    start = first if apart else _headed(prose, first)
    if start is None or claim.end > start:
        return None
    marked = {prose.count("\n", start, one.start) for one in citations}
    lines = prose[start:].split("\n")
    return start if all(at in marked or _lists(line) for at, line in enumerate(lines)) else None


def _headed(prose: str, first: int) -> int | None:
    """Where the line begins that names the sources: the one at `first`, or one above it with only a list between."""
    line = prose[first : _line_end(prose, first)]
    while not names_sources(line):
        if not first:
            return None
        first = prose.rfind("\n", 0, first - 1) + 1
        line = prose[first : _line_end(prose, first)]
        if not _lists(line):
            return None
    return first


def _lists(line: str) -> bool:
    """Whether a line has no words, names the sources or is an item of a list."""
    return not any(map(str.isalnum, line)) or names_sources(line) or _ITEM.match(line) is not None


class _Text:
    """An answer without its markers, asked for its next word at ever later places."""

    def __init__(self, prose: str) -> None:
        self.prose = prose
        self._known = (0, -1)

    def wordless(self, start: int, end: int) -> bool:
        """Whether no letter or digit stands from `start` to `end`."""
        first, last = self._known
        if not first <= start <= last:
            found = _WORD.search(self.prose, start)
            last = found.start() if found else len(self.prose)
            self._known = (start, last)
        return last >= end


def _places(
    text: _Text, statements: Sequence[Statement], starts: Sequence[int], citation: Citation, own: set[int]
) -> list[int]:
    prose = text.prose
    last = bisect_right(starts, citation.start) - 1
    if last >= 0 and citation.start < statements[last].end:
        own.add(last)
        trails = text.wordless(citation.end, statements[last].end)
        return _sentence(prose, statements, last, own) if trails else [last]
    if last >= 0:
        below = prose.find("\n", statements[last].end, citation.start)
        if below < 0:
            own.add(last)
            return _sentence(prose, statements, last, own)
        if text.wordless(citation.end, _line_end(prose, citation.end)):
            apart = prose.find("\n\n", below, citation.start) >= 0
            return [] if apart else _block(prose, statements, last, own)
    following = last + 1
    if following < len(statements) and "\n" not in prose[citation.end : statements[following].start]:
        own.add(following)
        return [following]
    return []


def _sentence(prose: str, statements: Sequence[Statement], last: int, own: set[int]) -> list[int]:
    """`last`, and the clauses before it of the same sentence that carry no citation of their own."""
    places = [last]
    while (place := places[-1] - 1) >= 0 and place not in own and len(places) < _MOST_COVERED:
        end = statements[place].end
        if prose[end - 1] in _ENDS or "\n" in prose[end : statements[place + 1].start]:
            break
        places.append(place)
    return places[::-1]


def _block(prose: str, statements: Sequence[Statement], last: int, own: set[int]) -> list[int]:
    """The statements above a line of citations, up to an empty line, a heading or one with its own citation."""
    places: list[int] = []
    while (
        last >= 0 and last not in own and statements[last].kind != "heading" and len(places) < _MOST_COVERED
    ):
        places.append(last)
        if last and "\n\n" in prose[statements[last - 1].end : statements[last].start]:
            break
        last -= 1
    return places[::-1]


def _line_end(prose: str, position: int) -> int:
    end = prose.find("\n", position)
    return end if end >= 0 else len(prose)
