"""Fields inside texts that are no JSON as a whole: cut off, printed by Python, one a line, or amid prose."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from ragvigil.scorer.redact.keys import PEOPLE, Meaning, meaning_under, opens_a_door

_KEY = re.compile(r"""(\\{0,15}["'])([^"'\\\n]{1,80})\1\s{0,9}:\s{0,9}""")
_QUOTE = re.compile(r"""\\{0,15}["']""")
_NUMBER = re.compile(r"[0-9]{1,30}(?![0-9.])")
_MARKS = re.compile(r"""\\{0,15}["']|[\[\]{}]""")
_MOST_LOOKS = 8
"""At a text for the ends of what is nested: a hostile one could open a bracket at every place."""
_CUT_FOR_THEIR_NAMES = frozenset({Meaning.PERSON, Meaning.SECRET, Meaning.TRANSPORT})


class Field(NamedTuple):
    """A value that is cut for its name: an id of a person, a secret, a header."""

    start: int
    end: int
    """Where the value stands, with its quotes or brackets."""
    meaning: Meaning
    quote: str
    """What it is quoted with, or would be: as its key is."""
    text: str
    """The value itself; of a list or an object, all of it as it stands there."""


def may_hold_fields(text: str) -> bool:
    """Whether it is worth to look: a key and a colon stand somewhere.

    >>> may_hold_fields("He said: 'no'."), may_hold_fields("data: {'user_id': 7}")
    (False, True)
    """
    return ":" in text and (
        '":' in text or "':" in text or '" :' in text
    )  # one character is found far sooner


def fields_in(text: str) -> Iterator[Field]:
    """Those that are cut for their names, in order; none within another.

    >>> [(found.meaning.name, found.text) for found in fields_in('{"user_id": "ana", "pwd": 7, "q": "wh')]
    [('PERSON', 'ana'), ('SECRET', '7')]
    >>> [found.text for found in fields_in("data: {'user': {'id': 'ana'}, 'headers': {'cookie': 'a=b'}")]
    ['ana', "{'cookie': 'a=b'}"]
    """
    done, left = 0, _MOST_LOOKS * len(text)
    people = list[tuple[int, str]]()
    for found in _KEY.finditer(text):
        if found.start() < done:
            continue
        while people and people[-1][0] <= found.start():
            people.pop()
        quote, key, start = found[1], found[2], found.end()
        meaning = _meaning(key, people[-1][1] if people else "", text, start)
        if meaning not in _CUT_FOR_THEIR_NAMES and not PEOPLE.fullmatch(key):
            continue
        if text[start : start + 1] in ("{", "["):
            end = _closing(text, start) if left > 0 else len(text)
            left -= end - start
            if meaning in (Meaning.SECRET, Meaning.TRANSPORT):
                yield Field(start, end, meaning, quote, text[start:end])
                done = end
            elif meaning is Meaning.PERSON and text[start] == "[":
                yield from _listed(text, start, end)
                done = end
            else:
                people.append((end, key))
        elif meaning in _CUT_FOR_THEIR_NAMES and (value := _value(text, start, meaning, quote)) is not None:
            yield value
            done = value.end


def _meaning(key: str, parent: str, text: str, start: int) -> Meaning:
    meaning = meaning_under(key, parent, ())
    if meaning is not Meaning.TOKEN:
        return meaning
    found = _value(text, start, meaning, "")
    return Meaning.SECRET if found is not None and opens_a_door(found.text) else Meaning.TEXT


def _listed(text: str, start: int, end: int) -> Iterator[Field]:
    """The ids of people in a list."""
    while start < end:
        value = _value(text, start, Meaning.PERSON, '"')
        if value is not None:
            yield value
        start = value.end if value is not None else start + 1


def _value(text: str, start: int, meaning: Meaning, quote: str) -> Field | None:
    """The text or the whole number that begins there."""
    opening = _QUOTE.match(text, start)
    if opening is None:
        number = _NUMBER.match(text, start)
        return None if number is None else Field(start, number.end(), meaning, quote, number[0])
    found = _quoted(opening[0]).match(text, opening.end())
    return (
        Field(start, found.end(), meaning, opening[0], _unescaped(found[1])) if found and found[1] else None
    )


@lru_cache(maxsize=64)
def _quoted(quote: str) -> re.Pattern[str]:
    """What stands up to that quote, or to the end of the line where it is cut off."""
    mark = re.escape(quote)
    return re.compile(rf"((?:(?!{mark})(?:\\[^\n]|[^\\\n]))*+)(?:{mark})?")


def _unescaped(inside: str) -> str:
    if "\\" not in inside:
        return inside
    try:
        return str(json.loads(f'"{inside}"'))
    except ValueError:
        return inside


def _closing(text: str, start: int) -> int:
    """Behind the bracket that closes the one there; the end of the text where none does."""
    depth, quoted = 0, ""
    for mark in _MARKS.finditer(text, start):
        if quoted:
            quoted = "" if mark[0] == quoted else quoted
        elif mark[0][-1] in "\"'":
            quoted = mark[0]
        else:
            depth += 1 if mark[0] in "[{" else -1
            if depth == 0:
                return mark.end()
    return len(text)
