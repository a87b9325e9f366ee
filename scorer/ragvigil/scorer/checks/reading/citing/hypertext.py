"""HTML: links, and tags that models use to cite (sup, cite, ref, source)."""

from __future__ import annotations

import re

from ragvigil.scorer.checks.reading.citing.listing import listed, ordinals, ranked
from ragvigil.scorer.checks.reading.citing.page import Page, Style
from ragvigil.scorer.checks.reading.citing.superscripts import is_power
from ragvigil.scorer.checks.reading.markup import Span
from ragvigil.scorer.checks.reading.passages import Passages

_TAG = re.compile(
    r"<(a|sup|co|cite|citation|ref|source|source_id|doc|document)\b((?:[^<>\"']|\"[^\"\n]{0,2000}\"|'[^'\n]{0,2000}'){0,400}?)(/?)>"
    r"(?:((?:[^<]|<(?!/?(?:a|sup|co|cite|citation|ref|source|source_id|doc|document)\b)){0,400}|<(a|sup|cite|ref)\b[^<>]{0,2000}>[^<]{0,200}</\5>\s?)</\1>)?",
    re.IGNORECASE,
)
_ATTRIBUTE = re.compile(
    r"(?<![\w-])(href|id|index|name|doc|doc_id|source|ref|data-id|data-source|key)\s?=\s?(?:\"([^\"<>]{1,2000})\"|'([^'<>]{1,2000})'|([^\s\"'<>]{1,2000}))",
    re.IGNORECASE,
)
_MARKUP = re.compile(r"<[^<>]{0,2000}>")
_LINKED = re.compile(r"\]\([^()\s]{0,2000}\)")
_PLACES = re.compile(r"(?<![\d:-])(\d{1,3})-\d")
"""Of ``index="0-3,2-1:4"``, passages with their sentences."""
_SPAN = re.compile(r"</co:\s?([\d,:\s\[\]]{1,60})>")
"""The end of what Cohere's models mark as cited, with places that count from 0: ``</co: 0,2>``, ``</co: 0:[1,2]>``."""
_NUMBER = re.compile(r"\d{1,3}")
_FEWEST_WORDS = 4
_PLAIN_LIST = re.compile(r"[\d\s,;\u2013\[\]()-]{1,40}\Z")


def read_hypertext(page: Page) -> None:
    """Tags whose attribute or content names a passage; the title of a book in <cite> is none."""
    if "<" not in page.prose:
        return
    for match in _SPAN.finditer(page.prose):
        places = dict.fromkeys(map(int, _NUMBER.findall(match[1].rpartition(":")[2])))
        for place in places:
            page.cite(match.span(), str(place), page.passages.by_place(place), "html")
    for match in _TAG.finditer(page.prose):
        _tag(page, match, match[1].lower())
    page.turn()


def _tag(page: Page, match: re.Match[str], tag: str) -> None:
    passages = page.passages
    content = _LINKED.sub("]", _MARKUP.sub("", match[4] or "")).strip().strip("[]()")
    span = match.span()
    if len(content.split()) >= _FEWEST_WORDS:  # what such a tag is around is the claim, its end the marker
        span = match.end(4), match.end()
        page.pass_over((match.start(), match.start(4)))
    if _by_attributes(page, match, tag, span, content):
        return
    if tag == "a" or not content:
        return
    if tag == "sup" and is_power(page.prose, match.start(), (match[4] or "").strip()):
        return
    style: Style = "superscript" if tag == "sup" else "html"
    if passages.by_id(content) or passages.resembles(content) or _PLAIN_LIST.match(content):
        page.add(span, listed(span, content, passages, style))


def _by_attributes(page: Page, match: re.Match[str], tag: str, span: Span, content: str) -> bool:
    """Whether an attribute of a tag around `content` cites something, which `page` then holds."""
    passages = page.passages
    for name, *values in _ATTRIBUTE.findall(match[2] + " " + (match[4] or "" if tag == "sup" else "")):
        value = "".join(values).rstrip("/") or "".join(values)
        if name.lower() == "name" and tag != "ref":
            continue  # an anchor's name, or a form's
        if name.lower() == "index":
            page.add(span, ranked(span, _indexed(value, passages), passages, "html"))
            return True
        linked = name.lower() == "href"
        if _attributed(page, span, tag, value, linked=linked):
            return True
        if linked and value.startswith("#") and _PLAIN_LIST.match(content):
            page.add(match.span(), listed(match.span(), content, passages, "html"))
            return True
    return False


def _indexed(value: str, passages: Passages) -> list[int]:
    """The places that an attribute `index` names."""
    places = [*dict.fromkeys(map(int, _PLACES.findall(value)))]
    least = passages.counts_from
    return places or [rank for one in value.split(",") for rank in ordinals(one.strip(), least)]


def _attributed(page: Page, span: Span, tag: str, value: str, *, linked: bool) -> bool:
    """Whether the value of an attribute, or the address of a link, cites something, which `page` then holds."""
    passages = page.passages
    found = passages.by_id(value) or passages.by_address(value)
    if found is not None:
        page.cite(span, value, found, "html")
    elif passages.may_come_from(value) if linked else tag != "a" and passages.resembles(value):
        page.cite(span, value, None, "html")
    elif tag not in ("a", "sup") and (ranks := ordinals(value, passages.counts_from)):
        page.add(span, ranked(span, ranks, passages, "html"))
    else:
        return False
    return True
