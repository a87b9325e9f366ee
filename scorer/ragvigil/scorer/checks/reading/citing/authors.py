"""Author-year citations, resolved against what is known of the passages."""

from __future__ import annotations

import re

from ragvigil.scorer.checks.reading.citing.page import Citation, Page
from ragvigil.scorer.checks.reading.markup import Span
from ragvigil.scorer.checks.reading.passages import Passages

_NAME = (
    r"(?:(?:van|von|de|der|den|da|di|la|le|el|al)\s)?"
    r"[^\W\d_a-z](?:['\u2019][^\W\d_a-z])?[^\W\d_]{1,40}(?:[-'\u2019][^\W\d_]{1,30})?"
)
_AND = r"(?:,?\s(?:&|and|und|y|e|et|en)\s)"
_OTHERS = r"(?:et\sal|и\sдр|u\.\s?a|y\sotros|e\soutros|et\scoll)"  # noqa: RUF001 - Russian
_NAMES = rf"{_NAME}(?:(?:\s|,\s){_NAME}){{0,4}}(?:{_AND}{_NAME})?(?:,?\s{_OTHERS}\.?|等)?"
_PART = re.compile(
    rf"(?:(?:see(?: also)?|e\.g\.,?|cf\.|vgl\.|siehe|ver|véase|voir|z\.\s?B\.)\s)?({_NAMES})[,\uff0c]?\s?"
    r"((?:1[89]|20)\d\d)[a-z]?(?:[,:]\s?(?:pp?\.|S\.|p\.|ch\.)?\s?[\d\u2013-]{1,12})?\Z"
)
_YEAR_ALONE = re.compile(r"\(((?:1[89]|20)\d\d)[a-z]?\)")
_NARRATIVE = re.compile(rf"({_NAME}(?:(?:,\s{_NAME}){{0,3}}{_AND}{_NAME})?(?:\set\sal\.)?)\s\Z")
_WORD = re.compile(r"[^\W\d_]{2,40}")
_NO_NAMES = frozenset({"et", "al", "and", "und", "the", "др"})
_LONGEST_NAMES = 80


def author_years(span: Span, content: str, passages: Passages) -> list[Citation]:
    """``Smith & Doe, 2020; Chen et al., 2019``: each part that names a passage, and those that look like they do."""
    if "1" not in content and "2" not in content:
        return []
    read: list[Citation] = []
    for part in _entries(content):
        match = _PART.match(part.strip())
        if match is None:
            return []
        found = passages.by_author(surnames(match[1]), match[2])
        if found is None and not _is_plural(match[1]):
            return []
        read.append(Citation(*span, part.strip(), found, "author_year"))
    return read if passages.has_authors or any(one.id for one in read) else []


def _entries(content: str) -> list[str]:
    """The works of a list; the names before a year may be parted by semicolons, too: SILVA; SOUZA, 2019."""
    found: list[str] = []
    names: list[str] = []
    for part in content.split(";"):
        names.append(part.strip())
        if any(map(str.isdigit, part)):
            found.append(", ".join(names))
            names.clear()
    return [*found, *names]


def read_narrative_authors(page: Page) -> None:
    """``Smith and Doe (2020)``: names before a year in parentheses."""
    if "(" not in page.prose or ("(1" not in page.prose and "(2" not in page.prose):
        return
    for match in _YEAR_ALONE.finditer(page.prose):
        start = max(0, match.start() - _LONGEST_NAMES)
        names = _NARRATIVE.search(page.prose[start : match.start()])
        if names is None:
            continue
        found = page.passages.by_author(surnames(names[1]), match[1])
        if found is not None or (_is_plural(names[1]) and page.passages.has_authors):
            page.cite((start + names.start(1), match.end()), f"{names[1]} {match[1]}", found, "author_year")
    page.turn()


def surnames(names: str) -> list[str]:
    """The words of a list of names.

    >>> surnames("Smith & Doe et al.")
    ['Smith', 'Doe']
    """
    return [word.rstrip("等") for word in _WORD.findall(names) if word.lower() not in _NO_NAMES]


def _is_plural(names: str) -> bool:
    """Whether it can hardly be anything but authors."""
    return "et al" in names or "&" in names
