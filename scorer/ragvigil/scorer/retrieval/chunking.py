"""Documents cut into chunks: windows of words that overlap, or whole paragraphs below their headings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

_WORD = re.compile(r"\S+")
_BLOCK = re.compile(r"\S(?:.*\S)?(?:\n(?![ \t]*\n)(?!#{1,6} ).*\S)*")
_HEADING = re.compile(r"(#{1,6}) +(.+)")


class Chunk(NamedTuple):
    """A stretch of a document."""

    start: int
    """Offset of its first character."""
    end: int
    headings: tuple[str, ...] = ()
    """Below which it stands, the outermost first."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A way to cut documents."""

    size: int
    """Words of a chunk, at most."""
    overlap: float | None
    """Share of its words that the next chunk has too, in [0, 1); None: by content, paragraph by paragraph."""
    headed: bool = False
    """Whether the document's title and the headings stand in front of each chunk."""

    @property
    def name(self) -> str:
        """As reports call it.

        >>> Cut(256, 0.25, True).name, Cut(512, None).name
        ('256 words, 25% overlap, headed', '512 words, by content')
        """
        how = "by content" if self.overlap is None else f"{self.overlap:.0%} overlap"
        return f"{self.size:,} words, {how}{', headed' if self.headed else ''}"


def chunks_of(text: str, cut: Cut) -> list[Chunk]:
    """The chunks of a document, in its order; together they hold every word.

    >>> [(one.start, one.end) for one in chunks_of("a b c d e", Cut(2, 0.5))]
    [(0, 3), (2, 5), (4, 7), (6, 9)]
    >>> text = "# A\\n\\nb c.\\n\\n## D\\n\\ne."
    >>> [text[one.start : one.end] for one in chunks_of(text, Cut(9, None))]
    ['# A\\n\\nb c.', '## D\\n\\ne.']
    """
    if cut.overlap is None:
        return list(_by_content(text, cut.size))
    words = [(one.start(), one.end()) for one in _WORD.finditer(text)]
    headings = _headings(text)
    step = max(1, round(cut.size * (1.0 - cut.overlap)))
    found: list[Chunk] = []
    for first in range(0, len(words), step):
        window = words[first : first + cut.size]
        found.append(Chunk(window[0][0], window[-1][1], _above(headings, window[0][0])))
        if first + cut.size >= len(words):
            break
    return found


def told(text: str, chunk: Chunk, title: str, *, headed: bool) -> str:
    """What is indexed of a chunk."""
    own = text[chunk.start : chunk.end]
    front = dict.fromkeys(one for one in (title, *chunk.headings) if one) if headed else ()
    return "\n".join((*front, own))


def _by_content(text: str, size: int) -> Iterator[Chunk]:
    """Paragraphs joined as long as they have room and no heading comes between; a longer one is cut by words.

    A heading stays with what it is about.
    """
    headings = _headings(text)
    start = end = -1
    held = 0
    bare = False
    for block in _BLOCK.finditer(text):
        count = len(block[0].split())
        is_heading = _HEADING.fullmatch(block[0]) is not None
        if start >= 0 and not bare and (held + count > size or _HEADING.match(block[0])):
            yield Chunk(start, end, _above(headings, start))
            start, held = -1, 0
        begin = block.start() if start < 0 else start
        if held + count > size:
            for one in chunks_of(text[begin : block.end()], Cut(size, 0.0)):
                yield Chunk(begin + one.start, begin + one.end, _above(headings, begin + one.start))
            start, held, bare = -1, 0, False
            continue
        bare = is_heading and (bare or start < 0)
        start, end, held = begin, block.end(), held + count
    if start >= 0:
        yield Chunk(start, end, _above(headings, start))


def _headings(text: str) -> list[tuple[int, int, str]]:
    """(place, depth, words) of each heading of Markdown."""
    found = re.finditer(rf"^{_HEADING.pattern}", text, re.MULTILINE)
    return [(one.start(), len(one[1]), one[2].strip()) for one in found]


def _above(headings: Sequence[tuple[int, int, str]], place: int) -> tuple[str, ...]:
    """Those below which a place stands."""
    path: list[tuple[int, str]] = []
    for start, depth, words in headings:
        if start > place:
            break
        path = [*((above, one) for above, one in path if above < depth), (depth, words)]
    return tuple(words for _, words in path)
