"""Kin: words of one origin, told by the letters that they begin with; no list of endings knows them all."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from ragvigil.scorer.checks.reading.vocabulary import BEGINNING


class Kin:
    """Stems by how they begin."""

    def __init__(self, stems: Iterable[str]) -> None:
        self._found: defaultdict[str, list[str]] = defaultdict(list)
        for stem in stems:
            self._found[stem[:BEGINNING]].append(stem)

    def __contains__(self, stem: str) -> bool:
        """Whether one of the stems begins with all but the last letter of `stem`, or begins it but for four letters.

        >>> known = Kin(["know", "availabl", "expect"])
        >>> [one in known for one in ("known", "availabiliti", "experienc", "1234")]
        [True, False, False, False]
        """
        others = self._found.get(stem[:BEGINNING])
        if others is None or len(stem) < BEGINNING or stem[0].isdecimal():
            return False  # as nearly always
        begins, short = stem[: max(BEGINNING, len(stem) - 1)], len(stem) - BEGINNING
        return any(one.startswith(begins) or (len(one) >= short and stem.startswith(one)) for one in others)
