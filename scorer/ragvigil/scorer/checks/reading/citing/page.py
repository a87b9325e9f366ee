"""One answer while its citations are read: what is found, and the prose that is left to read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from ragvigil.scorer.checks.reading.markup import Span, blank
from ragvigil.scorer.checks.reading.passages import Passages

Style = Literal[
    "id",
    "ordinal",
    "tool",
    "footnote",
    "superscript",
    "link",
    "html",
    "parenthesis",
    "narrative",
    "author_year",
    "custom",
]


class Citation(NamedTuple):
    """One passage that one marker of the answer points at."""

    start: int
    """Offset of the marker's first character in the answer."""
    end: int
    """Offset after its last character."""
    cited: str
    """What the marker says, for example ``doc-3`` or ``2``."""
    id: str | None
    """The retrieved passage it means; None when there is none such."""
    style: Style
    over_broad: bool = False
    """Whether it names a whole document of which only chunks were retrieved."""
    others: tuple[str, ...] = ()
    """Where a document is named: its other retrieved chunks."""

    @property
    def span(self) -> Span:
        """Its place in the answer."""
        return self.start, self.end


class Page:
    """What is left to read of one answer, and what was found; every reader takes its markers out of the prose."""

    def __init__(
        self, prose: str, passages: Passages, targets: Mapping[str, str], usual: Style | None = None
    ) -> None:
        self.prose = prose
        """The answer without code and maths; every offset is that of the answer."""
        self.passages = passages
        self.targets = targets
        """What footnotes and references of the answer itself say, by label."""
        self.usual = usual
        """The style that the service is meant to use; None: not said."""
        self.found: list[Citation] = []
        self._used: list[Span] = []

    @property
    def ranked(self) -> bool:
        """Whether any rank that was retrieved is cited so far."""
        return any(one.style == "ordinal" and one.id is not None for one in self.found)

    def cite(self, span: Span, cited: str, identity: str | None, style: Style) -> None:
        """One citation; its marker is read."""
        self.found.append(Citation(*span, cited, identity, style))
        self._used.append(span)

    def add(self, span: Span, citations: list[Citation]) -> None:
        """What one marker says; nothing leaves it for the next reader."""
        if citations:
            self.found += citations
            self._used.append(span)

    def pass_over(self, span: Span) -> None:
        """No citation, and nothing in it is one."""
        self._used.append(span)

    def turn(self) -> None:
        """Take what was read out of the prose."""
        if self._used:
            self.prose = blank(self.prose, self._used)
            self._used.clear()
