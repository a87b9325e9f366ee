"""Titles that keep their figures: what names things gives way, not what ends the line. Pure."""

from __future__ import annotations

from collections.abc import Callable

from ragvigil.exporters import TITLE_CHARACTERS, clean

CHARACTERS = TITLE_CHARACTERS - len("Escalated: ")
"""So long a title is at most: before it there is room to say that it is told again."""

SERVICE_CHARACTERS = 40
_ROOMS = (SERVICE_CHARACTERS, 30, 20, 12)


def fitted(titled: Callable[[int], str]) -> str:
    """The first title that fits, of those with less and less room (characters) for each name.

    >>> fitted(lambda room: f"Faithfulness of {'x' * 99:.{room}} fell to 3 %")
    'Faithfulness of xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx fell to 3 %'
    """
    titles = [titled(room) for room in _ROOMS]
    return next((title for title in titles if len(title) <= CHARACTERS), clean(titles[-1], limit=CHARACTERS))
