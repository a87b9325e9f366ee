"""Square and lenticular brackets: ids, ranks, footnotes and tool markers, told apart from code and data."""

from __future__ import annotations

import re

from ragvigil.scorer.checks.reading.citing.authors import author_years
from ragvigil.scorer.checks.reading.citing.listing import listed
from ragvigil.scorer.checks.reading.citing.page import Citation, Page
from ragvigil.scorer.checks.reading.citing.structure import Structures
from ragvigil.scorer.checks.reading.citing.unretrieved import read_unretrieved
from ragvigil.scorer.checks.reading.markup import Span

_BRACKET = re.compile(r"\[(\^?)([^\[\]\n]{1,300})\]")
_TOOL = re.compile(r"【([^【】\n]{1,300})】")
_TURNS = re.compile(r"\ue200?(?:file)?cite((?:\ue202?turn\d{1,3}[a-z]{3,10}\d{1,3}){1,20})\ue201?")
_TURN = re.compile(r"turn\d{1,3}[a-z]{3,10}(\d{1,3})")
"""How ChatGPT marks what it found, with or without the private characters around it; it counts from 0."""
PLACED = re.compile(r"##(\d{1,4})\$\$")
"""How RAGFlow marks a passage, by a place that counts from 0."""
_INDEX_ID = re.compile(r"(?<![\w.:/#-])([\w.:/#-]{1,80}\[[^\[\]\s]{1,40}\](?:[\w.:/#-]{0,40}\w)?)")
_CLOSED = re.compile(r"[ \t]*(?:[.!?;:,\u3002\uff01\uff1f]|\[|\n|\Z)")
"""What follows a marker that closes a statement."""
_FARTHEST = 20


def read_brackets(page: Page) -> None:
    """Square brackets; what is data, code or a remark is left."""
    if "[" not in page.prose:
        return
    if page.passages.has_brackets:
        _ids_with_brackets(page)
    lists: list[tuple[Span, list[Citation]]] = []
    left: list[re.Match[str]] = []
    code_until = twin = -1
    structures = Structures(page.prose, page.passages)
    for match in _BRACKET.finditer(page.prose):
        if match.start() == twin:
            continue  # ``[^3^][3]`` is one marker
        if match.start() == code_until or structures.has(match):
            code_until = match.end()
            continue
        if match[1]:
            label = match[2].removesuffix("^")
            end = match.end()
            if label != match[2] and page.prose.startswith(f"[{label}]", end):
                twin = end
                end += len(label) + 2
            _footnote(page, (match.start(), end), label)
        elif match[2].strip() in page.targets:
            _reference(page, match.span(), match[2].strip())
        elif "†" in match[2]:
            _tool(page, match.span(), match[2])
        else:
            read = (
                listed(match.span(), match[2], page.passages)
                or author_years(match.span(), match[2], page.passages)
                or _foreign(page, match)
            )
            if _doubtful(page, match, read):
                lists.append((match.span(), read))
            elif read:
                page.add(match.span(), read)
            else:
                left.append(match)
    if page.ranked:
        for span, read in lists:
            page.add(span, read)
    if left:
        read_unretrieved(page, left)
    page.turn()


def read_tool_markers(page: Page) -> None:
    """``【3†source】`` and its relatives, ``citeturn0search2`` and ``##2$$``."""
    if "$$" in page.prose:
        for match in PLACED.finditer(page.prose):
            page.cite(match.span(), match[1], page.passages.by_place(int(match[1])), "tool")
        page.turn()
    if "cite" in page.prose and "turn" in page.prose:
        for match in _TURNS.finditer(page.prose):
            for turn in _TURN.finditer(match[1]):
                found = page.passages.by_id(turn[0]) or page.passages.by_place(int(turn[1]))
                page.cite(match.span(), turn[0], found, "tool")
        page.turn()
    if "【" in page.prose:
        for match in _TOOL.finditer(page.prose):
            _tool(page, match.span(), match[1])
        page.turn()


def _ids_with_brackets(page: Page) -> None:
    """Ids such as ``chunk[3]``, in brackets or without, and their like that were not retrieved."""
    for match in _INDEX_ID.finditer(page.prose):
        found = page.passages.by_id(match[1])
        if found is not None or page.passages.sibling(match[1]):
            wrapped = (
                page.prose[match.start() - 1 : match.start()] == "["
                and page.prose[match.end() : match.end() + 1] == "]"
            )
            page.cite((match.start() - wrapped, match.end() + wrapped), match[1], found, "id")
    page.turn()


def _doubtful(page: Page, match: re.Match[str], read: list[Citation]) -> bool:
    """Whether numbers alone cite nothing that was retrieved, and rather are data, unless ranks are cited elsewhere.

    Of a service that is known to cite ranks only those are that no list of passages would have, or that close nothing.
    """
    if not read or any(
        one.id is not None or one.style != "ordinal" or page.passages.resembles(one.cited) for one in read
    ):
        return False
    farthest = 3 * page.passages.count + _FARTHEST
    if any(one.cited.isdigit() and int(one.cited) > farthest for one in read):
        return True
    return len(read) > 1 and (page.usual != "ordinal" or _CLOSED.match(page.prose, match.end()) is None)


def _foreign(page: Page, match: re.Match[str]) -> list[Citation]:
    """One word at the end of a statement that is written as the known ids are: an id of something else."""
    closes = _CLOSED.match(page.prose, match.end()) and page.prose[match.start() - 1 : match.start()] in (
        " ",
        "]",
    )
    if closes and page.passages.written_alike(match[2]):
        return [Citation(*match.span(), match[2], None, "id")]
    return []


def _reference(page: Page, span: Span, label: str) -> None:
    """A label that the answer itself explains."""
    target = page.targets[label]
    found = page.passages.by_address(target) or page.passages.mentioned(target)
    if found is not None:
        page.cite(span, label, found, "link" if "://" in target else "footnote")
    else:
        page.add(span, listed(span, label, page.passages))


def _footnote(page: Page, span: Span, label: str) -> None:
    target = page.targets.get("^" + label, page.targets.get(label, ""))
    passages = page.passages
    found = passages.by_address(target) or passages.mentioned(target) or passages.by_id(label)
    if found is None and label.isdigit():
        found = passages.by_rank(int(label[:6]))
    if found is not None or label.isdigit() or target or passages.resembles(label):
        page.cite(span, "^" + label, found, "footnote")


def _tool(page: Page, span: Span, content: str) -> None:
    marker, dagger, rest = (part.strip() for part in content.strip("†").partition("†"))
    message, colon, place = marker.partition(":")
    known = page.passages.by_id(rest) if dagger else None
    if known is not None:
        page.cite(span, marker, known, "tool")
    elif dagger and colon and message.isdigit() and place.isdigit():
        page.cite(span, marker, page.passages.by_place(int(place[:6])), "tool")
    elif dagger and marker.isdigit():
        page.cite(span, marker, page.passages.by_rank(int(marker[:6])), "tool")
    else:
        page.add(span, listed(span, marker, page.passages, "tool"))
