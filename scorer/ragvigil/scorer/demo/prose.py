"""Plain prose out of docstrings: paragraphs without code, and the sentences of a paragraph."""

from __future__ import annotations

import inspect
import re

_BLANK_LINES = re.compile(r"\n\s*\n")
_NOT_PROSE = re.compile(r">>>|::\s*$|^\s*(?:[-*+@:|#=~]|\.\. |\w+:\s*$)", re.MULTILINE)
_SIGNATURE = re.compile(r"^[\w.]+\([^\n]*\)(?:\s*(?:->|--)[^\n]*)?$")
_BOUNDARY = re.compile(r"(?<=[a-z0-9)'\"`][.!?])\s+(?=[A-Z`'\"(])")
_ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|etc|vs|cf|No|Dr)\.$")
_UNREADABLE = re.compile(r"[\[\]{}<>|\\=]|\.\.\.|https?:| --? ")
_FEWEST_WORDS, _MOST_WORDS = 5, 45


def paragraphs(docstring: str) -> list[str]:
    """The paragraphs of prose, one line each and closed by a full stop; code, lists and tables are left out.

    >>> paragraphs("Fill a paragraph.\\n\\n    >>> fill('x')\\n\\nLong words\\nare broken")
    ['Fill a paragraph.', 'Long words are broken.']
    """
    found: list[str] = []
    for block in _BLANK_LINES.split(inspect.cleandoc(docstring)):
        if not block or block[0].isspace() or _NOT_PROSE.search(block):
            continue
        lines = [line.strip() for line in block.splitlines() if not _SIGNATURE.match(line.strip())]
        text = " ".join(" ".join(lines).split())
        if text:
            found.append(text if text[-1] in ".!?" else text.rstrip(",;:") + ".")
    return found


def sentences(text: str) -> list[str]:
    """The sentences of one paragraph, verbatim and in order.

    >>> sentences("Return a copy. Tabs, e.g. in code, are kept. Done!")
    ['Return a copy.', 'Tabs, e.g. in code, are kept.', 'Done!']
    """
    found: list[str] = []
    for part in _BOUNDARY.split(text):
        if found and _ABBREVIATION.search(found[-1]):
            found[-1] += " " + part
        else:
            found.append(part)
    return found


def is_readable(sentence: str) -> bool:
    """Whether a sentence reads as prose: 5 to 45 words, without brackets, operators or addresses.

    >>> is_readable("Return the number of items in a container."), is_readable("x[0] = y is set by this.")
    (True, False)
    """
    words = len(sentence.split())
    return _FEWEST_WORDS <= words <= _MOST_WORDS and not _UNREADABLE.search(sentence)
