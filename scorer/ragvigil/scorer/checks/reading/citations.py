"""Citations: markers in an answer that point at passages, told apart from code, arrays, JSON and plain brackets.

Read are bracketed ids of any shape, ordinals (``[1]``, ``[1, 3]``, ``[1-3]``), ``【3†source】``, footnotes
(``[^1]``), markdown links, and ids in parentheses. What a marker means is settled by the passages at hand: a
known id first, then an ordinal by rank, then whatever has the shape of an id but was not retrieved.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from ragvigil.scorer.checks.reading.markup import Span, blank, fenced, inline_code
from ragvigil.scorer.checks.reading.passages import Passages
from ragvigil.scorer.trace import Document

Style = Literal["id", "ordinal", "tool", "footnote", "link", "parenthesis"]

_BRACKET = re.compile(r"\[(\^?)([^\[\]\n]{1,300})\](?:\(([^()\s]{1,2000})(?:\s{1,3}\"[^\"\n]{0,200}\")?\))?")
_LINKED_BRACKETS = re.compile(r"\[\[([^\[\]\n]{1,100})\]\]\(([^()\s]{1,2000})\)")
_TOOL = re.compile(r"【([^【】\n]{1,300})】")
_PARENTHESIS = re.compile(r"\(([^()\[\]\n]{2,200})\)")
_DEFINITION = re.compile(r"^[ \t]{0,3}\[(\^?)([^\[\]\n]{1,100})\]:[ \t]*(\S[^\n]{0,2000})$", re.MULTILINE)
_RANGE = re.compile(r"(\d{1,3})\s?[-\u2013—]\s?(\d{1,3})\Z")
_NAMED_ORDINAL = re.compile(
    r"(?:passages?|documents?|docs?|sources?|refs?|references?|citations?|chunks?|p|s|#)[ .:#]{0,2}(\d{1,3})\Z",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"(?:sources?|refs?|references?|cite[ds]?|citations?|ids?|see|doc_?ids?)\s?[:=]\s?", re.IGNORECASE
)
_SEPARATOR = re.compile(r"\s*[,;|]\s*|\s+(?:and|&|y|e|et|und)\s+")
_LISTING = re.compile(
    r"\b(?:arrays?|lists?|vectors?|intervals?|ranges?|tuples?|values|returns?|equals|outputs?|prints?):?\Z",
    re.IGNORECASE,
)
_ONE_WORD = re.compile(r"[^\s]{1,60}")
_MOST_CITATIONS = 5000
_ARITHMETIC = frozenset("=+*/<>∈\u222a∩\\")


@dataclass(frozen=True, slots=True)
class Citation:
    """One passage that one marker of the answer points at."""

    start: int
    """Offset of the marker's first character in the answer."""
    end: int
    """Offset after its last character."""
    cited: str
    """What the marker says, for example ``doc-3`` or ``2``."""
    id: str | None
    """The retrieved passage it means; None when there is none such."""
    style: Style
    over_broad: bool = False
    """Whether it names a whole document of which only chunks were retrieved."""


def read_citations(answer: str, documents: Sequence[Document]) -> tuple[Citation, ...]:
    """The citations of `answer` in order of appearance.

    >>> passages = [Document("doc-3#1", "…", rank=1), Document("doc-5#2", "…", rank=2)]
    >>> [(c.cited, c.id) for c in read_citations("Yes [doc-3#1][2], `rows[1]`, no [doc-9#4] [sic].", passages)]
    [('doc-3#1', 'doc-3#1'), ('2', 'doc-5#2'), ('doc-9#4', None)]
    """
    if not any(character in answer for character in "[【("):
        return ()
    prose = blank(blank(answer, fenced(answer)), inline_code(answer))
    found = islice(_Reader(prose, Passages.of(documents)).read(), _MOST_CITATIONS)
    return tuple(sorted(found, key=lambda citation: citation.start))


def definitions(answer: str) -> list[Span]:
    """Lines that define a footnote or a reference, which are neither citations nor claims."""
    return [match.span() for match in _DEFINITION.finditer(answer)] if "]:" in answer else []


class _Reader:
    """One answer and the passages it may cite."""

    def __init__(self, prose: str, passages: Passages) -> None:
        self._passages = passages
        self._targets = {match[1] + match[2]: match[3].strip(" <>") for match in _DEFINITION.finditer(prose)}
        self._prose = blank(prose, definitions(prose))

    def read(self) -> Iterator[Citation]:
        linked: list[Span] = []
        for match in _LINKED_BRACKETS.finditer(self._prose):
            linked.append(match.span())
            yield from self._link(match.span(), match[1], match[2])
        self._prose = blank(self._prose, linked)
        for match in _BRACKET.finditer(self._prose):
            if match[3] is not None:
                linked.append(match.span())
            yield from self._bracket(match)
        for match in _TOOL.finditer(self._prose):
            yield from self._tool(match.span(), match[1])
        for match in _PARENTHESIS.finditer(blank(self._prose, linked)):
            yield from self._parenthesis(match.span(), match[1])

    def _bracket(self, match: re.Match[str]) -> Iterator[Citation]:
        before = self._prose[max(0, match.start() - 12) : match.start()].rstrip()
        if match[3] is not None:
            if not before.endswith("!"):
                yield from self._link(match.span(), match[2], match[3])
        elif match[1]:
            yield self._footnote(match.span(), match[2])
        elif match[2] in self._targets:
            yield from self._link(match.span(), match[2], self._targets[match[2]])
        elif not self._structural(match, before):
            yield from self._listed(match.span(), match[2])

    def _structural(self, match: re.Match[str], before: str) -> bool:
        """Whether the brackets belong to an array, an expression or JSON."""
        after = self._prose[match.end() : match.end() + 3].lstrip()
        if (before and before[-1] in _ARITHMETIC) or before.endswith(('":', "':")):
            return True
        if "," in match[2] and _LISTING.search(before):
            return True
        if after.startswith("=") or (after.startswith("(") and self._prose[match.end()] == "("):
            return True
        nested_first, nested_last = before.endswith("["), after.startswith("]")
        return nested_first != nested_last and (nested_first or before.endswith(","))

    def _link(self, span: Span, text: str, target: str) -> Iterator[Citation]:
        found = self._passages.by_address(target) or self._passages.by_id(target)
        if found is not None:
            yield Citation(*span, target, found, "link")
        elif target.startswith("#") or text.isdigit():
            yield from self._listed(span, text)
        elif self._passages.has_addresses and "://" in target:
            yield Citation(*span, target, None, "link")

    def _footnote(self, span: Span, label: str) -> Citation:
        target = self._targets.get("^" + label, "")
        found = self._passages.by_address(target) or self._passages.mentioned(target)
        if found is None and label.isdigit():
            found = self._passages.by_rank(int(label[:6]))
        return Citation(*span, "^" + label, found, "footnote")

    def _tool(self, span: Span, content: str) -> Iterator[Citation]:
        marker, dagger, _ = content.partition("†")
        message, colon, place = marker.strip().partition(":")
        if dagger and colon and message.isdigit() and place.isdigit():
            yield Citation(*span, marker, self._passages.by_rank(int(place[:6]) + 1), "tool")
        elif dagger and marker.strip().isdigit():
            yield Citation(*span, marker.strip(), self._passages.by_rank(int(marker.strip()[:6])), "tool")
        else:
            yield from self._listed(span, marker.strip())

    def _parenthesis(self, span: Span, content: str) -> Iterator[Citation]:
        labelled = _LABEL.match(content) is not None
        for part in _parts(content):
            found = self._passages.by_id(part)
            if (
                found is not None
                and (labelled or not part.isalnum() or not part.isalpha())
                and not part.isdigit()
            ):
                yield Citation(*span, part, found, "parenthesis")
            elif labelled and self._passages.resembles(part):
                yield Citation(*span, part, None, "parenthesis")
            elif len(part) > 4 and (named := _NAMED_ORDINAL.match(part)):
                rank = int(named[1])
                yield Citation(*span, part, self._passages.by_rank(rank), "parenthesis")

    def _listed(self, span: Span, content: str) -> Iterator[Citation]:
        """One marker with one id or several; nothing when a part of it is plain words and none is a known id."""
        whole = self._passages.by_id(content.strip())
        if whole is not None:
            yield Citation(*span, content.strip(), whole, "id")
            return
        parts = _parts(content)
        read = [self._part(span, part) for part in parts]
        if not all(read):
            if not any(citation.style == "id" and citation.id for meant in read for citation in meant):
                return
            # Beside a known id, one word that is none is an id too: one that was not retrieved.
            read = [
                meant or [Citation(*span, part, None, "id")]
                for part, meant in zip(parts, read, strict=True)
                if meant or _ONE_WORD.fullmatch(part)
            ]
        for meant in read:
            yield from meant

    def _part(self, span: Span, part: str) -> list[Citation]:
        exact = self._passages.by_id(part)
        if exact is not None:
            return [Citation(*span, part, exact, "id")]
        ordinals = _ordinals(part)
        if ordinals:
            return [Citation(*span, str(rank), self._passages.by_rank(rank), "ordinal") for rank in ordinals]
        chunk = self._passages.by_document(part)
        if chunk is not None:
            return [Citation(*span, part, chunk, "id", over_broad=True)]
        if self._passages.resembles(part):
            return [Citation(*span, part, None, "id")]
        named = _NAMED_ORDINAL.match(part)
        rank = int(named[1]) if named else 0
        return [Citation(*span, part, self._passages.by_rank(rank), "ordinal")] if rank else []


def _parts(content: str) -> list[str]:
    label = _LABEL.match(content)
    return [part.strip("'\"` ^") for part in _SEPARATOR.split(content[label.end() :] if label else content)]


def _ordinals(part: str) -> list[int]:
    """Ranks that a bare part of a marker names; a zero or four digits make it no ordinal.

    >>> _ordinals("3"), _ordinals("1-3"), _ordinals("2019"), _ordinals("0")
    ([3], [1, 2, 3], [], [])
    """
    if part.isascii() and part.isdigit() and len(part) <= 3:
        return [int(part)] if int(part) else []
    bounds = _RANGE.match(part)
    if not bounds:
        return []
    first, last = int(bounds[1]), int(bounds[2])
    return list(range(first, last + 1)) if 0 < first < last <= first + 50 else []
