"""HTML: links, and tags that models use to cite (sup, cite, ref, source)."""

from __future__ import annotations

import re

from ragvigil.scorer.checks.reading.citing.listing import listed
from ragvigil.scorer.checks.reading.citing.page import Page, Style
from ragvigil.scorer.checks.reading.citing.superscripts import is_power

_TAG = re.compile(
    r"<(a|sup|cite|ref|source)\b((?:[^<>\"']|\"[^\"\n]{0,2000}\"|'[^'\n]{0,2000}'){0,400}?)(/?)>"
    r"(?:((?:[^<]|<(?!/?(?:a|sup|cite|ref|source)\b)){0,400}|<a\b[^<>]{0,2000}>[^<]{0,200}</a>\s?)</\1>)?",
    re.IGNORECASE,
)
_ATTRIBUTE = re.compile(
    r"(?<![\w-])(href|id|doc|doc_id|source|ref|data-id|data-source|key)\s?=\s?(?:\"([^\"<>]{1,2000})\"|'([^'<>]{1,2000})'|([^\s\"'<>]{1,2000}))",
    re.IGNORECASE,
)
_MARKUP = re.compile(r"<[^<>]{0,2000}>")
_PLAIN_LIST = re.compile(r"[\d\s,;\u2013\[\]()-]{1,40}\Z")


def read_hypertext(page: Page) -> None:
    """Tags whose attribute or content names a passage; the title of a book in <cite> is none."""
    if "<" not in page.prose:
        return
    for match in _TAG.finditer(page.prose):
        _tag(page, match, match[1].lower())
    page.turn()


def _tag(page: Page, match: re.Match[str], tag: str) -> None:
    span, passages = match.span(), page.passages
    content = _MARKUP.sub("", match[4] or "").strip().strip("[]()")
    for name, *values in _ATTRIBUTE.findall(match[2] + " " + (match[4] or "" if tag == "sup" else "")):
        value = "".join(values).rstrip("/") or "".join(values)
        found = passages.by_id(value) or passages.by_address(value)
        if found is not None:
            page.cite(span, value, found, "html")
            return
        linked = name.lower() == "href"
        if (linked and passages.has_addresses and "://" in value) or (
            not linked and tag != "a" and passages.resembles(value)
        ):
            page.cite(span, value, None, "html")
            return
    if tag == "a" or not content or (tag == "sup" and is_power(page.prose, match.start())):
        return
    style: Style = "superscript" if tag == "sup" else "html"
    if passages.by_id(content) or passages.resembles(content) or _PLAIN_LIST.match(content):
        page.add(span, listed(span, content, passages, style))
