"""What a text must hold for a pattern to be found in it, worked out from the pattern itself.

    python -m tests.scorer.checks.needed

renews data/needs: for each language and pattern of a refusal the parts of words of which a text must hold one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import ragvigil.scorer.data
from ragvigil.scorer.checks.reading.patterns import PART, choices

NEEDS = Path(ragvigil.scorer.data.__file__).parent / "needs"
NOTHING = frozenset({""})
"""Is held by every text."""
_DATA: Any = json.loads(files("ragvigil.scorer.data").joinpath("abstention.json").read_text("utf-8"))
LANGUAGES = tuple(_DATA["languages"])
_EVERYWHERE = frozenset(
    re.findall(
        r"\S+",
        "a an the of and or is are was were in on to by for it can be do does did i we est pas lo se si "
        "that this these there them with have has will would from only your about what first more need get "
        "which how no you been had one our much make made makes got",
    )
)
_DENYING = frozenset(
    re.findall(
        r"\S+",
        "not don't doesn't didn't can't cannot couldn't isn't aren't wasn't weren't won't wouldn't haven't "
        "não no ne n' pas nicht kein non niet geen nie не",
    )
)
_LITTLE = 1
_TIMES = re.compile(r"(?:[?*+]|\{\d*,?\d*\})[?+]?")
_MAY_BE_ABSENT = ("?", "*", "{0", "{,")
_NO_WIDTH = frozenset({r"\b", r"\Z", "^", "$"})
_ASIDE = ("(?!", "(?=", "(?<")
_MOST_SPELLINGS = 64


@dataclass(frozen=True, slots=True)
class Needed:
    """One choice of a pattern: of each of `sets` a text must hold one, and one of the choices in each of `groups`."""

    sets: tuple[frozenset[str], ...]
    groups: tuple[tuple[Needed, ...], ...]


def needed(pattern: str) -> tuple[Needed, ...]:
    """What each choice of `pattern` needs. Of what looks ahead or behind nothing is asked."""
    return tuple(map(_needed, choices(pattern)))


def wanted(way: Needed) -> tuple[frozenset[str], ...]:
    """Of each set a text must hold something where it is found so; the rarest first."""
    sets = {fewest(one) for one in (*way.sets, *map(either, way.groups)) if "" not in one}
    return tuple(sorted(sets, key=lambda one: (_expected(one), sorted(one))))


def either(ways: Iterable[Needed]) -> frozenset[str]:
    """What a text must hold something of where it is found in any of these ways; `NOTHING`: there may be any."""
    return frozenset[str]().union(*(next(iter(wanted(way)), NOTHING) for way in ways))


def telling(spellings: Iterable[str]) -> frozenset[str]:
    """Of each spelling the part of a word that tells the most."""
    return fewest(
        max(one.split() or [one], key=lambda word: (_worth(word), len(word), word)) for one in spellings
    )


def fewest(spellings: Iterable[str]) -> frozenset[str]:
    """Those that hold none of the others."""
    every = frozenset(spellings)
    return frozenset(one for one in every if not any(other in one for other in every - {one}))


def _expected(spellings: frozenset[str]) -> tuple[int, int]:
    """How much one of them is to be expected in any sentence: how many tell little, and the shortest word."""
    worth = [_worth(word) for word in telling(spellings)]
    return sum(one <= _LITTLE for one in worth), -min(worth)


def _worth(word: str) -> int:
    """How little a part of a word is to be expected in any sentence; 0 where any that denies something has it."""
    if word in _DENYING or (len(word) == 1 and word.isascii()):
        return 0
    return _LITTLE if word in _EVERYWHERE else len(word) + _LITTLE


def _needed(choice: str) -> Needed:
    sets: list[frozenset[str]] = []
    groups: list[tuple[Needed, ...]] = []
    said = NOTHING
    for element, times in elements(choice):
        spelt = _spelt(element, times)
        longer = frozenset({one + more for one in said for more in spelt or ()})
        if spelt and len(longer) <= _MOST_SPELLINGS:
            said = longer
            continue
        sets.append(said)
        said = spelt or NOTHING
        if spelt is None and element.startswith("(?:") and not times.startswith(_MAY_BE_ABSENT):
            groups.append(needed(element[3:-1]))
    return Needed(tuple(one for one in (*sets, said) if "" not in one), tuple(groups))


def elements(choice: str) -> Iterator[tuple[str, str]]:
    """Each character, class or group of a choice, and how many times it stands there."""
    start = 0
    while start < len(choice):
        depth, end = 0, start
        for part in PART.finditer(choice, start):
            depth += (part[0] == "(") - (part[0] == ")")
            end = part.end()
            if not depth:
                break
        times = _TIMES.match(choice, end)
        after = times.end() if times else end
        yield choice[start:end], choice[end:after]
        start = after


def _spelt(element: str, times: str) -> frozenset[str] | None:
    """All that an element may stand for; None where that is too much to be told."""
    if element in _NO_WIDTH or element.startswith(_ASIDE):
        return NOTHING
    if times not in ("", "?"):
        return None
    if element.startswith("(?:"):
        found = _spelt_out(element[3:-1])
    else:
        found = frozenset({element}) if len(element) == 1 and element != "." else None
    return found | NOTHING if found and times else found


def _spelt_out(pattern: str) -> frozenset[str] | None:
    """All that a pattern may stand for."""
    found: set[str] = set()
    for choice in choices(pattern):
        said = NOTHING
        for element, times in elements(choice):
            spelt = _spelt(element, times)
            if spelt is None or len(said) * len(spelt) > _MOST_SPELLINGS:
                return None
            said = frozenset({one + more for one in said for more in spelt})
        found |= said
    return frozenset(found) if len(found) <= _MOST_SPELLINGS else None


@cache
def needs_of(language: str) -> dict[str, Any]:
    """The sets of a language, and for each of its patterns and each way to find it which of them it needs."""
    sets: dict[frozenset[str], int] = {}
    patterns: list[list[list[int]]] = []
    for pattern in patterns_of(language):
        ways = [wanted(way) for way in needed(pattern)]
        asked = [(*map(telling, way[:1]), *way) for way in ways]
        patterns.append([[sets.setdefault(one, len(sets)) for one in dict.fromkeys(way)] for way in asked])
    return {"sets": [sorted(one) for one in sets], "patterns": patterns}


def patterns_of(language: str) -> list[str]:
    """Those of a language, names in them spelt out."""
    return [_named(pattern) for pattern in _DATA["languages"][language]["patterns"]]


def _named(pattern: str) -> str:
    return re.sub("<([a-z_]+)>", lambda name: _named(_DATA["words"][name[1]]), pattern)


def written(language: str) -> str:
    """The file of a language as it should be."""
    told = {
        "provenance": "Made of the patterns in abstention.json by python -m tests.scorer.checks.needed.",
        "about": "A text is found by a pattern only where it holds something of each set of one of the pattern's ways. "
        "Sets are told by their places; the first of a way holds parts of words.",
        **needs_of(language),
    }
    rows = (
        f' "{name}": {json.dumps(value, ensure_ascii=False, separators=(",", ":"))}'
        for name, value in told.items()
    )
    return "{\n" + ",\n".join(rows) + "\n}\n"


if __name__ == "__main__":
    for one in LANGUAGES:
        (NEEDS / f"{one}.json").write_text(written(one), "utf-8")
