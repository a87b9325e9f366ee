"""What a text must hold for a pattern to be found in it, worked out from the pattern itself.

    python -m tests.scorer.checks.needed

renews data/beside.json: where a sentence has one cue of a refusal alone, a word of which it must hold a part as well.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import ragvigil.scorer.data
from ragvigil.scorer.checks.reading.patterns import PART, choices

BESIDE = Path(ragvigil.scorer.data.__file__).parent / "beside.json"
COMMON = {
    "en": (
        "not",
        "n't",
        "no ",
        "too ",
        "another",
        "different",
        "search",
        "lack",
        "without",
        "out of",
        "never",
        "fail",
    ),
    "pt": ("não",),
    "es": ("no ",),
    "fr": ("ne ", "n'"),
    "de": ("nicht",),
    "it": ("non ",),
    "nl": ("niet",),
    "pl": ("nie ",),
}
"""Cues that most sentences which hold one hold alone, and few of those refuse."""
NOTHING = frozenset({""})
"""Is held by every text."""
_DATA: Any = json.loads(files("ragvigil.scorer.data").joinpath("abstention.json").read_text("utf-8"))
_EVERYWHERE = frozenset(
    re.findall(
        r"\w+",
        "a an the of and or is are was were in on to by for it can be do does did i we est pas lo se si "
        "that this these there them with have has will would from only your about what first more need get "
        "which how no you been had one our much make made makes got",
    )
)
_MOST_WORTH = 100
_PHRASE = 3
"""Words that tell something together, of which none does alone."""
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


def beside(ways: Iterable[Needed], cue: str, others: Collection[str]) -> frozenset[str]:
    """Parts of words of which a text must hold one where it is found in one of these ways.

    It holds `cue`, which is not asked for again, and none of `others`. Empty where none of the ways is left,
    `NOTHING` where there may be anything.
    """
    return frozenset[str]().union(*(_beside(way, cue, others) for way in ways))


def _beside(way: Needed, cue: str, others: Collection[str]) -> frozenset[str]:
    """Of all that must be there what is the least likely to be."""
    best, least = NOTHING, _expected(NOTHING, cue)
    for one in (
        *(_telling(spellings, cue, others) for spellings in way.sets),
        *(beside(group, cue, others) for group in way.groups),
    ):
        if not one:
            return one
        expected = _expected(one, cue)
        if expected < least:
            best, least = one, expected
    return best


def _expected(words: frozenset[str], cue: str) -> tuple[int, int]:
    """How much one of the words is to be expected in any sentence: how many stand everywhere, and the shortest."""
    worth = [_worth(word, cue) for word in words]
    return sum(_MOST_WORTH if not one else one == 1 for one in worth), -min(worth)


def _telling(spellings: Iterable[str], cue: str, others: Collection[str]) -> frozenset[str]:
    """Of each spelling that can be there the word that tells the most, or all of it."""
    there = [one for one in spellings if not any(other in one for other in others)]
    return frozenset(
        max((*one.split(" "), one.strip()), key=lambda said: (_worth(said, cue), " " in said, -len(said)))
        for one in there
    )


def _worth(said: str, cue: str) -> int:
    """How little a word, or a phrase, is to be expected in any sentence."""
    if " " in said:
        return 2 if len(said.split(" ")) >= _PHRASE else 0
    return 1 if said in _EVERYWHERE else len(said.replace(cue.strip(), "", 1))


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


def beside_cues() -> dict[str, dict[str, list[str]]]:
    """For each common cue of a language what else a sentence must hold that refuses and has no other cue."""
    found: dict[str, dict[str, list[str]]] = {}
    for language, cues in COMMON.items():
        ways = [way for pattern in patterns_of(language) for way in needed(pattern)]
        within_words = [
            cue for cue in _DATA["languages"][language]["cues"] if cue not in _DATA["whole_words"]
        ]
        found[language] = {
            cue: _fewest(beside(ways, cue, [other for other in within_words if other != cue])) for cue in cues
        }
    return found


def patterns_of(language: str) -> list[str]:
    """Those of a language, names in them spelt out."""
    return [_named(pattern) for pattern in _DATA["languages"][language]["patterns"]]


def _named(pattern: str) -> str:
    return re.sub("<([a-z_]+)>", lambda name: _named(_DATA["words"][name[1]]), pattern)


def _fewest(words: frozenset[str]) -> list[str]:
    """Those that hold none of the others."""
    return sorted(one for one in words if not any(other in one for other in words - {one}))


def written() -> str:
    """The file as it should be."""
    made = {
        "provenance": "Made of the patterns in abstention.json by python -m tests.scorer.checks.needed.",
        "about": "A sentence that has this cue of a language and no other refuses only where one of its words holds "
        "one of these.",
        "languages": beside_cues(),
    }
    return json.dumps(made, ensure_ascii=False, indent=1) + "\n"


if __name__ == "__main__":
    BESIDE.write_text(written(), "utf-8")
