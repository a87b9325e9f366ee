"""What stands inside one marker: ids, ranks, ranges, and lists of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from ragvigil.scorer.checks.reading.citing.lists import INFLECTED_POINTERS, POINTERS
from ragvigil.scorer.checks.reading.citing.page import Citation, Style
from ragvigil.scorer.checks.reading.files import Filed
from ragvigil.scorer.checks.reading.identifiers import ENDING
from ragvigil.scorer.checks.reading.markup import Span
from ragvigil.scorer.checks.reading.paged import Place, place_in
from ragvigil.scorer.checks.reading.passages import Passages, name_of
from ragvigil.scorer.choices import longest_first

_POINTER = longest_first(POINTERS)
_NAMED = re.compile(
    rf"(?:(?:(?:{_POINTER})[ _-])?(?:{_POINTER}|cite|search\sresults?)(?:[ .:#_-]{{0,3}}|\s(?:n[°º]|no\.|nr\.|№)\s?)|"
    r"(?:web|search):|[dps#]#?)"
    r"(\d{1,3}(?:\s?[-\u2013—]\s?\d{1,3})?)\Z",
    re.IGNORECASE,
)
_LABEL = re.compile(
    rf"(?:(?:{_POINTER}|cite[ds]?|ids?|doc_?ids?|doi|pmid|pmcid|arxiv|出处|參考|参考)\s?[:=]\s?"
    r"|(?:参见|參見|参阅|參閱|详见|詳見|参照)[:\s]?\s*"
    r"|(?:see(?: also)?|cf\.?|vgl\.|siehe|ver|véase|voir|zie|zob\.|e\.g\.,?|z\.\s?b\.|p\.\s?ex\.,?)[:\s]\s*)",
    re.IGNORECASE,
)
_EXAMPLE = re.compile(
    r"(?:e\.\s?g\.|for example|z\.\s?b\.|p\.\s?ex\.|par ex|por ej|ad es|bijv|np\.)", re.IGNORECASE
)
_SAID_BY = re.compile(
    r"(?:(?:as )?per|via|from|in|at|according to|based on|as (?:stated|described|noted) in|laut|gemäß|nach|aus|selon|"
    r"d['\u2019]après|según|segundo|conforme|de acordo com|secondo|volgens|enligt|według|согласно)\s(?:the\s)?",
    re.IGNORECASE,
)
"""Words before a known id, which alone make no label."""
_SEPARATOR = re.compile(
    r"\s*[,;|]\s*(?:(?:and|&|y|e|et|und|en|i|и)\s+)?|\s+(?:and|&|y|e|et|und|en|i|и)\s+|(?<=\d)&(?=\d)"
)
_RANGE = re.compile(
    r"(\d{1,3})(?:\s?[-\u2013—]\s?|\s(?:to|through|thru|bis|à|a|al|até|hasta|tot)\s|\s?[至到]\s?)(\d{1,3})\Z",
    re.IGNORECASE,
)
_LOCATOR = re.compile(
    r"(?:pp?\.?|pages?|págs?\.?|pag\.|pagin[ae]|s\.|seiten?|sections?|sec\.|abschnitt|§|¶|ch\.|chapters?|lines?|l\.|para\.?|sheet|slide|folie|páginas?|п\.|\u0441\.|стр\.|ст\.|ص)"
    r"\s?[\d.ivx\u2013-]{1,12}\Z|第?\s?\d{1,5}\s?(?:页|頁|条|條|章|节|節|款|项|項|쪽|페이지|ページ)\Z",
    re.IGNORECASE,
)
_PAGE = re.compile(
    r"(.{3,200}?\.[A-Za-z]{2,5})(?:#page=|[:#]p?|\s(?:[-\u2013\u2014|]\s)?(?:p|pp|page|pág|página|seite|sheet|slide)\.?\s?)"
    r"(\d{1,4})\Z",
    re.IGNORECASE,
)
"""A file with the number of a page."""
_LOCATED = re.compile(
    r"(\S.{1,200}?)(?:[:#](?:L|lines?[-=]?|p|page[-=]?)"
    r"|[\s,]\s?(?:[-\u2013\u2014|]\s)?\(?(?:L|lines?|pp?\.?|pages?|s\.|seite|§{1,2}|sec\.?|section|ch\.|chapter|para\.?|sheet|slide|folie|página|pág\.)\s?)"
    r"-?\d{1,5}(?:\s?[-\u2013:]\s?[LC]?\d{1,5}){0,2}\)?\Z",
    re.IGNORECASE,
)
"""An id with a place inside the passage: ``FAQ.md#L10-L20``, ``doc-12 (p. 4)``."""
_IN_FILE = re.compile(
    r"(\S.{0,200}?\.[A-Za-z]{1,5})(?::\d{1,5}(?:[-\u2013:]\d{1,5}){0,2}|#[\w.%-]{1,80})\Z", re.IGNORECASE
)
"""A file's name with its lines or a heading, ``setup.md:12-18``."""
_NUMBERED = re.compile(r"(\S{0,60}?[^\d\s])(\d{1,4})\s?(?:[-\u2013\u2014]|\bto\b)\s?\1?(\d{1,4})\Z")
"""Two ids alike but for their last numbers, ``S1-S3``."""
_DIGITS = re.compile(r"\d{1,4}")
_LINES = re.compile(r"(\d{1,3}):\s?(\d{1,4})\s?[-\u2013]\s?(\d{1,4})\Z")
"""A rank with the lines of its passage, ``1: 4-5``."""
_ID_LINES = re.compile(r"([^\s:]{1,200}):\d{1,5}\s?[-\u2013]\s?\d{1,5}\Z")
"""An id with lines of its passage, ``doc1:12-15``."""
_UNDERLINE = re.compile(r"(?<=[A-Za-z])_(?=\d{1,4}\Z)")
_MINUTE = re.compile(r"\d{1,3}(?:\+\d{1,2})?['\u2032\u2019\"\u2033]\Z")
_ONE_WORD = re.compile(r"\S{1,60}")
_IN_PARENTHESES = re.compile(r"\(([^()]{1,60})\)")
_LONGEST_RANGE, _FEWEST_WITH_PAGES = 50, 3


def parts(content: str, passages: Passages) -> tuple[list[str], bool]:
    """The members of a list, and whether a label such as ``Source:`` stands before them, which is no part of an id.

    >>> from ragvigil.scorer.trace import Document
    >>> known = Passages.of([Document("chunk:3", None)])
    >>> parts("Sources: doc-1, doc-2 and 'doc-3'", known), parts("chunk:3, chunk:7", known)
    ((['doc-1', 'doc-2', 'doc-3'], True), (['chunk:3', 'chunk:7'], False))
    """
    label = _LABEL.match(content)
    if label:
        first = _SEPARATOR.split(content.strip(), maxsplit=1)[0]
        if passages.by_id(first) or passages.sibling(first):
            label = None
    elif said := _SAID_BY.match(content):
        first = _SEPARATOR.split(content[said.end() :].strip(), maxsplit=1)[0].strip("'\"` ")
        label = said if not first.isdigit() and passages.by_id(first) else None
    members = _SEPARATOR.split(content[label.end() :].strip() if label else content.strip())
    return [
        member.strip(" ") if _MINUTE.match(member) else member.strip("'\"` ^") for member in members
    ], label is not None


def is_example(content: str) -> bool:
    """Whether a marker says that what follows is only an example: ``[e.g. 2025-17]``."""
    return _EXAMPLE.match(content) is not None


def ordinals(part: str, least: int = 1) -> list[int]:
    """Ranks, from `least` on, that a bare part of a marker names; four digits make it no ordinal.

    >>> ordinals("3"), ordinals("1-3"), ordinals("2019"), ordinals("0")
    ([3], [1, 2, 3], [], [])
    """
    if part.isdecimal() and len(part) <= 3:
        return [int(part)] if int(part) >= least else []
    bounds = _RANGE.match(part)
    if not bounds:
        return []
    first, last = int(bounds[1]), int(bounds[2])
    return list(range(first, last + 1)) if least <= first < last <= first + _LONGEST_RANGE else []


def named(part: str, least: int = 1) -> list[int]:
    """Ranks, from `least` on, that a pointing word names, as in ``Source 2``.

    >>> named("Source 2"), named("Quelle 1-2"), named("Chapter 2")
    ([2], [1, 2], [])
    """
    match = _NAMED.match(part)
    return ordinals(match[1], least) if match else []


def is_pointer(word: str) -> bool:
    """Whether a number may follow `word`, in lower case, to name a passage."""
    return word in POINTERS or word.startswith(INFLECTED_POINTERS)


def is_locator(part: str) -> bool:
    """Whether it is a place inside a passage, such as ``p. 12``."""
    return _LOCATOR.match(part) is not None


def ranked(span: Span, ranks: list[int], passages: Passages, style: Style = "ordinal") -> list[Citation]:
    """One citation for each rank."""
    return [Citation(*span, str(rank), passages.by_rank(rank), style) for rank in ranks]


def listed(span: Span, content: str, passages: Passages, style: Style | None = None) -> list[Citation]:
    """One marker with one id or several; nothing when a part is plain words and none is a known id."""
    whole = _as_a_whole(span, content, passages, style)
    if whole is not None:
        return whole
    members, labelled = parts(content, passages)
    placed = _placed(with_more_pages(members))
    read = [
        (place and filed(span, member, passages, style or "id", place)) or _one(span, member, passages, style)
        for member, place in placed
    ]
    if not all(read):
        if not any(one.style != "ordinal" and one.id for meant in read for one in meant):
            return []
        # Beside a known id, one word that is none is an id too: one that was not retrieved.
        read = [
            meant or [Citation(*span, member, None, style or "id")]
            for (member, _), meant in zip(placed, read, strict=True)
            if meant
            or (_ONE_WORD.fullmatch(member) and not labelled and passages.has_the_mould_of_one(member))
        ]
    return [one for meant in read for one in meant]


def _as_a_whole(span: Span, content: str, passages: Passages, style: Style | None) -> list[Citation] | None:
    """What a marker cites that is no list; None where it may be one."""
    said = content.strip()
    whole = passages.by_id(said) or passages.by_title(said)
    if whole is not None:
        return [Citation(*span, said, whole, style or "id")]
    if content.isdecimal():
        ranks = ordinals(content, passages.counts_from)  # it is no id, as has just been asked
        if ranks:
            return ranked(span, ranks, passages, style or "ordinal")
        return _one(span, content, passages, style)
    if "." in content and (whole_file := filed(span, said, passages, style or "id")):
        return whole_file
    if ":" in content and passages.sibling(said):
        return [Citation(*span, said, None, style or "id")]  # its first part is no label
    return None


def _placed(members: list[str]) -> list[tuple[str, Place | None]]:
    """Each member of a list with the page that another one tells of it."""
    if len(members) > 1 and any(map(is_locator, members)):
        told = zip(members, places_of(members), strict=True)
        return [(member, place) for member, place in told if not is_locator(member)]
    return [(member, None) for member in members]


def _one(span: Span, part: str, passages: Passages, style: Style | None) -> list[Citation]:
    exact = passages.by_id(part) or (passages.by_title(part) if len(part) > 3 else None)
    if exact is None:
        exact = (passages.by_address(part) if "/" in part else None) or passages.by_alias(part)
    if exact is None:
        exact = _rewritten(part, passages)
    if exact is not None:
        return [Citation(*span, part, exact, style or "id")]
    return (
        filed(span, part, passages, style or "id")
        or _in_numbers(span, part, passages, style)
        or _in_other_words(span, part, passages, style)
    )


def _in_numbers(span: Span, part: str, passages: Passages, style: Style | None) -> list[Citation]:
    """What a rank with its lines, a range or a rank cites."""
    lines = _LINES.match(part)
    if lines and int(lines[2]) < int(lines[3]) and passages.by_rank(int(lines[1])):
        return ranked(span, [int(lines[1])], passages, style or "ordinal")
    if numbered := _numbered(span, part, passages, style):
        return numbered
    bounds = _RANGE.match(part)
    if bounds and (ranged := _ranged(span, bounds, passages, style)):
        return ranged
    return ranked(span, ordinals(part, passages.counts_from), passages, style or "ordinal")


def _in_other_words(span: Span, part: str, passages: Passages, style: Style | None) -> list[Citation]:
    """What a file without its page, an id that was not retrieved or a spelt rank cites."""
    chunks = [name_of(chunk) for chunk in passages.files.chunks(part)]
    if chunks:
        return [Citation(*span, part, chunks[0], style or "id", over_broad=True, others=tuple(chunks[1:]))]
    if passages.sibling(part):
        return [Citation(*span, part, None, style or "id")]
    pointed = named(part, passages.counts_from) if not passages.written_like_one(part) else []
    located = None if pointed else _LOCATED.match(part)
    if not pointed and (passages.resembles(part) or (located and passages.resembles(located[1]))):
        return [Citation(*span, part, None, style or "id")]
    if len(pointed) == 1:
        return [Citation(*span, part, passages.by_rank(pointed[0]), style or "ordinal")]
    return ranked(span, pointed, passages, style or "ordinal")


def _rewritten(part: str, passages: Passages) -> str | None:
    """The passage that a heading of several words means, an id with lines behind it, or one that is parted: `doc_1`."""
    if " " in part:
        return passages.by_heading(part)
    if ":" in part:
        lines = _ID_LINES.match(part)
        return passages.by_id(lines[1]) if lines and not passages.sibling(part) else None
    return passages.by_id(_UNDERLINE.sub("", part)) if "_" in part and not passages.sibling(part) else None


def filed(
    span: Span, part: str, passages: Passages, style: Style, place: Place | None = None
) -> list[Citation]:
    """What names a file of which passages were retrieved, with a page, in it or beside it, or without."""
    named_file = _named_file(part, passages, place)
    if named_file is None:
        return []  # an id of a page or a chunk that was not retrieved
    files, (name, place, exact, found) = passages.files, named_file
    known = passages.by_id(part) if found.documents else None
    if known is not None and (name != part or not found.placed):
        return [Citation(*span, part, known, style)]
    if not found.placed and found.documents and files.is_of_chunks(name, part[len(name) :]):
        return []
    surely = place is not None and not found.placed and passages.by_id(name) is None
    if surely and place is not None and files.lacks(name, place):
        return [Citation(*span, f"{name}, p. {place.first}", None, style)]
    if exact is not None:
        return [Citation(*span, part, exact, style)]
    names = [name_of(one) for one in found.documents]
    if not names:
        return []
    broad = not found.placed and ((len(names) > 1 and place is None) or bool(files.chunks(name)))
    return [Citation(*span, part, names[0], style, broad, tuple(names[1:]))]


class _NamedFile(NamedTuple):
    """A file as a part names it."""

    name: str
    place: Place | None
    exact: str | None
    """The passage with that id or title."""
    found: Filed
    """Those of the file."""


def _named_file(part: str, passages: Passages, place: Place | None) -> _NamedFile | None:
    """The name without its page, which stands in `part` or is told beside it; None: an id like those retrieved."""
    files = passages.files
    paged = _PAGE.match(part)
    name = paged[1] if paged else part
    place = place_in(part[paged.end(1) :]) if paged else place
    found = files.of(name, place)
    if (paged or not found.documents) and passages.sibling(part):
        return None
    exact = passages.by_id(name) if paged and not found.documents else None
    if exact is None and not found.documents and (located := _LOCATED.match(part) or _IN_FILE.match(part)):
        name = located[1]
        exact = passages.by_id(name)
        place = place or place_in(part[located.end(1) :])
        found = files.of(name, place)
        if exact is None and not found.documents:
            exact = passages.by_title(name)
    return _NamedFile(name, place, exact, found)


def noted(target: str, passages: Passages) -> str | None:
    """The passage that a note or an entry of a list means by `target`, be it the page of a file.

    >>> from ragvigil.scorer.trace import Document
    >>> pages = [Document(f"c{page}", None, metadata={"source": "book.pdf", "page": page}) for page in (3, 4)]
    >>> noted("book.pdf, p. 4", Passages.of(pages)), noted("Calendar days", Passages.of(pages))
    ('c4', None)
    """
    members = [member for one in _SEPARATOR.split(target) for member in (one, *_IN_PARENTHESES.findall(one))]
    page = page_of(members) if "." in target else None
    found = passages.explained(target) if page is None else None
    if found is None and "." in target:
        names = (_IN_PARENTHESES.sub("", one).strip("\"'`*_ ") for one in members)
        files = (filed((0, 0), name, passages, "id", page) for name in names)
        found = next((one[0].id for one in files if one), None)
    if found is None and page is not None:
        found = passages.explained(target)
    if found is None and len(ranks := named(target.strip(), passages.counts_from)) == 1:
        found = passages.by_rank(ranks[0])
    return found


def _numbered(span: Span, part: str, passages: Passages, style: Style | None) -> list[Citation]:
    """A range of ids of which the first and the last were retrieved."""
    match = _NUMBERED.match(part)
    if match is None:
        return []
    first, last = int(match[2]), int(match[3])
    if not first < last <= first + _LONGEST_RANGE:
        return []
    names = [f"{match[1]}{number:0{len(match[2])}d}" for number in range(first, last + 1)]
    if passages.by_id(names[0]) is None or passages.by_id(names[-1]) is None:
        return []
    return [Citation(*span, name, passages.by_id(name), style or "id") for name in names]


def page_of(members: Sequence[str]) -> Place | None:
    """The page, section or line that stands beside what is cited."""
    return next((place_in(member) for member in members if is_locator(member)), None)


def places_of(members: Sequence[str]) -> list[Place | None]:
    """For each of `members` the place that stands behind it, or the only one that is told.

    >>> [one and one.first for one in places_of(["a.pdf", "p. 3", "b.pdf", "p. 4"])]
    [3, None, 4, None]
    """
    told = [place_in(member) if is_locator(member) else None for member in members]
    alone = [place for place in told if place is not None]
    only = alone[0]._replace(paged=False) if len(alone) == 1 else None
    behind = [*told[1:], None] if told and told[0] is None else [None] * len(told)
    return [None if own is not None else next_one or only for own, next_one in zip(told, behind, strict=True)]


def with_more_pages(members: list[str]) -> list[str]:
    """`members` where numbers behind the page of a file are more pages of it, and no ranks.

    >>> with_more_pages(["a.pdf", "pp. 3", "5"]), with_more_pages(["a.pdf", "p. 3", "2", "p. 5"])
    (['a.pdf', 'pp. 3-5'], ['a.pdf', 'p. 3', '2', 'p. 5'])
    """
    if len(members) < _FEWEST_WITH_PAGES or not ENDING.search(members[0]):
        return members
    found: list[str] = []
    for member, behind in zip(members, [*members[1:], ""], strict=True):
        before = place_in(found[-1]) if found and is_locator(found[-1]) else None
        if before and before.paged and member.isdecimal() and not is_locator(behind):
            numbers = (before.first, before.last, int(member[:4]))
            found[-1] = f"pp. {min(numbers)}-{max(numbers)}"
        else:
            found.append(member)
    return found


def _ranged(span: Span, bounds: re.Match[str], passages: Passages, style: Style | None) -> list[Citation]:
    """A range of numbers that are ids themselves, that falls, or that is longer than any list of passages."""
    low, high = sorted((int(bounds[1]), int(bounds[2])))
    if passages.by_id(bounds[1]) and passages.by_id(bounds[2]):
        numbers = range(low, min(high, low + _LONGEST_RANGE) + 1)
        return [Citation(*span, str(one), passages.by_id(str(one)), style or "id") for one in numbers]
    live = [rank for rank in range(low, high + 1) if passages.by_rank(rank)]
    if int(bounds[1]) > int(bounds[2]):
        return ranked(span, live, passages, style or "ordinal") if len(live) > high - low else []
    if high > low + _LONGEST_RANGE and live and live[0] == low:
        beyond = Citation(*span, bounds[0], None, style or "ordinal")
        return [*ranked(span, live, passages, style or "ordinal"), beyond]
    return []
