"""Square and lenticular brackets: ids, ranks, footnotes and tool markers, told apart from code and data."""

from __future__ import annotations

import re

from ragvigil.scorer.checks.reading.citing.authors import author_years
from ragvigil.scorer.checks.reading.citing.listing import is_example, listed, noted
from ragvigil.scorer.checks.reading.citing.lists import (
    BEFORE_CODES,
    CODED_THINGS,
    COPULAS,
    FIELDS,
    GREETINGS,
    MEASURES,
)
from ragvigil.scorer.checks.reading.citing.page import Citation, Page
from ragvigil.scorer.checks.reading.citing.structure import Structures
from ragvigil.scorer.checks.reading.citing.unretrieved import in_quotation, read_unretrieved
from ragvigil.scorer.checks.reading.markup import Span
from ragvigil.scorer.checks.reading.words import words

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
_TELLING = re.compile(r"://|\d|\w\.\w")
"""What a note holds that names a source, in its least."""
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3}){1,3}\Z")
_COUNTED = re.compile(r"[ \t][^\W\d_]{3}")
_NEXT_WORD = re.compile(r"[ \t]([^\W\d_]{1,20})(?!\w)")
_SMALL_WORD = re.compile(r"(?<!\w)([^\W\d_]{1,12})\s\Z")
_RESULT = re.compile(r"(?:result|id)\s#?(\d{1,2})\Z", re.IGNORECASE)
"""A rank that is called so, which cites at the end of a clause."""
_WORD_BEFORE = re.compile(r"([^\W\d_]{2,15})\s\Z")
_ABBREVIATION = re.compile(r"(?<!\w)[A-Z]{2,5}\s\Z")
"""What numbers things of its own, as in "UN [3480] applies"."""
_PRESSED = re.compile(
    r"(?<!\w)(?:click|press|select|choose|open|tap|pick|hit|push|go|navigate|switch|klick\w{0,3}|drück\w{0,2}|wähl\w{0,2}|"
    r"öffne\w{0,2}|gehe\w?|clique[zr]?|appuyez|choisissez|sélectionnez|ouvrez|allez|haga|haz|pulse|presione|elija|seleccione|"
    r"abra|vaya|clica|clicca|premi|scegli|seleziona|apri|vai|selecione|escolha|klik|kies)"
    r"(?:\s(?:on|to|the|in|into|sie|bitte|auf|zu|den|die|das|sur|à|le|la|en|a|el|em|o|su|il|op|naar|de|button|tab|menu|option)){0,3}"
    r"\s[\"'*_]{0,3}"
    r"(?:\[[^\[\]\n]{1,60}\](?:\s?(?:[>\u2192,/]|and|or|then|und|dann|et|y|e)\s?){1,3}){0,4}\Z",
    re.IGNORECASE,
)
"""What stands before the name of a button or a menu, or of several."""
_BEFORE_BUTTON = 160
_BEFORE, _FEWEST_DATA = 16, 2
_FARTHEST = 20
_OAICITE = re.compile(r":contentReference\[oaicite:\s?(\d{1,4})\](?:\{index=\d{1,4}\})?")
"""What ChatGPT leaves where its citations are not shown; it counts from 0."""


class _Doubts:
    """Brackets that are told only when all of the answer's have been read."""

    def __init__(self) -> None:
        self.lists: list[tuple[Span, list[Citation]]] = []
        """Numbers that look like data: citations where the answer cites ranks."""
        self.alone: list[tuple[Span, list[Citation]]] = []
        """Numbers that are no rank of what was retrieved: none where the answer cites ids alone."""
        self.left: list[re.Match[str]] = []
        """What means nothing yet."""

    def settle(self, page: Page) -> None:
        """Add those that are citations after all."""
        if page.ranked:
            for span, read in self.lists:
                page.add(span, read)
        if page.ranked or not any(one.style == "id" and one.id is not None for one in page.found):
            for span, read in self.alone:
                page.add(span, read)
        if self.left:
            read_unretrieved(page, self.left)


def read_brackets(page: Page) -> None:
    """Square brackets; what is data, code or a remark is left."""
    if "[" not in page.prose:
        return
    if page.passages.has_brackets:
        _ids_with_brackets(page)
    doubts = _Doubts()
    code_until = twin = -1
    structures = Structures(page.prose, page.passages)
    for match in _BRACKET.finditer(page.prose):
        if match.start() == twin:
            continue  # ``[^3^][3]`` is one marker
        explained = bool(match[1]) and "^" + match[2] in page.targets
        if match.start() == code_until or (not explained and structures.has(match)):
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
            _plain(page, match, doubts)
    doubts.settle(page)
    page.turn()


def _is_button(page: Page, match: re.Match[str]) -> bool:
    """Whether the heading of a passage in brackets is what somebody is to press: "Click [Save As]"."""
    content = match[2].strip()
    if page.passages.by_heading(content) is None or page.passages.by_title(content) is not None:
        return False
    before = page.prose[max(0, match.start() - _BEFORE_BUTTON) : match.start()]
    return page.passages.by_id(content) is None and _PRESSED.search(before) is not None


def _plain(page: Page, match: re.Match[str], doubts: _Doubts) -> None:
    """What brackets hold that nothing else explains."""
    span, content = match.span(), match[2]
    if _is_amount(page.prose, match):
        return
    read = (
        listed(span, content, page.passages)
        or author_years(span, content, page.passages)
        or _foreign(page, match)
    )
    if len(read) == 1 and read[0].id is not None:
        if not _is_button(page, match):
            page.add(span, read)
        return
    if is_example(content.lstrip()) and not any(one.id for one in read):
        return
    if _is_number(content, read, page) or (_beyond(read, page) and _is_code(page.prose, match)):
        return
    read = read or _result(page, match)
    if _is_elsewhere(page, match, read) or not read:
        doubts.left.append(match)
    elif _is_doubtful(page, match, read):
        doubts.lists.append((span, read))
    elif page.usual is None and page.passages.ids and _is_dead_rank(page, read):
        doubts.alone.append((span, read))
    else:
        page.add(span, read)


def _result(page: Page, match: re.Match[str]) -> list[Citation]:
    """The passage of the rank that brackets hold with a word for a result, at the end of a clause."""
    found = _RESULT.match(match[2]) if _CLOSED.match(page.prose, match.end()) else None
    live = page.passages.by_rank(int(found[1])) if found else None
    return [Citation(*match.span(), found[1], live, "ordinal")] if found and live else []


def read_tool_markers(page: Page) -> None:
    """``【3†source】`` and its relatives, ``citeturn0search2``, ``[oaicite:2]`` and ``##2$$``."""
    for sign, placed in (("$$", PLACED), ("oaicite", _OAICITE)):
        if sign[0] in page.prose and sign in page.prose:
            for match in placed.finditer(page.prose):
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


def _is_doubtful(page: Page, match: re.Match[str], read: list[Citation]) -> bool:
    """Whether numbers alone cite nothing that was retrieved, and rather are data, unless ranks are cited elsewhere.

    Of a service that is known to cite ranks only those are that no list of passages would have, or that close nothing.
    """
    if not _is_dead_rank(page, read):
        return False
    if _beyond(read, page):
        return True
    closed = _CLOSED.match(page.prose, match.end()) is not None
    if len(read) > 1:
        return page.usual != "ordinal" or not closed
    return (
        not closed
        and _COUNTED.match(page.prose, match.end()) is not None
        and _led_to(page.prose, match.start())
    )


def _led_to(prose: str, place: int) -> bool:
    """Whether a small word before `place` goes on with what stands there, as in "among [17] candidates"."""
    before = prose[max(0, place - _BEFORE) : place]
    if before[-2:-1].isdigit():
        return True  # the same in other numbers
    word = _SMALL_WORD.search(before)
    return word is not None and not any(one.content or one.negation for one in words(word[1].lower()))


def _is_number(content: str, read: list[Citation], page: Page) -> bool:
    """Whether it is one number with its thousands apart, or a list with a number that no rank could be."""
    if "," not in content or any(one.style != "ordinal" for one in read):
        return False
    if _THOUSANDS.match(content) and any(one.id is None for one in read):
        return True
    twice = len(read) > _FEWEST_DATA and len({one.cited for one in read}) < len(read)
    return twice or _beyond([one for one in read if not one.id], page)


def _beyond(read: list[Citation], page: Page) -> bool:
    """Whether a number is too large for any list of passages."""
    farthest = 3 * page.passages.count + _FARTHEST
    return any(one.cited.isdigit() and int(one.cited) > farthest for one in read)


def _is_elsewhere(page: Page, match: re.Match[str], read: list[Citation]) -> bool:
    """Whether one name that has only the look of the known ids goes on into the clause, as no citation does."""
    if len(read) != 1 or read[0].id is not None or read[0].style != "id":
        return False
    if read[0].cited.isdecimal() and _CLOSED.match(page.prose, match.end()) is None:
        return _ABBREVIATION.search(page.prose[max(0, match.start() - _BEFORE) : match.start()]) is not None
    word = _WORD_BEFORE.search(page.prose[max(0, match.start() - _BEFORE) : match.start()])
    field = read[0].cited.rstrip("0123456789").rstrip("_-").lower()
    if word is not None and word[1].lower() in GREETINGS and field in FIELDS:
        return True
    if not page.passages.only_looks_like_one(read[0].cited):
        return _is_said_to_be(page, match, read[0].cited)
    if _CLOSED.match(page.prose, match.end()) is None:
        return True
    line = page.prose[page.prose.rfind("\n", 0, match.start()) + 1 : match.start()]
    return in_quotation(line)


def _is_said_to_be(page: Page, match: re.Match[str], cited: str) -> bool:
    """Whether a name unlike the known ids is what something is said to be: "your reference is [REF-2291]"."""
    word = _SMALL_WORD.search(page.prose[max(0, match.start() - _BEFORE) : match.start()])
    told = word is not None and (word[1].lower() in COPULAS or word[1].lower() in BEFORE_CODES)
    return told and not page.passages.written_like_one(cited)


def _is_code(prose: str, match: re.Match[str]) -> bool:
    """Whether a number is the code of what stands before it, as in "exit code [137]"."""
    word = _WORD_BEFORE.search(prose[max(0, match.start() - _BEFORE) : match.start()])
    return word is not None and word[1].lower() in CODED_THINGS


def _is_amount(prose: str, match: re.Match[str]) -> bool:
    """Whether a number is one of so many, as in "set it to [10] minutes"."""
    following = _NEXT_WORD.match(prose, match.end()) if match[2].isdecimal() else None
    return following is not None and following[1].lower() in MEASURES and _led_to(prose, match.start())


def _is_dead_rank(page: Page, read: list[Citation]) -> bool:
    """Whether numbers alone cite nothing that was retrieved, and are not written as the ids are."""
    return bool(read) and not any(
        one.id is not None or one.style != "ordinal" or page.passages.resembles(one.cited) for one in read
    )


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
    found = noted(target, page.passages)
    if found is not None:
        page.cite(span, label, found, "link" if "://" in target else "footnote")
    else:
        page.add(span, listed(span, label, page.passages))


def _footnote(page: Page, span: Span, label: str) -> None:
    target = page.targets.get("^" + label, page.targets.get(label, ""))
    passages = page.passages
    found = noted(target, passages) or passages.by_id(label)
    if found is None and label.isdigit():
        found = passages.by_rank(int(label[:6]))
    if found is not None or label.isdigit() or passages.resembles(label) or _TELLING.search(target):
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
