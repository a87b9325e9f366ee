"""Stretches whose brackets cite nothing wherever they stand: code in tags, lines of a log, JSON, a menu."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ragvigil.scorer.checks.reading.citing.listing import is_pointer, parts
from ragvigil.scorer.checks.reading.citing.lists import NUMBERING, OWNERS
from ragvigil.scorer.checks.reading.citing.references import names_sources
from ragvigil.scorer.checks.reading.citing.titled import PAGE_OF, SAYS
from ragvigil.scorer.checks.reading.markup import Span
from ragvigil.scorer.checks.reading.passages import Passages

_CODE_TAG = re.compile(r"<(/?)(code|pre|kbd|samp|tt)\b[^<>]{0,200}>", re.IGNORECASE)
_LOG = re.compile(
    r"^[ \t>]{0,8}\[?\d{4}[-/.]\d\d[-/.]\d\d[T ]\d\d:\d\d[^\n]{0,60}?"
    r"\b(?:ERROR|WARN(?:ING)?|INFO|DEBUG|TRACE|FATAL|CRITICAL|NOTICE)\b[^\n]*$",
    re.MULTILINE,
)
_THOUGHTS = re.compile(r"\s*<(think(?:ing)?|thoughts?|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
"""What a model thought before its answer."""
_OBJECT = re.compile(r"\{\s{0,20}\"([\w -]{1,40})\"\s?:[^{}]{0,1000}\}")
_KEY = re.compile(r"\"([\w -]{1,40})\"\s?:")
_MOMENT = re.compile(r":(?<=\d:)\d")
"""Written by the sign to which the engine skips."""
_FIRST = ("[1]", "【1】")
_BEFORE_MENU = re.compile(r"(?:[:?\uff1a\uff1f][ \t]{0,3}|[?\uff1f][ \t]{0,3}\n{1,2})\Z")
_BEFORE_CHOICE = re.compile(
    r"(?:[.!?:,\n]\s?|\b(?:to|please|then|can|just|or|and|bitte|sie)\s)"
    r"(?:choose|select|pick|press|enter|type|dial|w\u00e4hlen sie|choisissez|elija|pulse|scegli|premi|escolha|"
    r"kies|wybierz)"
    r"(?: between)? \Z",
    re.IGNORECASE,
)
"""What tells to choose, right before the first choice; "of this type [1] and the size [2]" does not."""
_REST = r"[^\[\].!?\n]{0,60}"
_CHOICES = re.compile(
    rf"\[1\] ?[A-Z\u00c0-\u00de]{_REST}(?:\[\d\] ?[A-Z\u00c0-\u00de]{_REST}){{1,8}}"
    rf"|\[1\] ?[^\W\d_]{_REST}"
    r"(?:(?:(?<=, )|(?<=\W[oy] )|(?<=\W(?:or|of|ou) )|(?<=\W(?:and|lub) )|(?<=\Woder ))"
    rf"\[\d\] ?[^\W\d_]{_REST}){{1,8}}"
)
"""Choices with capitals, or each further one behind a comma or a word for "or"; "and confirm [2] with OK" is none."""
_TYPED = re.compile(
    r"\b(?:types?|enter|press|writes?|sends?|replies|reply|answer)(?: with| by)? "
    r"[\"\u201c](\[\d{1,3}\])[\"\u201d](?!\s?\[)",
    re.IGNORECASE,
)
"""A mark that somebody is to type: Type "[1]"."""
_MARK = re.compile(r"[\[【](\d{1,2})[\]】]")
_ITEM = re.compile(r"[ \t]?[^\W\d_]")
_OPENING_ITEMS = frozenset(OWNERS | NUMBERING["articles"] | {"a", "an", "which", "what", "how", "whether"})
_ENDED = re.compile(r"[.!?]\s|[\u3002\uff01]")
_LAST_WORD = re.compile(r"([^\W\d_]{1,20})[\"*_]{0,3}\s*\Z")
_CLOSED = re.compile(r"[\])*_]{0,3}[ \t]*(?:[.!?;:,)\u3002\uff01\uff1f\uff0c]|[\[(`]|\n|\||\Z)")
_WORDS_BEFORE, _SIGNS_BEFORE, _FEWEST_CHOICES, _BEFORE_CHOICES = 80, 6, 2, 28


def tagged_code(text: str) -> list[Span]:
    """Code in HTML tags.

    >>> tagged_code("Write <code>[1]</code>.")
    [(6, 22)]
    """
    spans: list[Span] = []
    opened: re.Match[str] | None = None
    for tag in _CODE_TAG.finditer(text) if "<" in text and "</" in text else ():
        if opened is None:
            opened = None if tag[1] else tag
        elif tag[1] and tag[2].lower() == opened[2].lower():
            spans.append((opened.start(), tag.end()))
            opened = None
    return spans


def unread(prose: str) -> list[Span]:
    """Thoughts at the beginning, lines of a log, objects of JSON among prose, and the marks of a menu in one line.

    >>> text = "What about? [1] Billing [2] Support"
    >>> [text[start:end] for start, end in unread(text)], unread("Two agree: [1] says nine, [2] says ten.")
    (['[1]', '[2]'], [])
    """
    found: list[Span] = []
    if "<" in prose and "</" in prose and (thoughts := _THOUGHTS.match(prose)):
        found.append(thoughts.span())
    if "[" in prose and _MOMENT.search(prose):
        found += [match.span() for match in _LOG.finditer(prose)]
    if '"' in prose and '":' in prose and not prose.lstrip().startswith(("{", "[")):
        found += [match.span() for match in _OBJECT.finditer(prose) if not _names_sources(match[0])]
    if '"[' in prose or "\u201c[" in prose:
        found += [typed.span(1) for typed in _TYPED.finditer(prose)]
    for first in _FIRST:
        start = prose.find(first)
        while start >= 0:
            if _BEFORE_MENU.search(prose, max(0, start - _SIGNS_BEFORE), start):
                found += _menu(prose, start)
            elif _ITEM.match(prose, start + len(first)):
                found += _choices(prose, start)
            start = prose.find(first, start + len(first))
    return found


def _choices(prose: str, start: int) -> list[Span]:
    """The marks, from 1 on, of what is to be chosen from within a sentence: "Choose [1] Sales or [2] Support"."""
    before = prose[start - _BEFORE_CHOICES : start] if start >= _BEFORE_CHOICES else f"\n{prose[:start]}"
    listed = _CHOICES.match(prose, start) if _BEFORE_CHOICE.search(before) else None
    marks = list(_MARK.finditer(prose, start, listed.end())) if listed else []
    ascending = all(int(mark[1]) == rank for rank, mark in enumerate(marks, 1))
    return [mark.span() for mark in marks] if ascending else []


def _names_sources(data: str) -> bool:
    """Whether an object in JSON has a key for what is cited."""
    keys = (key[1].lower().replace("_", " ").split() for key in _KEY.finditer(data))
    return any(is_pointer(word) for words in keys for word in words)


def _menu(prose: str, start: int) -> list[Span]:
    """The marks of a menu of at least two choices that begins at `start`."""
    line = prose[prose.rfind("\n", 0, start) + 1 : start]
    end = prose.find("\n", start)
    if prose[prose.rfind("\n", 0, start) : start].isspace():
        line, end = prose[:start].rstrip().rpartition("\n")[2], len(prose)
    marks: list[re.Match[str]] = []
    for mark in _MARK.finditer(prose, start, end if end >= 0 else len(prose)):
        marks.append(mark)
        if int(mark[1]) != len(marks):
            return []
    if len(marks) < _FEWEST_CHOICES:
        return []
    if names_sources(line) or not _offers(line):
        return []
    asked = line.rstrip()[-1] in "?\uff1f"
    for mark, behind in zip(marks, [*marks[1:], None], strict=True):
        item = prose[mark.end() : behind.start() if behind else end if end >= 0 else len(prose)]
        begun = _ITEM.match(item)
        if begun is None or (behind and _ENDED.search(item)):
            return []
        if begun[0][-1].islower() and not asked and item.split()[0] not in _OPENING_ITEMS:
            return []
    return [mark.span() for mark in marks]


def _offers(line: str) -> bool:
    """Whether what ends with this colon or question mark may open a menu, and is no word for sources."""
    bare = line.rstrip().rstrip(":?\uff1a\uff1f").rstrip()
    word = _LAST_WORD.search(bare[-_WORDS_BEFORE:])
    if word is None:
        return line.rstrip()[-1] in "?\uff1f"
    last = word[1].lower()
    if not last.isascii() and last[-1] >= "\u2e80":
        return last.endswith(tuple(NUMBERING["before_menus"]))
    return not is_pointer(last) and last not in NUMBERING["before_links"]


def citing_code(text: str, spans: Sequence[Span], passages: Passages) -> Iterator[Span]:
    """Those of `spans`, code in a line, that hold no citation, as ``[doc-3]`` does that is known and closes a clause.

    >>> from ragvigil.scorer.trace import Document
    >>> known = Passages.of([Document("doc-3", None)])
    >>> text = "At nine `[doc-3]`, see `rows[1]` and [`doc-3`]."
    >>> list(citing_code(text, [(8, 17), (23, 32), (38, 45)], known))
    [(23, 32)]
    """
    for start, end in spans:
        content = text[start:end].strip("`").strip()
        if content[:1] == "[" and content[-1:] == "]":
            content = content[1:-1]
        elif _is_source(text[max(0, start - _WORDS_BEFORE) : start], content, passages):
            continue
        elif text[start - 1 : start] not in ("[", "(") or text[end : end + 1] not in ("]", ")"):
            yield start, end
            continue
        closes = _CLOSED.match(text, end) is not None
        members = parts(content, passages)[0] if closes and '"' not in content else []
        known = [one for one in members if not one.isdigit() and passages.by_id(one)]
        if not known or not all(passages.by_id(one) or passages.sibling(one) for one in members):
            yield start, end


def _is_source(before: str, content: str, passages: Passages) -> bool:
    """Whether code in a line is an id or a file behind what says so: "according to `doc-3`"."""
    known = passages.by_id(content) is not None and not content.isdigit()
    if not known and not ("." in content and passages.files.of(content).documents):
        return False
    return SAYS.search(before) is not None or PAGE_OF.search(before) is not None
