"""Citations: markers in an answer that point at passages, told apart from code, arrays, maths and plain brackets.

Read are bracketed ids of any shape, ranks (``[1]``, ``[1, 3]``, ``[1-3]``, ``(1)``, superscripts), ``【3†source】``,
footnotes, links, HTML tags, ids in parentheses, author-years, and ranks and ids in running text. What a marker means
is settled by the passages at hand: a known id first, then an ordinal by rank, then whatever has the shape of an id
but was not retrieved.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ragvigil.scorer.checks.reading.citing.authors import read_narrative_authors
from ragvigil.scorer.checks.reading.citing.braces import read_braces
from ragvigil.scorer.checks.reading.citing.brackets import PLACED, read_brackets, read_tool_markers
from ragvigil.scorer.checks.reading.citing.hypertext import read_hypertext
from ragvigil.scorer.checks.reading.citing.links import read_addresses, read_links
from ragvigil.scorer.checks.reading.citing.lists import POINTERS
from ragvigil.scorer.checks.reading.citing.narrative import read_narrative
from ragvigil.scorer.checks.reading.citing.page import Citation, Page, Style
from ragvigil.scorer.checks.reading.citing.parentheses import read_parentheses
from ragvigil.scorer.checks.reading.citing.references import definitions, targets, unlabelled
from ragvigil.scorer.checks.reading.citing.rules import EVERYTHING, Rules
from ragvigil.scorer.checks.reading.citing.sources import read_sources
from ragvigil.scorer.checks.reading.citing.structure import Structures
from ragvigil.scorer.checks.reading.citing.superscripts import read_carets, read_superscripts
from ragvigil.scorer.checks.reading.citing.titled import read_titles
from ragvigil.scorer.checks.reading.citing.unread import citing_code, tagged_code, unread
from ragvigil.scorer.checks.reading.markup import Span, blank, fenced, inline_code, maths
from ragvigil.scorer.checks.reading.passages import Passages
from ragvigil.scorer.choices import longest_first
from ragvigil.scorer.trace import Document

__all__ = ["Citation", "Style", "definitions", "read_citations"]

_READERS = (
    read_hypertext,
    read_links,
    read_tool_markers,
    read_carets,
    read_brackets,
    read_braces,
    read_parentheses,
    read_addresses,
    read_narrative_authors,
    read_superscripts,
    read_narrative,
)
"""In this order: what one has read, the next does not see."""
_MOST_CITATIONS = 5000
_ZERO = re.compile(
    rf"(?:(?<![\w\[])(?<!\w\[\d\])|(?=\[[a-z]))\[(\^?)((?:(?:id|cite|{longest_first(POINTERS)})[\s:]{{0,2}})?0)\](?![\w(=\]])"
    r"|\sindex=\"(?P<index>0)-",
    re.IGNORECASE,
)
"""A marker of a passage 0."""
_ESCAPED = re.compile(r"\\\[(\d{1,3}(?:\s?[,\u2013-]\s?\d{1,3}){0,9})\\\]")
"""Markdown that says brackets are no link: ``\\[1\\]``."""
_SHELLS = re.compile(
    "[\u3014\u3016\u27e6\u27e8](\\d{1,3}(?:[ ,\u2013-]{1,3}\\d{1,3}){0,9})[\u3015\u3017\u27e7\u27e9]"
)
"""Ranks in brackets of other shapes, as in Chinese print."""
_EMPHASISED = re.compile(r"(?<=\[)(\*{1,3}|_{1,3})(\d{1,3}(?:[ ,\u2013-]{1,3}\d{1,3}){0,9})\1(?=\])")
"""Ranks that are bold or slanted within their brackets."""
_WIDE = str.maketrans(
    "\uff3b\uff3d\uff08\uff09\uff1b\uff1a、\uff0c\u060c\u061b\u2010\u2011\u2012", "[]();:,,,;---"
)


def read_citations(
    answer: str, documents: Sequence[Document], rules: Rules = EVERYTHING
) -> tuple[Citation, ...]:
    """The citations of `answer` in order of appearance, of the styles that `rules` allow.

    >>> passages = [Document("doc-3#1", "…", rank=1), Document("doc-5#2", "…", rank=2)]
    >>> [(c.cited, c.id) for c in read_citations("Yes [doc-3#1][2], `rows[1]`, no [doc-9#4] [sic].", passages)]
    [('doc-3#1', 'doc-3#1'), ('2', 'doc-5#2'), ('doc-9#4', None)]
    """
    if "\\" in answer and "\\[" in answer:  # one sign is found ten times as fast as two
        answer = _ESCAPED.sub(r" [\1] ", answer)
    code = inline_code(answer)
    if code:
        code = [*citing_code(answer, code, Passages.of(documents))]
    prose = _prose(answer, code)
    prose = blank(prose, unread(prose))
    known = targets(prose)
    counts_from = _counts_from(prose, documents) if rules.counts_from is None else rules.counts_from
    page = Page(blank(prose, definitions(prose)), Passages.of(documents, counts_from), known, rules.usual)
    rules.read_own(page)
    for read in _READERS:
        read(page)
    _read_sources(page, answer, rules)
    found = sorted((one for one in page.found if rules.allow(one.style)), key=lambda one: one.start)
    return tuple(found[:_MOST_CITATIONS])


def live(citations: Iterable[Citation]) -> set[str]:
    """The ids of the passages that they cite."""
    return {one.id for one in citations if one.id is not None}


def dead(citations: Iterable[Citation]) -> list[str]:
    """What they cite that was not retrieved, each once, in order."""
    return list(dict.fromkeys(one.cited for one in citations if one.id is None))


def _prose(answer: str, code: Sequence[Span] = ()) -> str:
    """`answer` without its blocks of code, `code` in its lines and its formulas; its full-width brackets are narrow."""
    placed = "$" in answer and "$$" in answer
    formulas = maths(PLACED.sub(lambda marker: " " * len(marker[0]), answer) if placed else answer)
    prose = blank(answer, [*fenced(answer), *code, *tagged_code(answer), *formulas])
    if ("*" in prose and "[*" in prose) or ("_" in prose and "[_" in prose):
        prose = _EMPHASISED.sub(lambda mark: f"{mark[2]:^{len(mark[0])}}", prose)
    return prose if prose.isascii() else _SHELLS.sub(r"[\1]", prose.translate(_WIDE))


def _read_sources(page: Page, answer: str, rules: Rules) -> None:
    """The list of sources, where nothing else cites: ids that are told apart in running text may stand in it, too."""
    told = [one for one in page.found if rules.allow(one.style)]
    if any(one.style != "narrative" for one in told):
        return
    prose = _prose(answer)
    if told:
        lists = unlabelled(prose)
        if not all(any(start <= one.start and one.end <= end for start, end in lists) for one in told):
            return
    before = page.found[:]
    read_sources(page, prose)
    known = {one.id for one in before}
    others = [one for one in page.found[len(before) :] if one.id not in known]
    page.found[:] = [*before, *(one._replace(style="narrative") if told else one for one in others)]
    if not page.found:
        read_titles(page)


def _counts_from(prose: str, documents: Sequence[Document]) -> int:
    """What the answer calls the first passage: 0 where it cites that and not the last one by counting from 1."""
    if ("0]" not in prose and 'index="0-' not in prose) or f"[{len(documents)}]" in prose:
        return 1
    if any(document.id == "0" for document in documents):
        return 1
    structures = Structures(prose, Passages.of(documents))
    return 1 - any(match["index"] or not structures.has(match) for match in _ZERO.finditer(prose))
