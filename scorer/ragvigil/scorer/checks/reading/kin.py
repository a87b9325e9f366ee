"""Kin: words of one origin, told by the letters that they begin with; no list of endings knows them all."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import compress
from operator import itemgetter

_SHARED = 4
"""Letters that both begin with, at least."""
_BEGINNING = itemgetter(slice(_SHARED))


class Kin:
    """Stems by how they begin."""

    def __init__(self, stems: Sequence[str], asked: Iterable[str] | None = None) -> None:
        """`asked`: the only words that will be asked about; None: any."""
        begins = frozenset(map(_BEGINNING, stems if asked is None else asked))
        self._found: defaultdict[str, list[str]] = defaultdict(list)
        for stem in compress(stems, map(begins.__contains__, map(_BEGINNING, stems))):
            self._found[stem[:_SHARED]].append(stem)

    def __contains__(self, stem: str) -> bool:
        """Whether one of the stems begins with all but the last letter of `stem`, or begins it but for four letters.

        >>> known = Kin(["know", "availabl", "expect"])
        >>> [one in known for one in ("known", "availabiliti", "experienc", "1234")]
        [True, False, False, False]
        """
        others = self._found.get(stem[:_SHARED])
        if others is None or len(stem) < _SHARED or stem[0].isdecimal():
            return False  # as nearly always
        begins, short = stem[: max(_SHARED, len(stem) - 1)], len(stem) - _SHARED
        return any(one.startswith(begins) or (len(one) >= short and stem.startswith(one)) for one in others)
