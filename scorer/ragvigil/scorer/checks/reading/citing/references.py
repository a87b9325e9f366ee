"""What an answer says itself about its references: footnote definitions and a list of sources at its end."""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass
from typing import Literal

from ragvigil.scorer.checks.reading.markup import Span

_DEFINITION = re.compile(r"^[ \t]{0,3}\[(\^?)([^\[\]\n]{1,100})\]:[ \t]*(\S[^\n]{0,2000})$", re.MULTILINE)
RAISED = "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"
"""Superscript digits."""
_NOTE = re.compile(rf"^[ \t]{{0,3}}([{RAISED}]{{1,3}})[ \t]{{0,2}}(\S[^\n]{{0,400}})$", re.MULTILINE)
_PLAIN = str.maketrans(RAISED, "0123456789")
_MOST_NOTES = 200
_LINKED = re.compile(r"\]\(([^()\s]{1,2000})\)")
_NAMES = (
    r"sources?(?:\(s\))?(?:[ ]documents?)?|references?|citations?|bibliography|fontes?(?:\(s\))?|referências|"
    r"fuentes?|referencias|références|quellen?|quellenangaben|nachweise|literatur|fonti?|riferimenti|bron(?:nen)?|"
    r"źródł[ao]|источники?|kaynak(?:lar)?|参考文献|参考资料|资料来源|来源|來源|出典|参照|参考|출처|المصدر|المصادر|"
    r"参考資料|參考資料|資料來源|引用元|引用文献|출처 ?목록|참고 ?(?:자료|문헌)|المراجع|"
    r"källor|kilder|lähteet|zdroje|források|izvori|surse|sumber|daftar pustaka|nguồn|tài liệu tham khảo|πηγές|"
    r"מקורות|स्रोत|संदर्भ|منابع|kaynakça|джерела|список литературы"
)
_SIGN = "\u2190-\u2bff\ufe0f\U0001f300-\U0001faff"
"""Arrows and pictures, which many put before such a word."""
_USED = (
    r"used|cited|consulted|consultad[ao]s|utilizad[ao]s|usad[ao]s|citad[ao]s|utilisées|consultées|citées|consultate|"
    r"utilizzate|citate|geraadpleegd|wykorzystane"
)
_USED_BEFORE = (
    r"used|cited|consulted|verwendete|genutzte|zitierte|gebruikte|geraadpleegde|wykorzystane|использованные"
)
_SOURCES = rf"(?:(?:{_USED_BEFORE})[ ])?(?:{_NAMES})(?:[ ](?:{_USED}))?"
_HEADING = re.compile(
    rf"^[ \t#*_{_SIGN}-]{{0,12}}(?:(footnotes|notes)|{_SOURCES})[ \t*_]{{0,4}}[:\uff1a]?[ \t*_]{{0,4}}$",
    re.MULTILINE | re.IGNORECASE,
)
_LABELLED = re.compile(
    rf"[ \t#*_>({_SIGN}-]{{0,12}}(?:{_SOURCES})[ \t*_]{{0,4}}(?:[:\uff1a]|$)", re.IGNORECASE | re.MULTILINE
)
_LABEL = re.compile(
    rf"^[ \t#*_>({_SIGN}-]{{0,12}}(?:{_SOURCES})[ \t*_]{{0,4}}[:\uff1a][ \t*_]{{0,4}}",
    re.IGNORECASE | re.MULTILINE,
)
_LONGEST_LABEL, _LONGEST_LINE, _MOST_LABELS = 60, 400, 200
_ENTRY = re.compile(
    r"^[ \t]{0,6}(?:[-*•][ \t]{1,4})?(?:\[\^?(\d{1,3}|[^\[\]\n]{1,60})\]:?|(\d{1,3})[.)])[ \t]{1,4}(\S[^\n]{0,2000})$",
    re.MULTILINE,
)
_SET_OFF = re.compile(r"\n[ \t]*\n[ \t]*(?:[-*_]{3,20}[ \t]*\n\s*)?\Z")
_LABELLED_LINE = re.compile(
    r"^[ \t]{0,3}\[(\d{1,3}|[A-Za-z*\u2020])\][ \t]{1,4}(\S[^\n]{0,2000})$", re.MULTILINE
)
_OPENING = re.compile(r"\[cite_start\][ ]?|<co(?::[\d,\s]{0,40})?>(?![\d,\s]{1,40}</co>)")
"""Where what Gemini and Cohere cite begins; the citation stands at its end."""
_EMPTY = re.compile(r"[ \t]*\n")
_BULLET = re.compile(r"^[ \t]{0,6}(?:[-*•‣\u2013][ \t]{1,4}|[・·][ \t]{0,4})(\S[^\n]{0,300})$", re.MULTILINE)


Kind = Literal["definition", "bracketed", "numbered", "note"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One source that an answer lists."""

    span: Span
    """The place of its label, brackets included; of the whole entry where that is only numbered."""
    label: str
    target: str
    """What is said of it: an address, an id, a title or other words."""
    kind: Kind
    """A definition outside a list; an entry with its label in brackets, or only numbered; a note."""


def definitions(answer: str) -> list[Span]:
    """Lines that define a footnote or a reference, and signs before what is cited: neither citations nor claims.

    >>> definitions("Yes [1].\\n\\nSources:\\n[1] Handbook")
    [(10, 31)]
    """
    spans = [match.span() for match in _DEFINITION.finditer(answer)] if _may_define(answer) else []
    if ("<" in answer and "<co" in answer) or "[cite_start]" in answer:
        spans += [match.span() for match in _OPENING.finditer(answer)]
    spans += [note.span() for note in _notes(answer)]
    spans += [line.span() for line in _labelled_lines(answer)]
    section = _section(answer)
    if section is not None:
        entries = list(_ENTRY.finditer(answer, section[1]))
        if entries:
            spans += [section, *(entry.span() for entry in entries)]
            if _contiguous(answer, section[1], [entry.span() for entry in entries]):
                spans = [*spans[: -len(entries) - 1], (section[0], entries[-1].end())]
    return spans


def _may_define(text: str) -> bool:
    return ":" in text and "]:" in text


def targets(prose: str) -> dict[str, str]:
    """What each label of a footnote or reference stands for."""
    found = (
        {match[1] + match[2].rstrip("^"): _bare(match[3]) for match in _DEFINITION.finditer(prose)}
        if _may_define(prose)
        else {}
    )
    for note in _notes(prose):
        found.setdefault("^" + note[1].translate(_PLAIN), note[2])
    for line in _labelled_lines(prose):
        found.setdefault(line[1], _bare(line[2]))
    section = _section(prose)
    if section is not None:
        for entry in _ENTRY.finditer(prose, section[1]):
            found.setdefault(entry[1] or entry[2], _bare(entry[3]))
    return found


def _notes(text: str) -> list[re.Match[str]]:
    """The lines at the end of `text` that say what its superscripts stand for.

    >>> [note[2] for note in _notes("Nine¹, not ten.²\\n\\n¹ Handbook\\n² Rules")]
    ['Handbook', 'Rules']
    """
    if text.isascii():
        return []
    found = _at_the_end(_NOTE, text)
    above = text[: found[0].start()] if found else text
    return [note for note in found if note[1] in above]


def _labelled_lines(text: str) -> list[re.Match[str]]:
    """The lines at the end of `text`, below an empty line or a rule, each with a label that stands in the text before.

    >>> [line[1] for line in _labelled_lines("Nine [a], not ten [b].\\n\\n[a] doc-1\\n[b] doc-2")]
    ['a', 'b']
    """
    if "\n" not in text or "\n[" not in text:
        return []
    found = _at_the_end(_LABELLED_LINE, text)
    above = text[: found[0].start()] if found else text
    if not _SET_OFF.search(above[-_LONGEST_LABEL:]) or not all(f"[{line[1]}]" in above for line in found):
        return []
    return found


def _at_the_end(line: re.Pattern[str], text: str) -> list[re.Match[str]]:
    """What `text` ends with: each `line` that nothing stands behind but others, in order."""
    found: deque[re.Match[str]] = deque()
    start = len(text)
    for one in reversed(deque(line.finditer(text), maxlen=_MOST_NOTES)):
        if text[one.end() : start].strip():
            break
        found.appendleft(one)
        start = one.start()
    return list(found)


def entries(prose: str) -> list[Entry]:
    """The sources that the answer lists, in order.

    >>> [(one.label, one.target, one.kind) for one in entries("Yes.\\n\\nSources:\\n- [1] Handbook\\n- [2] Rules")]
    [('1', 'Handbook', 'bracketed'), ('2', 'Rules', 'bracketed')]
    """
    found: dict[int, Entry] = {}
    for match in _DEFINITION.finditer(prose) if _may_define(prose) else ():
        place = prose.index("[", match.start())
        found[place] = Entry((place, match.end(2) + 1), match[2], _bare(match[3]), "definition")
    heading = _heading(prose)
    for match in _ENTRY.finditer(prose, heading.end()) if heading else ():
        bracketed = match[1] is not None
        place = prose.index("[", match.start()) if bracketed else match.start(2)
        end = match.end(1) + 1 if bracketed else match.start(3) + len(match[3].rstrip())
        kind: Kind = "note" if heading and heading[1] else "bracketed" if bracketed else "numbered"
        found[place] = Entry((place, end), match[1] or match[2], _bare(match[3]), kind)
    return [found[place] for place in sorted(found)]


def unlabelled(prose: str) -> list[Span]:
    """What stands behind ``Source:`` on its line, or in a bullet below such a line, without a label of its own.

    >>> text = "Yes.\\n\\nSources:\\n- Handbook, p. 3\\n- Rules"
    >>> [text[start:end] for start, end in unlabelled(text)]
    ['Handbook, p. 3', 'Rules']
    """
    found: list[Span] = []
    named = [match for match in _LABEL.finditer(prose) if match.end() - match.start() <= _LONGEST_LABEL]
    heading = _heading(prose)
    if heading is not None and not heading[1] and not any(heading.start() == one.start() for one in named):
        named.append(heading)
    for label in named[-_MOST_LABELS:]:
        line_end = prose.find("\n", label.end())
        line = (label.end(), line_end if line_end >= 0 else len(prose))
        if prose[line[0] : min(line[1], line[0] + _LONGEST_LINE)].strip(" \t*_"):
            found += [line] if line[1] - line[0] <= _LONGEST_LINE else []
            continue
        below = line[1] + 1
        if empty := _EMPTY.match(prose, below):
            below = empty.end()
        while (bullet := _BULLET.match(prose, below)) is not None:
            found.append(bullet.span(1))
            below = bullet.end() + 1
    return found


def names_sources(line: str) -> bool:
    """Whether a line begins a list of sources, as ``**Sources:**`` and ``Source: [1]`` do.

    >>> names_sources("**Sources:**"), names_sources("Quellen: [1], [2]"), names_sources("Sources say so.")
    (True, True, False)
    """
    return _LABELLED.match(line) is not None


def _section(text: str) -> Span | None:
    heading = _heading(text)
    return heading.span() if heading else None


def _heading(text: str) -> re.Match[str] | None:
    """The heading of the last list of sources; its first group is there when it is one of notes."""
    if "\n" not in text:
        return None
    headings = deque(_HEADING.finditer(text), maxlen=1)
    return headings[0] if headings else None


def _contiguous(text: str, start: int, spans: list[Span]) -> bool:
    edges = [start, *(end for _, end in spans[:-1])]
    return not any(text[edge:first].strip() for edge, (first, _) in zip(edges, spans, strict=True))


def _bare(target: str) -> str:
    linked = _LINKED.search(target)
    if linked:
        return linked[1]
    address = target.split(None, 1)[0].strip("<>")
    return address if "://" in address and target.lstrip().startswith(("<", "http")) else target.strip(" <>")
