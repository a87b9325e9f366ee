"""Which styles of citation count in a service, and markers of its own."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ragvigil.scorer.checks.reading.citing.listing import listed
from ragvigil.scorer.checks.reading.citing.page import Citation, Page, Style

LONGEST_READ = 20_000
"""Characters of an answer that patterns of a service's own are tried on: `re` cannot be interrupted."""


@dataclass(frozen=True, slots=True)
class Rules:
    """How one service cites."""

    styles: frozenset[Style] | None = None
    """The styles that count; None: all."""
    usual: Style | None = None
    """The style that the service is meant to use; None: not said."""
    counts_from: int | None = None
    """What answers call the first passage, 0 or 1; None: 0 in an answer that cites ``[0]``, else 1."""
    patterns: tuple[re.Pattern[str], ...] = ()
    """Markers of its own; the group ``id``, or the first, holds an id, a rank or a list of them."""

    def allow(self, style: Style) -> bool:
        """Whether citations of this style count; those of the service's own patterns always do."""
        return self.styles is None or style == "custom" or style in self.styles

    def read_own(self, page: Page) -> None:
        """Citations by the service's own patterns."""
        for pattern in self.patterns:
            for match in pattern.finditer(page.prose, 0, LONGEST_READ):
                content = (match["id"] if "id" in pattern.groupindex else match[1]) or ""
                if match.end() > match.start() and content.strip():
                    page.add(match.span(), _own(page, match, content.strip()))
            page.turn()


def _own(page: Page, match: re.Match[str], content: str) -> list[Citation]:
    read = listed(match.span(), content, page.passages, "custom")
    return read or [Citation(*match.span(), content, None, "custom")]


EVERYTHING = Rules()
"""Every style, no patterns."""


def any_style(_service: str) -> Rules:
    """For services of which nothing is known.

    >>> any_style("shop") is EVERYTHING
    True
    """
    return EVERYTHING
