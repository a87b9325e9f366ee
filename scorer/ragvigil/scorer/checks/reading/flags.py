"""Flags of a record: what it says to be so, not so or unknown, and how its names may be written."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Literal, NamedTuple

from ragvigil.scorer.checks.reading.records import spaced
from ragvigil.scorer.checks.reading.words import Word, words

Truth = Literal["true", "false", "null"]
_COMMON = 3
"""Names in which a word must occur to tell nothing about any one of them."""
_TELLING_NOTHING = frozenset(
    one.stem
    for one in words(
        "accept accepts allow allowed amenities attributes available best business details does features for "
        "general good has have is level number offer offers options restaurants suitable supports type"
    )
)
"""Words of names that only say that something is so: GoodForGroups is about groups, BusinessParking about parking."""


class Flag(NamedTuple):
    """Something that a record says to be so, not so or missing."""

    sequence: tuple[str, ...]
    """Stems of the words of its name, without those that many names share."""
    joined: str
    """Stem of those words written as one."""
    content: frozenset[str]
    """The meaningful ones of them; empty where they only tell something side by side, as in take-out."""
    truth: Truth
    parts: tuple[str, ...] = ()
    """Of a group, the joined names of what belongs to it: it is so as soon as one of them is."""
    place: int | None = None
    """Which of the values that were given it is; None for a group."""


def read_flags(named: Sequence[tuple[str, Truth | None]]) -> list[Flag]:
    """The flags among the values of a record, each given by its name and its truth, None where it has none.

    >>> [(flag.sequence, flag.joined, flag.truth) for flag in read_flags([("WiFi", "false"), ("Name", None)])]
    [(('wi', 'fi'), 'wifi', 'false')]
    """
    parts = [[(part, words(part)) for part in spaced(name).split()] for name, _ in named]
    uses = Counter(
        stem for one in parts for stem in {word.stem for _, read in one for word in read if word.content}
    )
    found: list[Flag] = []
    for place, (one, (_, truth)) in enumerate(zip(parts, named, strict=True)):
        own = _telling(
            [(part, read) for part, read in one if all(uses[word.stem] < _COMMON for word in read)]
        )
        sequence = [word for _, read in own for word in read]
        content = frozenset(word.stem for word in sequence if word.content)
        if truth and content:
            found.append(_flag("".join(part for part, _ in own), sequence, content, truth, place))
    return found


def read_groups(values: Sequence[tuple[tuple[str, ...], Truth | None]]) -> list[Flag]:
    """What a record tells by several flags under one name; each value is given by its path and its truth.

    >>> values = [(("Parking", "valet"), "false"), (("Parking", "street"), "true")]
    >>> [(flag.sequence, flag.truth, flag.parts) for flag in read_groups(values)]
    [(('park',), 'true', ('valet', 'street'))]
    """
    below: defaultdict[tuple[str, ...], dict[str, Truth | None]] = defaultdict(dict)
    for path, truth in values:
        if len(path) > 1:
            below[path[:-1]][path[-1]] = truth
    found: list[Flag] = []
    for path, members in below.items():
        truths = set(members.values())
        if (
            len(members) > 1
            and None not in truths
            and truths & {"true", "false"}
            and truths != {"false", "null"}
        ):
            parts = tuple("".join(word.stem for word in words(spaced(name))) for name in members)
            whole = read_flags([(path[-1], "true" if "true" in truths else "false")])
            found += [
                flag._replace(parts=parts, place=None)
                for flag in whole
                if not flag.content <= _TELLING_NOTHING
            ]
    return found


def _telling(name: list[tuple[str, list[Word]]]) -> list[tuple[str, list[Word]]]:
    """Those parts of a name that say what it is about; all of them where none does."""
    kept = [(part, read) for part, read in name if any(word.stem not in _TELLING_NOTHING for word in read)]
    return kept if any(word.content for _, read in kept for word in read) else name


def _flag(name: str, sequence: Sequence[Word], content: frozenset[str], truth: Truth, place: int) -> Flag:
    joined = words(name)
    side_by_side = len(content) == 1 and len(sequence) > 1
    return Flag(
        tuple(word.stem for word in sequence),
        joined[0].stem if len(joined) == 1 else "",
        frozenset() if side_by_side else content,
        truth,
        place=place,
    )
