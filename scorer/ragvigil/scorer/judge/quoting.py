"""Whether a quotation stands in a text, however the model spaced it or turned its quotation marks."""

from __future__ import annotations

import re
import unicodedata

_SPACES = re.compile(r"\s+")
_MARKS = str.maketrans(
    {
        **dict.fromkeys("\u201c\u201d\u201e\u00ab\u00bb", '"'),
        **dict.fromkeys("\u2018\u2019", "'"),
        **dict.fromkeys("\u2010\u2011\u2013\u2014", "-"),
        "\u2026": "...",
    }
)
_EDGES = " \"'.,;:!?"
_FEWEST_CHARACTERS = 3


def found_in(quote: str, text: str) -> bool:
    """Whether `text` holds the quotation word for word; case, spaces and the shape of marks do not count.

    A quotation with a gap ("...") is found when its parts are, in their order.

    >>> found_in("opens at  NINE ...  on Saturdays", "It opens at nine on weekdays and at ten on Saturdays.")
    True
    >>> found_in("opens at ten on weekdays", "It opens at nine on weekdays and at ten on Saturdays.")
    False
    """
    whole, place = _plain(text), 0
    parts = [part.strip(_EDGES) for part in _plain(quote).split("...")]
    told = [part for part in parts if part]
    if sum(map(len, told)) < _FEWEST_CHARACTERS:
        return False
    for part in told:
        at = whole.find(part, place)
        if at < 0:
            return False
        place = at + len(part)
    return True


def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).translate(_MARKS).casefold()
    return _SPACES.sub(" ", folded)
