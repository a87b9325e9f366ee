"""Markdown links, reference links and bare addresses."""

from __future__ import annotations

import re

from ragvigil.scorer.checks.reading.citing.listing import filed, listed, named, ordinals
from ragvigil.scorer.checks.reading.citing.page import Page
from ragvigil.scorer.checks.reading.markup import Span

_TARGET = r"(?=[!-~])(?:[^()\s]|\([^()\s]{0,200}\)){1,2000}"
"""An address, which may hold parentheses in pairs, as those of Wikipedia do; a remark in Chinese is none."""
_NESTED = re.compile(rf"\[ ?\[([^\[\]\n]{{1,100}})\] ?\]\(({_TARGET})\)")
_LINK = re.compile(rf"\[([^\[\]\n]{{1,300}})\]\(({_TARGET})(?:\s{{1,3}}[\"'][^\"'\n]{{0,200}}[\"'])?\)")
_REFERENCE = re.compile(r"\[([^\[\]\n]{1,300})\]\[([^\[\]\n]{1,100})\]")
_ADDRESS = re.compile(
    r"<https?://[^\s<>]{1,2000}>|https?://(?:[^\s<>()\[\]\"'\uff0c。、]|\([^\s<>()\[\]]{0,200}\)){1,2000}"
)
_FEWEST_WORDS = 4
"""Of a link's text that is rather a claim than the name of a source."""
_PLACE = re.compile(
    r"#(?:ref|cite|citation|source|fn|doc|note|user-content-fn)?[-_:]?(.{1,100})\Z", re.IGNORECASE
)


def read_links(page: Page) -> None:
    """Links between brackets; a picture, a mail address or a link to elsewhere on the page is none."""
    if "(" in page.prose and "](" in page.prose:
        for match in _NESTED.finditer(page.prose):
            _link(page, match.span(), match[1], match[2])
        page.turn()
        for match in _LINK.finditer(page.prose):
            if page.prose[match.start() - 1 : match.start()] == "!":
                page.pass_over(match.span())
            else:
                _link(page, match.span(), match[1], match[2])
        page.turn()
    if page.targets and "][" in page.prose:
        for match in _REFERENCE.finditer(page.prose):
            if match[2] in page.targets and not (ordinals(match[1]) and ordinals(match[2])):
                _link(page, match.span(), match[1], page.targets[match[2]])
        page.turn()


def read_addresses(page: Page) -> None:
    """Bare addresses of retrieved passages; another address is no citation."""
    if "://" not in page.prose or not page.passages.has_addresses:
        return
    for match in _ADDRESS.finditer(page.prose):
        address = match[0].rstrip(".,;:!?*_")
        found = page.passages.by_address(address)
        if found is not None:
            page.cite((match.start(), match.start() + len(address)), address.strip("<>"), found, "link")
    page.turn()


def _link(page: Page, span: Span, text: str, target: str) -> None:
    passages = page.passages
    page.pass_over(span)
    if len(text.split()) >= _FEWEST_WORDS and passages.by_title(text) is None:
        span = page.prose.find("]", span[0] + len(text)), span[1]  # the text is the claim
    found = (
        passages.by_address(target)
        or passages.by_id(target.removeprefix("./"))
        or passages.by_id(text)
        or passages.by_path(target)
    )
    pages = [] if found or "://" in target else filed(span, target.removeprefix("./"), passages, "link")
    if pages and pages[0].id is None:
        page.add(span, pages)
    elif found or pages:
        page.cite(span, target, found or pages[0].id, "link")
    elif place := _PLACE.match(target):
        _place(page, span, text, place)
    elif target == "#" and named(text.strip("[] "), passages.counts_from):
        page.add(span, listed(span, text.strip("[] "), passages))
    elif passages.may_come_from(target):
        page.cite(span, target, None, "link")
    elif text.isdigit():
        page.add(span, listed(span, text, passages))


def _place(page: Page, span: Span, text: str, place: re.Match[str]) -> None:
    """A link to a place on the page: an id, one like it, or ranks where its `text` is those."""
    passages, target, bare = page.passages, place.string[1:], text.strip("[] ")
    known = passages.by_id(target) or passages.by_id(place[1])
    if known is not None or passages.kindred(target):
        page.cite(span, target, known, "link")
    elif bare.isdigit() or named(bare, passages.counts_from):
        page.add(span, listed(span, bare, passages))
