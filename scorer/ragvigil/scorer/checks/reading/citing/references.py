"""What an answer says itself about its references: footnote definitions and a list of sources at its end."""

from __future__ import annotations

import re
from collections import deque

from ragvigil.scorer.checks.reading.markup import Span

_DEFINITION = re.compile(r"^[ \t]{0,3}\[(\^?)([^\[\]\n]{1,100})\]:[ \t]*(\S[^\n]{0,2000})$", re.MULTILINE)
_LINKED = re.compile(r"\]\(([^()\s]{1,2000})\)")
_HEADING = re.compile(
    r"^[ \t#*_-]{0,12}(?:sources?|references?|citations?|bibliography|footnotes|notes|fontes|referências|fuentes|"
    r"referencias|références|sources|quellen|quellenangaben|literatur|fonti|riferimenti|bronnen|źródła|источники|"
    r"参考文献|参考资料|来源|出典|参考|출처)[ \t*_]{0,4}[:\uff1a]?[ \t*_]{0,4}$",
    re.MULTILINE | re.IGNORECASE,
)
_ENTRY = re.compile(
    r"^[ \t]{0,6}(?:[-*•][ \t]{1,4})?(?:\[\^?(\d{1,3}|[^\[\]\n]{1,60})\]:?|(\d{1,3})[.)])[ \t]{1,4}(\S[^\n]{0,2000})$",
    re.MULTILINE,
)


def definitions(answer: str) -> list[Span]:
    """Lines that define a footnote or a reference, which are neither citations nor claims.

    >>> definitions("Yes [1].\\n\\nSources:\\n[1] Handbook")
    [(10, 31)]
    """
    spans = [match.span() for match in _DEFINITION.finditer(answer)] if "]:" in answer else []
    section = _section(answer)
    if section is not None:
        entries = list(_ENTRY.finditer(answer, section[1]))
        if entries:
            spans += [section, *(entry.span() for entry in entries)]
            if _contiguous(answer, section[1], [entry.span() for entry in entries]):
                spans = [*spans[: -len(entries) - 1], (section[0], entries[-1].end())]
    return spans


def targets(prose: str) -> dict[str, str]:
    """What each label of a footnote or reference stands for."""
    found = (
        {match[1] + match[2]: _bare(match[3]) for match in _DEFINITION.finditer(prose)}
        if "]:" in prose
        else {}
    )
    section = _section(prose)
    if section is not None:
        for entry in _ENTRY.finditer(prose, section[1]):
            found.setdefault(entry[1] or entry[2], _bare(entry[3]))
    return found


def _section(text: str) -> Span | None:
    """The heading of the last list of sources."""
    if "\n" not in text:
        return None
    headings = deque(_HEADING.finditer(text), maxlen=1)
    return headings[0].span() if headings else None


def _contiguous(text: str, start: int, spans: list[Span]) -> bool:
    edges = [start, *(end for _, end in spans[:-1])]
    return not any(text[edge:first].strip() for edge, (first, _) in zip(edges, spans, strict=True))


def _bare(target: str) -> str:
    linked = _LINKED.search(target)
    if linked:
        return linked[1]
    address = target.split(None, 1)[0].strip("<>")
    return address if "://" in address and target.lstrip().startswith(("<", "http")) else target.strip(" <>")
