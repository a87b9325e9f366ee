"""Words by which two things have, or have not, a part each in what a sentence tells: data/roles.json."""

from __future__ import annotations

from ragvigil.scorer.checks.alignment.swaps import form_of
from ragvigil.scorer.checks.reading.words import words
from ragvigil.scorer.data import read_data

_DATA = read_data("roles.json")


def _listed(kind: str) -> frozenset[str]:
    return frozenset(_DATA[kind]["words"])


ARTICLES = _listed("articles")
SUBJECTS = _listed("subjects")
OBJECTS = _listed("objects")
CLITICS = _listed("clitics")
WAYS = _listed("ways")
LINKING = _listed("linking")
LOOSE = _listed("loose")
BEING = _listed("being")
BEFORE_THINGS = _listed("before things")
JOINTS = _listed("joints")
MUTUAL = _listed("mutual")
EITHER_WAY = _listed("either way")
JOURNEYS = _listed("journeys")
DIRECTED = frozenset(form_of(word.stem) for word in words(" ".join(_DATA["directed"]["words"])))
"""Forms, as `form_of` has them, of verbs whose two sides cannot be exchanged."""
ORDERED = ("en", "fr")
"""Languages in which the order of words tells who does it to whom."""
