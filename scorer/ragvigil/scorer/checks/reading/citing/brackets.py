"""Square and lenticular brackets: ids, ranks, footnotes and tool markers, told apart from code and data."""

from __future__ import annotations

import re

from ragvigil.scorer.checks.reading.citing.authors import author_years
from ragvigil.scorer.checks.reading.citing.listing import listed
from ragvigil.scorer.checks.reading.citing.lists import CODE_NAMES
from ragvigil.scorer.checks.reading.citing.page import Citation, Page
from ragvigil.scorer.checks.reading.markup import Span

_BRACKET = re.compile(r"\[(\^?)([^\[\]\n]{1,300})\]")
_TOOL = re.compile(r"【([^【】\n]{1,300})】")
_LISTING = re.compile(
    r"\b(?:arrays?|lists?|vectors?|intervals?|ranges?|tuples?|values?|returns?|equals|outputs?|inputs?|prints?|"
    r"results?|coordinates|pixels|matrix|sets?|shape|dimensions|such as)(?:\s(?:is|are|was|of|like|as|such as))?:?\Z",
    re.IGNORECASE,
)
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,40}\Z")
_INDEXED = re.compile(
    r"[A-Za-z_]\[(?:0|-\d|[a-z](?:[+-]\d)?|\d*:\d*)\]|[A-Za-z_\]]\[\d+\]\s?(?:[+*/-]?=|\[\d+\])"
)
_ARITHMETIC = frozenset("=+*/<>∈\u222a∩\\\u00d7^")
_QUANTIFIERS = ("{", "+", "*")
_BEFORE = 28
_FARTHEST = 20


def read_brackets(page: Page) -> None:
    """Square brackets; what is data, code or a remark is left."""
    if "[" not in page.prose:
        return
    lists: list[tuple[Span, list[Citation]]] = []
    code_until = -1
    for match in _BRACKET.finditer(page.prose):
        if match.start() == code_until or _structural(page.prose, match):
            code_until = match.end()
            continue
        if match[1]:
            _footnote(page, match.span(), match[2])
        elif match[2].strip() in page.targets:
            _reference(page, match.span(), match[2].strip())
        elif "†" in match[2]:
            _tool(page, match.span(), match[2])
        else:
            read = listed(match.span(), match[2], page.passages) or author_years(
                match.span(), match[2], page.passages
            )
            if _doubtful(page, read):
                lists.append((match.span(), read))
            else:
                page.add(match.span(), read)
    if page.ranked:
        for span, read in lists:
            page.add(span, read)
    page.turn()


def read_tool_markers(page: Page) -> None:
    """``【3†source】`` and its relatives."""
    if "【" in page.prose:
        for match in _TOOL.finditer(page.prose):
            _tool(page, match.span(), match[1])
        page.turn()


def _doubtful(page: Page, read: list[Citation]) -> bool:
    """Whether numbers alone cite nothing that was retrieved, and rather are data, unless ranks are cited elsewhere."""
    if not read or any(one.id is not None or one.style != "ordinal" for one in read):
        return False
    farthest = 3 * page.passages.count + _FARTHEST
    return len(read) > 1 or any(one.cited.isdigit() and int(one.cited) > farthest for one in read)


def _structural(prose: str, match: re.Match[str]) -> bool:
    """Whether the brackets belong to an array, an expression, a pattern or JSON."""
    start, end, content = match.start(), match.end(), match[2]
    before = prose[max(0, start - _BEFORE) : start]
    after = prose[end : end + 3]
    if after[:1] in _QUANTIFIERS and not match[1] and after[:2] != "**":
        return True
    glued = _IDENTIFIER.search(before) if before[-1:].isalnum() or before[-1:] == "_" else None
    if glued and _is_code(glued[0], prose, start):
        return True
    before, after = before.rstrip(), after.lstrip()
    if (before and before[-1] in _ARITHMETIC and not before.endswith("**")) or before.endswith(('":', "':")):
        return True
    if after.startswith(("=", "\u00d7")) or (after.startswith("(") and prose[end] == "("):
        return True
    if "," in content and (_LISTING.search(before) or _alone(prose, start, end, content)):
        return True
    nested_first, nested_last = before.endswith("["), after.startswith("]")
    return nested_first != nested_last and (nested_first or before.endswith(","))


def _is_code(name: str, prose: str, start: int) -> bool:
    if prose[start - len(name) - 1 : start - len(name)] == ".":
        return True
    return len(name) == 1 or "_" in name or name.lower() in CODE_NAMES or _INDEXED.search(prose) is not None


def _alone(prose: str, start: int, end: int, content: str) -> bool:
    """Whether a list of numbers has a line to itself."""
    first, last = prose.rfind("\n", 0, start) + 1, prose.find("\n", end)
    line = prose[first:start] + (prose[end:last] if last >= 0 else prose[end:])
    return not line.strip() and first > 0 and all(part.strip().isdigit() for part in content.split(","))


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
    marker, dagger, rest = (part.strip() for part in content.partition("†"))
    message, colon, place = marker.partition(":")
    known = page.passages.by_id(rest) if dagger else None
    if known is not None:
        page.cite(span, marker, known, "tool")
    elif dagger and colon and message.isdigit() and place.isdigit():
        page.cite(span, marker, page.passages.by_rank(int(place[:6]) + 1), "tool")
    elif dagger and marker.isdigit():
        page.cite(span, marker, page.passages.by_rank(int(marker[:6])), "tool")
    else:
        page.add(span, listed(span, marker, page.passages, "tool"))
